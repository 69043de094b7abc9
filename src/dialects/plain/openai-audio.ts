/** OpenAI's speech and what is made of speech: transcriptions and translations, which come as forms. */
import { longestSeconds } from '../../core/audio-length/audio-length.ts';
import type { JsonObject } from '../../core/json.ts';
import { spokenTokens } from '../../core/media-tokens.ts';
import { bareName, isGemini } from '../../core/model-families.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { CallersDialect } from '../body-rules.ts';
import { isAbsent, modelIn, refuse, wrong } from '../bounds.ts';
import type { Counted, PathFacts, RequestFacts } from '../dialect.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { each, either, object, reads, TEXT, TEXTS } from '../other-texts.ts';
import { folded, readings } from '../spelling.ts';
import {
  EventTap,
  PLAIN_SETTINGS,
  plainDialect,
  plainFacts,
  plainReply,
  promptOf,
  type TypedEvents,
} from './plain.ts';
import { isChunk, pieceIn, spokenKind } from './spoken-events.ts';
import { hearsTokens, readSpokenCounts, secondsUsage, spokenUsage, toldSeconds } from './usage.ts';

// ---- Speech ------------------------------------------------------------------------------------------------------

const SPEECH_MODEL = 'tts-1';

/** The first models count characters. */
const COUNTS_CHARACTERS = /^tts/;
/** The later ones count tokens of text, and of the sound that comes out; so does Gemini (its page of prices). */
const SPEAKS_TOKENS = /^gpt-.*tts/;

/** What a call of this model counts; undefined of a name that does not tell. Every other vendor sells characters. */
function countedOf(model: string): 'characters' | 'sound' | undefined {
  const name = bareName(model);
  if (COUNTS_CHARACTERS.test(name)) return 'characters';
  return SPEAKS_TOKENS.test(name) || isGemini(name) ? 'sound' : undefined;
}

/** A slow voice takes a second for so many bytes of text. */
const SLOWEST_BYTES_A_SECOND = 10;

/** Bytes of a second by format: 24,000 samples of two bytes, or the rates at which OpenAI packs them. */
const BYTES_A_SECOND: Readonly<Record<string, number>> = {
  wav: 48_000,
  pcm: 48_000,
  flac: 24_000,
  opus: 8_000,
};
const BYTES_A_SECOND_USUAL = 16_000;

const speechTexts = ({ input, instructions }: JsonObject): string[] =>
  [input, instructions].flatMap((text) => textOf(text) ?? []);

const charactersOf = (body: JsonObject): number => [...(textOf(body.input) ?? '')].length;

function readSpeech(body: JsonObject, path: PathFacts): RequestFacts {
  const model = modelIn(path.model ?? body.model ?? SPEECH_MODEL);
  const { input } = body;
  if (isAbsent(input) || input === '') throw refuse('input', wrong.missing);
  if (typeof input !== 'string') throw refuse('input', wrong.string);
  for (const field of ['instructions', 'response_format', 'stream_format']) {
    if (!isAbsent(body[field]) && typeof body[field] !== 'string') throw refuse(field, wrong.string);
  }
  const facts = plainFacts(model, {
    stream: true,
    bytesOut: body.stream_format !== 'sse',
    // The bound halves bytes; where characters are counted, each of them is one.
    prompt:
      countedOf(model) === 'characters' ? promptOf([], charactersOf(body)) : promptOf(speechTexts(body)),
  });
  return withSound(facts, body, [model]);
}

/** The facts with the most sound that a model of one of these names makes of the texts. */
function withSound(facts: RequestFacts, body: JsonObject, names: readonly string[]): RequestFacts {
  const bytes = speechTexts(body).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const speaking = names.filter((name) => countedOf(name) === 'sound');
  const sounds = speaking.map((name) => spokenTokens(name, bytes / SLOWEST_BYTES_A_SECOND));
  return { ...facts, outputCap: Math.max(0, ...sounds), audioOut: speaking.length > 0 };
}

/** The price is that of the asked name, which says what is counted; where it does not, the upstream's name does. */
function speechUnder(
  { body, facts }: { body: JsonObject; facts: RequestFacts },
  names: readonly string[],
): RequestFacts {
  if (countedOf(facts.model)) return facts;
  const mayCount = names.some((name) => countedOf(name) !== 'sound');
  const textBytes = facts.prompt.textBytes + (mayCount ? 2 * charactersOf(body) : 0);
  return withSound({ ...facts, prompt: { ...facts.prompt, textBytes } }, body, names);
}

function speechUsage({ body, facts, model, input, bytes }: Counted): Usage {
  const counted = countedOf(facts.model) ?? countedOf(model);
  if (counted !== 'sound') return { ...noUsage(), input: charactersOf(body) };
  const rate = BYTES_A_SECOND[textOf(body.response_format) ?? ''] ?? BYTES_A_SECOND_USUAL;
  const speaker = countedOf(model) === 'sound' ? model : facts.model;
  return { ...noUsage(), input, outputAudio: spokenTokens(speaker, bytes / rate) };
}

function soundUsage(raw: unknown): Usage | null {
  const usage = readUsage(raw);
  return usage && spokenUsage(usage);
}

/** By its name, or the id of one that was made. */
const VOICE = either(TEXT, object(reads(['id'])));

const SPEECH_EVENTS: TypedEvents = {
  content: (type) => type === 'speech.audio.delta',
  last: (type) => type === 'speech.audio.done',
  usage: ({ usage }) => soundUsage(usage),
};

export const openaiSpeech: CallersDialect = plainDialect({
  reads: reads(['input', 'instructions', 'stream_format', 'speed', 'language'], {
    ...PLAIN_SETTINGS,
    voice: VOICE,
  }),
  readRequest: readSpeech,
  factsUnder: speechUnder,
  promptTexts: speechTexts,
  usageOf: speechUsage,
  // A sound is no JSON: whatever is, is no answer.
  readReply: (body) => plainReply(body, () => ({ usage: null, missing: 'sound' })),
  tap: () => new EventTap(SPEECH_EVENTS),
});

// ---- From speech -------------------------------------------------------------------------------------------------

const TRANSCRIPTION_MODEL = 'whisper-1';

/** Nobody says more than so many tokens in a second. */
const SAID_TOKENS_A_SECOND = 8;

/**
 * Fields of such forms that name a sound: Groq's `url`, Mistral's `file_url` and `file_id`, Zhipu's `file_base64`, and what
 * other wires have for it.
 */
const SOUNDS: ReadonlySet<string> = new Set(
  [
    ...['file', 'files', 'file_id', 'file_ids', 'file_url', 'file_uri', 'file_data', 'file_base64'],
    ...['audio', 'audio_url', 'audio_file', 'audio_data', 'audio_base64', 'input_audio', 'input'],
    ...[
      'url',
      'urls',
      'uri',
      'gcs_uri',
      'media_url',
      'source_url',
      'cloud_storage_url',
      'video',
      'video_url',
    ],
    ...['data', 'bytes', 'base64', 'b64_json'],
  ].map(folded),
);

/** Which of several is heard only the upstream knows, and that in the form alone was measured. */
function checkOneSound(body: JsonObject): void {
  const other = Object.keys(body).find((name) => readings(name).some((reading) => SOUNDS.has(reading)));
  if (other !== undefined) throw refuse(other, wrong.oneFile);
}

function readForm(body: JsonObject, { model: named, files = [] }: PathFacts): RequestFacts {
  const model = modelIn(named ?? body.model ?? TRANSCRIPTION_MODEL);
  const file = files.find(({ name }) => name === 'file');
  if (!file) throw refuse('file', wrong.missing);
  if (files.length > 1) throw refuse('file', wrong.oneFile);
  checkOneSound(body);
  const longest = longestSeconds(file.bytes);
  const held = file.heldSeconds ?? longest;
  return plainFacts(model, {
    stream: body.stream === 'true',
    outputCap: Math.ceil(held * SAID_TOKENS_A_SECOND),
    prompt: {
      ...promptOf([textOf(body.prompt) ?? '']),
      audioSeconds: held,
      knownSeconds: file.seconds ?? 0,
      bySecond: true,
    },
    speech: { walked: file.seconds, longest, held },
  });
}

/** Whisper hears in windows of so many seconds, and may tell an end up to one behind the sound. */
const WINDOW_SECONDS = 30;

/**
 * What is charged where no usage was told. Of a file whose length was found that is its length, which its last words do
 * not reach when it ends in silence; words far behind it show that it was not found whole. Of any other file it is the
 * end of its last words, and where none are told what its bytes last at the slowest rate that is plausible: more may be
 * held for it.
 */
function chargedSeconds(
  { walked, longest, held }: NonNullable<RequestFacts['speech']>,
  until?: number,
): number {
  if (until === undefined) return walked ?? longest;
  const heard = Math.min(until, Math.max(longest, held));
  return walked !== null && heard <= walked + WINDOW_SECONDS ? walked : heard;
}

/** Where the last cue of subtitles ends, in SRT or WebVTT; undefined of any other text. */
function subtitlesEnd(text: string): number | undefined {
  let end: number | undefined;
  for (const [, hours = '0', minutes, seconds] of text.matchAll(CUE)) {
    const told = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds?.replace(',', '.'));
    end = Math.max(end ?? 0, told);
  }
  return end;
}
const CUE =
  /^[ \t]*(?:\d{1,6}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]+-->[ \t]+(?:(\d{1,6}):)?(\d{1,2}):(\d{2}[.,]\d{1,3})/gm;

/** Where the last segment ends, or the last word. */
function segmentsEnd({ segments, words }: JsonObject): number | undefined {
  const ends = [...objectsOf(segments), ...objectsOf(words)].flatMap(({ end }) => numberOf(end) ?? []);
  return ends.reduce<number | undefined>((last, end) => Math.max(last ?? 0, end), undefined);
}

function heardUsage({ facts, model, heardUntil, heardSeconds, input, output }: Counted): Usage {
  const found = facts.speech ? chargedSeconds(facts.speech, heardUntil) : facts.prompt.audioSeconds;
  const names = [facts.model, model];
  const heard = secondsUsage(heardSeconds ?? found, names);
  // Who sells tokens sells those of what it was told to listen for as well.
  return hearsTokens(names) ? { ...heard, input, output } : heard;
}

/** What was written down. */
const writtenIn = ({ text, segments }: JsonObject): string =>
  textOf(text) ??
  objectsOf(segments)
    .map((segment) => textOf(segment.text) ?? '')
    .join('');

const SPOKEN_EVENTS: TypedEvents = {
  content: (type, event) =>
    isChunk(event) ? pieceIn(event) !== '' : spokenKind({ ...event, type }) !== undefined,
  last: (type, event) => spokenKind({ ...event, type }) === 'done',
  // vLLM counts tokens of its own making beside chunks; whole, it tells the seconds, which are what is sold.
  usage: (event) => (isChunk(event) ? null : readSpokenCounts(event.usage)),
  endsMarked: (_, event) => isChunk(event),
  text: pieceIn,
};

const fromSpeech: CallersDialect = plainDialect({
  // Of a form every value is a text, or a list of them where its name stands there again.
  reads: reads(['prompt', 'language', 'temperature', 'chunking_strategy'], {
    ...PLAIN_SETTINGS,
    ...each(
      ['include', 'timestamp_granularities', 'known_speaker_names', 'known_speaker_references'].flatMap(
        (name) => [name, `${name}[]`],
      ),
      TEXTS,
    ),
  }),
  readRequest: readForm,
  promptTexts: ({ prompt }) => (typeof prompt === 'string' ? [prompt] : []),
  usageOf: heardUsage,
  readReply: (body) => ({
    ...plainReply(body, ({ text, usage, duration, segments }) => {
      const seconds = numberOf(duration);
      return {
        usage: readSpokenCounts(usage) ?? (seconds === undefined ? null : toldSeconds(seconds)),
        missing: typeof text === 'string' || Array.isArray(segments) ? null : 'text',
      };
    }),
    produced: () => ({ text: writtenIn(objectOf(body) ?? {}), toolCalls: 0 }),
    heardUntil: segmentsEnd(objectOf(body) ?? {}),
  }),
  wholeForStream: true,
  // Subtitles and bare text.
  readText: (text) => ({
    usage: null,
    heardUntil: subtitlesEnd(text),
    error: null,
    produced: () => ({ text: text.replace(CUE, ''), toolCalls: 0 }),
    due: () => 1,
    finishReason: null,
  }),
  tap: () => new EventTap(SPOKEN_EVENTS),
});

export const openaiTranscriptions: CallersDialect = fromSpeech;
export const openaiTranslations: CallersDialect = { ...fromSpeech };
