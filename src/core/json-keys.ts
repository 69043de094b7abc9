/**
 * What the names in JSON text cost, before anyone parses it. Engines keep the names of properties in one table for ever or
 * for long, and look each one up there: a body of nothing but new names costs many times what its values do, and one of
 * names, or of short values, that stand in one place of the table stops the process. Names that are small numbers have lists
 * laid out.
 */
import { Alike } from './alike.ts';
import { closingQuote } from './json-depth.ts';
import { isColonNext, nameOf, placesFor, placesIn } from './json-places.ts';
import { ShortValues } from './json-values.ts';
import { Lately } from './lately.ts';
import { limits } from './limits.ts';
import type { PassingAlike } from './passing-alike.ts';

/** What names may be: so many different ones, of so much weight together, and lists of so many bytes for their numbers. */
export interface KeysMax {
  count: number;
  weight?: number;
  places?: number;
}

/** Too many different names, or too heavy ones; too many names or short values in one place; too large lists for numbers. */
export type KeysFault = 'keys' | 'alike' | 'places';

/** Names of one text after another, which are bounded together; spellings of one name are one. */
export class JsonKeys {
  #known = new Set<string>();
  /** Of the text that is read. Sets keep what is taken out of them for long, so that nothing is. */
  #fresh = new Set<string>();
  readonly #alike = new Alike();
  readonly #values: ShortValues;
  readonly #lately = new Lately();
  readonly #count: number;
  readonly #weight: number;
  readonly #placesMax: number;
  #heavy = 0;
  #places = 0;
  /** Of the text that is read, as if each number stood alone. */
  #placesMost = 0;

  /** Those that stand in one place are counted in `passing`, too, with those of texts before. */
  constructor(
    { count, weight = Number.POSITIVE_INFINITY, places = limits.unheldPlacesBytes }: KeysMax,
    readonly passing?: PassingAlike,
  ) {
    this.#values = new ShortValues(passing);
    this.#count = count;
    this.#weight = weight;
    this.#placesMax = places;
  }

  /** How many different ones there are. */
  get names(): number {
    return this.#known.size;
  }

  /** Bytes of the lists that are laid out for numbers. */
  get places(): number {
    return this.#places;
  }

  /** What is wrong with one more text, of which then no name is counted; null when nothing is. */
  fault(text: string): KeysFault | null {
    const heavy = this.#heavy;
    const fault = this.#read(text);
    if (fault) {
      this.#alike.cut(this.#known.size);
      this.#lately.forget();
      this.#heavy = heavy;
    } else if (this.#known.size === 0) {
      this.#known = this.#fresh;
    } else {
      for (const name of this.#fresh) this.#known.add(name);
    }
    this.#fresh = new Set();
    return fault;
  }

  #read(text: string): KeysFault | null {
    this.#placesMost = 0;
    for (let open = text.indexOf('"'); open !== -1; ) {
      const close = closingQuote(text, open);
      if (isColonNext(text, close + 1)) {
        const fault = this.#take(text, open + 1, close);
        if (fault) return fault;
      } else if (!this.#values.takes(text, open + 1, close)) {
        return 'alike';
      }
      open = text.indexOf('"', close + 1);
    }
    const left = this.#placesMax - this.#places;
    const places = this.#placesMost > FEW_PLACES ? placesIn(text, left) : this.#placesMost;
    if (places > left) return 'places';
    this.#places += places;
    return null;
  }

  #take(text: string, from: number, to: number): KeysFault | null {
    if (this.#lately.has(text, from, to)) return null;
    const written = text.slice(from, to);
    const name = nameOf(written);
    const placed = placesFor(name);
    this.#placesMost += placed;
    if (!this.#known.has(name) && !this.#fresh.has(name)) {
      this.#fresh.add(name);
      this.#heavy += weightOf(written, this.#weight);
      const isAlike = !this.#alike.takes(name) || this.passing?.takes(name) === false;
      if (this.#known.size + this.#fresh.size > this.#count || this.#heavy > this.#weight) return 'keys';
      if (isAlike) return 'alike';
    }
    if (name === written && placed === 0) this.#lately.keep(written);
    return null;
  }
}

/** It is not worth looking closer at less. */
const FEW_PLACES = 16 * 1024;

/** What folding a character takes, about: a letter or digit is looked at, a mark taken out, and others may become eighteen. */
const LIGHT = 1;
const MARK = 16;
const HEAVY = 128;

/** No more than enough is weighed. */
function weightOf(name: string, enough: number): number {
  if (enough === Number.POSITIVE_INFINITY) return 0;
  let weight = 0;
  for (let at = 0; at < name.length && weight <= enough; at++)
    weight += WEIGHTS[name.charCodeAt(at)] ?? HEAVY;
  return weight;
}

/** By their code; an escape may be any character. */
const WEIGHTS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === '\\') return HEAVY;
  return /[A-Za-z0-9]/.test(character) ? LIGHT : MARK;
});
