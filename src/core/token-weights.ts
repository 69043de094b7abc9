/**
 * Tokens of a text by weights a kind of character, for models whose tokenizer nobody has published. Right within a
 * tenth for prose and code; a guess for anything else.
 */

export interface TokenWeights {
  /** A run of letters. */
  word: number;
  /** A run of digits. */
  number: number;
  /** A Chinese, Japanese or Korean character. */
  cjk: number;
  symbol: number;
  math: number;
  /** What parts an address: `/ : ? & = ; # %`. */
  url: number;
  at: number;
  emoji: number;
  /** A newline or tab. */
  newline: number;
  space: number;
}

export const CLAUDE_WEIGHTS: TokenWeights = {
  word: 1.13,
  number: 1.63,
  cjk: 1.21,
  symbol: 0.4,
  math: 4.52,
  url: 1.26,
  at: 2.82,
  emoji: 2.6,
  newline: 0.89,
  space: 0.39,
};

export const GEMINI_WEIGHTS: TokenWeights = {
  word: 1.15,
  number: 2.8,
  cjk: 0.68,
  symbol: 0.38,
  math: 1.05,
  url: 1.2,
  at: 2.5,
  emoji: 1.08,
  newline: 1.15,
  space: 0.2,
};

/** A longer run is no word but a code, and every so many of its characters count like one. */
const LETTERS_A_WORD = 12;
const DIGITS_A_NUMBER = 6;

type Kind = keyof TokenWeights;

/** The kinds of the ASCII characters, looked up by code. */
const ASCII: readonly Kind[] = Array.from({ length: 128 }, (_, code) =>
  kindOfAscii(String.fromCharCode(code)),
);

function kindOfAscii(char: string): Kind {
  if (/[A-Za-z]/.test(char)) return 'word';
  if (/\d/.test(char)) return 'number';
  if (char === ' ') return 'space';
  if (/[\n\t]/.test(char)) return 'newline';
  if ('/:?&=;#%'.includes(char)) return 'url';
  return char === '@' ? 'at' : 'symbol';
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const LETTER = /[\p{L}\p{M}]/u;
const EMOJI = /\p{Extended_Pictographic}/u;

function kindOf(char: string): Kind {
  const code = char.charCodeAt(0);
  if (code < ASCII.length) return ASCII[code] ?? 'symbol';
  if (CJK.test(char)) return 'cjk';
  if (LETTER.test(char)) return 'word';
  if (/\p{Nd}/u.test(char)) return 'number';
  if (/\p{Sm}/u.test(char)) return 'math';
  return EMOJI.test(char) ? 'emoji' : 'symbol';
}

/** Whole tokens, rounded up. */
export function weighTokens(text: string, weights: TokenWeights): number {
  let sum = 0;
  let run: Kind | null = null;
  let length = 0;
  for (const char of text) {
    const kind = kindOf(char);
    if (kind !== 'word' && kind !== 'number') {
      sum += weights[kind];
      run = null;
      continue;
    }
    if (kind !== run) length = 0;
    if (length % (kind === 'word' ? LETTERS_A_WORD : DIGITS_A_NUMBER) === 0) sum += weights[kind];
    length++;
    run = kind;
  }
  return Math.ceil(sum);
}
