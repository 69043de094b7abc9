/**
 * Events of a Responses stream into neutral ones. Items are known by their place in the output, because some servers
 * change their ids under way. What an event of completion says beyond the pieces before it is made up for, and events
 * that nobody knows yet say nothing that the finished item does not say again.
 */
import { type JsonObject, parseObject } from '../../core/json.ts';
import type { StreamReader } from '../codec.ts';
import { compact, countOf, objectOf, objectsOf, textOf } from '../fields.ts';
import type { Frame } from '../frames.ts';
import type { Part, PartDelta, StreamEvent, ThinkingPart, ToolCallPart } from '../neutral.ts';
import { readErrorEvent, typeOfEvent } from './errors.ts';
import {
  hasProof,
  itemFields,
  type Proof,
  readAnnotation,
  readCall,
  readOutputItem,
  readProof,
} from './read-parts.ts';
import { readEnd } from './reply.ts';
import { readUsage } from './usage.ts';

/** A piece of an item: a content, a summary, the input of a call. */
interface Content {
  /** The part as it begins; it begins with the first piece that is not empty. */
  part: Part;
  /** Its number once it has begun. */
  index?: number;
  /** What was said of it. */
  text: string;
  citations: number;
  isDone: boolean;
}

interface Item {
  said: JsonObject;
  type: string;
  /** Shared by the pieces of a message, to tell which stood together. */
  fields: JsonObject;
  contents: Map<string, Content>;
}

type Piece = 'text' | 'refusal' | 'thinking' | 'input';

export class ResponseStreamReader implements StreamReader {
  readonly #items = new Map<number, Item>();
  #parts = 0;
  #started = false;
  #saidAnything = false;
  #callsTools = false;
  #over = false;

  push(frame: Frame): StreamEvent[] {
    const event = parseObject(frame.data);
    if (!event || this.#over) return [];
    return this.#read(typeOfEvent(event, frame), event);
  }

  end(): StreamEvent[] {
    if (this.#over) return [];
    this.#over = true;
    return this.#closeAll();
  }

  #read(type: string, event: JsonObject): StreamEvent[] {
    switch (type) {
      case 'response.output_item.added':
        return this.#add(event);
      case 'response.output_item.done':
        return this.#done(event);
      case 'response.content_part.added':
        return this.#open(event);
      case 'response.content_part.done':
        return this.#close(event);
      case 'response.output_text.delta':
        return [...this.#piece(event, 'text', event.delta), ...readLogprobs(event)];
      case 'response.output_text.done':
        return this.#rest(event, 'text', event.text);
      case 'response.output_text.annotation.added':
        return this.#citation(this.#content(event, 'text'), objectOf(event.annotation));
      case 'response.refusal.delta':
        return this.#piece(event, 'refusal', event.delta);
      case 'response.refusal.done':
        return this.#rest(event, 'refusal', event.refusal);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#piece(event, 'thinking', event.delta);
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_text.done':
        return this.#rest(event, 'thinking', event.text);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#piece(event, 'input', event.delta);
      case 'response.function_call_arguments.done':
        return this.#rest(event, 'input', event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#rest(event, 'input', event.input);
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(objectOf(event.response) ?? {});
      case 'response.failed':
      case 'response.cancelled':
      case 'error':
        return this.#fail(event);
      default:
        return this.#start(objectOf(event.response));
    }
  }

  #start(response: JsonObject | undefined): StreamEvent[] {
    if (this.#started || !response) return [];
    this.#started = true;
    return [
      compact({
        type: 'start',
        dialect: 'openai-responses',
        id: textOf(response.id) ?? '',
        model: textOf(response.model) ?? '',
        created: countOf(response.created_at) ?? 0,
        usage: null,
        serviceTier: textOf(response.service_tier),
      }),
    ];
  }

  // ---- Items -----------------------------------------------------------------------------------------------------

  #add(event: JsonObject): StreamEvent[] {
    const said = objectOf(event.item) ?? {};
    const item = this.#newItem(this.#placeOf(event), said);
    return isCallItem(item.type) ? this.#begin(this.#input(item)) : [];
  }

  #newItem(place: number, said: JsonObject): Item {
    this.#saidAnything = true;
    const item: Item = { said, type: textOf(said.type) ?? '', fields: itemFields(said), contents: new Map() };
    this.#items.set(place, item);
    return item;
  }

  /** Servers that leave out places go on with the last item. */
  #placeOf(event: JsonObject): number {
    const place = countOf(event.output_index);
    if (place !== undefined) return place;
    return event.type === 'response.output_item.added' ? this.#items.size : Math.max(this.#items.size - 1, 0);
  }

  /** The item is whole: what was never said in pieces is said now. */
  #done(event: JsonObject): StreamEvent[] {
    const said = objectOf(event.item) ?? {};
    const place = this.#placeOf(event);
    const item = this.#items.get(place) ?? this.#newItem(place, said);
    return this.#complete(item, said);
  }

  #complete(item: Item, said: JsonObject): StreamEvent[] {
    item.said = said;
    switch (said.type) {
      case 'message':
        Object.assign(item.fields, itemFields(said));
        return objectsOf(said.content).flatMap((content, at) => this.#completeContent(item, content, at));
      case 'reasoning':
        return this.#completeReasoning(item, said);
      case 'function_call':
      case 'custom_tool_call': {
        const call = readCall(said);
        const content = this.#input(item);
        return [...this.#begin(content), ...this.#catchUp(content, call.input), ...this.#endOf(content)];
      }
      default:
        return readOutputItem(said).flatMap((part) => this.#whole(part));
    }
  }

  #completeContent(item: Item, said: JsonObject, at: number): StreamEvent[] {
    const content = this.#contentAt(item, `content/${at}`, said.type === 'refusal' ? 'refusal' : 'text');
    return [...this.#fillUp(content, said), ...this.#endOf(content)];
  }

  /** The proof of a reasoning item is final only when the item is; it goes with its last piece. */
  #completeReasoning(item: Item, said: JsonObject): StreamEvent[] {
    const events: StreamEvent[] = [];
    const pieces = [
      ...objectsOf(said.summary).map((piece, at) => [`summary/${at}`, piece] as const),
      ...objectsOf(said.content).map((piece, at) => [`content/${at}`, piece] as const),
    ];
    for (const [key, piece] of pieces) {
      const content = this.#contentAt(item, key, 'thinking');
      events.push(...this.#catchUp(content, textOf(piece.text) ?? ''));
    }
    const proof = readProof(said);
    const contents = [...item.contents.values()];
    const last = contents.findLast((content) => content.index !== undefined);
    if (last) events.push(...this.#prove(last, proof));
    else if (hasProof(proof)) events.push(...this.#whole({ type: 'thinking', text: '', ...proof }));
    for (const content of contents) events.push(...this.#endOf(content));
    return events;
  }

  #prove(content: Content, { encrypted, signature }: Proof): StreamEvent[] {
    return [
      ...(encrypted ? this.#tell(content, { type: 'encrypted', encrypted }) : []),
      ...(signature ? this.#tell(content, { type: 'signature', signature }) : []),
    ];
  }

  // ---- Contents --------------------------------------------------------------------------------------------------

  #open(event: JsonObject): StreamEvent[] {
    const said = objectOf(event.part) ?? {};
    const kind = said.type === 'refusal' ? 'refusal' : said.type === 'reasoning_text' ? 'thinking' : 'text';
    this.#content(event, kind);
    return [];
  }

  #close(event: JsonObject): StreamEvent[] {
    const said = objectOf(event.part) ?? {};
    if (said.type === 'reasoning_text') return [];
    const content = this.#content(event, said.type === 'refusal' ? 'refusal' : 'text');
    return [...this.#fillUp(content, said), ...this.#endOf(content)];
  }

  #piece(event: JsonObject, kind: Piece, delta: unknown): StreamEvent[] {
    return typeof delta === 'string' ? this.#say(this.#content(event, kind), delta) : [];
  }

  #rest(event: JsonObject, kind: Piece, whole: unknown): StreamEvent[] {
    return typeof whole === 'string' ? this.#catchUp(this.#content(event, kind), whole) : [];
  }

  /** The content that an event speaks of; made when it is the first to do so. */
  #content(event: JsonObject, kind: Piece): Content {
    const place = this.#placeOf(event);
    const item = this.#items.get(place) ?? this.#newItem(place, { type: ITEM_OF[kind], id: event.item_id });
    if (kind === 'input') return this.#input(item);
    const isSummary = event.summary_index !== undefined;
    const at = countOf(isSummary ? event.summary_index : event.content_index) ?? 0;
    return this.#contentAt(item, `${isSummary ? 'summary' : 'content'}/${at}`, kind);
  }

  #contentAt(item: Item, key: string, kind: Piece): Content {
    const known = item.contents.get(key);
    if (known) return known;
    const content: Content = { part: firstPart(item, key, kind), text: '', citations: 0, isDone: false };
    item.contents.set(key, content);
    return content;
  }

  #input(item: Item): Content {
    const known = item.contents.get('input');
    if (known) return known;
    const part: ToolCallPart = { ...readCall(item.said), input: '' };
    const content: Content = { part, text: '', citations: 0, isDone: false };
    item.contents.set('input', content);
    return content;
  }

  #begin(content: Content): StreamEvent[] {
    if (content.index !== undefined) return [];
    content.index = this.#parts++;
    this.#callsTools ||= content.part.type === 'tool-call';
    return [{ type: 'part-start', choice: 0, index: content.index, part: content.part }];
  }

  #say(content: Content, text: string): StreamEvent[] {
    if (text === '' || content.isDone) return [];
    content.text += text;
    const { type } = content.part;
    const kind = type === 'tool-call' ? 'input' : type === 'thinking' || type === 'refusal' ? type : 'text';
    return this.#tell(content, { type: kind, text });
  }

  #tell(content: Content, delta: PartDelta): StreamEvent[] {
    const begun = this.#begin(content);
    return [...begun, { type: 'part-delta', choice: 0, index: content.index ?? 0, delta }];
  }

  /** Says what of the whole was not said in pieces. */
  #catchUp(content: Content, whole: string): StreamEvent[] {
    return whole.startsWith(content.text) ? this.#say(content, whole.slice(content.text.length)) : [];
  }

  #fillUp(content: Content, said: JsonObject): StreamEvent[] {
    const missed = objectsOf(said.annotations).slice(content.citations);
    return [
      ...this.#catchUp(content, textOf(said.text) ?? textOf(said.refusal) ?? ''),
      ...missed.flatMap((annotation) => this.#citation(content, annotation)),
    ];
  }

  #citation(content: Content, annotation: JsonObject | undefined): StreamEvent[] {
    if (!annotation || content.part.type !== 'text' || content.isDone) return [];
    content.citations++;
    return this.#tell(content, { type: 'citation', citation: readAnnotation(annotation) });
  }

  #endOf(content: Content): StreamEvent[] {
    if (content.index === undefined || content.isDone) return [];
    content.isDone = true;
    return [{ type: 'part-end', choice: 0, index: content.index }];
  }

  #whole(part: Part): StreamEvent[] {
    const index = this.#parts++;
    return [
      { type: 'part-start', choice: 0, index, part },
      { type: 'part-end', choice: 0, index },
    ];
  }

  #closeAll(): StreamEvent[] {
    return [...this.#items.values()].flatMap((item) =>
      [...item.contents.values()].flatMap((content) => this.#endOf(content)),
    );
  }

  // ---- The response ----------------------------------------------------------------------------------------------

  /** A server that streams nothing but the finished response has said everything in it. */
  #finish(response: JsonObject): StreamEvent[] {
    const events = this.#start(response);
    if (!this.#saidAnything) {
      for (const [place, said] of objectsOf(response.output).entries()) {
        events.push(...this.#complete(this.#newItem(place, said), said));
      }
    }
    this.#over = true;
    const usage = readUsage(response.usage);
    const { stop, rawStop } = readEnd(response, this.#callsTools);
    return [
      ...events,
      ...this.#closeAll(),
      compact({ type: 'stop', choice: 0, stop: stop ?? 'stop', rawStop }),
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      { type: 'end' },
    ];
  }

  #fail(event: JsonObject): StreamEvent[] {
    this.#over = true;
    const usage = readUsage(objectOf(event.response)?.usage);
    const { message, code, type, status } = readErrorEvent(event);
    return [
      ...(usage ? [{ type: 'usage' as const, usage }] : []),
      compact({ type: 'error', message, code, kind: type, status }),
    ];
  }
}

const isCallItem = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call';

/** The item that must have been begun when a piece of it comes without. */
const ITEM_OF: Readonly<Record<Piece, string>> = {
  text: 'message',
  refusal: 'message',
  thinking: 'reasoning',
  input: 'function_call',
};

function firstPart(item: Item, key: string, kind: Piece): Part {
  if (kind === 'thinking') {
    const { encrypted: _e, signature: _s, ...proof } = readProof(item.said);
    const part: ThinkingPart = { type: 'thinking', text: '', ...proof, extra: { item: item.fields } };
    return key.startsWith('summary') ? { ...part, summary: true } : part;
  }
  return { type: kind === 'refusal' ? 'refusal' : 'text', text: '', extra: { item: item.fields } };
}

function readLogprobs(event: JsonObject): StreamEvent[] {
  const content = objectsOf(event.logprobs);
  return content.length > 0 ? [{ type: 'logprobs', choice: 0, logprobs: { content } }] : [];
}
