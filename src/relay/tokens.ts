/**
 * Counts tokens where the upstream does not say, in a thread of its own: loading the tables takes half a second of CPU
 * and 100 MB, which no other call should feel. The thread starts when it is first needed and ends when it is not.
 */
import { Worker } from 'node:worker_threads';
import type { CountAnswer, CountQuestion, Encoding } from './tokens-worker.ts';

const IDLE_MS = 10 * 60_000;

const NEWER = /^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-[5-9]|o[134](-|$)|gpt-audio|gpt-realtime|gpt-oss)/;
const GEMINI = /^(gemini|gemma)/;

/** Which tokenizer a model's tokens are counted by; the older tables stand in for those of other vendors. */
export function encodingOf(model: string): Encoding {
  const name = model.slice(model.lastIndexOf('/') + 1);
  if (NEWER.test(name)) return 'o200k';
  if (name.includes('claude')) return 'claude';
  return GEMINI.test(name) ? 'gemini' : 'cl100k';
}

/** About right for most texts; only used when the thread has died. */
const roughly = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 4), 0);

interface Waiting {
  texts: readonly string[];
  resolve(tokens: number): void;
}

let worker: Worker | null = null;
let nextId = 0;
let idleTimer: ReturnType<typeof setTimeout> | undefined;
const waiting = new Map<number, Waiting>();

/** Tokens of texts as the model's tokenizer makes them, or nearly so. Never rejects. */
export function countTokens(texts: readonly string[], model: string): Promise<number> {
  if (texts.every((text) => text === '')) return Promise.resolve(0);
  worker ??= startWorker();
  clearTimeout(idleTimer);
  const { promise, resolve } = Promise.withResolvers<number>();
  const id = nextId++;
  waiting.set(id, { texts, resolve });
  worker.postMessage({ id, texts, encoding: encodingOf(model) } satisfies CountQuestion);
  return promise;
}

function startWorker(): Worker {
  const started = new Worker(new URL('./tokens-worker.ts', import.meta.url));
  // The thread alone keeps no process alive.
  started.unref();
  started.on('message', (answer: CountAnswer) => answered(answer));
  started.on('error', stopWorker);
  started.on('exit', () => {
    if (worker === started) stopWorker();
  });
  return started;
}

function answered({ id, tokens }: CountAnswer): void {
  waiting.get(id)?.resolve(tokens);
  waiting.delete(id);
  if (waiting.size > 0) return;
  clearTimeout(idleTimer);
  idleTimer = setTimeout(stopWorker, IDLE_MS);
  idleTimer.unref();
}

/** Whoever still waits gets a rough count: a call must be settled. */
function stopWorker(): void {
  void worker?.terminate();
  worker = null;
  clearTimeout(idleTimer);
  for (const { texts, resolve } of waiting.values()) resolve(roughly(texts));
  waiting.clear();
}
