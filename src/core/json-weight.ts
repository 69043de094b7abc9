/** What a value takes in memory once it is read: blanks are gone, and texts are what they are. */

/** What a value takes beside its texts and names, in bytes or characters. */
const OF_A_VALUE = 16;

/** Bytes that a parsed value takes, roughly; the blanks between its values are gone. It is bounded in depth before it gets here. */
export const weightOf = (value: unknown): number =>
  sizeOf(value, (text) => Buffer.byteLength(text), Number.POSITIVE_INFINITY);

/**
 * Characters that a value has as JSON, roughly, each as often as it stands in it, and for much less work than to write it.
 * Beyond `most` it is looked at no further.
 */
export const charsOf = (value: unknown, most = Number.POSITIVE_INFINITY): number =>
  sizeOf(value, (text) => text.length, most);

function sizeOf(value: unknown, ofText: (text: string) => number, most: number): number {
  if (typeof value === 'string') return OF_A_VALUE + ofText(value);
  if (typeof value !== 'object' || value === null) return OF_A_VALUE;
  let size = OF_A_VALUE;
  if (Array.isArray(value)) {
    for (const each of value) {
      size += sizeOf(each, ofText, most - size);
      if (size > most) break;
    }
    return size;
  }
  for (const name in value) {
    size += name.length + sizeOf(value[name as keyof typeof value], ofText, most - size);
    if (size > most) break;
  }
  return size;
}
