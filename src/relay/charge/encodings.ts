/** How texts are counted: tables of OpenAI's tokenizers, loaded when they are first needed, and weights for others. */

import { mostTokens, sizeOfText } from '../../core/text-tokens.ts';
import { CLAUDE_WEIGHTS, GEMINI_WEIGHTS, type TokenWeights, weighTokens } from '../../core/token-weights.ts';

/** The tables of OpenAI's tokenizers, and weights for two families that have published none. */
export type Encoding = 'o200k' | 'cl100k' | 'claude' | 'gemini';

/** The merge step is quadratic in the length of a word, and a word may be a megabyte of one letter. */
const PIECE_CHARS = 256;

/**
 * How many words a table remembers with their tokens. Prose and code repeat theirs within a few hundred; the library's own
 * hundred thousand are two gigabytes of noise, and words of a caller's that are slow to tell apart.
 */
const WORDS_KEPT = 512;

type Count = (text: string) => number;

interface Table {
  countTokens: (text: string, settings: typeof AS_TEXT) => number;
  setMergeCacheSize: (size: number) => void;
}

/** What looks like a special token in a prompt or an answer is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

const loaders: Record<Encoding, () => Promise<Count>> = {
  o200k: async () => countedBy(await import('gpt-tokenizer/encoding/o200k_base')),
  cl100k: async () => countedBy(await import('gpt-tokenizer/encoding/cl100k_base')),
  claude: async () => weighedBy(CLAUDE_WEIGHTS),
  gemini: async () => weighedBy(GEMINI_WEIGHTS),
};

function countedBy({ countTokens, setMergeCacheSize }: Table): Count {
  setMergeCacheSize(WORDS_KEPT);
  return inPieces((text) => countTokens(text, AS_TEXT));
}

/** Weights know prose and code; of anything else they may say more than was held for, and than any tokenizer makes. */
const weighedBy =
  (weights: TokenWeights): Count =>
  (text) =>
    Math.min(weighTokens(text, weights), mostTokens(sizeOfText(text)));

const loaded = new Map<Encoding, Promise<Count>>();

/** What counts the tokens of one text. */
export const counterOf = (encoding: Encoding): Promise<Count> => {
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
