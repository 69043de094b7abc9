/** Usage of OpenAI's calls beside chat. */
import { heardTokens, speechTokens } from '../../core/media-tokens.ts';
import { bareName } from '../../core/model-families.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { numberOf, objectOf } from '../fields.ts';
import { answerParts, readUsage } from '../openai-chat/usage.ts';

/** Pictures: whatever comes out is a picture, but for what is said to be text. */
export function readImageCounts(raw: unknown): Usage | null {
  const usage = readUsage(raw);
  if (!usage) return null;
  const drawn = usage.output + usage.outputImage;
  const text = Math.min(answerParts(objectOf(raw) ?? {}).get('text_tokens') ?? 0, drawn);
  return { ...usage, output: text, outputImage: drawn - text, reasoning: 0 };
}

/** Of speech: what comes out is sound, whatever its usage calls it. */
export const spokenUsage = (usage: Usage): Usage => ({
  ...usage,
  output: 0,
  outputAudio: usage.output + usage.outputAudio,
  reasoning: 0,
});

/** OpenAI sells tokens of the sound and of the text by these (its page of prices). */
const HEARS_TOKENS = /^gpt-4o.*transcribe/;
/** And minutes by these, as everybody does. */
const HEARS_MINUTES = /whisper|voxtral|transcribe/;

/** Whether a transcription is charged for its tokens: by the first of its model's names that tells. */
export function hearsTokens(names: readonly string[]): boolean {
  const name = names.map(bareName).find((each) => HEARS_MINUTES.test(each));
  return name !== undefined && HEARS_TOKENS.test(name);
}

/** What so many seconds of sound are charged as by a model of these names, beside its text where it sells tokens. */
export const secondsUsage = (seconds: number, names: readonly string[]): Usage =>
  hearsTokens(names)
    ? { ...noUsage(), inputAudio: heardTokens('gpt-4o', { audioSeconds: Math.max(seconds, 0) }) }
    : { ...noUsage(), input: speechTokens(seconds) };

/** Seconds as they are told, of which only the model's name says what they are charged as. */
export const toldSeconds = (seconds: number): Usage =>
  seconds > 0 ? { ...secondsUsage(seconds, []), seconds } : noUsage();

/**
 * A transcription's usage, in tokens or in seconds. Mistral tells seconds beside tokens, and bills those; OpenAI says which
 * of both it tells.
 */
export function readSpokenCounts(raw: unknown): Usage | null {
  const usage = objectOf(raw);
  const told = [usage?.seconds, usage?.prompt_audio_seconds].flatMap((each) => numberOf(each) ?? []);
  const seconds = told.find((each) => each > 0);
  const tokens = usage?.type === 'tokens' || seconds === undefined ? readUsage(raw, true) : null;
  if (tokens) return tokens;
  if (seconds !== undefined) return toldSeconds(seconds);
  return told.includes(0) ? noUsage() : null;
}
