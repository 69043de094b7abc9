/**
 * Texts with the spellings of others undone, in one pass and without parsing: whoever looks for a word in a text that he
 * does not trust must not pay for what else its writer put there.
 */

const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const PERCENT = 0x25;

/** What one letter after a backslash stands for. */
const SHORT: Readonly<Record<number, number>> = { 98: 8, 102: 12, 110: 10, 114: 13, 116: 9 };

/**
 * Without the escapes of JSON, however many texts of JSON stand in one another: of a run of backslashes none is left
 * where an escape follows, or a quote or slash, and one where anything else does.
 */
export function withoutEscapes(text: string): string {
  const first = text.indexOf('\\');
  if (first === -1) return text;
  const units = new Uint16Array(text.length - first);
  let length = 0;
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== BACKSLASH) {
      units[length++] = unit;
      continue;
    }
    let next = at + 1;
    let spelled = BACKSLASH;
    // A backslash may be spelled too, and begin an escape of the next text.
    while (spelled === BACKSLASH) {
      while (text.charCodeAt(next) === BACKSLASH) next++;
      const follows = text.charCodeAt(next);
      const code = follows === SMALL_U ? hexAt(text, next + 1, 4) : -1;
      if (code !== -1) {
        spelled = code;
        next += 5;
      } else {
        const short = SHORT[follows];
        if (short !== undefined) next++;
        spelled = short ?? -1;
      }
    }
    if (spelled !== -1) units[length++] = spelled;
    else if (!STANDS_ALONE.has(text.charCodeAt(next))) units[length++] = BACKSLASH;
    at = next - 1;
  }
  return text.slice(0, first) + textOf(units.subarray(0, length));
}

/** A quote and a slash, which need no backslash of their own. */
const STANDS_ALONE = new Set([0x22, 0x2f]);

/** With every `%41` as the byte that it stands for; bytes that are no UTF-8 become U+FFFD. */
export function withoutPercents(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const high = byte === PERCENT ? hexDigit(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : hexDigit(bytes[at + 2]);
    if (low !== -1) at += 2;
    bytes[length++] = low === -1 ? byte : high * 16 + low;
  }
  return bytes.toString('utf8', 0, length);
}

/** Of UTF-16, which may be halves of a character. */
export const textOf = (units: Uint16Array): string =>
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');

function hexAt(text: string, from: number, digits: number): number {
  let value = 0;
  for (let at = from; at < from + digits; at++) {
    const digit = hexDigit(text.charCodeAt(at));
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** -1 for what is none. */
function hexDigit(code = Number.NaN): number {
  if (code >= 48 && code <= 57) return code - 48;
  const small = code | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}
