/** Events as Chat Completions chunks. */
import type { JsonObject } from '../../core/json.ts';
import { weightOf } from '../../core/json-weight.ts';
import type { Usage } from '../../core/usage.ts';
import { addDelta } from '../accumulate.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { unwrapCustomInput } from '../custom-tools.ts';
import { compact } from '../fields.ts';
import { dataFrame } from '../frames.ts';
import { keptIn, keptOf } from '../kept-parts.ts';
import type { Part, PartDelta, StreamEvent, ToolCallPart } from '../neutral.ts';
import { writeStop } from '../stop-words.ts';
import { isOpenAi, writeId } from './reply.ts';
import { openaiChatStops } from './stops.ts';
import { writeDetail } from './thinking-details.ts';
import { writeUsage } from './usage.ts';
import { customTools, signatureOf, wantsFunctionCall, writeAnnotations, writeImage } from './write-parts.ts';

/** What a choice has said so far. */
class ChoiceState {
  calls = 0;
  thoughts = 0;
  thinkingLength = 0;
  textLength = 0;
}

/** An open part: what its later pieces need to know of it. */
interface Open {
  /** Grows only where the end needs it whole. */
  part: Part;
  /** Bytes of it. */
  kept: number;
  /** Running number of a call in its choice. */
  index: number;
  /** A custom tool that a model called as a function: its text can be taken out only when the input is whole. */
  wrapped: boolean;
  /** Whether a piece of its input has been said. */
  said: boolean;
  /** Place at which a text begins in the content, or a piece of thinking in all thinking. */
  start: number;
}

export class ChatStreamWriter implements StreamWriter {
  readonly #choices = new Map<number, ChoiceState>();
  readonly #open = new Map<number, Open>();
  readonly #custom: ReadonlySet<string>;
  readonly #legacy: boolean;
  /** Everything of a chunk before its choices, and after them. */
  #head = '';
  readonly #tail: string;
  #usage: Usage | null = null;

  constructor(readonly context: ReplyContext) {
    this.#custom = customTools(context.request);
    this.#legacy = wantsFunctionCall(context.request);
    this.#tail = context.wantsUsage ? ',"usage":null}' : '}';
  }

  get heldBytes(): number {
    return keptIn(this.#open);
  }

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        this.#begin(event);
        return '';
      case 'part-start':
        return this.#start(event.choice, event.index, event.part);
      case 'part-delta':
        return this.#piece(event.choice, event.index, event.delta);
      case 'part-end':
        return this.#end(event.choice, event.index);
      case 'logprobs':
        return this.#chunk(event.choice, {}, null, event.logprobs);
      case 'stop':
        return this.#stop(event.choice, writeStop(openaiChatStops, event.stop));
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return dataFrame(
          JSON.stringify({
            error: {
              message: event.message,
              type: event.kind ?? 'server_error',
              param: null,
              code: event.code ?? null,
            },
          }),
        );
      case 'end':
        return this.#finish();
    }
  }

  #begin({ id, created, serviceTier, dialect, extra }: Extract<StreamEvent, { type: 'start' }>): void {
    this.#head = JSON.stringify(
      compact({
        id: writeId(id, this.context),
        object: 'chat.completion.chunk',
        created: created || this.context.createdSec,
        model: this.context.model,
        service_tier: isOpenAi(dialect) ? serviceTier : undefined,
        ...(dialect === 'openai-chat' && extra),
      }),
    ).slice(0, -1);
  }

  #start(choice: number, index: number, part: Part): string {
    const role = this.#role(choice);
    const state = this.#state(choice);
    const open: Open = {
      part: { ...part },
      kept: weightOf(part),
      index: 0,
      wrapped: false,
      said: false,
      start: part.type === 'thinking' ? state.thinkingLength : state.textLength,
    };
    this.#open.set(index, open);
    if (part.type === 'tool-call') return role + this.#call(choice, part, open);
    if (part.type === 'image') {
      const image = writeImage(part);
      return role + (image ? this.#delta(choice, { images: [image] }) : '');
    }
    if (part.type === 'audio' && part.id !== undefined) {
      return role + this.#delta(choice, { audio: { id: part.id } });
    }
    return role;
  }

  /** The first piece of a call: who is called. A caller who speaks of functions has room for one call only. */
  #call(choice: number, part: ToolCallPart, open: Open): string {
    const { id, name } = part;
    open.index = this.#state(choice).calls++;
    open.wrapped = part.kind === 'function' && this.#custom.has(name);
    if (this.#legacy) {
      return open.index > 0 ? '' : this.#delta(choice, { function_call: { name, arguments: '' } });
    }
    const said: JsonObject =
      part.kind === 'custom' || open.wrapped
        ? { type: 'custom', custom: { name, input: '' } }
        : { type: 'function', function: { name, arguments: '' }, ...signatureOf(part) };
    return this.#delta(choice, { tool_calls: [{ index: open.index, id, ...said }] });
  }

  #piece(choice: number, index: number, delta: PartDelta): string {
    const open = this.#open.get(index);
    if (!open) return '';
    switch (delta.type) {
      case 'text':
        this.#state(choice).textLength += delta.text.length;
        return this.#delta(choice, { content: delta.text });
      case 'thinking':
        this.#state(choice).thinkingLength += delta.text.length;
        keep(open, delta);
        return this.#delta(choice, { reasoning_content: delta.text });
      case 'refusal':
        return this.#delta(choice, { refusal: delta.text });
      case 'input':
        if (!open.wrapped) return this.#input(choice, open, delta.text);
        keep(open, delta);
        return '';
      case 'audio': {
        const { type: _type, expiresAt, ...audio } = delta;
        return this.#delta(choice, { audio: compact({ ...audio, expires_at: expiresAt }) });
      }
      default:
        keep(open, delta);
        return '';
    }
  }

  #input(choice: number, open: Open, text: string): string {
    open.said = true;
    if (this.#legacy)
      return open.index > 0 ? '' : this.#delta(choice, { function_call: { arguments: text } });
    const custom = open.wrapped || (open.part.type === 'tool-call' && open.part.kind === 'custom');
    const said = custom ? { custom: { input: text } } : { function: { arguments: text } };
    return this.#delta(choice, { tool_calls: [{ index: open.index, ...said }] });
  }

  /** What could be told only of the whole part: citations with their place, the proof of thinking, unwrapped input. */
  #end(choice: number, index: number): string {
    const open = this.#open.get(index);
    if (!open) return '';
    this.#open.delete(index);
    const { part } = open;
    const state = this.#state(choice);
    switch (part.type) {
      case 'text': {
        const annotations = writeAnnotations(part.citations ?? [], open.start, state.textLength);
        return annotations.length > 0 ? this.#delta(choice, { annotations }) : '';
      }
      case 'thinking': {
        const detail = writeDetail(part, state.thoughts++, open.start);
        return detail ? this.#delta(choice, { reasoning_details: [detail] }) : '';
      }
      case 'tool-call':
        if (open.wrapped) return this.#input(choice, open, unwrapCustomInput(part.input));
        return open.said || part.kind === 'custom' ? '' : this.#input(choice, open, '{}');
      default:
        return '';
    }
  }

  #stop(choice: number, word: string): string {
    const reason = this.#legacy && word === 'tool_calls' ? 'function_call' : word;
    return this.#role(choice) + this.#chunk(choice, {}, reason);
  }

  #finish(): string {
    const { wantsUsage, toldUnasked } = this.context;
    if (!this.#usage || !(wantsUsage || toldUnasked)) return '';
    // Who did not ask for it may look at the first choice of each chunk, as Mistral's clients do.
    const choices = wantsUsage ? [] : [{ index: 0, delta: {}, finish_reason: null }];
    const usage = JSON.stringify(writeUsage(this.#usage));
    return dataFrame(`${this.#headOf()},"choices":${JSON.stringify(choices)},"usage":${usage}}`);
  }

  /** The chunk that opens a choice; nothing once it is open. */
  #role(choice: number): string {
    if (this.#choices.has(choice)) return '';
    this.#choices.set(choice, new ChoiceState());
    return this.#delta(choice, { role: 'assistant', content: '', refusal: null });
  }

  #delta(choice: number, delta: JsonObject): string {
    return this.#chunk(choice, delta, null);
  }

  #chunk(
    choice: number,
    delta: JsonObject,
    finish: string | null,
    logprobs: JsonObject | null = null,
  ): string {
    const said = JSON.stringify({ index: choice, delta, logprobs, finish_reason: finish });
    return dataFrame(`${this.#headOf()},"choices":[${said}]${this.#tail}`);
  }

  /** Readers begin with a start; a stream that lacks it still gets an id. */
  #headOf(): string {
    if (this.#head === '') this.#begin({ type: 'start', id: '', model: '', created: 0, usage: null });
    return this.#head;
  }

  #state(choice: number): ChoiceState {
    const known = this.#choices.get(choice);
    if (known) return known;
    const state = new ChoiceState();
    this.#choices.set(choice, state);
    return state;
  }
}

function keep(open: Open, delta: PartDelta): void {
  addDelta(open.part, delta);
  open.kept += keptOf(delta);
}
