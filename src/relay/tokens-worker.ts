/** The thread that counts tokens: takes a text, answers a number. Tables are loaded when they are first needed. */

import { parentPort } from 'node:worker_threads';

export type Encoding = 'o200k' | 'cl100k';

export interface CountQuestion {
  id: number;
  text: string;
  encoding: Encoding;
}

export interface CountAnswer {
  id: number;
  tokens: number;
}

/** The merge step is quadratic in the length of a word, and a word may be a megabyte of one letter. */
const PIECE_CHARS = 256;

type Count = (text: string) => number;

/** What looks like a special token in a prompt or an answer is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

const loaders: Record<Encoding, () => Promise<Count>> = {
  o200k: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    return (text) => countTokens(text, AS_TEXT);
  },
  cl100k: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    return (text) => countTokens(text, AS_TEXT);
  },
};
const loaded = new Map<Encoding, Promise<Count>>();

const counterOf = (encoding: Encoding): Promise<Count> => {
  const known = loaded.get(encoding) ?? loaders[encoding]();
  loaded.set(encoding, known);
  return known;
};

async function countIn(text: string, encoding: Encoding): Promise<number> {
  const count = await counterOf(encoding);
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE_CHARS, text.length);
    // Half of a surrogate pair is no character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    tokens += count(text.slice(at, end));
    at = end;
  }
  return tokens;
}

parentPort?.on('message', async ({ id, text, encoding }: CountQuestion) => {
  parentPort?.postMessage({ id, tokens: await countIn(text, encoding) } satisfies CountAnswer);
});
