/** What an attempt, the end of its stream or a probe says about the channel and the key that were asked. */
import { limits } from '../../core/limits.ts';
import type { Operation } from '../../dialects/dialect.ts';
import type { ChannelProbe } from '../../modules/channel/probe.ts';
import type { Options } from '../../options/store.ts';
import type { Unshown } from '../answer/answers.ts';
import type { Outcome } from '../attempt/outcome.ts';
import { meaningOf } from '../attempt/statuses.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { CallResult, HalfOpenProbe } from './circuit-breaker.ts';

const SUCCESS: CallResult = { kind: 'success' };
const BEGUN: CallResult = { kind: 'begun' };
const IGNORED: CallResult = { kind: 'ignored' };

export function resultOf(outcome: Outcome, operation: Operation): CallResult {
  if (outcome.kind === 'left') return IGNORED;
  if (outcome.kind === 'stream') return BEGUN;
  if (outcome.kind === 'unshown') return resultOfUnshown(outcome);
  if (outcome.kind !== 'failed') return SUCCESS;
  const { blame, status, retryAfterSec, reason } = outcome;
  const { isBusy, mayNotOffer } = meaningOf(status);
  // Who cannot count may well answer.
  if (operation === 'count-tokens' && mayNotOffer) return IGNORED;
  switch (blame) {
    case 'nobody':
      return IGNORED;
    case 'caller':
      return SUCCESS;
    case 'key':
      return isBusy ? { kind: 'busy', retryAfterSec } : { kind: 'refused' };
    case 'late':
    case 'channel':
      return { kind: 'failure', isLate: blame === 'late', reason };
  }
}

function resultOfUnshown({ blame }: Unshown): CallResult {
  if (blame === 'late') return { kind: 'failure', isLate: true, reason: { code: 'timeout' } };
  return blame === 'caller' ? SUCCESS : IGNORED;
}

/** What the end of a stream says: one that breaks off or falls silent is a failure, whoever read it. */
export function resultOfEnd(end: StreamEnd): CallResult {
  if (end === 'done') return SUCCESS;
  const isFailure = end === 'upstream_cut' || end === 'timeout';
  return isFailure ? { kind: 'failure', isLate: false, reason: { code: 'broke-off' } } : IGNORED;
}

/** Slower than a healthy answer is too slow still; another failure may be no measure (a model that cannot be tested). */
export const halfOpenProbe =
  (probe: Pick<ChannelProbe, 'test'>, options: Options): HalfOpenProbe =>
  async ({ channel, key }, model) => {
    const timeoutMs = options.get('ChannelDisableThreshold') * 1_000 || limits.halfOpenMs;
    const { success, isLate } = await probe.test({ ...channel, keys: [key] }, model, { timeoutMs });
    if (success) return SUCCESS;
    return isLate ? { kind: 'failure', isLate: true, reason: { code: 'slow-test' } } : IGNORED;
  };
