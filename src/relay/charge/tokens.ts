/**
 * Counts tokens where the upstream does not say, in a thread of its own: loading the tables takes half a second of CPU
 * and 100 MB, which no other call should feel. The thread starts when it is first needed and ends when it is not.
 */
import { Worker } from 'node:worker_threads';
import { limits } from '../../core/limits.ts';
import { bareName, isOpenAiReasoner } from '../../core/model-families.ts';
import { vocabularyOf } from '../../core/read-alike.ts';
import type { CountAnswer, CountQuestion, Encoding } from './tokens-worker.ts';

/** Where nothing was counted for so long, the memory is worth more than the next start. */
const IDLE_MS = 10 * 60_000;

const GEMINI = /^(gemini|gemma)/;

/** Which tokenizer a model's tokens are counted by; the older tables stand in for those of other vendors. */
export function encodingOf(model: string): Encoding {
  const known = vocabularyOf(model);
  if (known) return known;
  const name = bareName(model);
  if (isOpenAiReasoner(name)) return 'o200k';
  if (name.includes('claude')) return 'claude';
  return GEMINI.test(name) ? 'gemini' : 'cl100k';
}

/** A settlement keeps the end of an answer waiting; a question is only somebody's wish to know. */
export type CountKind = 'settlement' | 'question';

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
  timer: ReturnType<typeof setTimeout>;
  resolve(tokens: number): void;
}

let worker: Worker | null = null;
let idleTimer: ReturnType<typeof setTimeout> | undefined;
/** Whose stretch the thread is counting, and how long that is. */
let busy: { count: Count; chars: number } | null = null;
/** Whose tables the thread has loaded. */
const warm = new Set<Encoding>();
const lines: Record<CountKind, Set<Count>> = {
  settlement: new Set<Count>(),
  question: new Set<Count>(),
};

/**
 * Tokens of texts as the model's tokenizer makes them, or nearly so: of long texts some stretches stand for the whole,
 * and what cannot be counted in time is estimated. Settlements go first. Never rejects.
 */
export function countTokens(
  texts: readonly string[],
  model: string,
  kind: CountKind = 'settlement',
): Promise<number> {
  if (texts.every((text) => text === '')) return Promise.resolve(0);
  const line = lines[kind];
  if (line.size >= limits.countsWaiting) return Promise.resolve(roughly(texts));
  const { promise, resolve } = Promise.withResolvers<number>();
  const encoding = encodingOf(model);
  const isWarm = warm.has(encoding);
  const count: Count = {
    encoding,
    kind,
    left: stretchesOf(texts),
    chars: charsOf(texts),
    countedChars: 0,
    tokens: 0,
    timer: setTimeout(() => end(count), isWarm ? limits.countWaitMs : limits.countTablesMs),
    resolve,
  };
  line.add(count);
  clearTimeout(idleTimer);
  askNext();
  return promise;
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

/** Gives the idle thread the next stretch: of the settlement, else of the question, that has waited longest. */
function askNext(): void {
  if (busy) return;
  const [count] = lines.settlement.size > 0 ? lines.settlement : lines.question;
  if (!count) {
    clearTimeout(idleTimer);
    idleTimer = setTimeout(stopWorker, IDLE_MS);
    idleTimer.unref();
    return;
  }
  // Any of them: when the time is over, those that were counted stand for the rest.
  const [texts = []] = count.left.splice(Math.floor(Math.random() * count.left.length), 1);
  busy = { count, chars: charsOf(texts) };
  worker ??= startWorker();
  worker.postMessage({ texts, encoding: count.encoding } satisfies CountQuestion);
}

function startWorker(): Worker {
  const started = new Worker(new URL('./tokens-worker.ts', import.meta.url));
  // The thread alone keeps no process alive.
  started.unref();
  started.on('message', (answer: CountAnswer) => answered(answer));
  const lost = () => {
    if (worker === started) stopWorker();
  };
  started.on('error', lost);
  started.on('exit', lost);
  return started;
}

function answered({ tokens }: CountAnswer): void {
  if (!busy) return;
  const { count, chars } = busy;
  busy = null;
  warm.add(count.encoding);
  count.tokens += tokens;
  count.countedChars += chars;
  if (count.left.length === 0) end(count);
  askNext();
}

/** Answers what was counted, in proportion for what was not. */
function end(count: Count): void {
  clearTimeout(count.timer);
  lines[count.kind].delete(count);
  const { tokens, chars, countedChars } = count;
  count.resolve(Math.ceil(countedChars === 0 ? chars / BYTES_A_TOKEN : (tokens * chars) / countedChars));
}

/** Whoever still waits gets a rough count: a call must be settled. */
function stopWorker(): void {
  void worker?.terminate();
  worker = null;
  busy = null;
  warm.clear();
  clearTimeout(idleTimer);
  for (const count of [...lines.settlement, ...lines.question]) end(count);
}
