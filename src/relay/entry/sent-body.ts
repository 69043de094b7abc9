/**
 * What of a large body is still needed once it has gone up and will not go up again: the texts, by which a prompt is
 * counted whose upstream does not tell its usage. Pictures and sounds are its weight, and only went up.
 */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';

/** What a value holds beside its texts and names. */
const BYTES_A_VALUE = 16;

/** Bytes that a parsed body takes, roughly; the blanks between its values are gone. It is bounded in depth before it gets here. */
export function weightOf(value: Json | undefined): number {
  if (typeof value === 'string') return BYTES_A_VALUE + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return BYTES_A_VALUE;
  let bytes = BYTES_A_VALUE;
  if (Array.isArray(value)) for (const each of value) bytes += weightOf(each);
  else for (const name in value) bytes += name.length + weightOf(value[name]);
  return bytes;
}

/** Cuts, in place, each long text of a body that none of `texts` has in it: of what was only sent the beginning stays. */
export function letGoOfSent(body: JsonObject, texts: readonly string[]): void {
  const said = new Said(texts);
  const cut = (value: Json | undefined): Json | undefined => {
    if (typeof value === 'string') {
      return value.length > limits.sentTextChars && !said.has(value) ? headOf(value) : value;
    }
    if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) value[at] = cut(each) ?? null;
    } else if (isObject(value)) {
      const holder = value as JsonObject;
      for (const name of Object.keys(holder)) holder[name] = cut(holder[name]);
    }
    return value;
  };
  cut(body);
}

class Said {
  readonly #whole: ReadonlySet<string>;
  readonly #long: readonly string[];
  /** Characters that may still be looked through. */
  #left: number = limits.sentLookedChars;

  constructor(texts: readonly string[]) {
    this.#long = texts.filter(({ length }) => length > limits.sentTextChars);
    this.#whole = new Set(this.#long);
  }

  /** As it stands, or as a text of a JSON that was made of it; so it is said, too, of what there is no time to look for. */
  has(value: string): boolean {
    if (this.#whole.has(value)) return true;
    const written = JSON.stringify(value).slice(1, -1);
    for (const text of this.#long) {
      if (text.length <= value.length) continue;
      this.#left -= text.length;
      if (this.#left < 0 || text.includes(value) || text.includes(written)) return true;
    }
    return false;
  }
}

/** A copy: a part of a text holds on to the whole. */
const headOf = (text: string): string => Buffer.from(text.slice(0, limits.sentHeadChars)).toString();
