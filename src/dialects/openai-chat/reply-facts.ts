/** What the relay must know of Chat Completions answers and streams that it passes on as they came. */
import { bufferOf } from '../../core/bytes.ts';
import { isObject, type JsonObject, parseObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';
import { Continuations } from '../continuations.ts';
import type { FrameFacts, GoingOn, Produced, ReplyFacts, StreamTap, TappedRequest } from '../dialect.ts';
import { type AnswerEnd, endIn, isDue, isOfSeveral, StreamedAnswers } from '../due-answers.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import { secondsIn } from '../media-output.ts';
import type { StopReason } from '../neutral.ts';
import { NOTHING_PRODUCED, saysAnything, sumOf, thought } from '../produced.ts';
import { ReportedUsage } from '../reported-usage.ts';
import { SoundIds } from '../sound-ids.ts';
import { readStop } from '../stop-words.ts';
import { DROP, PASS, wordsOf } from '../tap-frames.ts';
import { readError } from './errors.ts';
import { imagesIn, inputText } from './read-parts.ts';
import { openaiChatStops } from './stops.ts';
import { detailText, sealedByGoogle } from './thinking-details.ts';
import { readUsage } from './usage.ts';

/** Moonshot keeps the usage of a stream inside the choice, Groq in a field of its own. */
const usageIn = (body: JsonObject): Usage | null =>
  readUsage(body.usage) ??
  readUsage(objectsOf(body.choices)[0]?.usage) ??
  readUsage(objectOf(body.x_groq)?.usage);

/** Some servers write an empty word, or the word null, while there is no reason yet. */
const finishOf = ({ finish_reason: reason }: JsonObject): string | null =>
  typeof reason === 'string' && reason !== '' && reason !== 'null' ? reason : null;

const finishIn = (choices: readonly JsonObject[]): string | null =>
  choices.map(finishOf).find((reason) => reason !== null) ?? null;

/** No wire nests deeper what it says; an upstream may do so without end. */
const DEEPEST = 32;

/** Text of a string or of a list of text parts (Mistral's thinking models). */
function textIn(content: unknown, levels = DEEPEST): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || levels === 0) return '';
  const within = (value: unknown) => textIn(value, levels - 1);
  return content
    .map((part) => (isObject(part) ? within(part.text) + within(part.thinking) : within(part)))
    .join('');
}

const AUDIO_TEXT = (audio: unknown): string => (isObject(audio) ? textIn(audio.transcript) : '');

/** Pictures stand beside the text, one alone under a name of its own (LiteLLM), or among its parts (vLLM-Omni). */
function picturesIn({ images, image, content }: JsonObject): number {
  const parts = Array.isArray(content) ? objectsOf(content) : [];
  const drawn = parts.filter((part) => says(part.image_url) || says(part.image));
  const beside = [images, image].map((given) => imagesIn(given).filter((image) => says(image)).length);
  return Math.max(drawn.length, ...beside);
}

/** Sound and pictures; nothing where a message has none. */
function mediaIn(message: JsonObject): Pick<Produced, 'seconds' | 'pictures'> {
  const data = textOf(objectOf(message.audio)?.data) ?? '';
  const pictures = picturesIn(message);
  return { ...(data !== '' && { seconds: secondsIn(data) }), ...(pictures > 0 && { pictures }) };
}

const detailsIn = ({ reasoning_details: details }: JsonObject): string =>
  Array.isArray(details) ? objectsOf(details).map(detailText).join('') : '';

/** What a message or a delta produced. */
function producedBy(message: JsonObject): Produced {
  const calls = objectsOf(message.tool_calls);
  const functions = calls.map((call) => objectOf(call.function) ?? objectOf(call.custom));
  if (isObject(message.function_call)) functions.push(message.function_call as JsonObject);
  // Relays say reasoning under both names, and then it is the same.
  const reasoning = textIn(message.reasoning_content) || textIn(message.reasoning) || detailsIn(message);
  const texts = [
    textIn(message.content),
    textIn(message.refusal),
    reasoning,
    AUDIO_TEXT(message.audio),
    ...functions.flatMap((call) => [textIn(call?.name), inputText(call?.arguments), textIn(call?.input)]),
  ];
  const toolCalls = functions.filter((call) => textIn(call?.name) !== '').length;
  return { text: texts.join(''), toolCalls, ...mediaIn(message), ...thought(reasoning) };
}

/** What a message says beside anything that comes. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['role', 'id', 'type', 'object']);

/**
 * Whether a field says anything: a flag and a number do not, and neither does an empty text, wherever it stands. Whatever
 * is too deep to be looked at does.
 */
function says(value: unknown, levels = DEEPEST): boolean {
  if (typeof value === 'string') return value !== '';
  if (typeof value !== 'object' || value === null) return false;
  const values = Array.isArray(value) ? value : fieldsOf(value as JsonObject);
  return levels === 0 || values.some((within) => says(within, levels - 1));
}
const fieldsOf = (said: JsonObject): unknown[] =>
  Object.entries(said).flatMap(([name, value]) => (SAYS_NOTHING.has(name) ? [] : [value]));

/** The name beside a role is that of who speaks; a tool that is called says something by its name. */
const carries = (choice: JsonObject, said: SaidIn): boolean => says({ ...said(choice), name: undefined });

const hasOutput = (choice: JsonObject, said: SaidIn): boolean => saysAnything(producedBy(said(choice)));

/** vLLM and SGLang name the caller's word beside the reason. Others write there why it ended, once more. */
function wordIn({ stop_reason: stopped, matched_stop: matched }: JsonObject): string | undefined {
  const word = textOf(stopped) ?? textOf(matched);
  return word === undefined || Object.hasOwn(openaiChatStops.read, word) ? undefined : word;
}

const endOf = (choice: JsonObject): AnswerEnd => endIn(openaiChatStops, finishOf(choice), wordIn(choice));

const isDueIn = (choice: JsonObject, said: SaidIn): boolean =>
  isDue({
    end: endOf(choice),
    says: () => carries(choice, said),
    hasOutput: () => hasOutput(choice, said),
  });

const hasMedia = ({ seconds = 0, pictures = 0 }: Produced): boolean => seconds > 0 || pictures > 0;

/** What a choice says, as a message. */
type SaidIn = (choice: JsonObject) => JsonObject;

const messageOf: SaidIn = (choice) => objectOf(choice.message) ?? {};
const deltaOf: SaidIn = (choice) => objectOf(choice.delta) ?? {};

function noteSounds(ids: SoundIds, choices: readonly JsonObject[], said: SaidIn): SoundIds {
  for (const choice of choices) ids.note(objectOf(said(choice).audio)?.id);
  return ids;
}

function noteSealed(known: Continuations, choices: readonly JsonObject[], said: SaidIn): Continuations {
  for (const choice of choices) for (const data of sealedByGoogle(said(choice))) known.note(data);
  return known;
}

/** What was sealed for an answer proves its thoughts, unless it ended where one call writes no more: that it goes on with. */
const continuesAfter = (finish: string | null): boolean =>
  finish !== null && GOES_ON.has(readStop(openaiChatStops, finish, false));
/** Gateways may have a word of their own for it. */
const GOES_ON: ReadonlySet<StopReason> = new Set<StopReason>(['length', 'other']);

const producedIn = (choices: readonly JsonObject[], said: SaidIn): Produced =>
  sumOf(choices.map((choice) => producedBy(said(choice))));

/** What an answer holds that is yet to be fetched: the upstream works on it, and bills it (xAI's deferred chats). */
const OF_LATER: ReadonlySet<string> = new Set(['request_id', 'id', 'object', 'created', 'model']);
const isForLater = (answer: JsonObject): boolean =>
  (textOf(answer.request_id) ?? '') !== '' && Object.keys(answer).every((name) => OF_LATER.has(name));

const FOR_LATER: ReplyFacts = {
  usage: null,
  error: null,
  produced: () => NOTHING_PRODUCED,
  due: () => 0,
  finishReason: null,
  isForLater: true,
};

/**
 * The facts of a whole answer; an object without choices is an error even when it does not say so, but for one that only
 * names an answer to come: its prompt has been read.
 */
export function readReplyFacts(body: unknown, said: SaidIn = messageOf): ReplyFacts {
  const answer = objectOf(body);
  if (answer && isForLater(answer)) return FOR_LATER;
  const choices = objectsOf(answer?.choices);
  const error = answer && readError(answer);
  const missing = choices.length === 0 ? { message: 'its answer holds no choices' } : null;
  const open = choices.filter((choice) => continuesAfter(finishOf(choice)));
  return {
    usage: answer ? usageIn(answer) : null,
    error: error ?? missing,
    produced: () => producedIn(choices, said),
    due: () => choices.filter((choice) => isDueIn(choice, said)).length,
    finishReason: finishIn(choices),
    isFiltered: choices.length > 0 && choices.every((choice) => endOf(choice) === 'filtered'),
    soundIds: noteSounds(new SoundIds(), choices, said),
    continuations: noteSealed(new Continuations(true), open, said),
  };
}

/** The latter are of what is no text: sealed, heard, seen. */
const KEYS = wordsOf(
  ...['"finish_reason"', '"usage"', '"error"'],
  '"reasoning.encrypted"',
  ...['"audio"', '"images"', '"image"', '"image_url"'],
);
const SPACE = 32;
const COLON = 58;
const LETTER_N = 110;
const CLOSE = 125;
const LINE_ENDS = new Set([10, 13]);

/** True when the key stands in the bytes with another value than null. OpenAI writes `null` in every frame. */
function hasKey(frame: Buffer, key: Buffer): boolean {
  for (let at = frame.indexOf(key); at >= 0; at = frame.indexOf(key, at)) {
    at += key.length;
    while (frame[at] === SPACE || frame[at] === COLON) at++;
    if (frame[at] !== LETTER_N) return true;
  }
  return false;
}

/** The end marker is no JSON, and neither is a broken frame: both do not end as an object does. */
function endsAsObject(frame: Buffer): boolean {
  let at = frame.length - 1;
  while (at >= 0 && (LINE_ENDS.has(frame[at] ?? 0) || frame[at] === SPACE)) at--;
  return frame[at] === CLOSE;
}

const DONE = '[DONE]';
const LAST: FrameFacts = { ...DROP, last: true };

export class ChatStreamTap implements StreamTap {
  readonly #reported = new ReportedUsage();
  readonly #answers = new StreamedAnswers();
  complete = false;
  finishReason: string | null = null;
  readonly soundIds = new SoundIds();
  readonly #sealed = new Continuations(true);

  constructor(
    readonly request: TappedRequest,
    readonly said: SaidIn = deltaOf,
  ) {}

  get usage(): Usage | null {
    return this.#reported.whole(this.complete);
  }

  get promptUsage(): Usage | null {
    return this.#reported.latest;
  }

  get isFiltered(): boolean {
    return this.#answers.areAllFiltered;
  }

  get continuations(): GoingOn | undefined {
    return continuesAfter(this.finishReason) ? this.#sealed : undefined;
  }

  get due(): number {
    return this.#answers.due;
  }

  wants(bytes: Uint8Array): boolean {
    // What follows its usage shows whether that was the last word; and of several answers each frame says whose it is.
    if (this.#reported.latest || isOfSeveral(this.request)) return true;
    const frame = bufferOf(bytes);
    return !endsAsObject(frame) || KEYS.some((key) => hasKey(frame, key));
  }

  read({ data }: Frame): FrameFacts {
    if (data.trim() === DONE) return LAST;
    const body = parseObject(data);
    if (!body) return DROP;
    const error = readError(body);
    if (error) return { ...DROP, error };
    const choices = objectsOf(body.choices);
    const usage = usageIn(body);
    const isContent = this.#note(choices);
    if (isContent) this.#reported.content();
    noteSounds(this.soundIds, choices, this.said);
    noteSealed(this.#sealed, choices, this.said);
    if (usage) this.#reported.report(usage);
    const finish = finishIn(choices);
    if (finish !== null) {
      this.finishReason = finish;
      this.complete = true;
    }
    if (choices.length === 0) return usage && !this.request.wantsUsage ? DROP : PASS;
    if (finish === null && !isContent) return PASS;
    const produced = producedIn(choices, this.said);
    const facts = { ...PASS, content: true, endsOnly: !isContent };
    return hasMedia(produced) ? { ...facts, produced } : facts;
  }

  /** What came of each answer; whether anything has. */
  #note(choices: readonly JsonObject[]): boolean {
    let isContent = false;
    for (const [n, choice] of choices.entries()) {
      const answer = numberOf(choice.index) ?? n;
      if (carries(choice, this.said)) {
        isContent = true;
        this.#answers.came(answer, () => hasOutput(choice, this.said));
      }
      if (finishOf(choice) !== null) this.#answers.ended(answer, endOf(choice));
    }
    return isContent;
  }

  produced({ data }: Frame): Produced {
    return producedIn(objectsOf(parseObject(data)?.choices), this.said);
  }
}
