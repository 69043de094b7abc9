import { expect, it } from 'bun:test';
import { noUsage } from '../core/usage.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import type { ChatCodec } from './codec.ts';
import { ConvertingStream } from './converting-stream.ts';
import { geminiCodec } from './gemini/codec.ts';
import type { StreamEvent } from './neutral.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';

const KIB = 1024;
const FRAME = new TextEncoder().encode('data: {}\n\n');
const said = 'x'.repeat(KIB);

/** Thoughts, words and a call, each of a KiB, all at the same time. */
const OPEN: StreamEvent[] = [
  { type: 'start', id: 'a', model: 'm', created: 1, usage: null, dialect: 'gemini' },
  { type: 'part-start', choice: 0, index: 0, part: { type: 'thinking', text: '', origin: 'gemini' } },
  { type: 'part-start', choice: 0, index: 1, part: { type: 'text', text: '' } },
  {
    type: 'part-start',
    choice: 0,
    index: 2,
    part: { type: 'tool-call', id: 'c', name: 'f', input: '', kind: 'function' },
  },
  { type: 'part-delta', choice: 0, index: 0, delta: { type: 'thinking', text: said } },
  { type: 'part-delta', choice: 0, index: 1, delta: { type: 'text', text: said } },
  { type: 'part-delta', choice: 0, index: 2, delta: { type: 'input', text: `{"a":"${said}"}` } },
];
const PICTURE: StreamEvent[] = [
  {
    type: 'part-start',
    choice: 0,
    index: 3,
    part: { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'A'.repeat(64 * KIB) } },
  },
  { type: 'part-end', choice: 0, index: 3 },
];
const closed: StreamEvent[] = [0, 1, 2].map((index) => ({ type: 'part-end', choice: 0, index }));
const END: StreamEvent[] = [
  { type: 'usage', usage: noUsage() },
  { type: 'stop', choice: 0, stop: 'stop' },
  { type: 'end' },
];

// In KiB: of what is under way, of a picture that has gone out, and of parts that are whole.
const KEPT: [string, ChatCodec, [number, number, number]][] = [
  ['a chat, whose thoughts are proven at their end', openaiChatCodec, [1, 1, 0]],
  ['Responses, whose end repeats it all', openaiResponsesCodec, [3, 67, 67]],
  ['Gemini, whose calls are whole', geminiCodec, [2, 2, 0]],
  ['Messages, whose blocks follow one another', messagesCodec, [2, 66, 0]],
];

it.each(KEPT)('a stream that is written as %s tells what it keeps', (_, codec, kept) => {
  const pushed = [OPEN, PICTURE, closed, END];
  const reader = { push: () => pushed.shift() ?? [], end: () => [] };
  const writer = codec.streamWriter({
    model: 'm',
    createdSec: 1,
    requestId: 'r',
    request: { dialect: 'gemini', model: 'm', stream: true, messages: [], tools: [], extra: {} },
    wantsUsage: true,
  });
  const stream = new ConvertingStream(reader, writer, null);
  const inKib = kept.map(() => {
    stream.push(FRAME);
    return Math.floor(stream.heldBytes / KIB);
  });
  expect(inKib).toEqual(kept);
  stream.push(FRAME);
  // Its end is all that is left of it.
  expect(String(stream.ending()).includes(said)).toBe(codec === openaiResponsesCodec);
  expect(stream.heldBytes).toBe(0);
});
