/** What is held for a Realtime session: asked of the balance one amount at a time, until nothing is lacking. */
import type { Billing } from '../../billing/billing.ts';
import type { AppError } from '../../core/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { StreamEnd } from '../charge/call.ts';
import { extend } from '../charge/extend.ts';
import { toRelayError } from './error-reply.ts';
import type { SessionCall } from './session-cost.ts';

export interface HoldDeps {
  billing: Pick<Billing, 'extend'>;
  log: Pick<Logger, 'warn'>;
}

/**
 * Whose doing it is that a session ends. What its caller has asked for is read by its upstream whether he hangs up or has
 * it ended: he pays for that unless others broke off. What is neither his doing nor the gateway's own, as where others
 * need the room or the process stops, is theirs.
 */
export type EndedBy = 'caller' | 'upstream' | 'gateway' | 'others';

/** Whom the meter tells when the session cannot go on. */
export interface SessionOwner {
  end(end: StreamEnd, by: EndedBy, error?: AppError | null): void;
  fault(error: unknown): void;
}

/** Quota units that are lacking: for what is under way, and with the answer that may begin unasked after it. */
export interface Lacking {
  readonly due: number;
  readonly ahead: number;
}

export class SessionHold {
  #isClosed = false;
  /** What is being asked of the balance, one at a time. */
  #asking: Promise<boolean> | null = null;
  /** So much for what may come next could not be held beside what is under way. */
  #refused = Number.POSITIVE_INFINITY;

  constructor(
    readonly call: Pick<SessionCall, 'request' | 'caller' | 'held'>,
    readonly lacking: () => Lacking,
    readonly deps: HoldDeps,
    readonly owner: SessionOwner,
  ) {}

  /** What may come next could not be held. */
  get isShort(): boolean {
    return this.#refused < Number.POSITIVE_INFINITY;
  }

  /** Holds what is lacking; false when that cannot be done. */
  async until(lacking: () => number): Promise<boolean> {
    while (!this.#isClosed) {
      const amount = lacking();
      if (this.#asking) await this.#asking;
      else if (amount <= 0) return true;
      else if (!(await this.#ask(amount))) return false;
    }
    return false;
  }

  /**
   * Holds for what is under way, and for the answer that may begin unasked after it. Without the first the session ends;
   * without the other it ends with the last answer.
   */
  cover(): void {
    if (this.#asking || this.#isClosed) return;
    const { due, ahead } = this.lacking();
    if (due <= 0 && (ahead <= 0 || ahead >= this.#refused)) return;
    const amount = ahead < this.#refused ? ahead : due;
    this.#ask(amount)
      .then((isHeld) => {
        if (this.#isClosed) return;
        if (!isHeld && amount <= due) return this.owner.end('exhausted', 'caller');
        if (amount === ahead) this.#refused = isHeld ? Number.POSITIVE_INFINITY : amount;
        this.cover();
      })
      .catch((error: unknown) => this.owner.fault(error));
  }

  /** From here on nothing more is held. */
  close(): void {
    this.#isClosed = true;
  }

  /** Nothing is asked of the balance any more. */
  async settled(): Promise<void> {
    await this.#asking;
  }

  #ask(amount: number): Promise<boolean> {
    const asking = extend(this.call, amount, this.deps).then(
      (result) => {
        this.#asking = null;
        if (result === 'granted') this.call.held += amount;
        return result === 'granted';
      },
      (error: unknown) => {
        // The database is away: what was said is charged when it is back, and no more is taken on.
        this.#asking = null;
        this.deps.log.warn('relay.extend', { request_id: this.call.request.id, error });
        this.owner.end('timeout', 'others', toRelayError(error));
        return false;
      },
    );
    this.#asking = asking;
    return asking;
  }
}
