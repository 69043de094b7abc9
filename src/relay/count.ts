/** Counts what an upstream did not say, by the model's tokenizer, as OpenAI counts its own chats. */
import { mediaTokens } from '../core/media-tokens.ts';
import type { Produced } from '../dialects/dialect.ts';
import type { RelayRequest } from './request.ts';
import { countTokens } from './tokens.ts';

/** Around each message, and before the answer. */
const TOKENS_A_MESSAGE = 3;
const TOKENS_A_REPLY = 3;
/** A tool call costs this much besides its name and arguments. */
const TOKENS_A_TOOL_CALL = 7;

export async function countPrompt(
  { dialect, body, facts }: Pick<RelayRequest, 'dialect' | 'body' | 'facts'>,
  model: string,
): Promise<number> {
  const { prompt } = facts;
  const { imageTokens, audioTokens, fileTokens } = mediaTokens(model, prompt);
  let tokens = TOKENS_A_MESSAGE * prompt.messages + TOKENS_A_REPLY + imageTokens + audioTokens + fileTokens;
  for (const text of dialect.promptTexts(body)) tokens += await countTokens(text, model);
  return tokens;
}

export const countProduced = async ({ text, toolCalls }: Produced, model: string): Promise<number> =>
  (await countTokens(text, model)) + TOKENS_A_TOOL_CALL * toolCalls;
