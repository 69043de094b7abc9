/** Names the settings of a request that a dialect has no word for, so that nothing is left out in silence. */

import { fail } from '../core/errors.ts';
import type { RequestTarget } from './codec.ts';
import { objectOf, textOf } from './fields.ts';
import type { ChatRequest } from './neutral.ts';

/** Settings by the names that callers know them by. */
const NAMES = {
  parallelToolCalls: 'parallel_tool_calls',
  responseFormat: 'response_format',
  reasoning: 'reasoning',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: 'min_p',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  repetitionPenalty: 'repetition_penalty',
  seed: 'seed',
  stop: 'stop',
  logprobs: 'logprobs',
  topLogprobs: 'top_logprobs',
  logitBias: 'logit_bias',
  verbosity: 'verbosity',
  modalities: 'modalities',
  audio: 'audio',
  user: 'user',
  metadata: 'metadata',
  serviceTier: 'service_tier',
  promptCacheKey: 'prompt_cache_key',
  promptCacheRetention: 'prompt_cache_retention',
  promptCacheOptions: 'prompt_cache_options',
  store: 'store',
} as const satisfies Partial<Record<keyof ChatRequest, string>>;

export type Setting = keyof typeof NAMES;

/**
 * Refuses a request that builds on what only the service which gave an earlier answer knows: without it the model would
 * answer another question.
 */
export function refuseKeptContext(request: ChatRequest): void {
  const kept = keptContext(request);
  if (!kept) return;
  const { id, field } = kept;
  const reason = {
    zh: `此模型的渠道均未保存“${id}”：请在输入中发送完整的对话`,
    en: `No channel of this model keeps '${id}': send the whole conversation as input instead`,
  };
  throw fail('invalid_request', { field, params: { reason } });
}

/** Fields that name what the service keeps. */
const KEPT = ['previous_response_id', 'conversation', 'prompt'];

function keptContext({ dialect, extra, previousResponseId: id }: ChatRequest) {
  const cached = dialect === 'gemini' ? textOf(extra.cachedContent) : undefined;
  if (cached) return { id: cached, field: 'cachedContent' };
  // The token itself may be as long as a book.
  if (dialect === 'gemini' && textOf(extra.continuationToken))
    return { id: 'continuationToken', field: 'continuationToken' };
  if (id === undefined) return null;
  const names = (value: unknown): boolean => value === id || objectOf(value)?.id === id;
  return { id, field: KEPT.find((name) => names(extra[name])) ?? 'input' };
}

/** Reports every setting of the request that is not among the `known` ones, and more answers than one. */
export function reportDropped(
  request: ChatRequest,
  known: Pick<ReadonlySet<Setting | 'choices'>, 'has'>,
  target: RequestTarget,
) {
  refuseKeptContext(request);
  for (const [field, name] of Object.entries(NAMES) as [Setting, string][]) {
    const value = request[field];
    if (value === undefined || known.has(field)) continue;
    // What asks for nothing beyond what every dialect does anyway is no loss.
    if (field === 'modalities' && request.modalities?.every((modality) => modality === 'text')) continue;
    if (field === 'parallelToolCalls' && value === true) continue;
    if ((field === 'store' || field === 'logprobs') && value === false) continue;
    target.drop(name);
  }
  if ((request.choices ?? 1) > 1 && !known.has('choices')) {
    target.drop('n');
    target.asksForOne?.();
  }
}
