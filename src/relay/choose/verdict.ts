/** What an attempt, the end of its stream or a test says about the channel and the key that were asked. */
import { limits } from '../../core/limits.ts';
import type { Operation } from '../../dialects/dialect.ts';
import type { ChannelProbe } from '../../modules/channel/probe.ts';
import type { Options } from '../../options/store.ts';
import type { Outcome } from '../attempt/outcome.ts';
import { meaningOf } from '../attempt/statuses.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { Trial, Verdict } from './circuit-breaker.ts';

const WELL: Verdict = { kind: 'well' };
const BEGUN: Verdict = { kind: 'begun' };
const NOTHING: Verdict = { kind: 'nothing' };

export function verdictOf(outcome: Outcome, operation: Operation): Verdict {
  if (outcome.kind === 'left') return NOTHING;
  if (outcome.kind === 'stream') return BEGUN;
  if (outcome.kind !== 'failed') return WELL;
  const { blame, status, retryAfterSec, reason } = outcome;
  const { isBusy, mayNotOffer } = meaningOf(status);
  // Who cannot count may well answer.
  if (operation === 'count-tokens' && mayNotOffer) return NOTHING;
  switch (blame) {
    case 'nobody':
      return NOTHING;
    case 'caller':
      return WELL;
    case 'key':
      return isBusy ? { kind: 'busy', retryAfterSec } : { kind: 'refused' };
    case 'late':
    case 'channel':
      return { kind: 'failed', isLate: blame === 'late', reason };
  }
}

/** What the end of a stream says: one that breaks off or falls silent is a failure, whoever read it. */
export function verdictOfEnd(end: StreamEnd): Verdict {
  if (end === 'done') return WELL;
  const isFailure = end === 'upstream_cut' || end === 'timeout';
  return isFailure ? { kind: 'failed', isLate: false, reason: { code: 'broke-off' } } : NOTHING;
}

/** Slower than a healthy answer is too slow still; another failure may be no measure (a model that cannot be tested). */
export const trialBy =
  (probe: Pick<ChannelProbe, 'test'>, options: Options): Trial =>
  async ({ channel, key }, model) => {
    const timeoutMs = options.get('ChannelDisableThreshold') * 1_000 || limits.halfOpenMs;
    const { success, isLate } = await probe.test({ ...channel, keys: [key] }, model, { timeoutMs });
    if (success) return WELL;
    return isLate ? { kind: 'failed', isLate: true, reason: { code: 'slow-test' } } : NOTHING;
  };
