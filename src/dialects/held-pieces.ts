/** The pieces of a frame that has not come whole yet. */
import { fail } from '../core/errors.ts';

export class HeldPieces {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(readonly bytesMax: number) {}

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Throws `upstream_error` for a frame beyond the bound. */
  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.bytesMax) {
      throw fail('upstream_error', {
        params: { reason: { zh: '流中的一段过大', en: 'a frame of its stream is too large' } },
      });
    }
    this.#pieces.push(piece);
  }

  /** All that came, of which nothing is held any more. */
  take(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    return pieces;
  }
}
