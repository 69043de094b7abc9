/** Counts an answer's bytes as they come, in the room that its caller has for it. */
import { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { isTooLarge, tooLarge } from '../../core/too-large.ts';
import { type HeldBytes, together } from '../../platform/body-budget.ts';
import { turnSubject } from '../../platform/limiter.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest, RoomAhead } from '../request.ts';
import { answerRoom } from '../shares.ts';

type Rooms = Pick<RelayDeps, 'answersHeld' | 'answersByNetwork' | 'lackedRoom'>;
/** The call whose answer it is: who made it, and what ends with it. */
type Answered = Pick<RelayRequest, 'userId' | 'ip' | 'hold' | 'ahead'>;

/**
 * Why an answer is not read on: it is too large for anybody; it is beyond the share of its caller, or that of his network,
 * of which he holds the most himself; others leave no room, at his network or elsewhere; or nothing more came of it, and
 * its place was another's.
 */
export type NoRoom = {
  why: 'too-large' | 'own-share' | 'others' | 'gave-way';
  error: AppError;
};

export class RoomMeter {
  readonly held: HeldBytes;
  readonly #request: Answered;
  readonly #rooms: Rooms;
  #bytes = 0;
  #refused: NoRoom | null = null;

  /** Given back when the call has ended. */
  constructor(request: Answered, rooms: Rooms) {
    this.#request = request;
    this.#rooms = rooms;
    this.held = answerRoom(request, rooms).hold();
    request.hold(this.held);
  }

  /** Throws where there is no room for so much more, and then `refusedBy` tells why. */
  readonly grow = (more: number): void => {
    this.#bytes += more;
    if (this.#bytes > limits.upstreamPlainBytes) throw this.#refuse('too-large', tooLarge('answer'));
    this.#request.ahead?.give(more);
    // Looked at before, where it is not counted yet.
    const isOwn = isBeyondOwn(this.#request, more, this.#rooms);
    try {
      this.held.grow(more);
    } catch (thrown) {
      throw thrown instanceof AppError ? this.#refuse(isOwn ? 'own-share' : 'others', thrown) : thrown;
    }
  };

  /** No more than so much of it is kept from now on. */
  keep(bytes: number): void {
    this.#bytes = Math.min(bytes, this.#bytes);
    this.held.keep(bytes);
  }

  /** What was counted so far is taken: nothing of it is kept. */
  taken(): void {
    this.held.keep(0);
  }

  /** All of it has come, and is paid or about to be. */
  fitted(): void {
    this.#rooms.lackedRoom.fitted(this.#request.userId, this.#bytes);
  }

  /** Null for what is no bound of ours. */
  refusedBy(thrown: unknown): NoRoom | null {
    return this.#refused?.error === thrown ? this.#refused : asTooLarge(thrown);
  }

  #refuse(why: NoRoom['why'], error: AppError): AppError {
    if (why === 'others') this.#rooms.lackedRoom.noted(this.#request.userId, this.#bytes);
    this.#refused = { why, error };
    return error;
  }
}

/** Whether so much more is beyond the share of its caller, or that of his network, of which he holds the most himself. */
export function isBeyondOwn(
  { userId, ip }: Pick<RelayRequest, 'userId' | 'ip'>,
  more: number,
  { answersHeld, answersByNetwork }: Pick<Rooms, 'answersHeld' | 'answersByNetwork'>,
): boolean {
  if (!answersHeld.isWithinShare(userId, more)) return true;
  const network = turnSubject(ip);
  const isMostHis = 2 * answersHeld.heldBy(userId) >= answersByNetwork.heldBy(network);
  return isMostHis && !answersByNetwork.isWithinShare(network, more);
}

/** A part of an answer that is too large for anybody, wherever that was found. */
export const asTooLarge = (thrown: unknown): NoRoom | null =>
  isTooLarge(thrown) ? { why: 'too-large', error: thrown } : null;

/** Null where none has to be held. Throws OVERLOADED where there is not enough, or his other calls hold too much already. */
export function holdAhead(asker: Pick<RelayRequest, 'userId' | 'ip'>, deps: Rooms): RoomAhead | null {
  let bytes = deps.lackedRoom.of(asker.userId);
  if (bytes === 0) return null;
  const held = together(deps.lackedRoom.aheadRoom(asker), answerRoom(asker, deps)).hold();
  growOrRelease(held, bytes);
  return {
    give(taken) {
      bytes = Math.max(bytes - taken, 0);
      held.keep(bytes);
    },
    release: () => held.release(),
  };
}

function growOrRelease(held: HeldBytes, bytes: number): void {
  try {
    held.grow(bytes);
  } catch (error) {
    held.release();
    throw error;
  }
}
