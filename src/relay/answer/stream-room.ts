/**
 * What one stream holds, in the room of answers: the frame that is still coming, frames that wait for the first content or
 * for their reader, and the end that waits for its settlement. Usual frames take none: they are small, and gone before the
 * next one comes.
 */
import type { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { asTooLarge, type NoRoom, RoomMeter } from './room-meter.ts';

const GOES_ON = (): void => undefined;

export class StreamRoom {
  readonly #asked: ConstructorParameters<typeof RoomMeter>;
  #meter: RoomMeter | null = null;
  #bytes = 0;
  #most = 0;

  constructor(...asked: ConstructorParameters<typeof RoomMeter>) {
    this.#asked = asked;
  }

  /** So much is held from now on. Throws where there is no room for it, and then `refusedBy` tells why. */
  holds(bytes: number): void {
    const counted = bytes > limits.answerAtOnceChars ? bytes : 0;
    if (counted === this.#bytes) return;
    this.#meter ??= new RoomMeter(...this.#asked);
    if (counted > this.#bytes) this.#meter.grow(counted - this.#bytes);
    else this.#meter.keep(counted);
    this.#bytes = counted;
    this.#most = Math.max(counted, this.#most);
  }

  /** Null for what is no bound of ours. */
  refusedBy(thrown: unknown): NoRoom | null {
    return this.#meter ? this.#meter.refusedBy(thrown) : asTooLarge(thrown);
  }

  /**
   * Its reader is waited for. Once he stands still others may have the room, and then `stop` is called; what it answers is
   * to be called when he goes on.
   */
  waits(stop: () => void): () => void {
    if (this.#bytes === 0) return GOES_ON;
    let goesOn = GOES_ON;
    const slow = setTimeout(() => {
      goesOn = this.comes(stop);
    }, limits.writeSlowMs);
    return () => {
      clearTimeout(slow);
      goesOn();
    };
  }

  /** From now on others may have the room. */
  comes(stop: (why: AppError) => void): () => void {
    const meter = this.#meter;
    if (!meter) return GOES_ON;
    return meter.held.comes((why) => {
      // Whatever is still read takes room anew.
      this.#meter = null;
      this.#bytes = 0;
      stop(why);
    });
  }

  /** It was had as a whole. */
  fitted(): void {
    const [{ userId }, { lackedRoom }] = this.#asked;
    if (this.#most > 0) lackedRoom.fitted(userId, this.#most);
  }

  release(): void {
    this.#meter?.held.release();
    this.#meter = null;
    this.#bytes = 0;
  }
}
