/** What a caller sends into a Realtime session, as far as answers to it cost something. */

import { CallersMap } from '../../core/callers-keys.ts';
import { imageSizeOf } from '../../core/image-size.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import type { Picture } from '../../core/picture-tokens.ts';
import { toolsOf } from '../all-tools.ts';
import { realtimeTools } from '../asked-tools.ts';
import { boundedIn, isAbsent } from '../bounds.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';
import { each, either, list, OBJECT, object, otherTexts, ROLE, reads, TEXT, TEXTS } from '../other-texts.ts';
import {
  isAskedToThink,
  realtimeCapIn,
  realtimeTranscribes,
  TRANSCRIPTION,
  transcriptionsIn,
} from './openai-realtime.ts';

export interface RealtimeSent {
  /** Base64 characters of sound that is part of an item. */
  soundChars: number;
  /** The same of sound that is listened to, and becomes an item where it is committed. */
  heardChars: number;
  /** The sound that was listened to is an item from here on. */
  commits: boolean;
  texts: string[];
  images: Picture[];
  /** What every answer of the session is told from here on, or the one that is asked for in its place. */
  settings: SessionTexts;
  /**
   * How much of a long conversation its answers leave out from here on, by a hash that tells one word of it from another;
   * undefined where it says nothing of it.
   */
  truncation: string | undefined;
  /** The most tokens of each answer from here on; null for no limit, undefined where it says nothing of it. */
  outputCap: number | null | undefined;
  /** Answers are to be thought about, whether of this session or the one that is asked for. */
  thinks: boolean;
  /** An answer is asked for; null where the event asks for none. */
  asks: AskedAnswer | null;
  /** What is heard is to be written down, too; undefined where it says nothing of that. */
  transcribes: boolean | undefined;
  /** The session's sound is that of telephones from here on. */
  isTelephone: boolean;
  /** Paid tools of the upstream that the session may set off from here on; null where the event names no tools. */
  paid: PaidTools | null;
}

/** Texts of settings. Each that has a name here stands until it is set anew; of all others nobody knows what ends them. */
export type SessionTexts = Partial<Record<'instructions' | 'tools' | 'prompt' | 'others', readonly string[]>>;

/** What an answer reads of the conversation: no texts, for it is kept when its event is gone. */
export interface AskedReading {
  /** Outside of the conversation, where any number may be under way. */
  isApart: boolean;
  /** Only what its event brings along, each in full, is read for it, and nothing of the conversation. */
  hasOwnInput: boolean;
  /** So often it may read any one item of the session that its input stands for without holding it; 0 for none. */
  readings: number;
}

export interface AskedAnswer {
  reading: AskedReading;
  /** What it reads tells nothing of what others do: it has an input or settings of its own. */
  readsOtherwise: boolean;
  /** The items of its input, which are not among what the event itself is found to say. */
  input: RealtimeSent;
  /** The most tokens of it; null for no limit, undefined where it leaves that to the session. */
  outputCap: number | null | undefined;
}

const WRITES = { type: TRANSCRIPTION };
const TELEPHONE = /g711|audio\/pcm[au]/;

const nothingSent = (): RealtimeSent => ({
  soundChars: 0,
  heardChars: 0,
  commits: false,
  texts: [],
  images: [],
  settings: {},
  truncation: undefined,
  outputCap: undefined,
  thinks: false,
  asks: null,
  transcribes: undefined,
  isTelephone: false,
  paid: null,
});

/**
 * Events are read whole: what is looked for in their beginning only, a caller could hide. Throws `invalid_request` where
 * one brings more tools along than any request has, or names that stand in one place.
 */
export function readRealtimeSent(event: JsonObject): RealtimeSent {
  const sent = nothingSent();
  switch (event.type) {
    case 'input_audio_buffer.append':
      sent.heardChars += (textOf(event.audio) ?? '').length;
      break;
    case 'input_audio_buffer.commit':
      sent.commits = true;
      break;
    case 'conversation.item.create':
      addItem(objectOf(event.item), sent);
      break;
    case 'session.update':
    case 'transcription_session.update': {
      const session: JsonObject = {
        ...objectOf(event.session),
        ...(event.type !== 'session.update' && WRITES),
      };
      addSettings(session, sent);
      sent.settings = settingsIn(session);
      if (session.truncation !== undefined) sent.truncation = hashOf(session.truncation);
      sent.outputCap = realtimeCapIn(session);
      sent.isTelephone = TELEPHONE.test(JSON.stringify(session));
      sent.transcribes = realtimeTranscribes(session);
      break;
    }
    case 'response.create': {
      const { input, ...response } = objectOf(event.response) ?? {};
      addSettings(response, sent);
      sent.settings = settingsIn(response);
      sent.isTelephone = TELEPHONE.test(JSON.stringify([response.audio, response.output_audio_format]));
      const isApart = response.conversation === 'none';
      const readings = readingsOf(input);
      sent.asks = {
        reading: { isApart, hasOwnInput: isApart && Array.isArray(input) && readings === 0, readings },
        readsOtherwise: !isAbsent(input) || Object.keys(sent.settings).length > 0,
        input: addItems(input, nothingSent()),
        outputCap: realtimeCapIn(response),
      };
    }
  }
  return sent;
}

/** Of whatever size that is, and of none that a caller can find another for. */
const hashOf = (setting: Json): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(setting)).digest('hex');

/** The instructions and tools of a session or of one answer, and whatever input a session may have. */
function addSettings(settings: JsonObject, sent: RealtimeSent): void {
  for (const texts of Object.values(settingsIn(settings))) sent.texts.push(...texts);
  if (Array.isArray(settings.tools)) {
    boundedIn(toolsOf({ tools: settings.tools }), 'tools');
    sent.paid = realtimeTools(settings);
  }
  sent.thinks = isAskedToThink(settings);
  addItems(settings.input, sent);
}

/** What it says that answers are told. */
function settingsIn({ prompt, ...settings }: JsonObject): SessionTexts {
  const { instructions, tools } = settings;
  const unknown = otherTexts(settings, SETTINGS);
  return {
    ...(typeof instructions === 'string' && { instructions: [instructions] }),
    ...(Array.isArray(tools) && { tools: [JSON.stringify(tools)] }),
    ...(!isAbsent(prompt) && { prompt: otherTexts({ prompt }, SETTINGS) }),
    ...(unknown.length > 0 && { others: unknown }),
  };
}

/** Kinds of items that hold all that an answer reads of them. What has no kind is a message. */
const IN_FULL = ['message', 'function_call', 'function_call_output'];
/** The same of their parts. */
const PARTS_IN_FULL = [
  ...['input_text', 'output_text', 'text'],
  ...['input_audio', 'output_audio', 'audio', 'input_image'],
];
const REFERENCE = 'item_reference';
/** What stands for the item of its id, and for no other. */
const BY_NAME = [
  ...[REFERENCE, 'mcp_list_tools', 'mcp_call'],
  ...['mcp_approval_request', 'mcp_approval_response'],
];

const isOf = (kinds: readonly string[], { type }: JsonObject): boolean =>
  isAbsent(type) || kinds.some((kind) => kind === type);

/** The name of what it stands for; null for anything, as of what is of no known kind. */
const nameIn = (item: JsonObject): string | null => (isOf(BY_NAME, item) ? (textOf(item.id) ?? null) : null);

/** What an item stands for beside what it holds: it may be a reference itself, or (by the beta's word) have one for a part. */
function namesIn(item: Json): (string | null)[] {
  const known = objectOf(item);
  if (!known) return [null];
  if (!isOf(IN_FULL, known)) return [nameIn(known)];
  return objectsOf([known.content].flat())
    .filter((part) => !isOf(PARTS_IN_FULL, part))
    .map(nameIn);
}

/** Different items are no more than all of them together, however many are named. */
function readingsOf(input: Json | undefined): number {
  if (isAbsent(input)) return 0;
  const often = new CallersMap<number>();
  let [ofAny, most] = [0, 0];
  for (const name of [input].flat().flatMap(namesIn)) {
    if (name === null) ofAny++;
    else {
      const times = (often.get(name) ?? 0) + 1;
      often.set(name, times);
      most = Math.max(most, times);
    }
  }
  return ofAny + most;
}

const ITEM = reads(['id', 'object', 'type', 'status', 'name', 'call_id', 'arguments', 'output'], {
  role: ROLE,
  content: list(object(reads(['type', 'text', 'audio', 'transcript', 'image_url', 'detail']))),
});

/** What of a session, or of the wish for one answer, is read for itself, or no words. */
const SETTINGS = reads(
  [
    'type',
    'object',
    'id',
    'model',
    'instructions',
    'input_audio_format',
    'output_audio_format',
    'conversation',
    'max_output_tokens',
    'max_response_output_tokens',
  ],
  {
    ...each(['include', 'modalities', 'output_modalities'], TEXTS),
    ...each(
      ['input_audio_transcription', 'input_audio_noise_reduction', 'turn_detection', 'audio', 'metadata'],
      OBJECT,
    ),
    ...each(['tracing', 'truncation', 'tool_choice'], either(TEXT, OBJECT)),
    ...each(['tools', 'input'], list(OBJECT)),
    voice: either(TEXT, object(reads(['id']))),
    prompt: object(reads(['id', 'version'])),
  },
);

function addItems(items: unknown, sent: RealtimeSent): RealtimeSent {
  for (const item of objectsOf(items)) addItem(item, sent);
  return sent;
}

function addItem(item: JsonObject | undefined, sent: RealtimeSent): void {
  if (item) sent.texts.push(...otherTexts(item, ITEM));
  if (item?.type === REFERENCE) addText(item.id, sent);
  for (const field of ['name', 'arguments', 'output']) addText(item?.[field], sent);
  for (const part of objectsOf(item?.content)) {
    addText(part.text, sent);
    const sound = textOf(part.audio);
    if (sound === undefined) addText(part.transcript, sent);
    else sent.soundChars += sound.length;
    const image = textOf(part.image_url);
    if (image !== undefined) sent.images.push({ detail: 'auto', ...imageSizeOf(image) });
  }
}

/** The event with the upstream's name of the model wherever it names one of its own: a session has one. */
export function withSessionModel(event: JsonObject, model: string): JsonObject {
  let out = event;
  for (const field of ['session', 'response']) {
    const settings = objectOf(event[field]);
    if (settings && 'model' in settings) out = { ...out, [field]: { ...settings, model } };
  }
  return out;
}

/** By today's word, in settings of the sound that comes in, and by the beta's, in those of the session. */
const NEWER = 'transcription';
const OLDER = 'input_audio_transcription';
/** The models that an event asks to write down what is heard; null for one that it leaves to the service. */
export const transcribersIn = (event: JsonObject): (string | null)[] =>
  transcriptionsIn(objectOf(event.session) ?? {}).flatMap((each) =>
    isObject(each) ? [textOf(each.model) ?? null] : [],
  );

/** The event with this one wherever it asks for one; undefined leaves it to the service. */
export function withTranscriber(event: JsonObject, model: string | undefined): JsonObject {
  const session = { ...objectOf(event.session) };
  const audio = objectOf(session.audio);
  const input = objectOf(audio?.input);
  const newer = objectOf(input?.[NEWER]);
  const older = objectOf(session[OLDER]);
  if (newer) session.audio = { ...audio, input: { ...input, [NEWER]: withModel(newer, model) } };
  if (older) session[OLDER] = withModel(older, model);
  return { ...event, session };
}

const withModel = ({ model: _, ...settings }: JsonObject, model: string | undefined): JsonObject =>
  model === undefined ? settings : { ...settings, model };

function addText(value: unknown, sent: RealtimeSent): void {
  if (typeof value === 'string') sent.texts.push(value);
}

/** Sounds and pictures, and what only names something. */
const NO_WORDS = new Set(['audio', 'image_url', 'id', 'event_id', 'type', 'encrypted_content']);

/** All that is said in an event, either way; what is JSON as it stands. */
export function wordsOfEvent(event: JsonObject): string[] {
  const texts: string[] = [];
  JSON.stringify(event, (name, inner: unknown) => {
    if (typeof inner === 'string' && !NO_WORDS.has(name)) texts.push(inner);
    return inner;
  });
  return texts;
}

/** The event with each text in it as `show` has it. */
export const withWordsShown = (event: JsonObject, show: (text: string) => string): string =>
  JSON.stringify(event, (name, inner: unknown) =>
    typeof inner === 'string' && !NO_WORDS.has(name) ? show(inner) : inner,
  );
