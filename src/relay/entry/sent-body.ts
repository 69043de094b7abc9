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

/**
 * Cuts, in place, each long text of a body that none of its texts has in it: of what was only sent the beginning stays.
 * What `textsOf` tells of the body stays what it was: a file may hold a text that stands nowhere as it is read, and such a
 * body is left as it came.
 */
export function letGoOfSent(body: JsonObject, textsOf: (body: JsonObject) => readonly string[]): void {
  const texts = textsOf(body);
  const said = new Said(texts);
  const undo: (() => void)[] = [];
  const cutIn = (holder: JsonObject | Json[], name: string | number, value: Json | undefined): void => {
    if (typeof value === 'string') {
      if (value.length <= limits.sentTextChars || said.has(value)) return;
      Reflect.set(holder, name, headOf(value));
      undo.push(() => Reflect.set(holder, name, value));
    } else if (Array.isArray(value)) {
      for (const [at, each] of value.entries()) cutIn(value, at, each);
    } else if (isObject(value)) {
      const inner = value as JsonObject;
      for (const key of Object.keys(inner)) cutIn(inner, key, inner[key]);
    }
  };
  for (const key of Object.keys(body)) cutIn(body, key, body[key]);
  if (!tellsTheSame(body, textsOf, texts)) for (const restore of undo) restore();
}

/** By their lengths: nothing was put in the place of anything but its own beginning. */
function tellsTheSame(
  body: JsonObject,
  textsOf: (body: JsonObject) => readonly string[],
  before: readonly string[],
): boolean {
  try {
    const after = textsOf(body);
    return after.length === before.length && after.every(({ length }, at) => length === before[at]?.length);
  } catch {
    // Half of a file may be no file at all.
    return false;
  }
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
