/** The most tokens that a prompt can have, from what is known of it before it is sent. */
import type { PromptBound } from './price-bound.ts';
import { type JsonSize, mostTokens } from './text-tokens.ts';

/** What is known of a prompt before it is sent. */
export interface PromptMeasure {
  /** UTF-8 bytes of the text parts, and what of them is no common letters. */
  textBytes: number;
  textDense?: number;
  messages: number;
  tools?: Pick<JsonSize, 'tokens'>;
  audioTokens: number;
  imageTokens: number;
}

/** A message's frame takes up to 4 tokens, the reply's 3. */
export const promptBound = ({
  textBytes,
  textDense = 0,
  messages,
  tools,
  audioTokens,
  imageTokens,
}: PromptMeasure): PromptBound => ({
  text: mostTokens({ bytes: textBytes, dense: textDense }) + 4 * messages + 3 + (tools?.tokens ?? 0),
  audio: audioTokens,
  image: imageTokens,
});
