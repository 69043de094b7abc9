/**
 * Texts that come again and again: those that came last, by how they begin and end, as they are written. Whoever comes again
 * is known without a look at any table.
 */
const PLACES = 64;

const placeOf = (first: number, last: number, length: number): number =>
  (first + 7 * last + 31 * length) % PLACES;

export class Lately {
  readonly #met: (string | undefined)[] = Array.from({ length: PLACES });

  /** Whether what stands there of a text is one of them. */
  has(text: string, from: number, to: number): boolean {
    const length = to - from;
    const met = this.#met[placeOf(text.charCodeAt(from), text.charCodeAt(to - 1), length)];
    return met?.length === length && text.startsWith(met, from);
  }

  keep(written: string): void {
    const { length } = written;
    this.#met[placeOf(written.charCodeAt(0), written.charCodeAt(length - 1), length)] = written;
  }

  forget(): void {
    this.#met.fill(undefined);
  }
}
