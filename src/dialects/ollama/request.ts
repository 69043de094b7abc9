/** Requests of the neutral model in the words of Ollama's /api/chat. */
import type { JsonObject } from '../../core/json.ts';
import type { RequestTarget } from '../codec.ts';
import { reportDropped, type Setting } from '../dropped-settings.ts';
import { compact, hasFields } from '../fields.ts';
import { writeFunctionTools } from '../function-tools.ts';
import type { ChatRequest, Reasoning, ResponseFormat } from '../neutral.ts';
import { wishedThoughts } from '../wished-thoughts.ts';
import { writeMessages } from './write-messages.ts';

const SETTINGS: ReadonlySet<Setting> = new Set([
  'responseFormat',
  'reasoning',
  'temperature',
  'topP',
  'topK',
  'minP',
  'seed',
  'repetitionPenalty',
  'frequencyPenalty',
  'presencePenalty',
  'stop',
  'logprobs',
  'topLogprobs',
  'user',
  'promptCacheKey',
]);

export function writeRequest(request: ChatRequest, target: RequestTarget): JsonObject {
  reportDropped(request, SETTINGS, target);
  const tools = request.toolChoice?.mode === 'none' ? [] : writeFunctionTools(request.tools, target);
  if (request.toolChoice && request.toolChoice.mode !== 'auto' && request.toolChoice.mode !== 'none') {
    target.drop('tool_choice');
  }
  const options = compact<JsonObject>({
    num_predict: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    min_p: request.minP,
    seed: request.seed,
    repeat_penalty: request.repetitionPenalty,
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    stop: request.stop,
  });
  return compact<JsonObject>({
    model: target.model,
    messages: writeMessages(request, target),
    stream: target.stream,
    tools: tools.length > 0 ? tools : undefined,
    format: writeFormat(request.responseFormat),
    think: writeThinking(wishedThoughts(request, target, true), target),
    logprobs: request.logprobs,
    top_logprobs: request.topLogprobs,
    options: hasFields(options) ? options : undefined,
  });
}

const writeFormat = (format: ResponseFormat | undefined): JsonObject | string | undefined => {
  if (!format || format.type === 'text') return undefined;
  return format.type === 'json' ? 'json' : format.schema;
};

const LEVELS = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const;

/** Only some models know levels; the others think or do not. */
function writeThinking(
  reasoning: Reasoning | undefined,
  { model }: RequestTarget,
): boolean | string | undefined {
  const { mode, effort, budgetTokens } = reasoning ?? {};
  if (mode === 'off' || effort === 'none') return false;
  if (effort !== undefined) return model.includes('gpt-oss') ? LEVELS[effort] : true;
  return mode !== undefined || budgetTokens !== undefined ? true : undefined;
}
