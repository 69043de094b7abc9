/** Requests of the neutral model in the words of Cohere's v2 chat. */
import { callersSet } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact } from '../fields.ts';
import { writeFunctionTools } from '../function-tools.ts';
import type { ChatRequest, Reasoning, ResponseFormat, ToolChoice } from '../neutral.ts';
import { wishedThoughts } from '../wished-thoughts.ts';
import { writeMessages } from './write-messages.ts';

const SETTINGS: ReadonlySet<Setting> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'logprobs',
  'user',
  'promptCacheKey',
]);

/** The service takes no more stop sequences than this. */
const STOPS_MAX = 5;

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  reportDropped(request, SETTINGS, target);
  if ((request.stop?.length ?? 0) > STOPS_MAX) target.drop('stop beyond five');
  const tools = writeTools(request, target);
  return compact<JsonObject>({
    model: target.model,
    messages: writeMessages(request, target),
    stream: target.stream,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? writeToolChoice(request.toolChoice) : undefined,
    response_format: writeFormat(request.responseFormat),
    thinking: writeThinking(wishedThoughts(request, target, false)),
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    p: request.topP,
    k: request.topK,
    seed: request.seed,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop_sequences: request.stop && request.stop.length > 0 ? request.stop.slice(0, STOPS_MAX) : undefined,
    logprobs: request.logprobs,
  });
}

/** A choice among some is made by showing only these. */
function writeTools(request: ChatRequest, target: RequestTarget): JsonObject[] {
  const { toolChoice: choice } = request;
  const names =
    choice?.mode === 'allowed' ? choice.names : choice?.mode === 'named' ? [choice.name] : undefined;
  const shown = names && callersSet(names);
  const tools = request.tools.filter((tool) => !shown || !('name' in tool) || shown.has(tool.name));
  return writeFunctionTools(tools, target);
}

function writeToolChoice(choice: ToolChoice | undefined): string | undefined {
  switch (choice?.mode) {
    case 'required':
    case 'named':
      return 'REQUIRED';
    case 'none':
      return 'NONE';
    case 'allowed':
      return choice.required ? 'REQUIRED' : undefined;
    default:
      return undefined;
  }
}

function writeFormat(format: ResponseFormat | undefined): JsonObject | undefined {
  if (!format) return undefined;
  if (format.type === 'text') return { type: 'text' };
  return compact({ type: 'json_object', json_schema: format.type === 'schema' ? format.schema : undefined });
}

/** Share of the thinking that an effort stands for. */
const BUDGETS = {
  minimal: 512,
  low: 1024,
  medium: 4096,
  high: undefined,
  xhigh: undefined,
  max: undefined,
} as const;

function writeThinking(reasoning: Reasoning | undefined): JsonObject | undefined {
  const { mode, effort, budgetTokens } = reasoning ?? {};
  if (mode === 'off' || effort === 'none') return { type: 'disabled' };
  if (mode === undefined && effort === undefined && budgetTokens === undefined) return undefined;
  return compact({ type: 'enabled', token_budget: budgetTokens ?? (effort && BUDGETS[effort]) });
}
