/** How long an upstream keeps what it has written to its cache, where it does not tell that. */
import type { CacheLife } from '../../core/price-bound.ts';
import type { Quote } from '../../core/price-formula.ts';
import type { Usage } from '../../core/usage.ts';

/**
 * Writes of which nothing tells how long they are kept are kept for as long as it was asked. Who writes unasked and tells
 * nothing of it has written whatever was not read.
 */
export function withAskedLife(
  usage: Usage,
  asked: CacheLife | undefined,
  { writesUnasked }: Pick<Quote, 'writesUnasked'>,
): Usage {
  if (asked !== 'hour') return usage;
  const { untoldWrites, input, cacheWrite, cacheWriteHour } = usage;
  if (untoldWrites === undefined) {
    return writesUnasked ? { ...usage, input: 0, cacheWriteHour: cacheWriteHour + input } : usage;
  }
  const kept = Math.min(untoldWrites, cacheWrite);
  return kept === 0
    ? usage
    : { ...usage, cacheWrite: cacheWrite - kept, cacheWriteHour: cacheWriteHour + kept, untoldWrites: 0 };
}
