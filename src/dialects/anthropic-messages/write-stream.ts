/**
 * Neutral events into a stream of the Messages wire. Its blocks follow one another, so that a part which begins while
 * another is open waits until that one is complete; clients rely on it.
 */
import { innerObject } from '../../core/inner-json.ts';
import type { JsonObject } from '../../core/json.ts';
import { weightOf } from '../../core/json-weight.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { keptOf } from '../kept-parts.ts';
import type { Part, PartDelta, StreamEvent } from '../neutral.ts';
import { writeStop } from '../stop-words.ts';
import { writeCitation } from './citations.ts';
import { messageId } from './reply.ts';
import { messagesStops } from './stops.ts';
import { writeUsage } from './usage.ts';
import { writeBlocks } from './write-parts.ts';

type PartEvent = Extract<StreamEvent, { index: number }>;
type Stop = Extract<StreamEvent, { type: 'stop' }>;

/** The part that is being written. */
interface Open {
  part: number;
  content: Part;
  /** Its block, once that has begun: text and thinking wait for their first piece. */
  block?: number;
  /** What came of a tool's input so far: free text must be wrapped whole, JSON shows by itself when it is complete. */
  input: string;
  /** Thinking whose proof has been said. */
  proven: boolean;
}

const TO_CALLER = { forModel: null, own: false, objectIn: innerObject, drop: () => undefined };

export const frame = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

export class MessagesWriter implements StreamWriter {
  readonly #context: ReplyContext;
  #started = false;
  #blocks = 0;
  #open: Open | undefined;
  /** Events of parts that began while another was open. */
  #waiting: PartEvent[] = [];
  /** Bytes of these. */
  #waitingBytes = 0;
  #stop: Stop | undefined;
  #usage: Usage | null = null;

  /** `noCounts` is what stands for usage that nobody has told yet; clients of the wire expect numbers there. */
  constructor(
    context: ReplyContext,
    readonly noCounts: JsonObject = writeUsage(noUsage()),
  ) {
    this.#context = context;
  }

  get heldBytes(): number {
    const open = this.#open;
    return (open ? weightOf(open.content) + open.input.length : 0) + this.#waitingBytes;
  }

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        this.#usage = event.usage ?? this.#usage;
        return this.#start(event.id);
      case 'part-start':
      case 'part-delta':
      case 'part-end':
        // Answers beyond the first have no place here.
        return event.choice === 0 ? this.#start('') + this.#part(event) : '';
      case 'stop':
        if (event.choice === 0) this.#stop = event;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return frame('error', {
          error: { type: event.kind ?? 'api_error', message: event.message },
        });
      case 'end':
        return this.#end();
      case 'logprobs':
        return '';
    }
  }

  #start(id: string): string {
    if (this.#started) return '';
    this.#started = true;
    return frame('message_start', {
      message: {
        id: messageId(id, this.#context),
        type: 'message',
        role: 'assistant',
        model: this.#context.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: this.#usage ? writeUsage(this.#usage) : this.noCounts,
      },
    });
  }

  #part(event: PartEvent): string {
    const open = this.#open;
    if (!open) return event.type === 'part-start' ? this.#begin(event.index, event.part) : '';
    if (open.part === event.index) {
      if (event.type === 'part-delta') return this.#delta(open, event.delta);
      return event.type === 'part-end' ? this.#close() : '';
    }
    this.#waiting.push(event);
    if (event.type === 'part-start') this.#waitingBytes += weightOf(event.part);
    else if (event.type === 'part-delta') this.#waitingBytes += keptOf(event.delta);
    // A call whose arguments are whole has nothing more to say, though its own dialect ends it only with the answer.
    return open.content.type === 'tool-call' && open.content.kind === 'function' && innerObject(open.input)
      ? this.#close()
      : '';
  }

  #begin(part: number, content: Part): string {
    const open: Open = { part, content, input: '', proven: false };
    this.#open = open;
    return WAITS.has(content.type) ? '' : this.#startBlock(open);
  }

  /** What cannot be said here has no block, and is swallowed up to its end. */
  #startBlock(open: Open): string {
    const { content } = open;
    const block =
      WAITS.has(content.type) && content.type !== 'thinking'
        ? EMPTY_TEXT
        : writeBlocks([content], TO_CALLER)[0];
    if (!block) return '';
    open.block = this.#blocks++;
    open.proven = block.type === 'redacted_thinking';
    return frame('content_block_start', { index: open.block, content_block: startOf(block) });
  }

  #delta(open: Open, delta: PartDelta): string {
    if (delta.type === 'input') open.input += delta.text;
    if (delta.type === 'signature' || delta.type === 'encrypted') {
      const { type: _, ...proof } = delta;
      if (open.content.type === 'thinking') open.content = { ...open.content, ...proof };
      return '';
    }
    const written = writeDelta(open.content, delta);
    return written ? this.#piece(open, written) : '';
  }

  #piece(open: Open, delta: JsonObject): string {
    const start = open.block === undefined ? this.#startBlock(open) : '';
    if (open.block === undefined) return '';
    return start + frame('content_block_delta', { index: open.block, delta });
  }

  /** Ends the open block and goes on with what waited for it. */
  #close(): string {
    const open = this.#open;
    if (!open) return '';
    this.#open = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    let text = this.#prove(open);
    if (open.content.type === 'tool-call' && open.content.kind === 'custom') {
      const partial_json = JSON.stringify(wrapCustomInput(open.input));
      text += this.#piece(open, { type: 'input_json_delta', partial_json });
    }
    if (open.block !== undefined) text += frame('content_block_stop', { index: open.block });
    for (const event of waiting) text += this.#part(event);
    return text;
  }

  /** The proof of thinking, which comes after its text. Nothing but a proof may be a block of another kind. */
  #prove(open: Open): string {
    if (open.content.type !== 'thinking') return '';
    const [block] = writeBlocks([open.content], TO_CALLER);
    const signature = block?.signature ?? '';
    const start = open.block === undefined && (signature !== '' || block?.data) ? this.#startBlock(open) : '';
    // Who thinks without a proof is told to have none, as in a whole answer: clients drop thoughts that lack the word.
    if (open.block === undefined || open.proven || block?.type !== 'thinking') return start;
    return start + this.#piece(open, { type: 'signature_delta', signature });
  }

  #empty(): string {
    const index = this.#blocks++;
    return (
      frame('content_block_start', { index, content_block: EMPTY_TEXT }) +
      frame('content_block_stop', { index })
    );
  }

  #end(): string {
    let text = this.#start('');
    while (this.#open) text += this.#close();
    if (this.#blocks === 0) text += this.#empty();
    text += frame('message_delta', {
      delta: {
        stop_reason: writeStop(messagesStops, this.#stop?.stop ?? 'stop'),
        stop_sequence: this.#stop?.stopSequence ?? null,
      },
      usage: this.#usage ? writeUsage(this.#usage) : this.noCounts,
    });
    return text + frame('message_stop', {});
  }
}

const EMPTY_TEXT: JsonObject = { type: 'text', text: '' };

/** What begins with its first piece, so that an empty part leaves no block behind. */
const WAITS: ReadonlySet<Part['type']> = new Set(['text', 'thinking', 'refusal', 'audio']);

/** Blocks begin empty: arguments and proofs come in pieces. */
function startOf(block: JsonObject): JsonObject {
  if (block.type === 'thinking') return { ...block, signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function writeDelta(content: Part, delta: PartDelta): JsonObject | undefined {
  switch (delta.type) {
    case 'text':
    case 'refusal':
      return { type: 'text_delta', text: delta.text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: delta.text };
    case 'input':
      return content.type === 'tool-call' && content.kind === 'function' && delta.text !== ''
        ? { type: 'input_json_delta', partial_json: delta.text }
        : undefined;
    case 'citation':
      return { type: 'citations_delta', citation: writeCitation(delta.citation) };
    case 'audio':
      return delta.transcript ? { type: 'text_delta', text: delta.transcript } : undefined;
    default:
      return undefined;
  }
}
