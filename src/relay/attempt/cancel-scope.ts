/**
 * The cancel scope of one call to an upstream: what may end it before its answer (its deadline, the end of a stop's
 * grace, its caller's leaving, another's need of its place). Inside of it whatever is thrown becomes what the attempt came to.
 */
import { limits } from '../../core/limits.ts';
import { NO_TOOLS, type PaidTools } from '../../core/paid-tools.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { Drain, type ReadOn } from '../answer/drain.ts';
import type { Pump } from '../answer/pump.ts';
import { hasUnseen, type Unseen } from '../charge/unseen.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs, isFree, type RelayRequest } from '../request.ts';
import { type Asking, Lifeline } from './lifeline.ts';
import { type Failure, gaveWay, type Outcome, stopped } from './outcome.ts';
import { failureOfError } from './transport-fault.ts';

/** What is allowed of the call. */
export interface Terms {
  /** Until there is an answer; of a stream until its end. */
  totalMs: number;
  /** Until the first content; absent where none comes by itself. */
  pauseMs?: number;
  /**
   * What becomes of it when the caller leaves: it goes on, and its answer is charged; it ends; or it is read on as long as
   * the true usage is worth waiting for.
   */
  whenLeft: 'goes-on' | 'ends' | ReadOn;
  /** What may run at its upstream. */
  paid?: PaidTools;
}

export const ALL_SEEN: Unseen = {
  thoughts: false,
  documents: false,
  reading: false,
  summary: false,
  foretold: false,
};

const NOT_READ_ON: ReadOn = { ms: 0 };

/** Whose call it is. */
type AskingUser = Asking & Pick<RelayRequest, 'userId'>;

const seconds = (option: number): number => option * 1000;

/** The deadlines of a call to this channel, in milliseconds. */
export function deadlinesOf(
  { setting }: RoutedChannel,
  request: RelayRequest,
  { options }: RelayDeps,
  unseen: Unseen = ALL_SEEN,
) {
  const own = setting.deadlines;
  const wholeMs = own.totalMs ?? seconds(options.get('RelayTotalTimeout'));
  const leftMs = Math.max(wholeMs - elapsedMs(request), 0);
  /** What is left of the whole call's time; of one that nobody pays for, less. */
  const totalMs = isFree(request) ? Math.min(leftMs, limits.countAskMs) : leftMs;
  const firstContentMs = seconds(options.get('RelayFirstContentTimeout'));
  const thoughtsMs = unseen.thoughts ? limits.unseenThoughtsMs : 0;
  const readOnMs = seconds(options.get('DrainSeconds'));
  /** How far a stream is read on when its caller has left: to its end, where only that tells what it took. */
  const readOn: ReadOn =
    readOnMs > 0 && hasUnseen(unseen)
      ? { ms: totalMs, toEnd: true }
      : { ms: readOnMs, bytes: limits.drainBytes };
  return {
    connectMs: own.connectMs ?? seconds(options.get('RelayConnectTimeout')),
    firstContentMs: own.firstContentMs ?? Math.max(firstContentMs, thoughtsMs),
    idleMs: own.idleMs ?? seconds(options.get('RelayIdleTimeout')),
    readOn,
    totalMs,
    wholeMs,
  };
}

/** A quarter of a call's whole time is enough, which channels may be given little of. */
const WORKS_SHARE = 4;

/** Whether a channel may have done its work in so much of a call's time: others before it may have used up the rest. */
export const hadTime = (ms: number, wholeMs: number): boolean =>
  ms >= Math.min(limits.workMs, wholeMs / WORKS_SHARE);

/** Runs a call in a cancel scope of its own. Throws what is a mistake of ours. */
export async function inCancelScope(
  terms: Terms,
  request: AskingUser,
  deps: Pick<RelayDeps, 'cut' | 'drains' | 'stopping'>,
  call: (scope: CancelScope) => Promise<Outcome>,
): Promise<Outcome> {
  const scope = new CancelScope(terms, request, deps);
  try {
    const outcome = await call(scope);
    if (!scope.gaveWay || outcome.kind !== 'failed') return outcome;
    // What an upstream has said by itself in the same moment holds, but nobody else is asked.
    if (!hasSpoken(outcome)) return gaveWay();
    return { ...outcome, retryable: false, hasGivenWay: true };
  } catch (error) {
    if (deps.stopping.signal.aborted) return stopped();
    if (scope.gaveWay) return gaveWay();
    return scope.hasLeft ? { kind: 'left' } : failureOfError(error, scope.isLate);
  } finally {
    scope.close();
  }
}

const hasSpoken = ({ fault }: Failure): boolean => fault === 'status' || fault === 'error-in-answer';

export class CancelScope extends Lifeline {
  readonly drain: Drain;
  #isHandedOn = false;

  constructor(
    readonly terms: Terms,
    readonly request: AskingUser,
    { cut, drains }: Pick<RelayDeps, 'cut' | 'drains'>,
  ) {
    const { whenLeft, paid = NO_TOOLS } = terms;
    super(terms, { cut }, { request, outlives: whenLeft !== 'ends', paid });
    this.drain = new Drain(drains, request.userId, typeof whenLeft === 'object' ? whenLeft : NOT_READ_ON);
    if (whenLeft !== 'goes-on') request.left.addEventListener('abort', this.#leave);
  }

  /** It ended because its caller has gone. */
  get hasLeft(): boolean {
    return this.terms.whenLeft !== 'goes-on' && this.request.left.aborted && !this.isLate;
  }

  /** From now on the stream looks after itself: it hears of its caller, and is told of its deadlines and of a stop. */
  override handTo(pump: Pump): void {
    super.handTo(pump);
    this.#isHandedOn = true;
    this.#unlisten();
  }

  /** Must be called when there is an outcome; of a stream that goes on, the stream ends the rest. */
  override close(): void {
    this.#unlisten();
    if (this.#isHandedOn) {
      this.letGo();
    } else {
      super.close();
      this.drain.end();
    }
  }

  readonly #leave = (): void => {
    const giveUp = () => this.hangUp();
    if (!this.drain.begin(giveUp)) giveUp();
  };

  #unlisten(): void {
    this.request.left.removeEventListener('abort', this.#leave);
  }
}
