/**
 * Streams that are no event streams, framed as if they were: whoever reads or passes frames knows only one framing.
 * What comes in is cut by a splitter of its kind; a caller who wants another framing gets it from a joiner.
 */
import { BedrockSplitter } from './bedrock-converse/splitter.ts';
import { FrameSplitter, parseFrame } from './frames.ts';
import { JsonSplitter } from './json-splitter.ts';

/** Cuts a body that arrives in pieces into frames of an event stream. */
export interface Splitter {
  /** The frames that this piece completes. Throws `upstream_error` for a frame beyond the bound. */
  push(chunk: Uint8Array): Uint8Array[];
  /** What the end of the stream completes. */
  end(): Uint8Array[];
}

/** The splitter for an answer of this content type. JSON is a stream where a stream was asked for. */
export function splitterFor(contentType: string): Splitter {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'application/vnd.amazon.eventstream') return new BedrockSplitter();
  return type.endsWith('json') || type.endsWith('jsonl') ? new JsonSplitter() : new SseSplitter();
}

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
const dataOf = (frame: Uint8Array | string): string =>
  parseFrame(typeof frame === 'string' ? encoder.encode(frame) : frame)?.data ?? '';

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

/** One JSON value a line, as Ollama streams. */
export const lineJoiner = (): Joiner => ({
  contentType: 'application/x-ndjson',
  frame(frame) {
    const data = dataOf(frame);
    return data === '' ? '' : `${data}\n`;
  },
  close: () => '',
});
