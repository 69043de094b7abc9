/**
 * The usage that a stream has reported, and whether that speaks of everything that came. Many upstreams count as they
 * go, or tell the prompt first and a placeholder for the answer: of a stream that breaks off, that is not what it took.
 */
import { completionTokens, noUsage, type Usage, withOutputOf } from '../core/usage.ts';

export class ReportedUsage {
  #latest: Usage | null = null;
  /** Content has come that the latest counts leave out. */
  #isBehind = false;
  #hasContent = false;

  /** Content has come. Counts of the same frame include it: report them after this. */
  content(): void {
    this.#hasContent = true;
    this.#isBehind = true;
  }

  /** Counts of all that came so far. */
  report(usage: Usage): void {
    this.#latest = usage;
    this.#isBehind = false;
  }

  /** Counts of the prompt; whatever they say of the answer is a placeholder. */
  reportPrompt(usage: Usage): void {
    this.#latest = withOutputOf(usage, noUsage());
    this.#isBehind = true;
  }

  /** The latest counts, as far as they go. */
  get latest(): Usage | null {
    return this.#latest;
  }

  /**
   * The usage of all that came; null while it is not reported. An answer that is complete may have taken nothing; one
   * that is not has taken something once there was content, whatever its counts say.
   */
  whole(isComplete: boolean): Usage | null {
    const usage = this.#latest;
    if (!usage) return null;
    if (isComplete) return this.#isBehind && this.#hasContent ? null : usage;
    const isPlaceholder = this.#hasContent && completionTokens(usage) === 0;
    return this.#isBehind || isPlaceholder ? null : usage;
  }
}
