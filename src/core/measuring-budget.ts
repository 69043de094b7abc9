/**
 * What measuring the media of one request may take, all of them together. It is done at once, before anybody is asked
 * for quota, so that nobody may make others wait for it: what is not found within it is held as the most that it can be.
 */

/**
 * Marks that are looked at: a name or reference in a document, a chunk of a picture, a step on the way through a sound.
 * The page of a usual document has some thirty, a picture some ten, a second of sound some fifty of which its bytes pay
 * for most; this many take some 50 ms.
 */
const MARKS_MOST = 131_072;

/** Thrown where a request has more to be looked at than is looked at. */
export class OverBudget extends Error {}

export class MeasuringBudget {
  #left = MARKS_MOST;
  /** Of pictures, sounds and files that were looked at. */
  media = 0;
  /** Of values that may be one of them. */
  looks = 0;

  get left(): number {
    return this.#left;
  }

  /** Throws OverBudget from the mark on that is one too many. */
  spend(marks: number): void {
    if (this.#left < marks) {
      this.#left = 0;
      throw new OverBudget();
    }
    this.#left -= marks;
  }
}
