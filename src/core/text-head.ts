/**
 * The beginning of a text, for whoever keeps it longer than the text. The engine makes a cut that is a view of the whole,
 * so that a few words of a large body would keep all of it in memory for as long as they are kept; and a short text of the
 * parser keeps its place in a table where many may stand in one place, see `alike.ts`.
 */
const BEYOND_LATIN = /[\u0100-\uffff]/;

/** So many characters of it at the most, always as a copy, which keeps nothing else. */
export function headOf(text: string, most: number): string {
  const head = text.slice(0, most);
  // As the engine holds it: a byte a character, or two where any needs them.
  const encoding = BEYOND_LATIN.test(head) ? 'utf16le' : 'latin1';
  return Buffer.from(head, encoding).toString(encoding);
}
