/**
 * What waits beside a line, because others hold rows that it needs. These rows are looked at until nothing waits for them:
 * what is free goes back to the front of the line, what has waited for too long is refused.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

export interface LockedRows<T> {
  /** The names of the rows that an item needs. */
  of(item: T): readonly string[];
  /** Which of these others hold just now. */
  held(names: readonly string[]): Promise<readonly string[]>;
  /** For so long this item waits for them. */
  patienceMs(item: T): number;
}

/** What stands in a line. */
export interface InLine<T> {
  item: T;
  reject(error: unknown): void;
  /** When it was set aside first; by `performance.now()`. */
  asideSince?: number;
}

interface AsideHooks<Ticket> {
  /** These may stand in the line again. */
  onFree(tickets: readonly Ticket[]): void;
  /** Nothing waits here any more. */
  onEmpty(): void;
}

export class Aside<T, Ticket extends InLine<T>> {
  #tickets: Ticket[] = [];
  readonly #held = new Set<string>();

  /** Without `rows` nothing is ever held. */
  constructor(
    readonly rows: LockedRows<T> | undefined,
    readonly hooks: AsideHooks<Ticket>,
  ) {}

  get size(): number {
    return this.#tickets.length;
  }

  isHeld({ item }: Ticket): boolean {
    return (
      this.#held.size > 0 && this.rows !== undefined && this.rows.of(item).some((row) => this.#held.has(row))
    );
  }

  /** Those that need no held row; the others are set aside. */
  free(tickets: readonly Ticket[]): Ticket[] {
    this.add(tickets.filter((ticket) => this.isHeld(ticket)));
    return tickets.filter((ticket) => !this.isHeld(ticket));
  }

  add(tickets: readonly Ticket[]): void {
    if (!this.rows || tickets.length === 0) return;
    const isWatched = this.#tickets.length > 0;
    for (const ticket of tickets) ticket.asideSince ??= performance.now();
    this.#tickets.push(...tickets);
    if (!isWatched) void this.#watch(this.rows);
  }

  /** Asks which of the rows that they need others hold now. Rejects as the database does. */
  async look(tickets: readonly Ticket[]): Promise<void> {
    const { rows } = this;
    if (!rows) return;
    for (const row of await rows.held(tickets.flatMap(({ item }) => rows.of(item)))) this.#held.add(row);
  }

  async #watch(rows: LockedRows<T>): Promise<void> {
    while (this.#tickets.length > 0) {
      await Bun.sleep(limits.heldRowsLookMs);
      await this.#lookAgain(rows);
      const free = this.#tickets.filter((ticket) => !this.isHeld(ticket));
      const held = this.#tickets.filter((ticket) => this.isHeld(ticket));
      // By one time for all of them: who is not refused must be kept.
      const now = performance.now();
      const isLate = ({ item, asideSince = now }: Ticket) => now - asideSince >= rows.patienceMs(item);
      this.#tickets = held.filter((ticket) => !isLate(ticket));
      refuse(held.filter(isLate), fail('OVERLOADED', { retryAfterSec: 1, internal: 'its rows are held' }));
      if (free.length > 0) this.hooks.onFree(free);
    }
    this.#held.clear();
    this.hooks.onEmpty();
  }

  async #lookAgain(rows: LockedRows<T>): Promise<void> {
    const looked = [...this.#held];
    const held = await rows.held(looked).catch((cause: unknown) => {
      refuse(this.#tickets.splice(0), fail('unavailable', { cause }));
      return [];
    });
    for (const row of looked) this.#held.delete(row);
    for (const row of held) this.#held.add(row);
  }
}

export function refuse<T>(tickets: readonly InLine<T>[], error: unknown): void {
  for (const ticket of tickets) ticket.reject(error);
}
