/** Strings that the engine's tables put into one place, see `src/core/alike.ts` */

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

const letters = (n: number): string =>
  Array.from({ length: 4 }, (_, at) => LETTERS[Math.floor(n / 62 ** at) % 62]).join('');

/** Eight bytes of the hash's own that take all between them out of it, as text of so many bytes a character. */
const HEAD = [0x93, 0x4b, 0xb8, 0x8b];
const TAIL = [0xc9, 0xac, 0x2e, 0x96];
const latin = (bytes: readonly number[]): string => String.fromCharCode(...bytes);
const wide = (bytes: readonly number[]): string => Buffer.from(bytes).toString('utf16le');

const many = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n));

/** No search is needed for these. */
export const BY_SECRET = {
  latin: (count: number) => many(count, (n) => latin(HEAD) + letters(n) + latin(TAIL)),
  wide: (count: number) =>
    many(
      count,
      (n) => wide(HEAD) + String.fromCharCode(0x3041 + (n % 80), 0x4e00 + Math.floor(n / 80)) + wide(TAIL),
    ),
};

/** Found by trying: a table has as many places as it needs, and takes that many bits of the hash. */
export function byLowBits(count: number): string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++) {
    const name = `k${n.toString(36)}`;
    if ((Bun.hash.rapidhash(name, 0n) & 0xfffn) === 5n) found.push(name);
  }
  return found;
}

/** Names that nobody has chosen for their places. */
export const plainNames = (count: number): string[] => many(count, (n) => `name_of_${n}`);
