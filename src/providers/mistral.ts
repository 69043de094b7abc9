import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../core/json.ts';
import { withEachTool } from '../dialects/all-tools.ts';
import { compact, objectOf, objectsOf } from '../dialects/fields.ts';
import { openaiCompatible, rename } from './openai-compatible.ts';

/** Everything that Mistral's chat takes; other fields are refused with 422. */
const FIELDS = new Set([
  'model',
  'stream',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'parallel_tool_calls',
  'prediction',
  'prompt_mode',
  'random_seed',
  'safe_prompt',
  'metadata',
  'reasoning_effort',
]);

/** Tool call ids must be nine letters and digits. The same long id always becomes the same short one, so that calls and results still meet. */
const shortId = (id: string): string =>
  /^[A-Za-z0-9]{9}$/.test(id)
    ? id
    : BigInt(`0x${createHash('sha256').update(id).digest('hex')}`)
        .toString(36)
        .slice(0, 9);

/** So that a result finds its call again. */
const shortened = (id: Json | undefined): Json | undefined => (typeof id === 'string' ? shortId(id) : id);

function adjustCall({ id, type, function: called }: JsonObject): JsonObject {
  const { name, arguments: input } = objectOf(called) ?? {};
  return compact({ id: shortened(id), type, function: compact({ name, arguments: input }) });
}

/** Everything that it takes of a message, whose other fields it refuses with 422; of names it knows those of tools. */
function adjustMessage(message: JsonObject): JsonObject {
  const { role, content, name, tool_call_id, tool_calls, prefix } = message;
  return compact({
    role,
    content,
    name: role === 'tool' ? name : undefined,
    tool_call_id: shortened(tool_call_id),
    tool_calls: Array.isArray(tool_calls) ? objectsOf(tool_calls).map(adjustCall) : tool_calls,
    prefix,
  });
}

const isEmpty = (said: Json | undefined): boolean => !said || (Array.isArray(said) && said.length === 0);

/** Such is left of one that held thoughts alone: an assistant who neither says nor calls anything is refused. */
const isNothing = ({ role, content, tool_calls }: JsonObject): boolean =>
  role === 'assistant' && isEmpty(content) && isEmpty(tool_calls);

/** "Unexpected role 'user' after role 'tool'": the model has the word between them. */
const HEARD = { role: 'assistant', content: 'OK.' };

const OF_MODEL: ReadonlySet<unknown> = new Set(['assistant', 'tool']);

function adjustMessages(given: readonly JsonObject[]): JsonObject[] {
  const messages: JsonObject[] = [];
  for (const message of given.map(adjustMessage)) {
    if (isNothing(message)) continue;
    const before = messages.at(-1)?.role;
    const isAnswer = OF_MODEL.has(message.role);
    if (before === 'tool' && !isAnswer) messages.push({ ...HEARD });
    // "Unexpected role 'system' after role 'assistant'", and behind a tool neither.
    messages.push(isAnswer || !OF_MODEL.has(before) ? message : { ...message, role: 'user' });
  }
  const last = messages.at(-1);
  // An answer that the model shall go on with must say so.
  if (last?.role === 'assistant' && !last.tool_calls) last.prefix = true;
  return messages;
}

/** Functions that take nothing must say so. */
function adjustTool(tool: JsonObject): JsonObject {
  const called = objectOf(tool.function);
  if (!called || called.parameters) return tool;
  return { ...tool, function: { ...called, parameters: { type: 'object', properties: {} } } };
}

function adjustBody(given: JsonObject): JsonObject {
  const body = { ...withEachTool(given, adjustTool) };
  rename(body, 'max_completion_tokens', 'max_tokens');
  rename(body, 'seed', 'random_seed');
  if (Array.isArray(body.messages)) body.messages = adjustMessages(objectsOf(body.messages));
  for (const field of Object.keys(body)) if (!FIELDS.has(field)) delete body[field];
  return body;
}

export const mistral = openaiCompatible({
  type: 42,
  slug: 'mistral',
  label: 'Mistral',
  systemRoleOnly: true,
  baseUrl: 'https://api.mistral.ai',
  models: [
    'mistral-large-latest',
    'mistral-large-4',
    'mistral-medium-latest',
    'mistral-medium-3',
    'mistral-small-latest',
    'ministral-8b-latest',
    'ministral-3b-latest',
    'codestral-latest',
    'devstral-medium-latest',
    'devstral-small-latest',
    'magistral-medium-latest',
    'magistral-small-latest',
    'pixtral-large-latest',
    'pixtral-12b',
    'open-mistral-nemo',
    'open-mistral-7b',
    'open-mixtral-8x7b',
    'mistral-embed',
    'codestral-embed',
    'mistral-moderation-latest',
    'voxtral-mini-latest',
    'mistral-ocr-latest',
  ],
  operations: ['chat', 'completions', 'embeddings', 'transcriptions', 'moderations'],
  paths: { completions: '/v1/fim/completions' },
  // Usage always comes with the last chunk; asking for it is refused.
  streamUsage: false,
  // Its contents may be lists, with thoughts among their parts, and its calls name no type.
  strict: 'answers',
  adjustBody: (body, { operation }) => (operation === 'chat' ? adjustBody(body) : body),
});
