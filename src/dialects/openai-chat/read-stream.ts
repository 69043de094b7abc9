/** Chat Completions chunks into events, whatever order and omissions their vendor allows itself. */
import { parseInner } from '../../core/inner-json.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { tooLarge } from '../../core/too-large.ts';
import { completionTokens, promptTokens, type Usage } from '../../core/usage.ts';
import type { StreamReader } from '../codec.ts';
import { compact, countOf, fieldsBut, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { Part, StreamEvent } from '../neutral.ts';
import { PartStream } from '../part-stream.ts';
import { readStop } from '../stop-words.ts';
import {
  chunkText,
  inputText,
  isCallers,
  readAnnotation,
  readAudio,
  readContent,
  readImage,
  reasoningText,
  shifted,
  thoughtSignature,
} from './read-parts.ts';
import { openaiChatStops } from './stops.ts';
import { detailText, proofOf } from './thinking-details.ts';
import { readUsage } from './usage.ts';

/** Reasons by which vendors say that they failed. */
const FAILURES = new Set(['error', 'network_error', 'insufficient_system_resource']);
const CHUNK_FIELDS = new Set([
  'id',
  'object',
  'created',
  'model',
  'service_tier',
  'choices',
  'usage',
  'obfuscation',
]);

/** What a choice has said so far. */
class ChoiceState {
  /** The reason that ends it; empty while it goes on. Told only at the end, since usage or more may follow it. */
  finish = '';
  callsTools = false;
  saidAnything = false;
  /** Reasoning came in the plain field: details only repeat it. */
  saidReasoning = false;
  /** Calls by the index that the vendor gives them, the running one for each. */
  readonly calls = new Map<number, Call>();
  /** The same calls by their ids. */
  readonly callsById = new Map<string, Call>();
  lastCall: Call | undefined;
  /** Characters of text in all parts, and in those before the open one. */
  textLength = 0;
  textBase = 0;
}

/** A call under way. It begins for others when its name is known. */
interface Call {
  key: number;
  id: string;
  name: string;
  /** All input so far. */
  input: string;
  /** Input that came before the name. */
  held: string;
  begun: boolean;
}

export class ChatStreamReader implements StreamReader {
  readonly #parts = new PartStream();
  readonly #choices = new Map<number, ChoiceState>();
  #usage: Usage | null = null;
  #nextKey = 0;
  #id = '';
  #started = false;
  #over = false;

  push(frame: Frame): StreamEvent[] {
    const data = frame.data.trim();
    if (this.#over || data === '') return [];
    if (data === '[DONE]') return this.#finish();
    const chunk = parseObject(data);
    if (chunk) return this.#read(chunk);
    return data.startsWith('{') ? this.#fail({ message: 'The upstream sent a chunk that is no JSON' }) : [];
  }

  end(): StreamEvent[] {
    if (this.#over) return [];
    const states = [...this.#choices.values()];
    if (states.length > 0 && states.every((state) => state.finish !== '')) return this.#finish();
    this.#over = true;
    return [...this.#choices.keys()].flatMap((choice) => this.#parts.close(choice));
  }

  #read(chunk: JsonObject): StreamEvent[] {
    const error = errorOf(chunk);
    if (error) return this.#fail(error);
    const choices = objectsOf(chunk.choices);
    const events: StreamEvent[] = [];
    // Azure begins with a chunk about the prompt's filters, which has neither id nor choices.
    if (!this.#started && (choices.length > 0 || textOf(chunk.id))) events.push(this.#start(chunk));
    for (const choice of choices) {
      for (const event of this.#choice(choice)) events.push(event);
      if (this.#over) return events;
    }
    events.push(...this.#count(chunk, choices));
    if (choices.some((choice) => FAILURES.has(textOf(choice.finish_reason) ?? ''))) {
      events.push(...this.#fail({ message: 'The upstream broke off its answer with an error' }));
    }
    return events;
  }

  #start(chunk: JsonObject): StreamEvent {
    this.#started = true;
    this.#id = textOf(chunk.id) ?? '';
    const extra = fieldsBut(chunk, CHUNK_FIELDS);
    return compact({
      type: 'start',
      dialect: 'openai-chat',
      id: this.#id,
      model: textOf(chunk.model) ?? '',
      created: countOf(chunk.created) ?? 0,
      usage: null,
      serviceTier: textOf(chunk.service_tier),
      extra: Object.keys(extra).length > 0 ? extra : undefined,
    });
  }

  /** Usage stands in the chunk, in a choice (Moonshot) or in a field of the vendor's own (Groq). */
  #count(chunk: JsonObject, choices: readonly JsonObject[]): StreamEvent[] {
    const usage =
      readUsage(chunk.usage) ??
      choices.map((choice) => readUsage(choice.usage)).find((found) => found !== null) ??
      readUsage(objectOf(chunk.x_groq)?.usage);
    if (!usage || (this.#usage && isSame(usage, this.#usage))) return [];
    this.#usage = usage;
    return [{ type: 'usage', usage }];
  }

  #choice(choice: JsonObject): StreamEvent[] {
    const index = countOf(choice.index) ?? 0;
    const state = this.#state(index);
    const events = this.#delta(index, state, this.#deltaOf(choice, state));
    const logprobs = objectOf(choice.logprobs);
    if (logprobs) events.push({ type: 'logprobs', choice: index, logprobs });
    const finish = textOf(choice.finish_reason);
    // Some servers write the word null while there is none.
    if (finish && finish !== 'null') state.finish = finish;
    return events;
  }

  /** Some servers send a message in the place of the delta; beside deltas it only repeats them. */
  #deltaOf(choice: JsonObject, state: ChoiceState): JsonObject {
    const delta = objectOf(choice.delta);
    if (delta) return delta;
    return state.saidAnything ? {} : (objectOf(choice.message) ?? {});
  }

  #delta(choice: number, state: ChoiceState, delta: JsonObject): StreamEvent[] {
    const events = [
      ...this.#thinking(choice, state, delta),
      ...this.#content(choice, state, delta.content),
      ...(typeof delta.refusal === 'string' ? this.#parts.refusal(choice, delta.refusal) : []),
      ...this.#citations(choice, state, delta.annotations),
      ...this.#audio(choice, delta.audio),
      ...objectsOf(delta.images).flatMap((image) => this.#whole(choice, readImage(image))),
      ...objectsOf(delta.tool_calls)
        .filter(isCallers)
        .flatMap((call) => this.#call(choice, state, call)),
    ];
    const legacy = objectOf(delta.function_call);
    if (legacy) events.push(...this.#call(choice, state, { index: 0, function: legacy }));
    if (events.length > 0) state.saidAnything = true;
    return events;
  }

  #thinking(choice: number, state: ChoiceState, delta: JsonObject): StreamEvent[] {
    const said = reasoningText(delta);
    if (said !== '') state.saidReasoning = true;
    const events = this.#parts.thinking(choice, said, { origin: 'openai-chat' });
    for (const detail of objectsOf(delta.reasoning_details)) {
      if (!state.saidReasoning) {
        events.push(...this.#parts.thinking(choice, detailText(detail), { origin: 'openai-chat' }));
      }
      const signature = proofOf(detail);
      if (signature === undefined) continue;
      const part: Part = { type: 'thinking', text: '', origin: 'openai-chat' };
      events.push(
        ...(typeof detail.data === 'string'
          ? this.#whole(choice, { ...part, signature })
          : this.#parts.piece(choice, 'thinking', part, { type: 'signature', signature })),
      );
    }
    return events;
  }

  /** Mistral's content may be a list, in which its reasoning stands too. */
  #content(choice: number, state: ChoiceState, content: unknown): StreamEvent[] {
    if (typeof content === 'string') return this.#text(choice, state, content);
    if (!Array.isArray(content)) return [];
    return content.flatMap((item: unknown): StreamEvent[] => {
      if (typeof item === 'string') return this.#text(choice, state, item);
      const piece = objectOf(item);
      if (piece?.type === 'thinking') {
        return this.#parts.thinking(choice, chunkText(piece), { origin: 'openai-chat' });
      }
      return readContent([item]).flatMap((part) =>
        part.type === 'text' ? this.#text(choice, state, part.text) : this.#whole(choice, part),
      );
    });
  }

  #text(choice: number, state: ChoiceState, text: string): StreamEvent[] {
    const events = this.#parts.text(choice, text);
    if (events.some((event) => event.type === 'part-start')) state.textBase = state.textLength;
    state.textLength += text.length;
    return events;
  }

  #citations(choice: number, state: ChoiceState, annotations: unknown): StreamEvent[] {
    return objectsOf(annotations).flatMap((annotation) => {
      const citation = shifted(readAnnotation(annotation), -state.textBase);
      return this.#parts.piece(choice, 'text', { type: 'text', text: '' }, { type: 'citation', citation });
    });
  }

  #audio(choice: number, said: unknown): StreamEvent[] {
    const audio = objectOf(said);
    if (!audio) return [];
    const { id, transcript, expiresAt } = readAudio(audio);
    const part = readAudio({});
    const delta = compact({ type: 'audio' as const, data: textOf(audio.data), transcript, id, expiresAt });
    return this.#parts.piece(choice, 'audio', part, delta);
  }

  #whole(choice: number, part: Part | undefined): StreamEvent[] {
    return part ? this.#parts.whole(choice, part) : [];
  }

  #call(choice: number, state: ChoiceState, said: JsonObject): StreamEvent[] {
    if (this.#over) return [];
    const custom = objectOf(said.custom);
    const body = custom ?? objectOf(said.function) ?? {};
    const id = textOf(said.id) ?? '';
    const name = textOf(body.name) ?? '';
    const input = custom ? (textOf(custom.input) ?? '') : inputText(body.arguments);
    const call = this.#callOf(state, countOf(said.index), { id, name, input });
    if (call.key >= limits.streamCalls) throw tooLarge('calls');
    state.callsTools = true;
    state.lastCall = call;
    call.name ||= name;
    call.input += input;
    call.held += input;
    const events: StreamEvent[] = [];
    if (!call.begun && call.name !== '') {
      call.begun = true;
      const { key } = call;
      events.push(
        ...this.#parts.tool(
          choice,
          key,
          compact({
            id: call.id || `call_${this.#id}_${choice}_${key}`,
            name: call.name,
            kind: custom ? 'custom' : 'function',
            signature: thoughtSignature(said),
          }),
        ),
      );
    }
    if (call.begun) {
      events.push(...this.#parts.toolInput(choice, call.key, call.held));
      call.held = '';
    }
    return events;
  }

  /** The call that a piece belongs to. An index is not always given, and not always another for another call. */
  #callOf(state: ChoiceState, given: number | undefined, piece: Pick<Call, 'id' | 'name' | 'input'>): Call {
    const { id, name } = piece;
    const known = given === undefined ? undefined : state.calls.get(given);
    const sameId = state.callsById.get(id);
    if (given === undefined) {
      // A piece without index and id goes on with the running call, unless it names a function.
      const running = sameId ?? (id === '' && name === '' ? state.lastCall : undefined);
      return running ?? this.#newCall(state, state.calls.size, id);
    }
    if (!known) return (name === '' ? sameId : undefined) ?? this.#newCall(state, given, id);
    if (isAnother(known, piece)) return sameId ?? this.#newCall(state, given, id);
    if (known.id === '' && id !== '') {
      known.id = id;
      state.callsById.set(id, known);
    }
    return known;
  }

  #newCall(state: ChoiceState, index: number, id: string): Call {
    const call: Call = { key: this.#nextKey++, id, name: '', input: '', held: '', begun: false };
    const before = state.calls.get(index);
    if (before) state.callsById.delete(before.id);
    state.calls.set(index, call);
    if (id !== '') state.callsById.set(id, call);
    return call;
  }

  #state(choice: number): ChoiceState {
    const known = this.#choices.get(choice);
    if (known) return known;
    const state = new ChoiceState();
    this.#choices.set(choice, state);
    return state;
  }

  /** The answer is complete. One that never said why it ended has simply ended. */
  #finish(): StreamEvent[] {
    this.#over = true;
    // An end without anything before it is no answer.
    if (!this.#started) return [];
    const events: StreamEvent[] = [];
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    for (const [choice, state] of choices) {
      events.push(...this.#parts.close(choice), {
        type: 'stop',
        choice,
        stop: readStop(openaiChatStops, state.finish || 'stop', state.callsTools),
        ...(state.finish && { rawStop: state.finish }),
      });
    }
    if (choices.length === 0) events.push({ type: 'stop', choice: 0, stop: 'stop' });
    events.push({ type: 'end' });
    return events;
  }

  #fail(error: { message: string; code?: string; kind?: string }): StreamEvent[] {
    this.#over = true;
    return [{ type: 'error', ...error }];
  }
}

/**
 * Whether a piece begins another call under the index of a known one, as servers do that number none: it names a
 * function and has another id, or has none but more input than a whole call can take.
 */
function isAnother(known: Call, { id, name, input }: Pick<Call, 'id' | 'name' | 'input'>): boolean {
  if (name === '') return false;
  if (id !== '') return known.id !== '' && id !== known.id;
  return input !== '' && parseInner(known.input) !== undefined;
}

/** The error that a chunk carries in the place of an answer. */
function errorOf(chunk: JsonObject): { message: string; code?: string; kind?: string } | null {
  const error =
    objectOf(chunk.error) ?? (chunk.object === 'error' || chunk.type === 'error' ? chunk : undefined);
  if (!error) return typeof chunk.error === 'string' && chunk.error !== '' ? { message: chunk.error } : null;
  const code = error.code;
  return compact({
    message: textOf(error.message) || 'The upstream broke off its answer with an error',
    code: typeof code === 'number' ? String(code) : textOf(code),
    kind: textOf(error.type),
  });
}

const isSame = (a: Usage, b: Usage): boolean =>
  promptTokens(a) === promptTokens(b) &&
  completionTokens(a) === completionTokens(b) &&
  (Object.keys(a) as (keyof Usage)[]).every((field) => a[field] === b[field]);
