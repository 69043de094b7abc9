/**
 * Events as those of a Responses stream: a response of items, items of contents, each added, filled and done. Every
 * item gets its place in order of first appearance; several may be open at once.
 */
import { CallersMap } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import { weightOf } from '../../core/json-weight.ts';
import type { Usage } from '../../core/usage.ts';
import { addDelta } from '../accumulate.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { unwrapCustomInput } from '../custom-tools.ts';
import { objectsOf, textOf } from '../fields.ts';
import { keptOf } from '../kept-parts.ts';
import type {
  Part,
  PartDelta,
  RefusalPart,
  StopReason,
  StreamEvent,
  TextPart,
  ThinkingPart,
  ToolCallPart,
} from '../neutral.ts';
import { customTools } from '../openai-chat/write-parts.ts';
import { withToolsOpened } from '../opened-tools.ts';
import { writeStop } from '../stop-words.ts';
import { type Answer, closedResponse, openResponse } from './response-object.ts';
import { responsesStops } from './stops.ts';
import {
  isRawReasoning,
  MADE_REASONING_ID,
  messageFields,
  sameReasoning,
  writeCall,
  writeDrawing,
  writeReasoning,
  writeSpoken,
} from './write-parts.ts';

/** An item of the output, with what came of its contents. */
interface Item {
  place: number;
  id: string;
  contents: Content[];
  open: number;
  isDone: boolean;
}

/** A part within its item. */
interface Content {
  item: Item;
  part: Part;
  /** Its number among the contents, or the summaries, of its item. */
  index: number;
  /** A custom tool that a model called as a function: its text can be taken out only when the input is whole. */
  wrapped: boolean;
  /** Logprobs of a text, which come behind the pieces that they speak of. */
  logprobs: JsonObject[];
}

export class ResponseStreamWriter implements StreamWriter {
  readonly #custom: ReadonlySet<string>;
  readonly #called = new CallersMap<{ name: string; namespace: string }>();
  readonly #open = new Map<number, Content>();
  readonly #output: JsonObject[] = [];
  /** Of all parts that came: the end repeats them. */
  #heldBytes = 0;
  #response: JsonObject = {};
  #answer: Answer = { id: '', created: 0 };
  #started = false;
  #sequence = 0;
  /** The item that the next part may join: the last message or the last reasoning. */
  #joinable: Item | null = null;
  #places = 0;
  #usage: Usage | null = null;
  #stop: StopReason | null = null;

  constructor(readonly context: ReplyContext) {
    // As they were told to who answers.
    const request = withToolsOpened(context.request);
    this.#custom = customTools(request);
    for (const tool of request.tools) {
      if ('name' in tool && tool.holder?.called) this.#called.set(tool.name, tool.holder.called);
    }
  }

  /** The response as it stands; whole after the end. */
  get response(): JsonObject {
    return this.#response;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Only the first answer has a place on this wire. */
  write(event: StreamEvent): string {
    if ('choice' in event && event.choice !== 0) return '';
    switch (event.type) {
      case 'start':
        this.#usage = event.usage;
        this.#answer = event;
        return this.#start();
      case 'part-start':
        this.#heldBytes += weightOf(event.part);
        return this.#start() + this.#begin(event.index, { ...event.part });
      case 'part-delta': {
        const content = this.#open.get(event.index);
        return content ? this.#piece(content, event.delta) : '';
      }
      case 'part-end':
        return this.#end(event.index);
      case 'logprobs':
        this.#heldBytes += weightOf(event.logprobs);
        for (const { part, logprobs } of this.#open.values()) {
          if (part.type === 'text') logprobs.push(...objectsOf(event.logprobs.content));
        }
        return '';
      case 'stop':
        this.#stop = event.stop;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return this.#start() + this.#fail(event.message, event.code ?? null, event.kind ?? 'server_error');
      case 'end':
        return this.#start() + this.#finish();
    }
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const response = openResponse(this.#answer, this.context);
    this.#response = response;
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  // ---- Parts -----------------------------------------------------------------------------------------------------

  #begin(index: number, part: Part): string {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return this.#beginSpoken(index, part);
      case 'audio':
        // What was said stands for the sound, which has no place here.
        return this.#beginSpoken(index, { type: 'text', text: '' });
      case 'thinking':
        return this.#beginThinking(index, part);
      case 'tool-call':
        return this.#beginCall(index, part);
      case 'image':
        return this.#whole('ig', (id) => writeDrawing(part, id));
      case 'raw':
        return this.#whole('item', () => (part.dialect === 'openai-responses' ? part.value : undefined));
      default:
        return '';
    }
  }

  #beginSpoken(index: number, part: TextPart | RefusalPart): string {
    const fields = messageFields(part);
    let text = '';
    let item = this.#joins((said) => isSpoken(said) && messageFields(said) === fields);
    if (!item) {
      text = this.#closeJoinable();
      item = this.#joinable = this.#newItem('msg', textOf(fields?.id));
      const begun = { type: 'message', id: item.id, status: 'in_progress', role: 'assistant', content: [] };
      text += this.#added(item, { ...fields, ...begun });
    }
    const content = this.#openContent(index, item, part);
    const said = { ...contentPlace(content), part: writeSpoken(part, []) };
    return text + this.#event('response.content_part.added', said);
  }

  #beginThinking(index: number, part: ThinkingPart): string {
    let text = '';
    let item = this.#joins((said) => said.type === 'thinking' && sameReasoning(said, part));
    if (!item) {
      text = this.#closeJoinable();
      item = this.#joinable = this.#newItem('rs', part.origin === 'openai-responses' ? part.id : undefined);
      text += this.#added(item, { type: 'reasoning', id: item.id, summary: [] });
    }
    this.#openContent(index, item, part);
    return text;
  }

  #beginCall(index: number, given: ToolCallPart): string {
    const text = this.#closeJoinable();
    const wrapped = given.kind === 'function' && this.#custom.has(given.name);
    const part: ToolCallPart = { ...given, input: '' };
    const begun = wrapped ? { ...part, kind: 'custom' as const } : part;
    const item = this.#newItem(begun.kind === 'custom' ? 'ctc' : 'fc', given.itemId);
    this.#openContent(index, item, part).wrapped = wrapped;
    // Clients put the pieces that come behind what the item begins with.
    const nothing = begun.kind === 'custom' ? {} : { arguments: '' };
    return text + this.#added(item, { ...this.#call(begun, item.id, 'in_progress'), ...nothing });
  }

  #piece(content: Content, delta: PartDelta): string {
    const { part } = content;
    if (delta.type === 'audio') {
      return delta.transcript === undefined
        ? ''
        : this.#piece(content, { type: 'text', text: delta.transcript });
    }
    const isFirst = part.type === 'thinking' && part.text === '';
    addDelta(part, delta);
    this.#heldBytes += keptOf(delta);
    switch (delta.type) {
      case 'text': {
        const said = { ...contentPlace(content), delta: delta.text, logprobs: [] };
        return this.#event('response.output_text.delta', said);
      }
      case 'refusal':
        return this.#event('response.refusal.delta', { ...contentPlace(content), delta: delta.text });
      case 'thinking':
        if (part.type !== 'thinking') return '';
        return (
          (isFirst ? this.#firstThought(content, part) : '') +
          this.#thought(content, part, 'delta', { delta: delta.text })
        );
      case 'input':
        return content.wrapped ? '' : this.#input(content, 'delta', { delta: delta.text });
      case 'citation':
        // One without offsets speaks of the whole text, whose length is known at its end.
        return delta.citation.start === undefined ? '' : this.#annotations(content, 'last');
      default:
        // Proofs stand in the item when it is done.
        return '';
    }
  }

  /** Tells the annotations of a text: those with offsets at once, one by one, the others when it is whole. */
  #annotations(content: Content, which: 'last' | 'without offsets'): string {
    const { part } = content;
    if (part.type !== 'text') return '';
    const written = objectsOf(writeSpoken(part, []).annotations);
    const told = (part.citations ?? []).some(({ start }) => start !== undefined);
    if (which === 'without offsets' && told) return '';
    return written
      .map((annotation, annotation_index) => ({ annotation_index, annotation }))
      .slice(which === 'last' ? -1 : 0)
      .map((said) =>
        this.#event('response.output_text.annotation.added', { ...contentPlace(content), ...said }),
      )
      .join('');
  }

  /** A thought begins with its first words: an item that holds only a proof has none. */
  #firstThought(content: Content, part: ThinkingPart): string {
    const isRaw = isRawReasoning(part);
    content.index = content.item.contents.filter(
      ({ part: said }) =>
        said !== part && said.type === 'thinking' && said.text !== '' && isRawReasoning(said) === isRaw,
    ).length;
    if (isRaw) {
      const said = { ...contentPlace(content), part: { type: 'reasoning_text', text: '' } };
      return this.#event('response.content_part.added', said);
    }
    return this.#event('response.reasoning_summary_part.added', {
      ...summaryPlace(content),
      part: { type: 'summary_text', text: '' },
    });
  }

  #thought(content: Content, part: ThinkingPart, what: 'delta' | 'done', said: JsonObject): string {
    return isRawReasoning(part)
      ? this.#event(`response.reasoning_text.${what}`, { ...contentPlace(content), ...said })
      : this.#event(`response.reasoning_summary_text.${what}`, { ...summaryPlace(content), ...said });
  }

  #input({ item, part, wrapped }: Content, what: 'delta' | 'done', said: JsonObject): string {
    const custom = wrapped || (part.type === 'tool-call' && part.kind === 'custom');
    const event = custom ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    return this.#event(`${event}.${what}`, { item_id: item.id, output_index: item.place, ...said });
  }

  #end(index: number): string {
    const content = this.#open.get(index);
    if (!content) return '';
    this.#open.delete(index);
    content.item.open--;
    return this.#endContent(content) + this.#closeIfLeft(content.item);
  }

  #endContent(content: Content): string {
    const { part } = content;
    const place = contentPlace(content);
    switch (part.type) {
      case 'text': {
        const { text } = part;
        const { logprobs } = content;
        return (
          this.#annotations(content, 'without offsets') +
          this.#event('response.output_text.done', { ...place, text, logprobs }) +
          this.#event('response.content_part.done', { ...place, part: writeSpoken(part, logprobs) })
        );
      }
      case 'refusal':
        return (
          this.#event('response.refusal.done', { ...place, refusal: part.text }) +
          this.#event('response.content_part.done', { ...place, part: writeSpoken(part, []) })
        );
      case 'thinking':
        return this.#endThought(content, part);
      case 'tool-call':
        return this.#endCall(content, part);
      default:
        return '';
    }
  }

  #endThought(content: Content, part: ThinkingPart): string {
    const { text } = part;
    if (text === '') return '';
    const done = this.#thought(content, part, 'done', { text });
    if (isRawReasoning(part)) {
      const whole = { ...contentPlace(content), part: { type: 'reasoning_text', text } };
      return done + this.#event('response.content_part.done', whole);
    }
    const said = { ...summaryPlace(content), part: { type: 'summary_text', text } };
    return done + this.#event('response.reasoning_summary_part.done', said);
  }

  /** Input that could not be told in pieces is told in one. */
  #endCall(content: Content, part: ToolCallPart): string {
    const { item, wrapped } = content;
    const whole: ToolCallPart = wrapped
      ? { ...part, kind: 'custom', input: unwrapCustomInput(part.input) }
      : part;
    let text = '';
    if (wrapped || (whole.kind === 'function' && whole.input === '')) {
      whole.input ||= wrapped ? '' : '{}';
      text += this.#input(content, 'delta', { delta: whole.input });
    }
    const { input } = whole;
    const done = this.#call(whole, item.id, 'completed');
    const { name } = done;
    text += this.#input(content, 'done', whole.kind === 'custom' ? { input } : { name, arguments: input });
    return text + this.#done(item, done);
  }

  /** By the name that its caller has for the tool, in its namespace. */
  #call(part: ToolCallPart, id: string, status: string): JsonObject {
    return { ...writeCall(part, id, status), ...this.#called.get(part.name) };
  }

  // ---- Items -----------------------------------------------------------------------------------------------------

  #newItem(head: string, given?: string): Item {
    const place = this.#places++;
    const { requestId } = this.context;
    const made = head === 'rs' ? `${MADE_REASONING_ID}${requestId}` : `${head}_${requestId}`;
    return { place, id: given ?? `${made}_${place}`, contents: [], open: 0, isDone: false };
  }

  #openContent(index: number, item: Item, part: Part): Content {
    const content: Content = { item, part, index: item.contents.length, wrapped: false, logprobs: [] };
    item.contents.push(content);
    item.open++;
    this.#open.set(index, content);
    return content;
  }

  /** The item under way when a part fits to what it holds. */
  #joins(fits: (said: Part) => boolean): Item | null {
    const [first] = this.#joinable?.contents ?? [];
    return first && fits(first.part) ? this.#joinable : null;
  }

  #added(item: Item, said: JsonObject): string {
    return this.#event('response.output_item.added', { output_index: item.place, item: said });
  }

  #done(item: Item, said: JsonObject): string {
    item.isDone = true;
    this.#output[item.place] = said;
    return this.#event('response.output_item.done', { output_index: item.place, item: said });
  }

  /** An item that comes at once; nothing when it has no form here. */
  #whole(head: string, write: (id: string) => JsonObject | undefined): string {
    const item = this.#newItem(head);
    const said = write(item.id);
    if (said) return this.#closeJoinable() + this.#added(item, said) + this.#done(item, said);
    this.#places--;
    return '';
  }

  /** No part joins the item any more: it is done, or will be when its last open part ends. */
  #closeJoinable(): string {
    const item = this.#joinable;
    this.#joinable = null;
    return item ? this.#closeIfLeft(item) : '';
  }

  #closeIfLeft(item: Item): string {
    if (item === this.#joinable || item.open > 0 || item.isDone) return '';
    return this.#done(item, this.#itemOf(item));
  }

  #itemOf({ id, contents }: Item): JsonObject {
    const thoughts = contents.flatMap(({ part }) => (part.type === 'thinking' ? [part] : []));
    if (thoughts.length > 0) return writeReasoning(thoughts, id);
    const [first] = contents;
    const isWhole = this.#stop === null || writeStop(responsesStops, this.#stop) === 'completed';
    return {
      ...(first && messageFields(first.part)),
      type: 'message',
      id,
      status: isWhole ? 'completed' : 'incomplete',
      role: 'assistant',
      content: contents.map(({ part, logprobs }) => writeSpoken(part, logprobs)),
    };
  }

  // ---- The response ----------------------------------------------------------------------------------------------

  #finish(): string {
    let text = '';
    for (const index of [...this.#open.keys()]) text += this.#end(index);
    text += this.#closeJoinable();
    const response = closedResponse(this.#response, this.#output, this.#stop, this.#usage);
    this.#response = response;
    return text + this.#event(`response.${response.status}`, { response });
  }

  #fail(message: string, code: string | null, type: string): string {
    const failed = { status: 'failed', error: { code: code ?? 'server_error', message } };
    const response = { ...this.#response, ...failed };
    this.#response = response;
    const error = { type, code, message, param: null };
    // The service puts the error into an object of its own, its documents beside the type: clients look for either.
    return (
      this.#event('error', { code, message, param: null, error }) +
      this.#event('response.failed', { response })
    );
  }

  #event(type: string, fields: JsonObject): string {
    return eventFrame({ type, sequence_number: this.#sequence++, ...fields });
  }
}

/** A frame of this wire, which says the type of its event twice. */
export const eventFrame = (event: JsonObject & { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const isSpoken = (part: Part): boolean => part.type === 'text' || part.type === 'refusal';

const itemPlace = ({ item }: Content) => ({ item_id: item.id, output_index: item.place });
const contentPlace = (content: Content) => ({ ...itemPlace(content), content_index: content.index });
const summaryPlace = (content: Content) => ({ ...itemPlace(content), summary_index: content.index });
