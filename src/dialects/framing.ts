/**
 * Streams that are no event streams, framed as if they were: whoever reads or passes frames knows only one framing.
 * What comes in is cut by a splitter of its kind; a caller who wants another framing gets it from a joiner.
 */
import type { Usage } from '../core/usage.ts';
import { BedrockSplitter } from './bedrock-converse/splitter.ts';
import { FrameSplitter, parseFrame } from './frames.ts';
import { JsonSplitter } from './json-splitter.ts';
import { AroundStream, type FrameStep, type StreamPassage } from './passage.ts';

/** Cuts a body that arrives in pieces into frames of an event stream. */
export interface Splitter {
  /** Bytes of the frame that has not come whole yet. */
  readonly heldBytes: number;
  /** The frames that this piece completes. Throws what is too large for a frame beyond the bound. */
  push(chunk: Uint8Array): Uint8Array[];
  /** What the end of the stream completes. */
  end(): Uint8Array[];
}

/** The splitter for an answer of this content type. JSON is a stream where a stream was asked for. */
export function splitterFor(contentType: string): Splitter {
  if (contentType === SSE) return new SseSplitter();
  const type = typeOf(contentType);
  if (type === 'application/vnd.amazon.eventstream') return new BedrockSplitter();
  return type.endsWith('json') || type.endsWith('jsonl') ? new JsonSplitter() : new SseSplitter();
}

const SSE = 'text/event-stream';

const typeOf = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Whether an answer of this content type is one JSON value. */
export const isJson = (contentType: string): boolean => {
  const type = typeOf(contentType);
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json');
};

class SseSplitter extends FrameSplitter implements Splitter {
  end(): Uint8Array[] {
    const rest = this.rest();
    return rest ? [rest] : [];
  }
}

/** Says the frames of an event stream in the framing that a caller wants. */
export interface Joiner {
  readonly contentType: string;
  /** The bytes to be of a frame. */
  frame(frame: Uint8Array | string): string;
  /** What ends the body. */
  close(): string;
}

const encoder = new TextEncoder();
const bytesOf = (text: Uint8Array | string): Uint8Array =>
  typeof text === 'string' ? encoder.encode(text) : text;
const dataOf = (frame: Uint8Array | string): string => parseFrame(bytesOf(frame))?.data ?? '';

/** Gemini's streams without `alt=sse`: one JSON array. */
export function arrayJoiner(): Joiner {
  let head = '[';
  return {
    contentType: 'application/json',
    frame(frame) {
      const data = dataOf(frame);
      if (data === '') return '';
      const text = head + data;
      head = ',\r\n';
      return text;
    },
    close: () => (head === '[' ? '[]' : ']'),
  };
}

/** A stream's passage whose caller wants another framing than that of events. */
export class JoinedStream extends AroundStream {
  /** What is written for one frame of the upstream may be several of the caller's. */
  readonly #splitter = new FrameSplitter();

  constructor(
    inner: StreamPassage,
    readonly joiner: Joiner,
  ) {
    super(inner);
  }

  push(frame: Uint8Array): FrameStep {
    const step = this.inner.push(frame);
    return step.out === null ? step : { ...step, out: this.#join(step.out) || null };
  }

  ending(counted?: Usage | null): string {
    return this.#join(this.inner.ending(counted) ?? '') + this.joiner.close();
  }

  #join(frames: Uint8Array | string): string {
    return this.#splitter
      .push(bytesOf(frames))
      .map((frame) => this.joiner.frame(frame))
      .join('');
  }
}
