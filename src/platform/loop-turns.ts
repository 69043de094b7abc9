/**
 * Lets a bounded number of works begin in one turn of the event loop, so that what others wait for comes in between. A turn is
 * no lock: a work goes on in it until it waits for somebody, and nobody keeps it by what he does later.
 *
 * Who waits has his turn by what his turns took before, his own or those of his network, whichever is more: one long turn is
 * worth many short ones, somebody of many networks has no more of the loop than one, and neither have many who were made
 * behind one network. Among neighbours it is who had least himself. (Start-time fair queueing: Goyal, Vin and Cheng, 1996.)
 */
import { fail } from '../core/errors.ts';
import { overloaded, RETRY_SEC } from './overloaded.ts';
import { Tally } from './tally.ts';

export interface LoopTurnsBounds {
  /** How many begin in one turn of the event loop at least, whatever they take. */
  atOnce: number;
  /** How many more, as long as all of them take no longer than so many milliseconds. */
  mostAtOnce: number;
  withinOneMs: number;
  /** Afterwards the loop is others' alone for as long as that took. */
  rests: boolean;
  waitingMax: number;
  ofOneWaitingMax: number;
  /** How long one waits. */
  withinMs: number;
}

/** Whose turn it is, and where he asks from. */
export interface Asker {
  who: string;
  network: string;
}

interface Waiter {
  admit(): void;
  refuse(): void;
}

/** Those of one who wait behind one network, and by which name they are found. */
interface Line extends Asker {
  name: string;
  waiters: Waiter[];
}

/** How much of what one took is forgotten with each turn: whoever sends light ones in between hides no heavy ones. */
const FORGOTTEN = 0.1;
/** Of so many names it is known when their next turns are due. */
const REMEMBERED = 8_192;

const nameOf = ({ who, network }: Asker): string => JSON.stringify([who, network]);

export class LoopTurns {
  #begun: Asker[] = [];
  /** What one has taken lately, in milliseconds. */
  #each = 0;
  readonly #lines = new Map<string, Line>();
  #waits = 0;
  readonly #waitsOf = new Tally<string>();
  readonly #waitsBehind = new Tally<string>();
  /** When the turn was due that began last, in milliseconds of work. */
  #now = 0;
  /** When the next one is due, of one and behind a network; at once where that is past. */
  readonly #due = new Map<string, number>();

  /** `clock`: of the work, in milliseconds. */
  constructor(
    readonly bounds: LoopTurnsBounds,
    readonly clock: () => number = workedMs,
  ) {}

  /**
   * Waits for a turn, which ends by itself. Throws RATE_LIMIT where too much of his waits, OVERLOADED where too much of others'
   * or too long, or when he has left.
   */
  async take(asker: Asker, left: AbortSignal): Promise<void> {
    if (left.aborted) throw gateFull();
    if (this.#waits === 0 && this.#mayBegin()) return this.#begin(asker);
    if (this.#waitsOf.of(asker.who) >= this.bounds.ofOneWaitingMax) {
      throw fail('RATE_LIMIT', { internal: 'gate', retryAfterSec: RETRY_SEC });
    }
    if (this.#waits >= this.bounds.waitingMax) this.#makeRoomFor(asker);
    return this.#wait(asker, left);
  }

  #mayBegin(): boolean {
    const { atOnce, mostAtOnce, withinOneMs } = this.bounds;
    const begun = this.#begun.length;
    return begun < atOnce || (begun < mostAtOnce && begun * this.#each < withinOneMs);
  }

  #begin(asker: Asker): void {
    if (this.#begun.length === 0) this.#endThisTurn();
    this.#begun.push(asker);
    this.#now = this.#dueOf(asker);
  }

  #dueOf({ who, network }: Asker): number {
    return Math.max(this.#now, this.#due.get(ofOne(who)) ?? 0, this.#due.get(behind(network)) ?? 0);
  }

  #endThisTurn(): void {
    const began = this.clock();
    setImmediate(() => {
      const took = this.clock() - began;
      const each = took / this.#begun.length;
      for (const asker of this.#begun) this.#owe(asker, each);
      this.#each = Math.max(each, this.#each * (1 - FORGOTTEN));
      if (this.bounds.rests) setTimeout(() => this.#next(), took);
      else this.#next();
    });
  }

  /** His next turn, and those behind his network, are due by so much later. */
  #owe(asker: Asker, took: number): void {
    for (const name of [ofOne(asker.who), behind(asker.network)]) {
      const due = Math.max(this.#now, this.#due.get(name) ?? 0) + took;
      this.#due.delete(name);
      this.#due.set(name, due);
    }
    if (this.#due.size > REMEMBERED) this.#forget();
  }

  /** What is past says nothing; else what was noted first. */
  #forget(): void {
    const [first] = this.#due.keys();
    for (const [name, due] of this.#due) if (due <= this.#now) this.#due.delete(name);
    if (this.#due.size > REMEMBERED && first !== undefined) this.#due.delete(first);
  }

  #next(): void {
    this.#begun = [];
    while (this.#waits > 0 && this.#mayBegin()) {
      const line = this.#firstDue();
      const [first] = line?.waiters ?? [];
      if (!line || !first) return;
      this.#takeOut(line, first);
      this.#begin(line);
      first.admit();
    }
  }

  #firstDue(): Line | undefined {
    let first: Line | undefined;
    let [due, ofHis] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const line of this.#lines.values()) {
      const [its, his] = [this.#dueOf(line), this.#due.get(ofOne(line.who)) ?? 0];
      if (its > due || (its === due && his >= ofHis)) continue;
      [first, due, ofHis] = [line, its, his];
    }
    return first;
  }

  #wait(asker: Asker, left: AbortSignal): Promise<void> {
    const name = nameOf(asker);
    const line = this.#lines.get(name) ?? { ...asker, name, waiters: [] };
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#takeOut(line, waiter);
        waiter.refuse();
      };
      const timer = setTimeout(giveUp, this.bounds.withinMs);
      left.addEventListener('abort', giveUp);
      const waitNoMore = () => {
        clearTimeout(timer);
        left.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        admit() {
          waitNoMore();
          resolve();
        },
        refuse() {
          waitNoMore();
          reject(gateFull());
        },
      };
      line.waiters.push(waiter);
      this.#lines.set(name, line);
      this.#count(asker, 1);
    });
  }

  #takeOut(line: Line, waiter: Waiter): void {
    const at = line.waiters.indexOf(waiter);
    if (at < 0) return;
    line.waiters.splice(at, 1);
    if (line.waiters.length === 0) this.#lines.delete(line.name);
    this.#count(line, -1);
  }

  #count({ who, network }: Asker, amount: 1 | -1): void {
    this.#waits += amount;
    this.#waitsOf.add(who, amount);
    this.#waitsBehind.add(network, amount);
  }

  /** How much waits of one, or behind his network, whichever is more. */
  #share({ who, network }: Asker): number {
    return Math.max(this.#waitsOf.of(who), this.#waitsBehind.of(network));
  }

  /** The last of whose share is largest gives way to one whose share is smaller. */
  #makeRoomFor(asker: Asker): void {
    let largest: Line | undefined;
    for (const line of this.#lines.values()) {
      if (!largest || this.#share(line) >= this.#share(largest)) largest = line;
    }
    const last = largest?.waiters.at(-1);
    if (!largest || !last || this.#share(largest) <= this.#share(asker) + 1) throw gateFull();
    this.#takeOut(largest, last);
    last.refuse();
  }
}

/** Of this thread alone: on a machine that is busy with others' work nothing takes longer by that. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const ofOne = (who: string): string => `one:${who}`;
const behind = (network: string): string => `network:${network}`;

const gateFull = () => overloaded('gate full');
