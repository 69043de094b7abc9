/** Text that comes in pieces and is counted at the end. No more of it is kept than a count looks at. */
import { CHAR_BYTES } from '../../core/limits/sizes.ts';
import { limits } from '../../core/limits.ts';
import { headOf } from '../../core/text-head.ts';
import type { CountedFor } from './count-line.ts';
import { countTokens } from './tokens.ts';

/** What a piece takes in memory beside its characters. */
const PIECE_BYTES = 64;

export class KeptText {
  #text = '';
  #length = 0;
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** What is kept takes so much memory at the most. */
  get bytes(): number {
    return this.#bytes;
  }

  add(text: string): void {
    this.#length += text.length;
    const kept = headOf(text, this.#room);
    if (kept !== '') this.#keep(kept, PIECE_BYTES + CHAR_BYTES * kept.length);
  }

  get #room(): number {
    return limits.countedChars - this.#text.length;
  }

  #keep(text: string, bytes: number): void {
    this.#text += text;
    this.#bytes += bytes;
  }

  /** Both, one after the other; what fits is a copy already. */
  with(other: KeptText): KeptText {
    const both = new KeptText();
    both.#keep(this.#text, this.#bytes);
    const room = this.#room;
    const added = other.#text.length > room ? headOf(other.#text, room) : other.#text;
    if (room > 0) both.#keep(added, other.#bytes);
    both.#length = this.#length + other.#length;
    return both;
  }

  /** By the model's tokenizer; what was not kept is taken to be like what was. */
  async tokens(model: string, whom: CountedFor): Promise<number> {
    if (this.isEmpty) return 0;
    const counted = await countTokens([this.#text], model, whom);
    return Math.ceil(counted * (this.#length / this.#text.length));
  }
}
