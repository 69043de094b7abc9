/** The pieces of a frame that has not come whole yet. */
import { tooLarge } from '../core/too-large.ts';

export class HeldPieces {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(readonly bytesMax: number) {}

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws what is too large for a frame beyond the bound. */
  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.bytesMax) throw tooLarge('frame');
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
