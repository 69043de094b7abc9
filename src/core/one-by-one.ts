/** Works about one thing, of which none begins before the one before it has ended, well or not. */
export class OneByOne<Thing extends object> {
  readonly #last = new WeakMap<Thing, Promise<unknown>>();

  do<Result>(about: Thing, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(about) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#last.set(about, turn);
    return turn;
  }
}
