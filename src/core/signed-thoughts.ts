/**
 * What Gemini's signatures stand for. From its third generation on each that comes back is billed as the thoughts that it
 * seals, wherever it stands and as often as it does (BerriAI/litellm#35004). A signature is as long as they are: of 210
 * recorded answers all but one, whose tools ran at Google, had 3.2 bytes or more to each token that was told to be thought,
 * long ones 3.5, and prompts with them again were told longer by as many tokens (pydantic/pydantic-ai, tests/models/cassettes).
 */
import { bareName, GEMINI_UP_TO_2, isGemini } from './model-families.ts';

const BYTES_A_TOKEN = 3;
/** No answer is longer; what stands in a longer signature is no thought, such as what a tool has found. */
const LONGEST_THOUGHT = 65_536;
/** The most of one that counts. */
export const SIGNATURE_BYTES_MOST = BYTES_A_TOKEN * LONGEST_THOUGHT;

/** Those that draw keep whole pictures there, and are charged for none of them. */
const DRAWS = /image|banana/;

function billsThoughts(model: string): boolean {
  const name = bareName(model).toLowerCase();
  return isGemini(name) && !GEMINI_UP_TO_2.test(name) && !DRAWS.test(name);
}

/** How many tokens so many bytes of signatures are to this model. */
export const signedTokens = (model: string, bytes = 0): number =>
  bytes > 0 && billsThoughts(model) ? Math.ceil(bytes / BYTES_A_TOKEN) : 0;
