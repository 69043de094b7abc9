/**
 * A walk through a schema that puts in what is named. What was made of a part of it stands again, as the same object,
 * wherever the same would come of it, however often it is named. Where others are open something else would: it is made
 * once more, so often that the work goes with what is written.
 */
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { tooLarge } from '../schema-work.ts';

/** Beyond this depth anything goes. */
export const DEPTH_MAX = 12;

type Definitions = ReadonlySet<JsonObject>;
const NONE: Definitions = new Set<JsonObject>();

/** Most parts name nothing, and none of these has a set of its own. */
const including = (set: Definitions, target: JsonObject): Definitions =>
  set === NONE ? new Set<JsonObject>([target]) : (set as Set<JsonObject>).add(target);

/** What is made once more may be so many times what is there, and a little. */
const TIMES = 8;

/** What it takes to make all the schemas of one request. */
export class Work {
  /** Parts as they stand in what is made for the first time. */
  #parts = 0;
  /** Such parts, schemas, keywords and members of lists in what is made once more. */
  #again = 0;

  part(isAgain: boolean): void {
    if (isAgain) this.again(1);
    else this.#parts++;
  }

  /** Throws `invalid_request` where few words would take much work. */
  again(entries: number): void {
    this.#again += entries;
    if (this.#again > TIMES * this.#parts + limits.schemaEntriesAgain) throw tooLarge();
  }
}

/** How a part was made, which tells where else the same comes of it. */
class Making {
  readonly depth: number;
  /** It, or what it is part of, was made before, where others were open. */
  readonly isAgain: boolean;
  /** How deep it goes. */
  deepest: number;
  /** Schemas, keywords and members of lists, each as often as it is put in. */
  entries = 0;
  /**
   * The definitions that are in it, and those that were left out since they were open. Of what it is made of they are
   * gathered when they are asked for: most never are, and no level pays for all the definitions below it.
   */
  #put = NONE;
  #left = NONE;
  #below: Making[] = [];

  constructor(depth: number, isAgain: boolean) {
    this.depth = depth;
    this.isAgain = isAgain;
    this.deepest = depth;
  }

  /** Throws `invalid_request` where it is more than a model could ever read. */
  counts(entries: number): void {
    this.entries += entries;
    if (this.entries > limits.schemaEntries) throw tooLarge();
  }

  puts(target: JsonObject): void {
    this.#put = including(this.#put, target);
  }

  leaves(target: JsonObject): void {
    this.#left = including(this.#left, target);
  }

  /** Another one is part of it, at this depth. */
  takes(part: Making, depth: number): void {
    this.counts(part.entries);
    if (part.#put !== NONE || part.#left !== NONE || part.#below.length > 0) this.#below.push(part);
    this.deepest = Math.max(this.deepest, part.deepest - part.depth + depth);
  }

  /** Whether the same comes of it where those are open. */
  comesAgain(open: Definitions, depth: number): boolean {
    const isDeeper = Math.max(this.deepest, this.deepest - this.depth + depth) > DEPTH_MAX;
    if (depth !== this.depth && isDeeper) return false;
    this.#gather();
    for (const target of this.#put) if (open.has(target)) return false;
    // What was open only since it had opened it itself is open whenever it is made.
    for (const target of this.#left) if (!open.has(target) && !this.#put.has(target)) return false;
    return true;
  }

  /** It goes through no more than was counted as its entries. */
  #gather(): void {
    const parts = this.#below;
    this.#below = [];
    for (const part of parts) {
      for (const target of part.#put) this.puts(target);
      for (const target of part.#left) this.leaves(target);
      for (const below of part.#below) parts.push(below);
    }
  }
}

export class Walk {
  /** The definitions inside which it stands: one that refers to them would never end. */
  readonly #open: Set<JsonObject>;
  readonly #work: Work;
  #making = new Making(0, false);

  constructor(root: JsonObject, work: Work) {
    this.#open = new Set<JsonObject>([root]);
    this.#work = work;
  }

  /** Throws `invalid_request` where all is more than a model could ever read. */
  counts(entries: number): void {
    this.#making.counts(entries);
    if (this.#making.isAgain) this.#work.again(entries);
  }

  reaches(depth: number): void {
    this.#making.deepest = Math.max(this.#making.deepest, depth);
  }

  isOpen(target: JsonObject): boolean {
    return this.#open.has(target);
  }

  /** False for one that is open already. */
  open(target: JsonObject): boolean {
    if (this.#open.has(target)) {
      this.#making.leaves(target);
      return false;
    }
    this.#making.puts(target);
    this.#open.add(target);
    return true;
  }

  /** Those that were opened in what is put in again. */
  reopen(targets: readonly JsonObject[]): void {
    for (const target of targets) this.#open.add(target);
  }

  close(targets: readonly JsonObject[]): void {
    for (const target of targets) this.#open.delete(target);
  }

  /** Makes something, for the first time or again, and tells how. */
  making<Result>(depth: number, isAgain: boolean, make: () => Result): { result: Result; making: Making } {
    const outer = this.#making;
    const making = new Making(depth, isAgain || outer.isAgain);
    this.#making = making;
    const result = make();
    this.#making = outer;
    return { result, making };
  }

  takes(making: Making, depth: number): void {
    this.#making.takes(making, depth);
    this.#work.part(this.#making.isAgain);
  }

  comesAgain(making: Making, depth: number): boolean {
    return making.comesAgain(this.#open, depth);
  }
}

/** What comes of parts of one kind. */
export class Once<Part extends object, Result> {
  readonly #made = new Map<Part, { result: Result; making: Making }[]>();

  at(part: Part, depth: number, walk: Walk, make: () => Result): Result {
    const all = this.#made.get(part) ?? [];
    let made = all.find(({ making }) => walk.comesAgain(making, depth));
    if (!made) {
      made = walk.making(depth, all.length > 0, make);
      all.push(made);
      this.#made.set(part, all);
    }
    walk.takes(made.making, depth);
    return made.result;
  }
}
