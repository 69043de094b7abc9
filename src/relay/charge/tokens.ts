/**
 * Counts tokens where the upstream does not say, in a thread of its own: loading the tables takes half a second of CPU
 * and 100 MB, which no other call should feel. The thread starts when it is first needed and ends when it is not.
 */
import { Worker } from 'node:worker_threads';
import { bareName, isOpenAiReasoner } from '../../core/model-families.ts';
import { vocabularyOf } from '../../core/read-alike.ts';
import { type CountedFor, CountLine, type CountLineDeps } from './count-line.ts';
import type { Encoding } from './encodings.ts';
import type { CountAnswer, CountQuestion } from './tokens-worker.ts';

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

/** Whether the model itself makes these tokens: of others they are a guess, which may be far off. */
export const isOwnCount = (model: string): boolean =>
  vocabularyOf(model) !== null || isOpenAiReasoner(bareName(model));

const startWorker: CountLineDeps['start'] = ({ answered, lost }) => {
  const worker = new Worker(new URL('./tokens-worker.ts', import.meta.url));
  // It keeps a process alive while it counts.
  worker.unref();
  worker.on('message', (answer: CountAnswer) => {
    worker.unref();
    answered(answer);
  });
  worker.on('error', lost);
  worker.on('exit', lost);
  return {
    ask(question: CountQuestion) {
      worker.ref();
      worker.postMessage(question);
    },
    stop: () => void worker.terminate(),
  };
};

const line = new CountLine({
  start: startWorker,
  later(work, ms) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
});

/**
 * Tokens of texts as the model's tokenizer makes them, or nearly so: of long texts some stretches stand for the whole,
 * and so does what was counted of one in time. Settlements go first. Never rejects.
 */
export const countTokens = (texts: readonly string[], model: string, whom: CountedFor): Promise<number> =>
  line.count(texts, encodingOf(model), whom);
