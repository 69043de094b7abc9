/** The thread that counts tokens: takes texts, answers a number. */

import { parentPort } from 'node:worker_threads';
import { counterOf, type Encoding } from './encodings.ts';

export interface CountQuestion {
  texts: readonly string[];
  encoding: Encoding;
}

export interface CountAnswer {
  tokens: number;
}

parentPort?.on('message', async ({ texts, encoding }: CountQuestion) => {
  const count = await counterOf(encoding);
  const tokens = texts.reduce((sum, text) => sum + count(text), 0);
  parentPort?.postMessage({ tokens } satisfies CountAnswer);
});
