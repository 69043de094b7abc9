/**
 * Strings that pass one after another without an end, such as those of a session's events. Few of each event may stand in
 * one place of the engine's table, and are in it until memory is next looked through: those that came last are counted
 * together.
 */
import { Alike } from './alike.ts';
import { headOf } from './text-head.ts';

/** What those of a generation take at the most, about. */
const KEPT_CHARS = 64 * 1024;
/** Longer ones are not counted: they are too few, whatever they are, and one would take as much as all others. */
const LONG = 4 * 1024;

export class PassingAlike {
  /**
   * Those that came last, in two generations, of which the second is not whole yet. Copies: the event of one, and its place
   * in the table, are let go.
   */
  #both = new Set<string>();
  #alike = new Alike();
  /** The second alone, which stays when the first is forgotten. */
  #second = new Set<string>();
  #chars = 0;

  /** A generation is of so many different ones. */
  constructor(readonly most: number) {}

  /** False when too many of those that came last stand in its place; it is not counted then. */
  takes(string: string): boolean {
    if (string.length > LONG || this.#second.has(string)) return true;
    if (this.#second.size >= this.most || this.#chars > KEPT_CHARS) this.#forgetFirst();
    const own = headOf(string, string.length);
    if (!this.#count(own)) return false;
    this.#second.add(own);
    this.#chars += own.length;
    return true;
  }

  #count(own: string): boolean {
    if (this.#both.has(own)) return true;
    if (!this.#alike.takes(own)) {
      this.#alike.cut(this.#both.size);
      return false;
    }
    this.#both.add(own);
    return true;
  }

  #forgetFirst(): void {
    this.#both = new Set();
    this.#alike = new Alike();
    for (const own of this.#second) this.#count(own);
    this.#second = new Set();
    this.#chars = 0;
  }
}
