/**
 * What holds for every large answer, whoever made it: the runtime keeps a body that it was given whole until its reader has
 * taken the last byte, so that a whole one is never given to it. It goes out as it is read, in the room of who reads it.
 */
import { estimateShallowMemoryUsageOf } from 'bun:jsc';
import { limits } from '../core/limits.ts';
import type { AnswerRooms } from '../platform/answer-room.ts';
import { BodyBudget, type HeldBytes, type Room, together } from '../platform/body-budget.ts';
import { type WritingEnds, writeLarge } from '../platform/large-answer.ts';
import { turnSubject } from '../platform/limiter.ts';
import type { Stopping } from '../platform/stopping.ts';
import { type Coding, compress, headersCompressed } from './compress.ts';
import { networkOf } from './console-bodies.ts';

/** An answer without a body takes less. */
const HEAD_BYTES = 1_024;

/**
 * Whether so much of a whole body would be kept. Streams are not: they keep what they write by their own rule. Nor are
 * files, of which all their answers share one copy.
 */
export const isLarge = (answer: Response, most: number = limits.answerAtOnceChars): boolean =>
  estimateShallowMemoryUsageOf(answer) > most + HEAD_BYTES;

/** Who reads. A key that is not known is his network's. */
export interface AnswerReader {
  /** A caller of the relay by his user, one of the console by his share. */
  who: number | string | undefined;
  ip: string;
}

interface Giving extends Pick<WritingEnds, 'standsStill'> {
  room: Room;
  coding?: Coding | undefined;
}

export class LargeAnswers {
  readonly #ofGuests = new BodyBudget(limits.guestAnswersBytes);

  constructor(
    readonly rooms: AnswerRooms,
    readonly stopping: Pick<Stopping, 'track'>,
  ) {}

  /** Those of guests in memory now. */
  get guestBytes(): number {
    return this.#ofGuests.bytes;
  }

  /** The same answer as a stream of what was held for it. Throws OVERLOADED where there is no room. */
  async give(request: Request, answer: Response, { room, coding, standsStill }: Giving): Promise<Response> {
    const held = room.hold();
    try {
      const body = await this.#bodyOf(answer, held, coding);
      const writing = writeLarge({ left: request.signal, cut: this.rooms.cut, held, standsStill });
      void this.stopping.track(writing.written).then(held.release);
      const { status, statusText } = answer;
      const headers = coding ? headersCompressed(answer, coding) : answer.headers;
      return writing.answerOf(body, { status, statusText, headers });
    } catch (error) {
      held.release();
      throw error;
    }
  }

  async #bodyOf(answer: Response, held: HeldBytes, coding?: Coding): Promise<Uint8Array> {
    const whole = await answer.bytes();
    held.grow(whole.byteLength);
    if (!coding) return whole;
    const packed = await compress(whole, coding);
    held.keep(packed.byteLength);
    return packed;
  }

  /** For who calls with a key or is signed in. */
  roomOf({ who, ip }: AnswerReader): Room {
    const { answersHeld, answersByNetwork } = this.rooms;
    const network = turnSubject(ip);
    return together(answersHeld.of(who ?? network), answersByNetwork.of(network));
  }

  /** Guests take no room from those who pay. */
  roomOfGuest(ip: string): Room {
    return this.#ofGuests.of(networkOf(ip));
  }
}
