/**
 * From a stream of events to the whole answer that it tells, and back: the two halves undo each other, so that a
 * plain answer may be streamed to a caller who wants a stream, and a stream collected for one who wants it whole.
 */
import type { ObjectIn } from '../core/inner-json.ts';
import { invariant } from '../core/invariant.ts';
import type { JsonObject } from '../core/json.ts';
import { hasFields } from './fields.ts';
import type { AudioPart, ChatReply, Choice, Part, PartDelta, StreamEvent } from './neutral.ts';

/** Collects the events of one stream. */
export class Accumulator {
  readonly #reply: ChatReply = { id: '', model: '', created: 0, choices: [], usage: null, extra: {} };
  readonly #parts = new Map<number, Part>();
  readonly #choices = new Map<number, Choice>();
  #complete = false;
  #error: Extract<StreamEvent, { type: 'error' }> | null = null;

  push(event: StreamEvent): void {
    switch (event.type) {
      case 'start':
        Object.assign(this.#reply, { id: event.id, model: event.model, created: event.created });
        if (event.serviceTier !== undefined) this.#reply.serviceTier = event.serviceTier;
        if (event.extra) this.#reply.extra = event.extra;
        if (event.dialect) this.#reply.dialect = event.dialect;
        break;
      case 'part-start': {
        const part = { ...event.part };
        // The list grows here, and the event's is somebody else's.
        if (part.type === 'text' && part.citations) part.citations = [...part.citations];
        this.#parts.set(event.index, part);
        this.#choice(event.choice).parts.push(part);
        break;
      }
      case 'part-delta': {
        const part = this.#parts.get(event.index);
        invariant(part, `a delta for part ${event.index}, which has not begun`);
        addDelta(part, event.delta);
        break;
      }
      case 'part-end':
        break;
      case 'logprobs': {
        const choice = this.#choice(event.choice);
        choice.logprobs = joinLogprobs(choice.logprobs ?? {}, event.logprobs);
        break;
      }
      case 'stop': {
        const choice = this.#choice(event.choice);
        choice.stop = event.stop;
        if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
        if (event.rawStop !== undefined) choice.rawStop = event.rawStop;
        if (event.refusedFor !== undefined) choice.refusedFor = event.refusedFor;
        break;
      }
      case 'usage':
        this.#reply.usage = event.usage;
        break;
      case 'error':
        this.#error ??= event;
        break;
      case 'end':
        this.#complete = true;
    }
  }

  /** The answer so far. A choice whose end has not come has the stop reason null. */
  get reply(): ChatReply {
    this.#reply.choices.sort((a, b) => a.index - b.index);
    return this.#reply;
  }

  /** True when the stream said that it is complete. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The error that broke the stream off; null while there is none. */
  get error(): Extract<StreamEvent, { type: 'error' }> | null {
    return this.#error;
  }

  #choice(index: number): Choice {
    const known = this.#choices.get(index);
    if (known) return known;
    const choice: Choice = { index, parts: [], stop: null };
    this.#choices.set(index, choice);
    this.#reply.choices.push(choice);
    return choice;
  }
}

/** The stream that tells this answer, each part in one piece. It has an end when every choice has its stop reason. */
export function eventsOf(reply: ChatReply): StreamEvent[] {
  const { dialect, id, model, created, serviceTier, extra } = reply;
  const start: StreamEvent = { type: 'start', id, model, created, usage: null };
  if (serviceTier !== undefined) start.serviceTier = serviceTier;
  if (dialect !== undefined) start.dialect = dialect;
  if (hasFields(extra)) start.extra = extra;
  const events: StreamEvent[] = [start];
  let index = 0;
  for (const { index: choice, parts, stop, stopSequence, rawStop, refusedFor, logprobs } of reply.choices) {
    const told = parts.map((part) => partEvents(choice, index++, part));
    if (logprobs) {
      // Writers can place logprobs only while the text that they speak of is open.
      const text = told[parts.findLastIndex((part) => part.type === 'text')];
      const event: StreamEvent = { type: 'logprobs', choice, logprobs };
      if (text) text.splice(-1, 0, event);
      else told.push([event]);
    }
    events.push(...told.flat());
    if (stop === null) continue;
    const event: StreamEvent = { type: 'stop', choice, stop };
    if (stopSequence !== undefined) event.stopSequence = stopSequence;
    if (rawStop !== undefined) event.rawStop = rawStop;
    if (refusedFor !== undefined) event.refusedFor = refusedFor;
    events.push(event);
  }
  if (reply.usage) events.push({ type: 'usage', usage: reply.usage });
  if (reply.choices.every((choice) => choice.stop !== null)) events.push({ type: 'end' });
  return events;
}

/** A part that is known whole, as a stream tells it: begun empty, filled, ended. */
export function partEvents(choice: number, index: number, part: Part): StreamEvent[] {
  const { empty, deltas } = takeApart(part);
  return [
    { type: 'part-start', choice, index, part: empty },
    ...deltas.map((delta): StreamEvent => ({ type: 'part-delta', choice, index, delta })),
    { type: 'part-end', choice, index },
  ];
}

/** The object that a tool call's JSON text means. What is no object is kept under `_raw`, never dropped. */
export function argumentsOf(input: string, objectIn: ObjectIn): JsonObject {
  if (input.trim() === '') return {};
  return objectIn(input) ?? { _raw: input };
}

/** What a reader of the answer sees as its text: all text parts, one after the other. */
export const joinedText = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

export const joinedThinking = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'thinking' ? part.text : '')).join('');

export const joinedRefusal = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'refusal' ? part.text : '')).join('');

/** Base64 of two runs of bytes, one after the other; pieces of a stream may each end in padding. */
export function joinBase64(first: string, second: string): string {
  if (first.length % 4 === 0 && !first.endsWith('=')) return first + second;
  return Buffer.concat([Buffer.from(first, 'base64'), Buffer.from(second, 'base64')]).toString('base64');
}

/** Adds a piece to its part, in place; a piece of another kind of part changes nothing. */
export function addDelta(part: Part, delta: PartDelta): void {
  switch (delta.type) {
    case 'text':
      if (part.type === 'text') part.text += delta.text;
      break;
    case 'thinking':
      if (part.type === 'thinking') part.text += delta.text;
      break;
    case 'refusal':
      if (part.type === 'refusal') part.text += delta.text;
      break;
    case 'input':
      if (part.type === 'tool-call') part.input += delta.text;
      break;
    case 'signature':
      if (isSigned(part)) part.signature = delta.signature;
      break;
    case 'encrypted':
      if (part.type === 'thinking') part.encrypted = delta.encrypted;
      break;
    case 'citation':
      if (part.type === 'text') {
        part.citations ??= [];
        part.citations.push(delta.citation);
      }
      break;
    case 'audio':
      if (part.type === 'audio') addSound(part, delta);
  }
}

type Signed = Extract<Part, { signature?: string }>;
const SIGNED: readonly Part['type'][] = ['text', 'image', 'thinking', 'tool-call'];
const isSigned = (part: Part): part is Signed => SIGNED.includes(part.type);

function addSound(part: AudioPart, delta: Extract<PartDelta, { type: 'audio' }>): void {
  if (delta.data !== undefined && part.source.kind === 'data') {
    part.source = { ...part.source, data: joinBase64(part.source.data, delta.data) };
  }
  if (delta.transcript !== undefined) part.transcript = (part.transcript ?? '') + delta.transcript;
  if (delta.id !== undefined) part.id = delta.id;
  if (delta.expiresAt !== undefined) part.expiresAt = delta.expiresAt;
}

/** A part without its contents, and the pieces that fill it again. */
function takeApart(part: Part): { empty: Part; deltas: PartDelta[] } {
  switch (part.type) {
    case 'text': {
      const { text, citations = [], signature, ...rest } = part;
      const deltas: PartDelta[] = text === '' ? [] : [{ type: 'text', text }];
      for (const citation of citations) deltas.push({ type: 'citation', citation });
      if (signature !== undefined) deltas.push({ type: 'signature', signature });
      return { empty: { ...rest, text: '' }, deltas };
    }
    case 'thinking': {
      const { text, signature, encrypted, ...rest } = part;
      const deltas: PartDelta[] = text === '' ? [] : [{ type: 'thinking', text }];
      if (signature !== undefined) deltas.push({ type: 'signature', signature });
      if (encrypted !== undefined) deltas.push({ type: 'encrypted', encrypted });
      return { empty: { ...rest, text: '' }, deltas };
    }
    case 'refusal':
      return {
        empty: { ...part, text: '' },
        deltas: part.text === '' ? [] : [{ type: 'refusal', text: part.text }],
      };
    case 'tool-call':
      return {
        empty: { ...part, input: '' },
        deltas: part.input === '' ? [] : [{ type: 'input', text: part.input }],
      };
    case 'audio': {
      const { source, transcript, ...rest } = part;
      if (source.kind !== 'data') return { empty: part, deltas: [] };
      const delta: PartDelta = { type: 'audio', data: source.data };
      if (transcript !== undefined) delta.transcript = transcript;
      return { empty: { ...rest, source: { ...source, data: '' } }, deltas: [delta] };
    }
    default:
      return { empty: part, deltas: [] };
  }
}

/** Logprobs come in pieces too: their lists grow. */
function joinLogprobs(joined: JsonObject, more: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(more)) {
    const before = joined[key];
    if (!Array.isArray(value)) {
      if (value !== null || before === undefined) joined[key] = value;
    } else if (Array.isArray(before)) for (const each of value) before.push(each);
    else joined[key] = [...value];
  }
  return joined;
}
