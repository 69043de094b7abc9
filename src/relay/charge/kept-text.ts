/** Text that comes in pieces and is counted at the end. No more of it is kept than a count looks at. */
import { limits } from '../../core/limits.ts';
import { countTokens } from './tokens.ts';

export class KeptText {
  #text = '';
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(text: string): void {
    this.#length += text.length;
    const room = limits.countedChars - this.#text.length;
    if (room > 0) this.#text += text.slice(0, room);
  }

  /** Both, one after the other. */
  with(other: KeptText): KeptText {
    const both = new KeptText();
    const room = limits.countedChars - this.#text.length;
    both.#text = room > 0 ? this.#text + other.#text.slice(0, room) : this.#text;
    both.#length = this.#length + other.#length;
    return both;
  }

  /** By the model's tokenizer; what was not kept is taken to be like what was. */
  async tokens(model: string): Promise<number> {
    if (this.isEmpty) return 0;
    const counted = await countTokens([this.#text], model);
    return Math.ceil(counted * (this.#length / this.#text.length));
  }
}
