/** What a value takes in memory once it is read: blanks are gone, and texts are what they are. */

/** What a value holds beside its texts and names. */
const BYTES_A_VALUE = 16;

/** Bytes that a parsed value takes, roughly; the blanks between its values are gone. It is bounded in depth before it gets here. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return BYTES_A_VALUE + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return BYTES_A_VALUE;
  let bytes = BYTES_A_VALUE;
  if (Array.isArray(value)) for (const each of value) bytes += weightOf(each);
  else for (const [name, each] of Object.entries(value)) bytes += name.length + weightOf(each);
  return bytes;
}

/**
 * Characters that a value has as JSON, roughly, each as often as it stands in it, and for much less work than to write it.
 * Beyond `most` it is looked at no further.
 */
export function charsOf(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return BYTES_A_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return BYTES_A_VALUE;
  let chars = BYTES_A_VALUE;
  if (Array.isArray(value)) {
    for (const each of value) {
      chars += charsOf(each, most - chars);
      if (chars > most) break;
    }
    return chars;
  }
  for (const name in value) {
    chars += name.length + charsOf(value[name as keyof typeof value], most - chars);
    if (chars > most) break;
  }
  return chars;
}
