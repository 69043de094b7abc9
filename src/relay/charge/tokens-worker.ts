/** The thread that counts tokens: takes texts, answers a number. Tables are loaded when they are first needed. */

import { parentPort } from 'node:worker_threads';
import { mostTokens, sizeOfText } from '../../core/text-tokens.ts';
import { CLAUDE_WEIGHTS, GEMINI_WEIGHTS, type TokenWeights, weighTokens } from '../../core/token-weights.ts';

/** The tables of OpenAI's tokenizers, and weights for two families that have published none. */
export type Encoding = 'o200k' | 'cl100k' | 'claude' | 'gemini';

export interface CountQuestion {
  texts: readonly string[];
  encoding: Encoding;
}

export interface CountAnswer {
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
    return inPieces((text) => countTokens(text, AS_TEXT));
  },
  cl100k: async () => {
    const { countTokens } = await import('gpt-tokenizer/encoding/cl100k_base');
    return inPieces((text) => countTokens(text, AS_TEXT));
  },
  claude: async () => weighedBy(CLAUDE_WEIGHTS),
  gemini: async () => weighedBy(GEMINI_WEIGHTS),
};

/** Weights know prose and code; of anything else they may say more than was held for, and than any tokenizer makes. */
const weighedBy =
  (weights: TokenWeights): Count =>
  (text) =>
    Math.min(weighTokens(text, weights), mostTokens(sizeOfText(text)));

const loaded = new Map<Encoding, Promise<Count>>();

const counterOf = (encoding: Encoding): Promise<Count> => {
  const known = loaded.get(encoding) ?? loaders[encoding]();
  loaded.set(encoding, known);
  return known;
};

const inPieces =
  (count: Count): Count =>
  (text) => {
    let tokens = 0;
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + PIECE_CHARS, text.length);
      // Half of a surrogate pair is no character.
      if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
      tokens += count(text.slice(at, end));
      at = end;
    }
    return tokens;
  };

parentPort?.on('message', async ({ texts, encoding }: CountQuestion) => {
  const count = await counterOf(encoding);
  const tokens = texts.reduce((sum, text) => sum + count(text), 0);
  parentPort?.postMessage({ tokens } satisfies CountAnswer);
});
