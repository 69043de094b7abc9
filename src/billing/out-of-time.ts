/**
 * What waits beside a line, because a statement with it ran out of time and nobody held a row of it: one call of many may be
 * what takes so long. Such a batch is tried in halves, and each call of these that do not end alone at last; one batch at a
 * time, which the line does not wait for. What runs out of time alone is tried ever more seldom, and never with others.
 */
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { type InLine, refuse } from './aside.ts';

export interface TriedApart<T> {
  /** By what it is known when it comes again. */
  nameOf(item: T): string;
  /** For so long its caller waits. */
  patienceMs(item: T): number;
  /** Told of an item that ran out of time alone, for the `tries`th time. Nothing is tried until that is done. Never rejects. */
  alone(item: T, tries: number): Promise<void>;
}

interface Trial<Ticket> {
  tickets: readonly Ticket[];
  /** Not before; by `performance.now()`. */
  due: number;
}

interface TrialHooks<Ticket> {
  /** Runs a batch, and tells of it here when it runs out of time. Never rejects. */
  run(tickets: readonly Ticket[]): Promise<void>;
  /** Nothing waits here any more. */
  onEmpty(): void;
}

export class OutOfTime<T, Ticket extends InLine<T>> {
  #trials: Trial<Ticket>[] = [];
  #underWay: readonly Ticket[] = [];
  /** What ran out of time alone, the longest known first: how often, and when it may be tried again. */
  readonly #alone = new Map<string, { tries: number; due: number }>();
  #told: Promise<void> = Promise.resolve();
  #wake: (() => void) | null = null;

  constructor(
    readonly items: TriedApart<T>,
    readonly hooks: TrialHooks<Ticket>,
  ) {}

  get size(): number {
    return this.#trials.reduce((sum, { tickets }) => sum + tickets.length, this.#underWay.length);
  }

  /** Whether it may stand in a batch with others. */
  isAlone({ item }: Ticket): boolean {
    return this.#alone.size > 0 && this.#alone.has(this.items.nameOf(item));
  }

  /** A statement with these ran out of time. */
  add(tickets: readonly Ticket[]): void {
    const now = performance.now();
    for (const ticket of tickets) ticket.asideSince ??= now;
    const [first] = tickets;
    if (first && tickets.length === 1) this.#keepAlone(first);
    else this.#tryHalves(tickets, now);
  }

  /** One that is known comes again: it waits until it may be tried. */
  comesAgain(ticket: Ticket): void {
    ticket.asideSince ??= performance.now();
    const due = this.#alone.get(this.items.nameOf(ticket.item))?.due ?? ticket.asideSince;
    if (this.#isLate(ticket, due)) this.#refuse([ticket]);
    else this.#try({ tickets: [ticket], due });
  }

  ended({ item }: Ticket): void {
    if (this.#alone.size > 0) this.#alone.delete(this.items.nameOf(item));
  }

  /** Who waits no longer hears so; what he wants done goes on, or it would be in the way of others whenever he asks again. */
  #tryHalves(tickets: readonly Ticket[], now: number): void {
    this.#refuse(tickets.filter((ticket) => this.#isLate(ticket, now)));
    const half = tickets.length >> 1;
    this.#try({ tickets: tickets.slice(0, half), due: now }, { tickets: tickets.slice(half), due: now });
  }

  #keepAlone(ticket: Ticket): void {
    const name = this.items.nameOf(ticket.item);
    const tries = (this.#alone.get(name)?.tries ?? 0) + 1;
    const wait = Math.min(limits.outOfTimeAgainMs * 2 ** (tries - 1), limits.outOfTimeAgainMaxMs);
    this.#alone.delete(name);
    this.#alone.set(name, { tries, due: performance.now() + wait });
    for (const oldest of this.#alone.keys()) {
      if (this.#alone.size <= limits.outOfTimeKept) break;
      this.#alone.delete(oldest);
    }
    this.#told = this.#told.then(() => this.items.alone(ticket.item, tries));
    this.comesAgain(ticket);
  }

  #isLate({ item, asideSince = 0 }: Ticket, at: number): boolean {
    return at - asideSince >= this.items.patienceMs(item);
  }

  #refuse(tickets: readonly Ticket[]): void {
    refuse(tickets, fail('unavailable', { internal: 'statements with it run out of time' }));
  }

  #try(...trials: Trial<Ticket>[]): void {
    const isWatched = this.#trials.length + this.#underWay.length > 0;
    this.#trials.push(...trials);
    if (!isWatched) void this.#watch();
    this.#wake?.();
  }

  async #watch(): Promise<void> {
    while (this.#trials.length > 0) {
      const next = this.#trials.reduce((first, trial) => (trial.due < first.due ? trial : first));
      const wait = next.due - performance.now();
      if (wait > 0) {
        await this.#sleep(wait);
        continue;
      }
      this.#trials = this.#trials.filter((trial) => trial !== next);
      this.#underWay = next.tickets;
      await this.#told;
      await this.hooks.run(next.tickets);
      this.#underWay = [];
    }
    this.hooks.onEmpty();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      // Whatever waits here lies on disk: it keeps no process from its end.
      timer.unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
