import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { textOf } from '../../../tests/dialects/bytes.ts';
import { secondsOf } from '../../../tests/support/sound.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { FrameSplitter } from '../frames.ts';
import { samePassage } from '../passage.ts';
import { openaiChat } from './dialect.ts';

const user = (content: unknown): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content } as JsonObject],
});
const read = (body: JsonObject) => openaiChat.readRequest(body, {});

const fileIn = (part: JsonObject) =>
  openaiChat.readRequest({ model: 'm', messages: [{ role: 'user', content: [part] }] }, {}).prompt;

describe('a file', () => {
  it.each<[JsonObject, boolean]>([
    [{ type: 'file', file: { file_id: 'file-1' } }, true],
    [{ type: 'file', file: { id: 'file-1', filename: 'a.pdf' } }, true],
    [{ type: 'document_url', document_url: 'https://a.b/c.pdf' }, true],
    [{ type: 'video_url', video_url: { url: ' gs://a/b' } }, true],
    [{ type: 'input_audio', input_audio: { url: 'x' } }, true],
    [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }, false],
    [{ type: 'thinking', thinking: 'so: this' }, false],
  ])('%j has a size that only the upstream knows: %p', (part, unseen) => {
    expect(fileIn(part).unseen ?? false).toBe(unseen);
  });

  it('of text counts as text', () => {
    const prompt = fileIn({
      type: 'file',
      file: { file_data: `data:text/plain;base64,${'QUJD'.repeat(1000)}` },
    });
    expect(prompt.textBytes).toBe(3000);
    expect(prompt.fileBytes).toBe(0);
  });
});

describe('a request', () => {
  it('is measured by the bytes of everything that the model reads, but for roles', () => {
    const { prompt } = read({
      model: 'm',
      messages: [
        { role: 'system', content: '汉' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c' }], reasoning_content: 'why' },
        { role: 'user', name: 'bob', content: [{ type: 'text', text: 'abc' }, 'de'] },
      ],
      tools: [{ type: 'function' }],
    });
    const bytes = '汉[{"id":"c"}]whybobabcde';
    expect(prompt.textBytes).toBe(Buffer.byteLength(bytes));
    expect(prompt.messages).toBe(3);
    expect(prompt.tools?.bytes).toBe('[{"type":"function"}]'.length);
    expect(openaiChat.promptTexts(user('hi'))).toEqual(['user', 'hi']);
  });

  it('is measured by its pictures, sounds and files', () => {
    const png = Buffer.alloc(45);
    png.writeUInt32BE(0x89504e47, 0);
    png.writeUInt32BE(13, 8);
    png.write('IHDR', 12);
    png.writeUInt32BE(640, 16);
    png.writeUInt32BE(480, 20);
    png.write('IDAT', 37);
    const { prompt } = read(
      user([
        {
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${png.toString('base64')}`, detail: 'low' },
        },
        { type: 'image_url', image_url: 'https://example.com/x.png' },
        { type: 'input_audio', input_audio: { data: secondsOf(1.5).toString('base64'), format: 'wav' } },
        { type: 'file', file: { file_data: 'x'.repeat(500) } },
      ]),
    );
    expect(prompt.images).toEqual([{ detail: 'low', width: 640, height: 480 }, { detail: 'auto' }]);
    expect(prompt.audioSeconds).toBeCloseTo(1.5);
    expect(prompt).toMatchObject({ files: 1, fileBytes: 375, unsized: true });
  });

  it('has the larger of its two caps', () => {
    expect(read({ ...user('hi'), max_tokens: 5, max_completion_tokens: 9 }).outputCap).toBe(9);
    expect(read({ ...user('hi'), max_tokens: 5 }).outputCap).toBe(5);
    expect(read(user('hi')).outputCap).toBeNull();
  });

  it.each(['max_tokens', 'max_completion_tokens'] as const)('is limited with its thoughts by %s', (limit) => {
    const body = { ...user('hi'), max_completion_tokens: 9 };
    expect(openaiChat.withThoughtLimit?.(body, 512, limit)).toEqual({ ...user('hi'), [limit]: 521 });
  });

  it('goes on as it is, but for the model and the wish for usage', () => {
    const body = { ...user('hi'), x: { y: 1 }, stream: true, stream_options: { z: 1 } };
    const set = { model: 'up', stream: true, askUsage: true };
    expect(openaiChat.forward(body, set)).toEqual({
      ...body,
      model: 'up',
      stream_options: { z: 1, include_usage: true },
    });
    expect(openaiChat.forward(body, { ...set, askUsage: false })).not.toHaveProperty('stream_options');
    expect(body.stream_options).toEqual({ z: 1 });
  });

  it('is read or refused, whatever it holds, and never changed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (model, messages, max_tokens) => {
        const body = { model, messages, max_tokens } as JsonObject;
        const before = JSON.stringify(body);
        try {
          read(body);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_request' });
        }
        expect(JSON.stringify(body)).toBe(before);
      }),
    );
  });
});

const chunk = (fields: JsonObject): string =>
  JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...fields });
const delta = (fields: JsonObject, finish: string | null = null): string =>
  chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }], usage: null });
const USAGE = chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } });

/** Runs frames through the passage in random pieces; what comes out, and what it knows then. */
function pass(frames: readonly string[], { cuts = [] as number[], wantsUsage = false } = {}) {
  const stream = samePassage(openaiChat).stream({ ...read(user('hi')), wantsUsage });
  const bytes = new TextEncoder().encode(frames.map((data) => `data: ${data}\n\n`).join(''));
  const borders = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
  const splitter = new FrameSplitter();
  const out: string[] = [];
  let isLast = false;
  let hasContent = false;
  for (let i = 1; i < borders.length; i++) {
    for (const frame of splitter.push(bytes.slice(borders[i - 1], borders[i]))) {
      const step = stream.push(frame);
      if (step.out) out.push(textOf(step.out).slice('data: '.length, -2));
      isLast ||= step.last;
      hasContent ||= step.content;
    }
  }
  return { stream, out, isLast, hasContent };
}

describe('a stream', () => {
  const texts = fc.array(
    fc.string({
      unit: fc.constantFrom('a', '"', '\\', '{', '}', '汉', '\n', '"usage":{', '"error":', '[DONE]'),
    }),
    { minLength: 1, maxLength: 10 },
  );

  it('passes byte for byte whatever its text holds and however it is cut, but for the usage that nobody asked for', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.boolean(),
        (contents, cuts, wantsUsage) => {
          const frames = [
            delta({ role: 'assistant', content: '' }),
            ...contents.map((content) => delta({ content })),
          ];
          const all = [...frames, delta({}, 'stop'), USAGE, '[DONE]'];
          const { stream, out, isLast } = pass(all, { cuts, wantsUsage });
          expect(out).toEqual(wantsUsage ? all.slice(0, -1) : all.slice(0, -2));
          expect(stream.usage).toMatchObject({ input: 3, output: 4 });
          expect([stream.complete, isLast]).toEqual([true, true]);
          expect(stream.ending()).toBe('data: [DONE]\n\n');
        },
      ),
    );
  });

  it.each([
    ['text', { content: 'a' }],
    ['reasoning', { reasoning_content: 'a' }],
    ['a tool call', { tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] }],
    ['a refusal', { refusal: 'no' }],
    ['sound', { audio: { data: 'AAAA' } }],
  ])('has content once there is %s', (_name, fields) => {
    expect(pass([delta({ role: 'assistant', content: '' })]).hasContent).toBe(false);
    expect(pass([delta(fields as JsonObject)]).hasContent).toBe(true);
  });

  it('reads usage where vendors put it', () => {
    const inChoice = chunk({
      choices: [
        { index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 3, completion_tokens: 4 } },
      ],
    });
    const beside = chunk({
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    for (const frame of [inChoice, beside]) {
      const { stream, out } = pass([delta({ content: 'a' }), frame]);
      expect(stream.usage).toMatchObject({ input: 3, output: 4 });
      expect(out).toHaveLength(2);
    }
  });

  it('finds what it must read also with spaces around the colons', () => {
    const spaced = '{"choices": [{"index": 0, "delta": {}, "finish_reason" : "stop"}], "usage" : null}';
    expect(pass([delta({ content: 'a' }), spaced]).stream.complete).toBe(true);
  });

  it('is not complete without a reason to finish', () => {
    expect(pass([delta({ content: 'a' })]).stream.complete).toBe(false);
  });

  it('tells an error frame from text about errors', () => {
    const stream = samePassage(openaiChat).stream(read(user('hi')));
    const frame = (data: string) => new TextEncoder().encode(`data: ${data}\n\n`);
    expect(stream.push(frame(delta({ content: '"error":{' }))).error).toBeNull();
    expect(stream.push(frame('{"error":{"message":"m","code":429}}')).error).toMatchObject({
      message: 'm',
      code: '429',
    });
  });
});

describe('a whole answer', () => {
  it('tells what it produced, for a local count', () => {
    const facts = openaiChat.readReply({
      choices: [
        {
          message: {
            content: [
              { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
              { type: 'text', text: 'so' },
            ],
            reasoning_content: 'why',
            tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: 'stop',
        },
      ],
    });
    expect(facts.produced()).toMatchObject({ text: 'hmsowhyf{}', toolCalls: 1 });
    expect([facts.usage, facts.error]).toEqual([null, null]);
  });

  it('is an error without choices, or where it says so', () => {
    expect(openaiChat.readReply({ id: 'x' }).error).not.toBeNull();
    expect(openaiChat.readReply([]).error).not.toBeNull();
    expect(openaiChat.readReply({ error: 'busy' }).error).toEqual({ message: 'busy' });
  });
});

describe('an error', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [404, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [503, 'server_error'],
  ])('of status %i is of type %s', (status, type) => {
    const body = openaiChat.errorBody({ status, code: 'c', message: 'm' });
    expect(body).toEqual({ error: { message: 'm', type, param: null, code: 'c' } });
    const frame = openaiChat.errorFrame({ status, code: 'c', message: 'm' });
    expect(isObject(body) && frame).toBe(`data: ${JSON.stringify(body)}\n\n`);
  });
});

it('an empty error beside an answer is none', () => {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  expect(openaiChat.readReply({ choices, error: {} }).error).toBeNull();
  expect(openaiChat.readReply({ choices, error: { message: 'no' } }).error).toMatchObject({ message: 'no' });
});
