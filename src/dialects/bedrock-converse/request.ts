/** Requests of the neutral model as Bedrock's Converse takes them. The model stands in the path. */
import { callersSet } from '../../core/callers-keys.ts';
import { takenEffort } from '../../core/efforts.ts';
import type { JsonObject } from '../../core/json.ts';
import { writeThinking } from '../anthropic-messages/thinking.ts';
import type { RequestTarget } from '../codec.ts';
import { customToolSchema } from '../custom-tools.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact, hasFields } from '../fields.ts';
import { jsonInWords } from '../json-words.ts';
import type { ChatRequest, Reasoning, Tool, ToolChoice } from '../neutral.ts';
import { saidEffort } from '../openai-chat/thinking.ts';
import { targetOf, writeMessages, writeSystem } from './write-messages.ts';
import { cachePoint } from './write-parts.ts';

const SETTINGS: ReadonlySet<Setting> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'stop',
  'user',
  'promptCacheKey',
]);

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  reportDropped(request, SETTINGS, target);
  const to = targetOf(target);
  const more = writeModelFields(request, target);
  const thinks = more.thinking !== undefined;
  const config = compact<JsonObject>({
    maxTokens: request.maxOutputTokens ?? (thinks ? target.defaultMaxTokens : undefined),
    // Claude takes no sampling while it thinks.
    temperature: thinks ? undefined : request.temperature,
    topP: thinks || request.temperature !== undefined ? undefined : request.topP,
    stopSequences: request.stop?.filter((stop) => stop.trim() !== ''),
  });
  return compact<JsonObject>({
    messages: writeMessages(request, to),
    system: writeSystem(request, jsonInWords(request.responseFormat), to),
    inferenceConfig: hasFields(config) ? config : undefined,
    toolConfig: writeToolConfig(request, target),
    additionalModelRequestFields: hasFields(more) ? more : undefined,
    additionalModelResponseFieldPaths: isClaude(target) ? ['/stop_sequence'] : undefined,
  });
}

const isClaude = ({ model }: RequestTarget): boolean => /claude|anthropic/.test(model);

/** What goes to the model itself, in words of its maker. */
function writeModelFields(request: ChatRequest, target: RequestTarget): JsonObject {
  const { reasoning } = request;
  if (isClaude(target)) {
    const maxTokens = request.maxOutputTokens ?? target.defaultMaxTokens;
    const { thinking, effort } = writeThinking(request, maxTokens, target);
    return compact({
      thinking,
      output_config: effort === undefined ? undefined : { effort },
      top_k: thinking ? undefined : request.topK,
    });
  }
  if (request.topK !== undefined) target.drop('top_k');
  const effort = reasoning && openAisEffort(reasoning, target);
  if (reasoning && !effort) target.drop('reasoning');
  return effort ?? {};
}

/** Those that OpenAI gave away are told by the word of Chat, all others of its by that of Responses. */
function openAisEffort(reasoning: Reasoning, target: RequestTarget): JsonObject | undefined {
  const [, name] = OPENAIS.exec(target.model) ?? [];
  const said = saidEffort(reasoning);
  const effort = said && name && takenEffort(said, name);
  if (!effort) return undefined;
  return name.startsWith('gpt-oss') ? { reasoning_effort: effort } : { reasoning: { effort } };
}

/** A model's own name in Bedrock's. */
const OPENAIS = /openai\.(.+)/;

function writeToolConfig(request: ChatRequest, target: RequestTarget): JsonObject | undefined {
  const tools = request.tools.flatMap((tool) => writeTool(tool, target));
  // A history with calls is refused when no tool is declared, and a choice of none has no word.
  const called = callsIn(request);
  if (request.toolChoice?.mode === 'none') {
    if (called.size === 0) return undefined;
    target.drop('tool_choice');
  }
  if (tools.length === 0) {
    if (called.size === 0) return undefined;
    return { tools: [...called].map((name) => toolSpec(name, undefined, EMPTY)) };
  }
  return compact({ tools, toolChoice: writeToolChoice(request.toolChoice) });
}

const EMPTY: JsonObject = { type: 'object', properties: {} };

const toolSpec = (name: string, description: string | undefined, schema: JsonObject): JsonObject => ({
  toolSpec: compact({ name, description: description || undefined, inputSchema: { json: schema } }),
});

function writeTool(tool: Tool, target: RequestTarget): JsonObject[] {
  switch (tool.type) {
    case 'function':
      return [
        toolSpec(tool.name, tool.description, { ...EMPTY, ...tool.parameters, type: 'object' }),
        ...cachePoint(tool.cache),
      ];
    case 'custom':
      return [toolSpec(tool.name, tool.description, customToolSchema)];
    default:
      target.drop('server tool');
      return [];
  }
}

const callsIn = ({ messages }: ChatRequest): ReadonlySet<string> =>
  callersSet(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'tool-call' ? [part.name] : []))),
  );

function writeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  switch (choice?.mode) {
    case 'auto':
      return { auto: {} };
    case 'required':
      return { any: {} };
    case 'named':
      return { tool: { name: choice.name } };
    case 'allowed':
      return choice.required ? { any: {} } : { auto: {} };
    default:
      return undefined;
  }
}
