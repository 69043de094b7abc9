/** The line before the thread that counts tokens. */
import { limits } from '../../core/limits.ts';
import type { CountAnswer, CountQuestion, Encoding } from './tokens-worker.ts';

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

/** What the thread is given at a time; noise of this length takes it a tenth of a second. */
const STRETCH_CHARS = 8 * 1024;
/** Of texts too long to be counted, pieces of this length stand for what is around them. */
const SAMPLE_CHARS = 2 * 1024;
/** About right for most texts. */
const BYTES_A_TOKEN = 4;

/** A count under way: stretch after stretch goes to the thread, and in between others have their turn. */
interface Count {
  encoding: Encoding;
  kind: CountKind;
  /** What is still to be counted, a turn of the thread each. */
  left: string[][];
  /** Characters of all texts together, and those that are counted. */
  chars: number;
  countedChars: number;
  tokens: number;
  callOff(): void;
  resolve(tokens: number): void;
}

const charsOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

const roughly = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN), 0);

/**
 * All texts, one after the other, in stretches; of more than may be counted, one of each so many characters, wherever in
 * them: who knew the places would put blanks there.
 */
function stretchesOf(texts: readonly string[]): string[][] {
  const share = Math.max(charsOf(texts) / limits.countedChars, 1);
  const length = share > 1 ? SAMPLE_CHARS : STRETCH_CHARS;
  const distance = length * share;
  const placeOf = (n: number) => n * distance + Math.random() * (distance - length);
  const stretches: string[][] = [];
  let stretch: string[] = [];
  let taken = 0;
  // Where the text begins among all, and where the stretch does.
  let start = 0;
  let at = placeOf(0);
  for (const text of texts) {
    const end = start + text.length;
    while (at < end) {
      const from = characterAt(text, Math.max(Math.floor(at) - start, 0));
      stretch.push(text.slice(from, characterAt(text, Math.floor(at) + length - start)));
      if (at + length > end) break;
      stretches.push(stretch);
      stretch = [];
      at = placeOf(++taken);
    }
    start = end;
  }
  return stretch.length > 0 ? [...stretches, stretch] : stretches;
}

/** The second half of a surrogate pair belongs to what is before it. */
const characterAt = (text: string, at: number): number =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at;

export class CountLine {
  readonly #deps: CountLineDeps;
  readonly #lines: Record<CountKind, Set<Count>> = { settlement: new Set(), question: new Set() };
  #thread: CountThread | null = null;
  /** Whose stretch the thread is counting, and how long that is. */
  #busy: { count: Count; chars: number } | null = null;
  /** Whose tables the thread has loaded. */
  readonly #warm = new Set<Encoding>();
  #callOffStop = (): void => undefined;

  constructor(deps: CountLineDeps) {
    this.#deps = deps;
  }

  /** Never rejects. */
  count(texts: readonly string[], encoding: Encoding, { kind = 'settlement' }: CountedFor): Promise<number> {
    if (texts.every((text) => text === '')) return Promise.resolve(0);
    const line = this.#lines[kind];
    if (line.size >= limits.countsWaiting) return Promise.resolve(roughly(texts));
    const { promise, resolve } = Promise.withResolvers<number>();
    const waitMs = this.#warm.has(encoding) ? limits.countWaitMs : limits.countTablesMs;
    const count: Count = {
      encoding,
      kind,
      left: stretchesOf(texts),
      chars: charsOf(texts),
      countedChars: 0,
      tokens: 0,
      callOff: this.#deps.later(() => this.#end(count), waitMs),
      resolve,
    };
    line.add(count);
    this.#callOffStop();
    this.#askNext();
    return promise;
  }

  /** Gives the idle thread the next stretch: of the settlement, else of the question, that has waited longest. */
  #askNext(): void {
    if (this.#busy) return;
    const { settlement, question } = this.#lines;
    const [count] = settlement.size > 0 ? settlement : question;
    if (!count) {
      this.#callOffStop();
      this.#callOffStop = this.#deps.later(() => this.#stop(), IDLE_MS);
      return;
    }
    // Any of them: when the time is over, those that were counted stand for the rest.
    const [texts = []] = count.left.splice(Math.floor(Math.random() * count.left.length), 1);
    this.#busy = { count, chars: charsOf(texts) };
    this.#thread ??= this.#start();
    this.#thread.ask({ texts, encoding: count.encoding });
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
    if (!this.#busy) return;
    const { count, chars } = this.#busy;
    this.#busy = null;
    this.#warm.add(count.encoding);
    count.tokens += tokens;
    count.countedChars += chars;
    if (count.left.length === 0) this.#end(count);
    this.#askNext();
  }

  /** Answers what was counted, in proportion for what was not. */
  #end(count: Count): void {
    count.callOff();
    this.#lines[count.kind].delete(count);
    const { tokens, chars, countedChars } = count;
    count.resolve(Math.ceil(countedChars === 0 ? chars / BYTES_A_TOKEN : (tokens * chars) / countedChars));
  }

  /** Whoever still waits gets a rough count: a call must be settled. */
  #stop(): void {
    this.#thread?.stop();
    this.#thread = null;
    this.#busy = null;
    this.#warm.clear();
    this.#callOffStop();
    for (const count of [...this.#lines.settlement, ...this.#lines.question]) this.#end(count);
  }
}
