/** Usage of OpenAI's calls beside chat: the words of Responses, some details under a name in the singular. */
import { speechTokens } from '../../core/media-tokens.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { countOf, numberOf, objectOf } from '../fields.ts';
import { readUsage } from '../openai-chat/usage.ts';

/** Null when it counts nothing. `ofSound`: a sound was all that went in. */
export function readCounts(raw: unknown, ofSound = false): Usage | null {
  const usage = objectOf(raw);
  if (!usage) return null;
  const named = {
    ...usage,
    input_tokens_details: usage.input_tokens_details ?? usage.input_token_details,
    output_tokens_details: usage.output_tokens_details ?? usage.output_token_details,
  };
  return readUsage(named, ofSound);
}

/** Pictures: whatever comes out is a picture, but for what is said to be text. */
export function readImageCounts(raw: unknown): Usage | null {
  const usage = readCounts(raw);
  if (!usage) return null;
  const details = objectOf(objectOf(raw)?.output_tokens_details) ?? {};
  const drawn = usage.output + usage.outputImage;
  const text = Math.min(countOf(details.text_tokens) ?? 0, drawn);
  return { ...usage, output: text, outputImage: drawn - text, reasoning: 0 };
}

/** Of speech: what comes out is sound, whatever its usage calls it. */
export const spokenUsage = (usage: Usage): Usage => ({
  ...usage,
  output: 0,
  outputAudio: usage.output + usage.outputAudio,
  reasoning: 0,
});

export const secondsUsage = (seconds: number): Usage => ({ ...noUsage(), input: speechTokens(seconds) });

/** A transcription's usage, in tokens or in seconds. Mistral tells seconds beside tokens, and bills those. */
export function readSpokenCounts(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const told = [usage?.seconds, usage?.prompt_audio_seconds].flatMap((each) => numberOf(each) ?? []);
  const seconds = told.find((each) => each > 0);
  if (seconds !== undefined) return secondsUsage(seconds);
  return readCounts(raw, true) ?? (told.includes(0) ? noUsage() : null);
}
