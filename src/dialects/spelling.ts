/**
 * One field, one spelling. Readers of JSON differ in what they take for the same name: Go's and .NET's ignore case by
 * Unicode's folding, newer ones of Go lines and dashes as well, some cut a name at its NUL. A name that such a reader
 * takes for a field which the gateway sets, limits or prices would be served as something else than was charged.
 */

import { Alike } from '../core/alike.ts';
import { limits } from '../core/limits.ts';
import { normalised } from '../core/normalised.ts';

const PLAIN = /^[a-z0-9]*$/;
const SNAKE = /^[a-z0-9_]*$/;
/** ASCII without the bracket at which readers of forms cut. */
const ASCII = /^[\x20-Z\\-~]*$/;
const SIGNS = /[_\s.-]/g;

/**
 * Foldings of names: bodies hold the same few, and may hold one long name a hundred thousand times. So many are kept, and
 * then forgotten; of those that the engine finds in one place only a few, because a look at one goes by the others, whoever
 * has sent them.
 */
const kept = new Map<string, string>();
let alike = new Alike();
let keptChars = 0;
const KEPT_CHARS = 1024 * 1024;

/** In ASCII it takes less time to fold one of so many characters than to keep it, and bodies may hold 50,000 that are new. */
const SHORT_CHARS = 64;

/**
 * What the loosest of readers makes of a name: without case (Unicode's full folding, so that a long s is an s and a
 * Kelvin sign a k), width, lines, dashes, blanks and dots, of which PHP makes lines, and whatever follows a NUL or, in
 * forms, a bracket. Equal results do not say that any one reader takes both for the same; different results say that none
 * does, but for a bracket that is never closed: `readings`.
 */
export function folded(name: string): string {
  const short = name.length <= SHORT_CHARS ? foldOfAscii(name) : undefined;
  if (short !== undefined) return short;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const fold = foldOfAscii(name) ?? foldOf(name);
  keep(name, fold);
  return fold;
}

function keep(name: string, fold: string): void {
  keptChars += name.length + fold.length;
  if (kept.size >= limits.namesRemembered || keptChars > KEPT_CHARS) {
    kept.clear();
    alike = new Alike();
    keptChars = 0;
  }
  if (alike.takes(name)) kept.set(name, fold);
}

function foldOfAscii(name: string): string | undefined {
  if (PLAIN.test(name)) return name;
  if (SNAKE.test(name)) return name.replaceAll('_', '');
  return ASCII.test(name) ? name.toLowerCase().replace(SIGNS, '') : undefined;
}

function foldOf(name: string): string {
  return (
    normalised(name.split(/[\0[]/, 1)[0] ?? '')
      .toUpperCase()
      .toLowerCase()
      // A capital I with a dot leaves its dot behind.
      .replace(/[_\s.-]|\u0307/g, '')
  );
}

/** What a name may be taken for: where a bracket is not closed, PHP makes a line of it, and others cut the name there. */
export function readings(name: string): string[] {
  const at = name.indexOf('[');
  if (at < 0 || name.includes(']', at)) return [folded(name)];
  return [folded(name), folded(name.replaceAll('[', '_'))];
}

/** A name as wires that are made of protobuf spell it, and as they read it, too. */
export const camelOf = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const snakeOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
