/** Usage as Bedrock's Converse counts it: the input leaves the two cache counts out, as at Anthropic. */
import { noUsage, type Usage } from '../../core/usage.ts';
import { countOf, objectOf, objectsOf } from '../fields.ts';

/** What a `usage` object means; null when it counts nothing. */
export function readUsage(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const input = countOf(usage?.inputTokens);
  const output = countOf(usage?.outputTokens);
  if (!usage || (input === undefined && output === undefined)) return null;
  // Older answers name the cache counts another way, newer ones both.
  const writes = countOf(usage.cacheWriteInputTokens) ?? countOf(usage.cacheWriteInputTokenCount) ?? 0;
  const hour = objectsOf(usage.cacheDetails)
    .filter(({ ttl }) => typeof ttl === 'string' && /^T?1H$/i.test(ttl))
    .reduce((sum, { inputTokens }) => sum + (countOf(inputTokens) ?? 0), 0);
  const cacheWriteHour = Math.min(hour, writes);
  return {
    ...noUsage(),
    input: input ?? 0,
    cacheRead: countOf(usage.cacheReadInputTokens) ?? countOf(usage.cacheReadInputTokenCount) ?? 0,
    cacheWrite: writes - cacheWriteHour,
    cacheWriteHour,
    output: output ?? 0,
  };
}
