/**
 * Strings that pass one after another without an end, such as those of a session's events. Few of each event may stand in
 * one place of the engine's table, and are in it until memory is next looked through: those that came last are counted
 * together.
 */
import { Alike } from './alike.ts';
import { headOf } from './text-head.ts';

/** What those that are counted take at the most, about. */
const KEPT_CHARS = 64 * 1024;

export class PassingAlike {
  /** Copies: the event of one, and its place in the table, are let go. */
  #counted = new Set<string>();
  #alike = new Alike();
  #chars = 0;

  /** So many different ones are counted together, and then all of them forgotten. */
  constructor(readonly most: number) {}

  /** False when too many of those that came last stand in its place; it is not counted then. */
  takes(string: string): boolean {
    if (this.#counted.has(string)) return true;
    if (this.#counted.size >= this.most || this.#chars > KEPT_CHARS) this.#forget();
    const own = headOf(string, string.length);
    if (!this.#alike.takes(own)) {
      this.#alike.cut(this.#counted.size);
      return false;
    }
    this.#counted.add(own);
    this.#chars += own.length;
    return true;
  }

  #forget(): void {
    this.#counted = new Set();
    this.#alike = new Alike();
    this.#chars = 0;
  }
}
