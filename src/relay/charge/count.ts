/** Counts what an upstream did not say, by the model's tokenizer and the rules of its vendor. */
import { drawnTokens, heardTokens, mediaTokens, spokenTokens } from '../../core/media-tokens.ts';
import { bareName, isGemini } from '../../core/model-families.ts';
import { signedTokens } from '../../core/signed-thoughts.ts';
import { isOfKinds, noUsage, type Usage } from '../../core/usage.ts';
import type { Produced, RequestFacts } from '../../dialects/dialect.ts';
import { itemsUsage } from '../../dialects/plain/items.ts';
import { hearsTokens } from '../../dialects/plain/usage.ts';
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
  const signed = signedTokens(model, prompt.signedBytes);
  const frame = encodingOf(model) === 'claude' ? CLAUDE : OPENAI;
  const framed =
    prompt.messages === 0
      ? 0
      : frame.message * prompt.messages + (prompt.tools ? frame.tools : 0) + frame.reply;
  return {
    ...noUsage(),
    // Upstreams count the pictures of a chat as text.
    input: (await countTexts(request, model, kind)) + framed + imageTokens + fileTokens + signed,
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

/**
 * A usage that does not tell what of its answer was spoken or drawn, though sound or pictures came. Sound is so much of it as
 * its seconds count as here, and pictures are all of it but what was thought.
 */
export function withMade(
  usage: Usage,
  { seconds = 0, pictures = 0 }: Pick<Produced, 'seconds' | 'pictures'>,
  model: string,
): Usage {
  const made = usage.output - usage.reasoning;
  const spoken = usage.outputAudio > 0 ? 0 : Math.min(made, spokenTokens(model, seconds));
  const drawn = pictures === 0 || usage.outputImage > 0 ? 0 : made - spoken;
  return {
    ...usage,
    output: usage.output - spoken - drawn,
    outputAudio: usage.outputAudio + spoken,
    outputImage: usage.outputImage + drawn,
  };
}

/**
 * A usage that does not tell what of its prompt was sound, though some went in: so much of it is as that counts as here, what
 * came from a cache last. It may be more than all that is told.
 */
export function withHeard(usage: Usage, facts: Pick<RequestFacts, 'model' | 'prompt'>, model: string): Usage {
  if (usage.inputAudio + usage.cacheReadAudio > 0) return usage;
  const heard = knownSound(facts, model);
  const inputAudio = Math.min(usage.input, heard);
  const cacheReadAudio = Math.min(usage.cacheRead, heard - inputAudio);
  return {
    ...usage,
    input: usage.input - inputAudio,
    inputAudio,
    cacheRead: usage.cacheRead - cacheReadAudio,
    cacheReadAudio,
  };
}

/**
 * A usage that does not tell of which kinds what was embedded is: films, sounds and pictures are so much of it as is held for
 * them. Of a text beside them nobody knows how much was read, since each is cut where its context ends.
 */
export function withShown(
  usage: Usage,
  { operation, facts }: Pick<RelayRequest, 'operation' | 'facts'>,
  model: string,
): Usage {
  if (operation !== 'embeddings' || isOfKinds(usage)) return usage;
  const held = itemsUsage({ facts, model, input: 0 });
  const shown = { ...usage };
  for (const kind of ['inputVideo', 'inputAudio', 'inputImage'] as const) {
    shown[kind] = Math.min(shown.input, held[kind]);
    shown.input -= shown[kind];
  }
  return shown;
}

/** Tokens of the sounds of a prompt whose length is known. What is only held for may be far more than all that was sent. */
function knownSound({ model: asked, prompt }: Pick<RequestFacts, 'model' | 'prompt'>, model: string): number {
  const { knownSeconds = 0, spoken = [], bySecond } = prompt;
  // Who sells the seconds of a transcription has no price of its tokens. Google sells tokens of whatever it hears.
  if (bySecond && !hearsTokens([asked, model]) && !isGemini(bareName(asked))) return 0;
  const known = spoken.flatMap(({ tokens, knownSeconds: seconds = 0 }) =>
    tokens === null ? [] : { tokens, seconds },
  );
  return heardTokens(model, { audioSeconds: knownSeconds, spoken: known });
}

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

/** What an answer says beside its beginning, where it is this one. */
export const textAfter = (before: string, text: string): string =>
  text.startsWith(before) ? text.slice(before.length) : text;

export const countProduced = async (
  { text, toolCalls }: Produced,
  model: string,
  whom: CountedFor,
): Promise<number> => (await countTokens([text], model, whom)) + TOKENS_A_TOOL_CALL * toolCalls;
