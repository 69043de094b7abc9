/** Whether to believe what an upstream says that an answer used. */
import { limits } from '../core/limits.ts';
import { completionTokens, promptTokens, type Usage } from '../core/usage.ts';
import type { RequestFacts } from '../dialects/dialect.ts';

/**
 * Vendors count thoughts and the rounds of their own tools beside a cap, and some stop a little late: what one real
 * answer can come to is believed whatever the cap.
 */
const SLACK_TIMES = 2;
const SLACK_TOKENS = 131_072;

/**
 * Null for usage beyond all bounds, or far beyond what was asked for, which is a mistake of the upstream: then it is
 * counted here.
 */
export function plausible(
  usage: Usage | null,
  asked?: Pick<RequestFacts, 'outputCap' | 'choices'>,
): Usage | null {
  const cap = asked?.outputCap;
  const most = asked && cap ? SLACK_TIMES * cap * asked.choices + SLACK_TOKENS : limits.maxTokensCap;
  return usage &&
    promptTokens(usage) <= limits.maxTokensCap &&
    completionTokens(usage) <= Math.min(most, limits.maxTokensCap)
    ? usage
    : null;
}
