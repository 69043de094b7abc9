/** What an attempt, the end of its stream or a probe says about the channel and the key that were asked. */
import type { Blame } from '../../core/blame.ts';
import type { StreamAnswer, Unshown } from '../answer/answers.ts';
import type { Failure, Outcome } from '../attempt/outcome.ts';
import { meaningOf } from '../attempt/statuses.ts';
import type { StreamEnd } from '../charge/call.ts';
import type { CallResult, HalfOpenProbe } from './circuit-breaker.ts';
import type { OwnTest } from './own-tests.ts';

const SUCCESS: CallResult = { kind: 'success' };
const BEGUN: CallResult = { kind: 'begun' };
const SILENCE: CallResult = { kind: 'silence' };
const IGNORED: CallResult = { kind: 'ignored' };
const BROKE_OFF: CallResult = {
  kind: 'failure',
  isLate: false,
  isOfRequest: true,
  reason: { code: 'broke-off' },
};

/** Of a stream `noteStream` tells. */
export function resultOf(outcome: Exclude<Outcome, StreamAnswer>, { isOwnKey = false } = {}): CallResult {
  if (outcome.kind === 'left') return IGNORED;
  if (outcome.kind === 'unshown') return resultOfUnshown(outcome);
  if (outcome.kind !== 'failed') return SUCCESS;
  const { blame, status, retryAfterSec, reason, isOfAccount } = outcome;
  const isOfRequest = !isOfItself(outcome);
  const { isBusy, mayNotOffer } = meaningOf(status);
  // Who has no model of a name that a caller made up has others.
  if (isOwnKey && mayNotOffer) return IGNORED;
  switch (blame) {
    case 'nobody':
      return IGNORED;
    case 'caller':
      return SUCCESS;
    case 'key':
      return isBusy ? { kind: 'busy', retryAfterSec } : { kind: 'refused', isOfRequest: !isOfAccount };
    case 'late':
    case 'channel':
      return { kind: 'failure', isLate: blame === 'late', isOfRequest, reason };
  }
}

/** How an upstream is reached, and with which key, is the operator's matter; whatever else fails may be what was asked for. */
const OF_ITSELF: ReadonlySet<Failure['fault']> = new Set([
  'connect',
  'connect-refused',
  'connect-timeout',
  'no-host',
  'tls',
  'proxy',
  'refused',
  'no-key',
  'bad-headers',
]);

const isOfItself = ({ fault }: Failure): boolean => OF_ITSELF.has(fault);

function resultOfUnshown({ why, blame }: Unshown): CallResult {
  if (blame === 'late') return { kind: 'failure', isLate: true, reason: { code: 'timeout' } };
  if (why === 'late') return SILENCE;
  if (blame === 'channel') return BROKE_OFF;
  return blame === 'caller' ? SUCCESS : IGNORED;
}

/** Notes what a stream says: that it speaks, which its head alone does not mean, and how it ends. */
export function noteStream(
  { pump, thinksUnseen, blames }: Pick<StreamAnswer, 'pump' | 'thinksUnseen' | 'blames'>,
  note: (result: CallResult) => void,
): void {
  if (pump.hasContent) note(BEGUN);
  else pump.onFirstContent = () => note(BEGUN);
  void pump.ended.then(({ end, firstContentMs, error }) => {
    const thinks = thinksUnseen && firstContentMs === null;
    note(resultOfEnd(end, { thinks, blame: error ? blames(error) : undefined }));
  });
}

/**
 * What the end of a stream says: one that breaks off or falls silent is a failure, whoever read it. Where it tells that its
 * caller is to `blame`, or nobody, it is neither that nor the answer that it began. `thinks`: it may have thought all the time.
 */
export function resultOfEnd(
  end: StreamEnd,
  { thinks = false, blame }: { thinks?: boolean; blame?: Blame | undefined } = {},
): CallResult {
  if (end === 'done') return SUCCESS;
  if (blame === 'caller' || blame === 'nobody') return IGNORED;
  if (end === 'timeout' && thinks) return SILENCE;
  const isFailure = end === 'upstream_cut' || end === 'timeout';
  return isFailure ? BROKE_OFF : IGNORED;
}

/** Too many calls, and what no test can ask, are no measure. */
export const halfOpenProbe =
  (ownTest: OwnTest): HalfOpenProbe =>
  async (candidate, model) => {
    const test = await ownTest(candidate, model);
    const { success, isLate = false, untested, isBusy, isKeyDead, isKeysFault, reason } = test;
    if (success) return SUCCESS;
    if (untested || isBusy) return IGNORED;
    if (isKeyDead || isKeysFault) return { kind: 'refused' };
    if (isLate) return { kind: 'failure', isLate, reason: { code: 'slow-test' } };
    // Every upstream's fault has a reason.
    return { kind: 'failure', isLate, reason: reason ?? { code: 'gateway' } };
  };
