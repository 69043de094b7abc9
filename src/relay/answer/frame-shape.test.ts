import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { samePassage } from '../../dialects/passage.ts';
import { chatDialects } from '../../dialects/registry.ts';
import { FrameShape } from './frame-shape.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const chat = (content: string, more = '') =>
  `data: {"id":"c","created":7,"choices":[{"index":0,"delta":{"content":${content}},"finish_reason":null}]${more}}\n\n`;
const response = (delta: string, number: string, padding: string) =>
  `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":${number},"item_id":"m","delta":${delta},"obfuscation":"${padding}"}\n\n`;
const message = (delta: string) =>
  `event: content_block_delta\r\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${delta}}}\r\n\r\n`;
const gemini = (text: string, counts: string) =>
  `data: {"candidates": [{"content": {"parts": [{"text": ${text}}],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": 4,"totalTokenCount": ${counts}}}\n\n`;

/** A question in every dialect at once. */
const ASKED = {
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'x' }],
  input: 'x',
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
};

/** What frames of a dialect produce, and a function that finds the shape of one. */
function reading(id: string) {
  const found = chatDialects.find(({ dialect }) => dialect.id === id);
  if (!found) throw new Error(`no dialect ${id}`);
  const request = found.dialect.readRequest(ASKED, {});
  const stream = samePassage(found.dialect).stream(request);
  const read = (frame: Uint8Array) => stream.produced(frame);
  const shapeOf = (frame: string) => FrameShape.of(bytes(frame), read(bytes(frame)), read);
  return { read, shapeOf };
}

const CASES: [string, (said: string) => string][] = [
  ['openai-chat', (said) => chat(said)],
  ['openai-chat', (said) => chat(said, `,"obfuscation":"${'x'.repeat(said.length % 5)}"`)],
  ['openai-responses', (said) => response(said, String(said.length), 'ab'.repeat(said.length % 4))],
  ['anthropic-messages', message],
  ['gemini', (said) => gemini(said, String(said.length * 3))],
];

/** As an upstream may spell it. */
const spelled = (text: string, ascii: boolean): string =>
  ascii
    ? JSON.stringify(text).replace(
        /[^\x20-\x7e]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : JSON.stringify(text);

describe('the shape of a frame', () => {
  it.each(CASES)('finds in every frame of %s what it says', (id, frame) => {
    const { read, shapeOf } = reading(id);
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        (first, text, ascii) => {
          const said = shapeOf(frame(spelled(first, ascii)))?.said(bytes(frame(spelled(text, ascii))));
          expect(
            JSON.parse(`"${new TextDecoder('utf-8', { ignoreBOM: true }).decode(said ?? undefined)}"`),
          ).toBe(text);
          expect(said).not.toBeNull();
          expect(read(bytes(frame(spelled(text, ascii)))).text).toBe(text);
        },
      ),
    );
  });

  it.each(CASES)('takes no frame of %s for what it is not, however it is changed', (id, frame) => {
    const { read, shapeOf } = reading(id);
    const shape = shapeOf(frame('"word"'));
    expect(shape).not.toBeNull();
    const change = fc.record({
      at: fc.nat(),
      cut: fc.nat(3),
      put: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.constantFrom('"', '\\', '\\u00', '}', '{', ',"text":"x"', '0', '-1', '\n', '\n\n', ':').map(bytes),
      ),
    });
    fc.assert(
      fc.property(
        fc.string({ maxLength: 6 }),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (text, changes) => {
          let changed: Uint8Array = bytes(frame(JSON.stringify(text)));
          for (const { at, cut, put } of changes) {
            const from = at % changed.length;
            changed = Buffer.concat([changed.subarray(0, from), put, changed.subarray(from + cut)]);
          }
          const said = shape?.said(changed);
          if (!said) return;
          // Whatever it finds must be just what reading the whole frame finds.
          expect(read(changed)).toMatchObject({
            text: JSON.parse(`"${Buffer.from(said).toString()}"`),
            toolCalls: 0,
          });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is none of a frame that begins a call of a tool, says nothing, or says it in two places', () => {
    const { shapeOf } = reading('openai-chat');
    const tool = (fn: string) =>
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,${fn}}]}}]}\n\n`;
    expect(shapeOf(chat('""'))).toBeNull();
    expect(shapeOf(tool('"id":"a","function":{"name":"f","arguments":""}'))).toBeNull();
    expect(shapeOf('data: {"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}\n\n')).toBeNull();
    const more = shapeOf(tool('"function":{"arguments":"{\\"a"}'));
    expect(more?.said(bytes(tool('"function":{"arguments":"\\":1}"}')))).toEqual(bytes('\\":1}'));
    expect(more?.said(bytes(chat('"a"')))).toBeNull();
  });

  it('takes no half of a character for text: behind the next half it would become another', () => {
    const { shapeOf } = reading('openai-chat');
    const whole = Buffer.from(chat('"é"'));
    const half = whole.filter((_, at) => at !== whole.indexOf('é') + 1);
    expect(shapeOf(chat('"a"'))?.said(whole)).toEqual(bytes('é'));
    expect(shapeOf(chat('"a"'))?.said(half)).toBeNull();
  });

  it('finds the text where a key, or an id, is spelled like it', () => {
    const { shapeOf } = reading('openai-chat');
    expect(shapeOf(chat('"content"'))?.said(bytes(chat('"c"')))).toEqual(bytes('c'));
    expect(shapeOf(chat('"c"'))?.said(bytes(chat('"content"')))).toEqual(bytes('content'));
  });
});
