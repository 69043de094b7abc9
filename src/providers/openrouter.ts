import { isObject, type JsonObject } from '../core/json.ts';
import { plainName } from '../core/model-families.ts';
import { isAbsent } from '../dialects/bounds.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import { isCallers } from '../dialects/tool-words.ts';
import { openrouterBalance } from './balance.ts';
import { openaiCompatible } from './openai-compatible.ts';
import type { HostTools, Unasked } from './provider.ts';

/** OpenRouter groups everything about thinking in one object; usage comes without asking. */
function adjustBody(body: JsonObject): JsonObject {
  const reasoning: JsonObject = isObject(body.reasoning) ? { ...(body.reasoning as JsonObject) } : {};
  if (body.reasoning_effort !== undefined) {
    reasoning.effort ??= body.reasoning_effort;
    delete body.reasoning_effort;
  }
  if (isObject(body.thinking)) {
    const { budget_tokens: budget, type } = body.thinking as JsonObject;
    if (budget !== undefined) reasoning.max_tokens ??= budget;
    else if (type === 'enabled') reasoning.enabled ??= true;
    delete body.thinking;
  }
  if (Object.keys(reasoning).length > 0) body.reasoning = reasoning;
  return body;
}

/** Families that take files as they are. What is not known to has them read as text, which goes with every model. */
const READS_FILES =
  /^(?:claude-(?:opus|sonnet)-\d|claude-3-[57]-sonnet|gemini-[2-9]|gpt-4o|gpt-4-1(?!\d)|gpt-[5-9]|o\d)/;
const READS_NONE = /audio|codex|image|live|search|tts/;
const readsFiles = (name: string): boolean => READS_FILES.test(name) && !READS_NONE.test(name);

const HOST = /[/.]openrouter(?:\.ai)?(?=[:/]|$)/i;

/**
 * Its tools go by names of its own and, on each wire, by those that OpenAI and Anthropic have for theirs (its guide to
 * server tools): a search by its engines is billed by the pages found, a shell by the second, a picture and advice as
 * the model that gives it. Anthropic's `bash` is the caller's as long as it names no engine; a shell never is.
 */
const serverTools: HostTools = {
  host: HOST,
  runs: (tool) => !isCallers(tool) && (RUN.test(textOf(tool.type) ?? '') || namesEngine(tool)),
};
const RUN =
  /^\s*openrouter:|^(?:advisor|datetime|experimental|files|fusion|image_generation|shell|subagent|web_fetch|web_search)/i;

/** Beside the type, or among its settings; those of a function are its schema. */
const namesEngine = ({ engine, parameters }: JsonObject): boolean =>
  !isAbsent(engine ?? objectOf(parameters)?.engine);

const PARSER = 'file-parser';
const isParser = (plugin: unknown): boolean => isObject(plugin) && plugin.id === PARSER;

/**
 * A PDF for a model that takes none is read before it. Where no engine is named that is OCR at two dollars for a thousand
 * pages, which the account is billed whoever's key the model is called with (openrouter.ai/docs, PDF inputs). One engine
 * costs nothing; `native` gives the file to the model as it is, for its tokens alone, and is named as well, because
 * without a name OCR takes its place where a host of the model cannot.
 */
const fileParser: Unasked = {
  host: HOST,
  decline(body, model) {
    const plugins = Array.isArray(body.plugins) ? body.plugins : [];
    if (plugins.some(isParser)) return body;
    const engine = readsFiles(plainName(model)) ? 'native' : 'cloudflare-ai';
    return { ...body, plugins: [...plugins, { id: PARSER, pdf: { engine } }] };
  },
};

export const openrouter = openaiCompatible({
  type: 20,
  slug: 'openrouter',
  label: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  models: [
    'openai/gpt-5',
    'anthropic/claude-sonnet-4.5',
    'google/gemini-2.5-pro',
    'deepseek/deepseek-chat-v3.1',
    'qwen/qwen3-235b-a22b',
    'moonshotai/kimi-k2',
    'x-ai/grok-4',
    'z-ai/glm-4.6',
  ],
  operations: ['chat', 'completions', 'embeddings'],
  messagesPath: '/v1/messages',
  // A preset, alone or behind a model: prompts and settings of the account.
  modelIsKept: (model) => model.includes('@preset/'),
  balance: openrouterBalance,
  unasked: fileParser,
  hostTools: serverTools,
  // Its response caching (openrouter.ai/docs/guides/features/response-caching).
  keepsAnswers: { host: HOST },
  tellsStores: true,
  streamUsage: false,
  nameChars: 128,
  extensions: ['top_k', 'min_p', 'repetition_penalty', 'reasoning_details', 'cache_control'],
  form: { keyHint: 'sk-or-…' },
  // Its rankings name the sites that call; a header holds plain letters only.
  headers: ({ channel: { site } }): Record<string, string> => ({
    'x-title': encodeURI(site.name),
    ...(site.address ? { 'http-referer': site.address } : {}),
  }),
  adjustBody,
});
