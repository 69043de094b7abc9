/** Neutral events into a stream of Cohere's v2 chat. */
import type { JsonObject } from '../../core/json.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { wrapCustomInput } from '../custom-tools.ts';
import { compact } from '../fields.ts';
import type { Part, PartDelta, StopReason, StreamEvent } from '../neutral.ts';
import { writeCall, writeCitation } from './messages.ts';
import { writeStop } from './stops.ts';
import { writeUsage } from './usage.ts';

/** Contents and calls are numbered apart. */
interface Open {
  part: Part;
  index: number;
  text: string;
}

export const frame = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const said = (message: JsonObject): JsonObject => ({ delta: { message } });

export class CohereWriter implements StreamWriter {
  readonly #context: ReplyContext;
  readonly #open = new Map<number, Open>();
  #started = false;
  #contents = 0;
  #calls = 0;
  #citations = 0;
  #stop: StopReason = 'stop';
  #usage: Usage | null = null;

  constructor(context: ReplyContext) {
    this.#context = context;
  }

  write(event: StreamEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event.id);
      case 'part-start':
        return event.choice === 0 ? this.#start('') + this.#begin(event.index, event.part) : '';
      case 'part-delta':
        return this.#delta(event.index, event.delta);
      case 'part-end':
        return this.#finish(event.index);
      case 'stop':
        if (event.choice === 0) this.#stop = event.stop;
        return '';
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'error':
        return frame('message-end', { delta: { error: event.message, finish_reason: 'ERROR' } });
      case 'end':
        return this.#start('') + this.#end();
      case 'logprobs':
        return '';
    }
  }

  #start(id: string): string {
    if (this.#started) return '';
    this.#started = true;
    const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
    return frame('message-start', { id: id || this.#context.requestId, ...said(message) });
  }

  #begin(key: number, part: Part): string {
    const isCall = part.type === 'tool-call';
    if (!isCall && part.type !== 'text' && part.type !== 'refusal' && part.type !== 'thinking') return '';
    const open: Open = {
      part,
      index: isCall ? this.#calls++ : isPlan(part) ? 0 : this.#contents++,
      text: '',
    };
    this.#open.set(key, open);
    if (isCall) {
      return frame('tool-call-start', {
        index: open.index,
        ...said({ tool_calls: writeCall({ ...part, kind: 'function', input: '' }) }),
      });
    }
    if (isPlan(part)) return '';
    const content =
      part.type === 'thinking' ? { type: 'thinking', thinking: '' } : { type: 'text', text: '' };
    return frame('content-start', { index: open.index, ...said({ content }) });
  }

  #delta(key: number, delta: PartDelta): string {
    const open = this.#open.get(key);
    if (!open) return '';
    const { index, part } = open;
    switch (delta.type) {
      case 'text':
      case 'refusal':
        open.text += delta.text;
        return frame('content-delta', { index, ...said({ content: { text: delta.text } }) });
      case 'thinking':
        return isPlan(part)
          ? frame('tool-plan-delta', said({ tool_plan: delta.text }))
          : frame('content-delta', { index, ...said({ content: { thinking: delta.text } }) });
      case 'input':
        open.text += delta.text;
        return part.type === 'tool-call' && part.kind === 'custom' ? '' : input(index, delta.text);
      case 'citation': {
        const at = this.#citations++;
        const citations = writeCitation(delta.citation, open.text);
        return (
          frame('citation-start', { index: at, ...said({ citations }) }) +
          frame('citation-end', { index: at })
        );
      }
      default:
        return '';
    }
  }

  #finish(key: number): string {
    const open = this.#open.get(key);
    if (!open) return '';
    this.#open.delete(key);
    const { index, part, text } = open;
    if (isPlan(part)) return '';
    if (part.type !== 'tool-call') return frame('content-end', { index });
    const wrapped = part.kind === 'custom' ? input(index, JSON.stringify(wrapCustomInput(text))) : '';
    return wrapped + frame('tool-call-end', { index });
  }

  #end(): string {
    const delta = compact({
      finish_reason: writeStop(this.#stop),
      usage: writeUsage(this.#usage ?? noUsage()),
    });
    return frame('message-end', { delta });
  }
}

const isPlan = (part: Part): boolean => part.type === 'thinking' && part.extra?.tool_plan === true;

const input = (index: number, text: string): string =>
  text === ''
    ? ''
    : frame('tool-call-delta', { index, ...said({ tool_calls: { function: { arguments: text } } }) });
