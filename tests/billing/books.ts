/** A small reference ledger: what accounts must have, said plainly and one movement at a time. */

import { formatDateTime } from '../../src/core/time-text.ts';
import { LINE_KINDS, type MovementName } from '../../src/modules/statement/facts.ts';

interface Line {
  kind: number;
  delta: number;
  /** Unix seconds. */
  at: number;
}

/** One account. */
export class Account {
  /** What there is, with what open calls hold. */
  balance = 0;
  readonly holds = new Map<string, number>();
  /** What each of them was to hold without what an earlier call had lacked. */
  readonly #asked = new Map<string, number>();
  /** The most that a call has lacked, which each further one holds beside its own (decision 040). */
  #lacked = 0;
  /** What calls have paid that were not given back, by their references. */
  readonly paid = new Map<string, number>();
  /** Rewards that wait for their transfer. */
  rewards = 0;
  /** Cancelled: nobody can act in its name any more. */
  isGone = false;
  readonly lines: Line[] = [];

  get reserved(): number {
    return [...this.holds.values()].reduce((sum, amount) => sum + amount, 0);
  }

  /** What calls have cost. */
  get used(): number {
    return [...this.paid.values()].reduce((sum, amount) => sum + amount, 0);
  }

  /** What can be spent. */
  get free(): number {
    return this.balance - this.reserved;
  }

  move(name: MovementName, delta: number, at: number): void {
    this.balance += delta;
    this.lines.push({ kind: LINE_KINDS[name], delta, at });
  }

  /** What a payment had added goes with it: as much as is free, the rest is written off. */
  takeBack(amount: number, at: number): { taken: number; writtenOff: number } {
    const taken = Math.min(amount, this.free);
    if (taken > 0) this.move('takenBack', -taken, at);
    if (taken < amount) this.move('writeOff', 0, at);
    return { taken, writtenOff: amount - taken };
  }

  /** What a call holds that is to hold `asked`. */
  covering(asked: number): number {
    return asked + this.#lacked;
  }

  /** A call that was let in. */
  hold(id: string, asked: number): void {
    this.holds.set(id, this.covering(asked));
    this.#asked.set(id, asked);
  }

  /** A call that ends: what it held is free again, its charge is taken from what there is, the rest is written off. */
  settle(hold: string, charge: number, at: number): void {
    this.holds.delete(hold);
    const paid = Math.min(charge, this.free);
    if (paid > 0) {
      this.move('charge', -paid, at);
      this.paid.set(hold, paid);
    }
    if (paid === charge) return;
    this.move('writeOff', 0, at);
    this.#lacked = Math.max(this.#lacked, charge - (this.#asked.get(hold) ?? charge));
  }

  /** A call whose work came to nothing after it had ended: what it paid comes back, and what was written off was never paid. */
  refund(call: string, at: number): number {
    const paid = this.paid.get(call) ?? 0;
    this.paid.delete(call);
    if (paid > 0) this.move('refund', paid, at);
    return paid;
  }

  /** Newest first, as `[kind, delta, balance]`: charges a line a day of the zone, behind all others of the day. */
  statement(timeZone: string): [kind: number, delta: number, balance: number][] {
    const days = new Map<string, Line[]>();
    for (const line of this.lines) {
      const date = formatDateTime(line.at, timeZone).slice(0, 10);
      days.set(date, [...(days.get(date) ?? []), line]);
    }
    let balance = 0;
    const told = [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, lines]) => {
        const others = lines.filter(({ kind }) => kind !== LINE_KINDS.charge);
        const charged = lines.reduce(
          (sum, { kind, delta }) => (kind === LINE_KINDS.charge ? sum + delta : sum),
          0,
        );
        const ofDay = others
          .sort((a, b) => a.at - b.at || a.kind - b.kind)
          .map(({ kind, delta }): [number, number] => [kind, delta]);
        if (charged !== 0) ofDay.push([LINE_KINDS.charge, charged]);
        return ofDay.map(([kind, delta]): [number, number, number] => {
          balance += delta;
          return [kind, delta, balance];
        });
      });
    return told.reverse();
  }
}
