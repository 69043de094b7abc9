/** What an attempt, the end of its stream or a test says about the channel and the key that were asked. */
import { limits } from '../../core/limits.ts';
import type { Operation } from '../../dialects/dialect.ts';
import type { ChannelProbe } from '../../modules/channel/probe.ts';
import type { Options } from '../../options/store.ts';
import type { Outcome } from '../attempt/outcome.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { Trial, Verdict } from './circuit-breaker.ts';

const TOO_MANY = 429;
/** What a request is refused for by what it says, at every upstream alike. */
const CALLERS_OWN = new Set([400, 409, 411, 413, 414, 415, 416, 422, 428, 431, 451]);

const WELL: Verdict = { kind: 'well' };
const BEGUN: Verdict = { kind: 'begun' };
const NOTHING: Verdict = { kind: 'nothing' };

/** Statuses by which an upstream says that it does not have such a call. */
const NOT_OFFERED = new Set([404, 405, 501]);

export function verdictOf(outcome: Outcome, operation: Operation): Verdict {
  if (outcome.kind === 'left') return NOTHING;
  if (outcome.kind === 'stream') return BEGUN;
  if (outcome.kind !== 'failed') return WELL;
  const { status, fault, retryAfterSec, error, reason, keyDead, finalWords, isOfNamed } = outcome;
  if (fault === 'unserved' || error.code === 'stopping' || isOfNamed) return NOTHING;
  // Who cannot count may well answer.
  if (operation === 'count-tokens' && NOT_OFFERED.has(status)) return NOTHING;
  if (status === TOO_MANY) return { kind: 'busy', retryAfterSec };
  if (status === 401 || status === 402 || (keyDead ?? finalWords) !== null) return { kind: 'refused' };
  if (CALLERS_OWN.has(status)) return WELL;
  return { kind: 'failed', isLate: fault === 'timeout' || [408, 504, 524].includes(status), reason };
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
