/** Texts as any reader would fold them, at a few nanoseconds a character whatever they hold. */
import { normalised } from './normalised.ts';
import { textOf } from './unescape.ts';

/** Of each code point its folded code unit, where it has been met: 0 for one that was not, from `SEVERAL` on a place in `several`. */
const folds = new Uint32Array(0x110000);
const NOTHING = 1;
const SEVERAL = 0x10000;
const several: string[] = [];

/** Ligatures and units of measure are up to four; a few are whole sentences, of which the beginning tells enough. */
const UNITS_MOST = 4;

/** Letters and digits alone: without case, accents, width and whatever stands between them. */
export function lettersOf(text: string): string {
  let units = new Uint16Array(text.length + UNITS_MOST);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if ((code & 0xfc00) === 0xd800) {
      code = text.codePointAt(at) ?? code;
      if (code >= SEVERAL) at++;
    }
    const fold = folds[code] || foldOf(code);
    if (fold === NOTHING) continue;
    if (length + UNITS_MOST > units.length) {
      const larger = new Uint16Array(2 * units.length);
      larger.set(units);
      units = larger;
    }
    if (fold < SEVERAL) {
      units[length++] = fold;
    } else {
      const folded = several[fold - SEVERAL] ?? '';
      for (let n = 0; n < folded.length; n++) units[length++] = folded.charCodeAt(n);
    }
  }
  return textOf(units.subarray(0, length));
}

function foldOf(code: number): number {
  const small = normalised(normalised(String.fromCodePoint(code), 'NFKD').toLowerCase(), 'NFKD');
  const folded = small.replace(/[^\p{L}\p{N}]+/gu, '').slice(0, UNITS_MOST);
  const fold =
    folded === '' ? NOTHING : folded.length === 1 ? folded.charCodeAt(0) : SEVERAL + several.push(folded) - 1;
  folds[code] = fold;
  return fold;
}
