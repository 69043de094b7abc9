/**
 * Counts tokens where the upstream does not say. The tables are loaded when they are first needed, and long texts are
 * counted a little at a time, so that no other call waits for them.
 */

/** The merge step is quadratic in the length of a word, and a word may be a megabyte of one letter. */
const PIECE_CHARS = 256;
/** Pieces between two turns of the event loop: about 3 ms. */
const PIECES_A_TURN = 256;

type Count = (text: string) => number;

const NO_SPECIAL = { disallowedSpecial: new Set<string>() };

let o200k: Promise<Count> | undefined;
let cl100k: Promise<Count> | undefined;

const loadO200k = (): Promise<Count> => {
  o200k ??= import('gpt-tokenizer/encoding/o200k_base').then(
    ({ countTokens }) =>
      (text) =>
        countTokens(text, NO_SPECIAL),
  );
  return o200k;
};

const loadCl100k = (): Promise<Count> => {
  cl100k ??= import('gpt-tokenizer/encoding/cl100k_base').then(
    ({ countTokens }) =>
      (text) =>
        countTokens(text, NO_SPECIAL),
  );
  return cl100k;
};

const NEWER = /^(gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-5|o[134](-|$)|gpt-audio|gpt-realtime|gpt-oss)/;

const encodingOf = (model: string): Promise<Count> =>
  NEWER.test(model.slice(model.lastIndexOf('/') + 1)) ? loadO200k() : loadCl100k();

/** Tokens of a text as the model's tokenizer makes them, within a few in a thousand. */
export async function countTokens(text: string, model: string): Promise<number> {
  const count = await encodingOf(model);
  let tokens = 0;
  let pieces = 0;
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE_CHARS, text.length);
    // Half of a surrogate pair is no character.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    tokens += count(text.slice(at, end));
    at = end;
    if (++pieces % PIECES_A_TURN === 0) await Bun.sleep(0);
  }
  return tokens;
}
