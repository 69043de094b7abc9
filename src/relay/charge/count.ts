/** Counts what an upstream did not say, by the model's tokenizer and the rules of its vendor. */
import { drawnTokens, mediaTokens, spokenTokens } from '../../core/media-tokens.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { Produced } from '../../dialects/dialect.ts';
import { promptTexts } from '../../dialects/prompt.ts';
import type { RelayRequest } from '../request.ts';
import type { CountedFor, CountKind } from './count-line.ts';
import { countTokens, encodingOf } from './tokens.ts';

/** Tokens around what a chat says: each message, the tools, the answer. */
interface Frame {
  message: number;
  tools: number;
  reply: number;
}
const OPENAI: Frame = { message: 3, tools: 8, reply: 3 };
const CLAUDE: Frame = { message: 2, tools: 3, reply: 0 };

/** A tool call costs this much besides its name and arguments. */
const TOKENS_A_TOOL_CALL = 7;

/** What a call used; `output` is what `countProduced` has found. */
export async function countUsage(
  request: Pick<RelayRequest, 'dialect' | 'body' | 'facts' | 'userId'>,
  model: string,
  output: number,
  kind?: CountKind,
): Promise<Usage> {
  const { prompt } = request.facts;
  const { imageTokens, audioTokens, videoTokens, fileTokens } = mediaTokens(model, prompt);
  const frame = encodingOf(model) === 'claude' ? CLAUDE : OPENAI;
  const framed =
    prompt.messages === 0
      ? 0
      : frame.message * prompt.messages + (prompt.tools ? frame.tools : 0) + frame.reply;
  return {
    ...noUsage(),
    // Upstreams count the pictures of a chat as text.
    input: (await countTexts(request, model, kind)) + framed + imageTokens + fileTokens,
    inputAudio: audioTokens,
    inputVideo: videoTokens,
    output,
  };
}

/** The same with the sounds and pictures that came out. */
export const withMedia = (
  usage: Usage,
  { seconds = 0, pictures = 0 }: Pick<Produced, 'seconds' | 'pictures'>,
  model: string,
): Usage => ({
  ...usage,
  outputAudio: usage.outputAudio + spokenTokens(model, seconds),
  outputImage: usage.outputImage + drawnTokens(model, pictures),
});

/** A usage that does not tell what of its answer was drawn, though pictures came: that is all but what was thought. */
export const withDrawn = (usage: Usage, { pictures = 0 }: Pick<Produced, 'pictures'>): Usage =>
  pictures === 0 || usage.outputImage > 0
    ? usage
    : { ...usage, output: usage.reasoning, outputImage: usage.output - usage.reasoning };

/** Tokens of the prompt's texts alone, each as often as it is read. */
export async function countTexts(
  { dialect, body, userId }: Pick<RelayRequest, 'dialect' | 'body' | 'userId'>,
  model: string,
  kind?: CountKind,
): Promise<number> {
  const whom = { userId, kind };
  const once = await countTokens(promptTexts(dialect, body), model, whom);
  const again = dialect.readAgain?.(body);
  if (!again || again.times === 0) return once;
  return once + again.times * (await countTokens(again.texts, model, whom));
}

export const countProduced = async (
  { text, toolCalls }: Produced,
  model: string,
  whom: CountedFor,
): Promise<number> => (await countTokens([text], model, whom)) + TOKENS_A_TOOL_CALL * toolCalls;
