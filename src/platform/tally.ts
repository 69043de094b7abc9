/** How many, or how much, each has. Who has nothing is forgotten. */
export class Tally<Name extends string | number> {
  readonly #of = new Map<Name, number>();

  of(name: Name): number {
    return this.#of.get(name) ?? 0;
  }

  add(name: Name, amount: number): void {
    const now = this.of(name) + amount;
    if (now > 0) this.#of.set(name, now);
    else this.#of.delete(name);
  }
}
