/** Hands pieces over one by one: whoever gives one goes on when it was taken. */
export class Handover<T> {
  #pieces: T[] = [];
  #isClosed = false;
  #isReleased = false;
  #given = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  /** Resolves when the next piece is asked for, or nobody waits for that any more. */
  async give(piece: T): Promise<void> {
    this.add(piece);
    if (!this.#isReleased) await this.#taken.promise;
  }

  /** Gives one that need not be waited for: the last. */
  add(piece: T): void {
    this.#pieces.push(piece);
    this.#given.resolve();
  }

  /** From now on nobody waits; what was given may still be taken. */
  release(): void {
    this.#isReleased = true;
    this.#taken.resolve();
  }

  /** There are no more. */
  close(): void {
    this.#isClosed = true;
    this.#given.resolve();
  }

  /** For the one who takes them. */
  async *pieces(): AsyncGenerator<T, void> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        yield piece;
        if (this.#pieces.length > 0) continue;
        this.#taken.resolve();
        if (!this.#isReleased) this.#taken = Promise.withResolvers();
      } else {
        if (this.#isClosed) return;
        this.#given = Promise.withResolvers();
        if (this.#pieces.length === 0) await this.#given.promise;
      }
    }
  }
}
