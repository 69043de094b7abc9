/**
 * The process's way out, shared by everything that takes or carries on work. Once it has begun, new work is refused
 * (`begun`); work under way goes on until the grace is over (`signal`), when an open stream ends with an error event
 * and settles; the exit waits for all that was tracked.
 */

/** After the grace a settlement commits or goes to the spool within seconds; what takes longer is left to recovery. */
const LAST_MS = 10_000;

export class Stopping {
  readonly #cut = new AbortController();
  #begun = false;
  #open = 0;
  #idle: (() => void) | undefined;

  /** True from the first stop signal on: whoever takes work answers 503 with `Connection: close`. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Aborts when the grace is over. Remove the listener when the work ends: this signal lives as long as the process. */
  get signal(): AbortSignal {
    return this.#cut.signal;
  }

  /** Tracked pieces of work that have not ended. */
  get open(): number {
    return this.#open;
  }

  /** Makes the exit wait for `work`, which is given back as it is. */
  track<T>(work: Promise<T>): Promise<T> {
    this.enter();
    const leave = () => this.leave();
    work.then(leave, leave);
    return work;
  }

  /** The same for work that tells its end itself: `leave` must follow, once. */
  enter(): void {
    this.#open++;
  }

  leave(): void {
    this.#open--;
    if (this.#open === 0) this.#idle?.();
  }

  /** Begins the stop; resolves with the pieces of work left undone, normally 0, at most `graceMs` and ten seconds later. */
  async begin(graceMs: number): Promise<number> {
    this.#begun = true;
    if (!(await this.#becomesIdle(graceMs))) {
      this.#cut.abort(new Error('the server is stopping'));
      await this.#becomesIdle(LAST_MS);
    }
    return this.#open;
  }

  async #becomesIdle(withinMs: number): Promise<boolean> {
    if (this.#open === 0) return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
