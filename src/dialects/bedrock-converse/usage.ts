/** Usage as Bedrock's Converse counts it: the input leaves the two cache counts out, as at Anthropic. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { countOf, largestOf, objectOf, objectsOf } from '../fields.ts';

/** What a `usage` object means; null when it counts nothing. */
export function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const input = countOf(usage?.inputTokens);
  const output = countOf(usage?.outputTokens);
  if (!usage || (input === undefined && output === undefined)) return null;
  // Older answers name the cache counts another way, newer ones both.
  const told = largestOf([usage.cacheWriteInputTokens, usage.cacheWriteInputTokenCount]);
  const writes = told ?? 0;
  const lives = objectsOf(usage.cacheDetails);
  const hour = sumOf(lives.filter(({ ttl }) => typeof ttl === 'string' && /^T?1H$/i.test(ttl)));
  const cacheWriteHour = Math.min(hour, writes);
  return {
    ...noUsage(),
    input: input ?? 0,
    cacheRead: largestOf([usage.cacheReadInputTokens, usage.cacheReadInputTokenCount]) ?? 0,
    cacheWrite: writes - cacheWriteHour,
    cacheWriteHour,
    output: output ?? 0,
    ...(told !== undefined && { untoldWrites: Math.max(0, writes - sumOf(lives)) }),
  };
}

const sumOf = (lives: readonly JsonObject[]): number =>
  lives.reduce((sum, { inputTokens }) => sum + (countOf(inputTokens) ?? 0), 0);
