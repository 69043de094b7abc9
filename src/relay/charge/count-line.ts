/**
 * The line before the thread that counts tokens. What it has no time for is never cheaper than it can be expected to be:
 * else whoever has many counts made at once would pay for a part of them. So a little of each count is counted first, from
 * all over it, and stands for the rest; and that of which nothing was counted is as much as it can be. Users take turns, so
 * that nobody waits for all that another has counted.
 */
import { limits } from '../../core/limits.ts';
import { mostTokens, sizeOfText } from '../../core/text-tokens.ts';
import type { Encoding } from './encodings.ts';
import type { CountAnswer, CountQuestion } from './tokens-worker.ts';

/** A settlement keeps the end of an answer waiting; a question is only somebody's wish to know. */
export type CountKind = 'settlement' | 'question';

/** Who has something counted. */
export interface CountedFor {
  userId: number;
  /** A settlement where nothing is said. */
  kind?: CountKind | undefined;
}

export interface CountThread {
  ask(question: CountQuestion): void;
  stop(): void;
}

/** The thread and the time; tests bring their own. */
export interface CountLineDeps {
  /** Answers one question after another, unless it is lost. */
  start(told: { answered(answer: CountAnswer): void; lost(): void }): CountThread;
  /** What it gives calls that off. It keeps no process alive. */
  later(work: () => void, ms: number): () => void;
}

/** Where nothing was counted for so long, the memory is worth more than the next start. */
const IDLE_MS = 10 * 60_000;

/** What the thread is given at a time; noise of this length takes it a fortieth of a second. */
const STRETCH_CHARS = 2 * 1024;
/** What is counted of a text before all of it: so many pieces, from all over it. */
const SAMPLE_PIECES = 8;
const SAMPLE_CHARS = STRETCH_CHARS / SAMPLE_PIECES;

/** What was counted of a text. */
interface Counted {
  chars: number;
  tokens: number;
}

/** A count under way. */
interface Count {
  encoding: Encoding;
  kind: CountKind;
  userId: number;
  /** Characters of all texts together. */
  chars: number;
  /** Stands for all of it until that is counted; of short texts it is all. */
  sample: readonly string[];
  /** Stretches that are still to be counted. */
  left: string[][];
  /** What the thread is at. */
  asked: readonly string[];
  /** All that was counted, and without the sample. */
  known: Counted;
  whole: Counted;
  callOff(): void;
  resolve(tokens: number): void;
}

/** Those that wait, by their users, of whom the first has the next turn. */
type Line = Map<number, Set<Count>>;

const charsOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

const NOTHING: Counted = { chars: 0, tokens: 0 };

const sumOf = ({ chars, tokens }: Counted, more: Counted): Counted => ({
  chars: chars + more.chars,
  tokens: tokens + more.tokens,
});

/** What is counted of texts of so many characters: of more than may be counted, stretches from all over it. */
function partsOf(texts: readonly string[], chars: number): Pick<Count, 'sample' | 'left'> {
  if (chars <= STRETCH_CHARS) return { sample: texts, left: [] };
  const share = Math.max(chars / limits.countedChars, 1);
  return {
    sample: stretchesOf(texts, SAMPLE_CHARS, chars / SAMPLE_PIECES).flat(),
    left: stretchesOf(texts, STRETCH_CHARS, STRETCH_CHARS * share),
  };
}

/**
 * Stretches of all texts, one after the other: one of each `distance`. It begins anywhere in that and goes on at its
 * beginning, so that all of it is as likely: who knew the places would put blanks there.
 */
function stretchesOf(texts: readonly string[], length: number, distance: number): string[][] {
  const chars = charsOf(texts);
  const read = readerOf(texts);
  const stretches: string[][] = [];
  // Half a character is what a sum of distances may be wrong by.
  for (let n = 0; n * distance < chars - 0.5; n++) {
    const [start, end] = [n * distance, (n + 1) * distance];
    const at = distance > length ? start + Math.random() * distance : start;
    stretches.push([...read(start, start + at + length - end), ...read(at, Math.min(at + length, end))]);
  }
  return stretches;
}

/** Reads what stands between two places of all texts, further on each time. */
function readerOf(texts: readonly string[]): (from: number, to: number) => string[] {
  let next = 0;
  // Where that text begins among all.
  let start = 0;
  return (from, to) => {
    const parts: string[] = [];
    for (; next < texts.length && start < Math.floor(to); next++) {
      const text = texts[next] ?? '';
      const first = characterAt(text, Math.max(Math.floor(from) - start, 0));
      const end = characterAt(text, Math.floor(to) - start);
      if (first < Math.min(end, text.length)) parts.push(text.slice(first, end));
      if (end < text.length) break;
      start += text.length;
    }
    return parts;
  };
}

/** The second half of a surrogate pair belongs to the first; alone, as JSON may spell it, each is a character. */
const characterAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at + 1 : at;

/** Any of them: when the time is over, those that were counted stand for the rest. */
const takeOne = (left: string[][]): string[] =>
  left.splice(Math.floor(Math.random() * left.length), 1)[0] ?? [];

/** What was counted, in proportion for what was not; where that is nothing, the most that it can be. */
function tokensOf({ chars, sample, left, known, whole }: Count): number {
  const counted = left.length === 0 && whole.chars > 0 ? whole : known;
  if (counted.chars > 0) return Math.ceil(counted.tokens * (chars / counted.chars));
  const looked = sample.join('');
  return Math.ceil(mostTokens(sizeOfText(looked)) * (chars / looked.length));
}

/** The one of them by which this is the least. */
const least = <Of>(all: Iterable<Of>, by: (one: Of) => number): Of | undefined => {
  let found: Of | undefined;
  for (const one of all) if (found === undefined || by(one) < by(found)) found = one;
  return found;
};

export class CountLine {
  readonly #deps: CountLineDeps;
  readonly #lines: Record<CountKind, Line> = {
    settlement: new Map<number, Set<Count>>(),
    question: new Map<number, Set<Count>>(),
  };
  #thread: CountThread | null = null;
  /** Whom the thread is counting for. */
  #busy: Count | null = null;
  /** Whose tables the thread has loaded. */
  readonly #warm = new Set<Encoding>();
  #callOffStop = (): void => undefined;

  constructor(deps: CountLineDeps) {
    this.#deps = deps;
  }

  /** Never rejects. */
  count(
    texts: readonly string[],
    encoding: Encoding,
    { userId, kind = 'settlement' }: CountedFor,
  ): Promise<number> {
    const chars = charsOf(texts);
    if (chars === 0) return Promise.resolve(0);
    const { promise, resolve } = Promise.withResolvers<number>();
    const waitMs = this.#warm.has(encoding) ? limits.countWaitMs : limits.countTablesMs;
    const count: Count = {
      encoding,
      kind,
      userId,
      chars,
      ...partsOf(texts, chars),
      asked: [],
      known: NOTHING,
      whole: NOTHING,
      callOff: this.#deps.later(() => this.#end(count), waitMs),
      resolve,
    };
    this.#add(count);
    this.#callOffStop();
    this.#askNext();
    return promise;
  }

  /** Where too many wait, one of the user who has the most of them ends as it is. */
  #add(count: Count): void {
    const line = this.#lines[count.kind];
    const own = line.get(count.userId);
    if (own) own.add(count);
    else line.set(count.userId, new Set<Count>([count]));
    const users = [...line.values()];
    if (users.reduce((sum, { size }) => sum + size, 0) <= limits.countsWaiting) return;
    const most = least(users, ({ size }) => -size) ?? [];
    const best = least(most, ({ known }) => -known.chars);
    if (best) this.#end(best);
  }

  /** Gives the idle thread what is next. */
  #askNext(): void {
    if (this.#busy) return;
    const count = this.#next(this.#lines.settlement) ?? this.#next(this.#lines.question);
    if (!count) {
      this.#callOffStop();
      this.#callOffStop = this.#deps.later(() => this.#stop(), IDLE_MS);
      return;
    }
    count.asked = count.known === NOTHING ? count.sample : takeOne(count.left);
    this.#busy = count;
    this.#thread ??= this.#start();
    this.#thread.ask({ texts: count.asked, encoding: count.encoding });
  }

  /** Of the user whose turn it is, the count of which the least is known; of which nothing is, first of all. */
  #next(line: Line): Count | undefined {
    const [first] = line;
    if (!first) return undefined;
    const [userId, counts] = first;
    line.delete(userId);
    line.set(userId, counts);
    return least(counts, ({ known }) => known.chars);
  }

  #start(): CountThread {
    const thread = this.#deps.start({
      answered: (answer) => this.#answered(answer),
      lost: () => {
        if (this.#thread === thread) this.#stop();
      },
    });
    return thread;
  }

  #answered({ tokens }: CountAnswer): void {
    const count = this.#busy;
    if (!count) return;
    this.#busy = null;
    this.#warm.add(count.encoding);
    const counted = { chars: charsOf(count.asked), tokens };
    count.known = sumOf(count.known, counted);
    if (count.asked !== count.sample) count.whole = sumOf(count.whole, counted);
    if (count.left.length === 0) this.#end(count);
    this.#askNext();
  }

  #end(count: Count): void {
    count.callOff();
    const line = this.#lines[count.kind];
    const own = line.get(count.userId);
    own?.delete(count);
    if (own?.size === 0) line.delete(count.userId);
    count.resolve(tokensOf(count));
  }

  /** Whoever still waits is told what is known: a call must be settled. */
  #stop(): void {
    this.#thread?.stop();
    this.#thread = null;
    this.#busy = null;
    this.#warm.clear();
    this.#callOffStop();
    const lines = [this.#lines.settlement, this.#lines.question];
    for (const count of lines.flatMap((line) => [...line.values()].flatMap((own) => [...own])))
      this.#end(count);
  }
}
