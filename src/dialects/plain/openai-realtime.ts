/** OpenAI's Realtime: events of JSON over a websocket, both ways. The gateway passes them and reads what they cost. */
import { type Json, type JsonObject, parseObject } from '../../core/json.ts';
import { OUTPUT_ASSUMED, OUTPUT_AT_ONCE } from '../../core/price-bound.ts';
import { headOf } from '../../core/text-head.ts';
import { thinksUnseen } from '../../core/thinkers.ts';
import type { Usage } from '../../core/usage.ts';
import { STORED_PROMPT } from '../account.ts';
import { type CallersDialect, OPAQUE } from '../body-rules.ts';
import { asksEffort, isAbsent, modelIn } from '../bounds.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { countOf, objectOf, objectsOf, textOf } from '../fields.ts';
import { CAPS } from '../gateway-fields.ts';
import { errorBody } from '../openai-chat/errors.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { NONE } from '../other-texts.ts';
import { plainDialect, plainFacts, plainReply } from './plain.ts';
import { readSpokenCounts } from './usage.ts';

/** Browsers cannot set headers, so that OpenAI's clients there put key and version among the subprotocols. */
const KEY = 'openai-insecure-api-key.';
const BETA = 'openai-beta.realtime-v1';
const PROTOCOL = 'realtime';

const protocolsIn = (headers: Headers): string[] =>
  (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());

/** The key that a browser's client sends; null when there is none. */
export const realtimeKey = (headers: Headers): string | null =>
  protocolsIn(headers)
    .find((name) => name.startsWith(KEY))
    ?.slice(KEY.length) ?? null;

/** What the answer to an upgrade says: one of the offered protocols, and never the key. */
export const acceptedProtocol = (headers: Headers): Record<string, string> =>
  protocolsIn(headers).includes(PROTOCOL) ? { 'sec-websocket-protocol': PROTOCOL } : {};

/** What goes up of a caller's headers: the version whose events he understands. */
export function realtimeHeaders(headers: Headers): Record<string, string> {
  const beta = headers.get('openai-beta') ?? (protocolsIn(headers).includes(BETA) ? 'realtime=v1' : null);
  return beta === null ? {} : { 'openai-beta': beta };
}

/** An answer as the server names it; null where the event does not say. */
interface OfAnswer {
  answer: string | null;
}

/** What an answer has written, and what it has spoken. */
export interface SaidInWords {
  text: string;
  transcript: string;
}

/** An event of the server, as far as its price goes. */
export type RealtimeEvent =
  /** A piece of what is spoken. */
  | ({ kind: 'sound' } & OfAnswer)
  /** An answer has begun; `isApart`: outside of the conversation, null where that is not told. */
  | ({ kind: 'created'; isApart: boolean | null } & OfAnswer)
  /** A piece of what is written, or of a call's arguments; or of what is spoken, in words. */
  | ({ kind: 'text' | 'transcript'; text: string } & OfAnswer)
  /** A part of an answer, which may be the use of a tool. */
  | ({ kind: 'item' } & OfAnswer)
  /** An answer has ended. */
  | ({ kind: 'done'; isFailed: boolean; isCancelled: boolean; usage: Usage | null } & SaidInWords & OfAnswer)
  /** A piece of what an item was heard to say. */
  | { kind: 'writing'; item: string | null; text: string }
  /** What was heard has been written down, which is paid for beside the answers, or could not be. */
  | { kind: 'heard'; item: string | null; usage: Usage | null; text: string; isFailed: boolean }
  /** The settings that are in force; null what is not told. */
  | {
      kind: 'session';
      answersAlone: boolean | null;
      outputCap: number | null;
      /** Its model thinks, by what is told of either. */
      thinks: boolean;
      /** What is heard is written down, too. */
      transcribes: boolean | null;
      /** The upstream's name of the model that does this; null where nobody is named, undefined where it is not told. */
      transcriber: string | null | undefined;
    }
  /** Something of how it is written down was refused. */
  | { kind: 'unwritable' }
  /** The sound that was sent is an item now. */
  | { kind: 'committed'; item: string | null }
  /** What else became of it: somebody begins to speak in it, the caller could make no item of it, it was thrown away. */
  | { kind: 'speech' | 'uncommitted' | 'cleared' }
  | { kind: 'other' };

const SOUND = /"type"\s*:\s*"response\.(?:output_)?audio\.delta"/;
const TEXT =
  /"type"\s*:\s*"response\.(?:(?:output_)?(?:text|audio_transcript)|(?:function|mcp)_call_arguments)\.delta"/;
const TOLD =
  /"type"\s*:\s*"(?:error|response\.(?:created|done)|(?:transcription_)?session\.(?:created|updated)|input_audio_buffer\.(?:speech_started|committed|cleared)|conversation\.item\.input_audio_transcription\.(?:delta|segment|completed|failed))"/;
const ITEM = /"type"\s*:\s*"response\.output_item\.(?:added|done)"/;
const ANSWER = /"response_id"\s*:\s*"([^"\\]+)"/;
/** How an upstream says that there was too little sound for an item. */
const UNCOMMITTED = /^input_audio_buffer_commit/;
/** An error speaks of it in its code, in the name of the field, or in its words. */
const UNWRITABLE = /transcri/i;
/** A session that only writes down. */
export const TRANSCRIPTION = 'transcription';
const OTHER: RealtimeEvent = { kind: 'other' };
/** Where an event names its type, which all of them do first or after their id. */
const HEAD_CHARS = 200;
/** Longer names are no upstream's. */
const NAME_CHARS = 256;

/** What is kept of an event is a copy: a text of the parser's keeps its place in the engine's table. */
function nameIn(value: Json | undefined): string | null {
  const name = textOf(value);
  return name === undefined ? null : headOf(name, NAME_CHARS);
}

/** Most events are pieces of sound, which are known by their beginning and not parsed. */
export function readRealtimeEvent(text: string, parse: (text: string) => unknown): RealtimeEvent {
  // Names in it are kept as long as what they name.
  const head = headOf(text, HEAD_CHARS);
  if (SOUND.test(head)) return { kind: 'sound', answer: ANSWER.exec(head)?.[1] ?? null };
  if (TEXT.test(head)) {
    const event = objectOf(parse(text));
    const kind = textOf(event?.type)?.includes('transcript') ? 'transcript' : 'text';
    return { kind, answer: nameIn(event?.response_id), text: textOf(event?.delta) ?? '' };
  }
  if (ITEM.test(head)) return { kind: 'item', answer: ANSWER.exec(head)?.[1] ?? null };
  if (!TOLD.test(text)) return OTHER;
  const event = objectOf(parse(text)) ?? {};
  const response = objectOf(event.response);
  const answer = nameIn(response?.id);
  const item = nameIn(event.item_id);
  switch (event.type) {
    case 'response.created':
      return { kind: 'created', answer, isApart: isApart(response) };
    case 'response.done': {
      const status = response?.status;
      return {
        kind: 'done',
        answer,
        isFailed: status === 'failed',
        isCancelled: status === 'cancelled',
        usage: readUsage(response?.usage),
        ...saidIn(response),
      };
    }
    case 'conversation.item.input_audio_transcription.delta':
    case 'conversation.item.input_audio_transcription.segment':
      return { kind: 'writing', item, text: textOf(event.delta) ?? textOf(event.text) ?? '' };
    case 'conversation.item.input_audio_transcription.completed': {
      const usage = readSpokenCounts(event.usage);
      return { kind: 'heard', item, usage, text: textOf(event.transcript) ?? '', isFailed: false };
    }
    case 'conversation.item.input_audio_transcription.failed':
      return { kind: 'heard', item, usage: null, text: '', isFailed: true };
    case 'session.created':
    case 'session.updated':
      return settingsIn(objectOf(event.session) ?? {});
    case 'transcription_session.created':
    case 'transcription_session.updated':
      return settingsIn({ ...objectOf(event.session), type: TRANSCRIPTION });
    case 'input_audio_buffer.speech_started':
      return { kind: 'speech' };
    case 'input_audio_buffer.committed':
      return { kind: 'committed', item };
    case 'input_audio_buffer.cleared':
      return { kind: 'cleared' };
    case 'error':
      if (UNCOMMITTED.test(textOf(objectOf(event.error)?.code) ?? '')) return { kind: 'uncommitted' };
      return UNWRITABLE.test(text) ? { kind: 'unwritable' } : OTHER;
    default:
      return OTHER;
  }
}

/** An answer outside of the conversation has none. */
function isApart(response: JsonObject | undefined): boolean | null {
  const conversation = response?.conversation_id;
  return conversation === undefined ? null : conversation === null;
}

/** A session that listens for turns answers by itself, in the words of today's wire and of its beta. */
function settingsIn(session: JsonObject): RealtimeEvent {
  const input = objectOf(objectOf(session.audio)?.input);
  const turns = input && 'turn_detection' in input ? input.turn_detection : session.turn_detection;
  const isAlone = turns === undefined ? null : turns !== null && objectOf(turns)?.create_response !== false;
  return {
    kind: 'session',
    answersAlone: session.type === TRANSCRIPTION ? false : isAlone,
    outputCap: realtimeCapIn(session) ?? null,
    thinks: isAskedToThink(session) || thinksUnseen(textOf(session.model) ?? ''),
    transcribes: realtimeTranscribes(session) ?? null,
    transcriber: transcriberIn(session),
  };
}

/** Whether settings of a session or of one answer say that its model thinks, of which no event tells. */
export const isAskedToThink = ({ reasoning }: JsonObject): boolean => asksEffort(objectOf(reasoning)?.effort);

/** What settings of a session say of writing down what is heard: by today's word, and by the beta's. */
export const transcriptionsIn = (session: JsonObject): Json[] =>
  [objectOf(objectOf(session.audio)?.input)?.transcription, session.input_audio_transcription].filter(
    (each) => each !== undefined,
  );

/** Null also where its two words name two. */
function transcriberIn(session: JsonObject): string | null | undefined {
  const [name, ...others] = transcriptionsIn(session).map((each) => textOf(objectOf(each)?.model) ?? null);
  return others.every((other) => other === name) ? name : null;
}

/**
 * Whether what is heard is written down, in settings of a session by today's word or the beta's; undefined where they say
 * nothing of it.
 */
export function realtimeTranscribes(session: JsonObject): boolean | undefined {
  if (session.type === TRANSCRIPTION) return true;
  const said = transcriptionsIn(session);
  return said.length === 0 ? undefined : said.some((each) => each !== null);
}

/**
 * The most tokens of an answer by today's word and the beta's, in settings of a session or of one answer; null for no limit,
 * undefined where they say nothing of it.
 */
export function realtimeCapIn(settings: JsonObject): number | null | undefined {
  const caps = [settings.max_output_tokens, settings.max_response_output_tokens].filter(
    (cap) => !isAbsent(cap),
  );
  if (caps.length === 0) return undefined;
  const most = Math.max(0, ...caps.map((cap) => countOf(cap) ?? Number.POSITIVE_INFINITY));
  return most > 0 && Number.isFinite(most) ? most : null;
}

/** What an event of the server tells: what the caller was heard to say, or a piece of an answer; null for neither. */
export function realtimeSaid(text: string): 'heard' | 'answer' | null {
  const head = text.slice(0, HEAD_CHARS);
  if (SOUND.test(head)) return null;
  if (/"type"\s*:\s*"conversation\.item\.input_audio_transcription\./.test(text)) return 'heard';
  return /"type"\s*:\s*"response\./.test(text) ? 'answer' : null;
}

/** What a response says, for a local count. */
function saidIn(response: JsonObject | undefined): SaidInWords {
  const items = objectsOf(response?.output);
  const parts = (item: JsonObject) => objectsOf(item.content);
  const written = (item: JsonObject) => [item.name, item.arguments, ...parts(item).map(({ text }) => text)];
  const spoken = (item: JsonObject) => parts(item).map(({ transcript }) => transcript);
  return {
    text: items.flatMap(written).map(textOf).join(''),
    transcript: items.flatMap(spoken).map(textOf).join(''),
  };
}

/**
 * An event of the server with each error in it as `tell` words it: errors are events of their own, and what became of
 * an answer or a transcript. The same text where `tell` changes nothing.
 */
export function withErrorsTold(text: string, tell: (error: UpstreamErrorBody) => PublicError | null): string {
  if (!text.includes('"error"')) return text;
  const event = parseObject(text);
  if (!event) return text;
  const response = objectOf(event.response);
  let isChanged = false;
  for (const holder of [event, response, objectOf(response?.status_details)]) {
    const error = objectOf(holder?.error);
    if (!holder || !error) continue;
    const { message, type, code } = error;
    const told = tell({ message: textOf(message) ?? '', type: textOf(type), code: textOf(code) });
    if (!told) continue;
    holder.error = { ...objectOf(errorBody(told).error), event_id: error.event_id ?? null };
    isChanged = true;
  }
  return isChanged ? JSON.stringify(event) : text;
}

/** Ends an answer, of which the server then tells what it took by then; without a name that of the conversation. */
export const realtimeCancel = (answer: string | null): string =>
  JSON.stringify({ type: 'response.cancel', ...(answer !== null && { response_id: answer }) });

/** Its errors are events like everything else. */
export const realtimeError = (error: PublicError, id: string): string =>
  JSON.stringify({ event_id: `evt_${id}`, type: 'error', ...errorBody(error) });

export const openaiRealtime: CallersDialect = plainDialect({
  // Of the events that a caller sends.
  rules: {
    caps: CAPS,
    own: ['transcription', 'input_audio_transcription'],
    opaque: [...OPAQUE, 'parameters', 'metadata', 'annotations', 'variables'],
    kept: STORED_PROMPT,
  },
  // The address names the model; there is no body.
  readRequest: (_body, path) =>
    plainFacts(modelIn(path.model), {
      stream: true,
      // Nothing begins before one whole answer is paid for.
      outputCap: OUTPUT_ASSUMED,
      audioOut: true,
      noted: { ws: true },
    }),
  // What is thought unseen is not seen to grow: nothing begins before the longest answer is paid for.
  factsUnder: ({ facts }, names) =>
    [facts.model, ...names].some(thinksUnseen) ? { ...facts, outputCap: OUTPUT_AT_ONCE } : facts,
  reads: NONE,
  promptTexts: () => [],
  readReply: (body) => plainReply(body, () => ({ usage: null, missing: 'websocket' })),
});
