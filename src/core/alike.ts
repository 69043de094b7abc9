/**
 * Strings that the engine finds in one place. It looks for the names of properties, and for the keys of Maps and Sets, by
 * a hash that has no secret: whoever writes them can have thousands stand in one place, where each is compared with all
 * before it, and 300 KB of them stop the process for seconds. So strings of others that become names or keys in number
 * are counted by their places first.
 */

/**
 * So many in one place are no chance: the places are twice as many as the strings, or more. Who is looked for among them
 * is found at once, however often.
 */
export const ALIKE_MOST = 16;

/** Who finds his place taken goes on to those beside it: so many in sixteen of them are no chance either. */
const BESIDE_MOST = 64;
const BESIDE_BITS = 4;

const FEWEST_PLACES = 64;

/** Different strings, one after another. */
export class Alike {
  readonly #strings: string[] = [];
  /** Of the first of them, those that have been looked at. */
  readonly #hashes: number[] = [];
  #counts = new Uint8Array(FEWEST_PLACES);
  #beside = new Uint16Array(FEWEST_PLACES >> BESIDE_BITS);

  /** Counts one that is not among them yet; false when too many stand in its place. */
  takes(string: string): boolean {
    const count = this.#strings.push(string);
    // They are too few, whatever they are.
    if (count <= ALIKE_MOST) return true;
    if (2 * count > this.#counts.length) this.#spread(2 * this.#counts.length);
    for (let at = this.#hashes.length; at < count; at++) {
      const hash = engineHash(this.#strings[at] ?? '');
      this.#hashes.push(hash);
      if (!this.#count(hash)) return false;
    }
    return true;
  }

  /** Forgets all but the first so many of them. */
  cut(count: number): void {
    for (const hash of this.#hashes.splice(count)) this.#count(hash, -1);
    this.#strings.length = count;
  }

  /** False when there are too many in its place, or about it. */
  #count(hash: number, by = 1): boolean {
    const place = hash & (this.#counts.length - 1);
    const about = place >> BESIDE_BITS;
    const count = (this.#counts[place] ?? 0) + by;
    const beside = (this.#beside[about] ?? 0) + by;
    this.#counts[place] = count;
    this.#beside[about] = beside;
    return count <= ALIKE_MOST && beside <= BESIDE_MOST;
  }

  #spread(places: number): void {
    this.#counts = new Uint8Array(places);
    this.#beside = new Uint16Array(places >> BESIDE_BITS);
    for (const hash of this.#hashes) this.#count(hash);
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/;
const BEYOND_LATIN = /[\u0100-\uffff]/;

/** The engine's hash of a string, of which each table takes as many of the lowest bits as it has places for. */
export function engineHash(string: string): number {
  return Number(Bun.hash.rapidhash(bytesOf(string), 0n) & 0xffffffn);
}

/** As the engine holds it: a byte a character, or two where any needs them. */
function bytesOf(string: string): string | Uint8Array {
  if (!BEYOND_ASCII.test(string)) return string;
  return Buffer.from(string, BEYOND_LATIN.test(string) ? 'utf16le' : 'latin1');
}
