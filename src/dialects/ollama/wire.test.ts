import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import { bytesOf, line, read, STREAM } from '../../../tests/dialects/ollama-stream.ts';
import { noUsage } from '../../core/usage.ts';
import type { ChatRequest, Part } from '../neutral.ts';
import { ollama } from './wire.ts';

describe('reading answers', () => {
  const expected = {
    model: 'llama3.2',
    created: 1_735_689_600,
    choices: [
      {
        parts: [
          { type: 'thinking', text: 'hm', origin: 'ollama' },
          { type: 'text', text: 'ok é 🙂' },
          { type: 'tool-call', name: 'f', input: '{"x":1}' },
          { type: 'tool-call', name: 'g', input: '{}' },
        ],
        stop: 'tool-calls',
      },
    ],
    usage: { ...noUsage(), input: 11, output: 7 },
  };

  test('lines become parts, and each call has an id of its own', () => {
    const reply = accumulate(read([bytesOf(STREAM)]));
    expect(reply).toMatchObject(expected);
    const ids = reply.choices[0]?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(read([bytesOf(STREAM)]).at(-1)).toEqual({ type: 'end' });
  });

  test('a whole answer says the same', () => {
    const message = {
      role: 'assistant',
      content: 'ok é 🙂',
      thinking: 'hm',
      tool_calls: [
        { function: { name: 'f', arguments: { x: 1 } } },
        { function: { name: 'g', arguments: {} } },
      ],
    };
    const last = STREAM.at(-1) ?? {};
    expect(ollama.readReply({ ...last, message })).toMatchObject(expected);
  });
});

test('an answer is the same as lines and as one message, whatever is in it', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const call = fc.record({
    function: fc.record({ name: words, arguments: fc.dictionary(words, fc.jsonValue()) }),
  });
  fc.assert(
    fc.property(words, words, fc.array(call, { maxLength: 4 }), (thinking, content, tool_calls) => {
      const last = STREAM.at(-1) ?? {};
      const lines = [line({ thinking }), line({ content }), line({ tool_calls }), last];
      const whole = ollama.readReply({
        ...last,
        message: { role: 'assistant', content, thinking, tool_calls },
      });
      const outcome = ({ model, created, choices: [choice], usage }: typeof whole) => ({
        model,
        created,
        parts: choice?.parts.map((part) => (part.type === 'tool-call' ? { ...part, id: '' } : part)),
        stop: choice?.stop,
        usage,
      });
      expect(outcome(accumulate(read([bytesOf(lines)])))).toEqual(outcome(whole));
      expect(whole.choices[0]?.parts).toMatchObject([
        { type: 'thinking', text: thinking },
        { type: 'text', text: content },
        ...tool_calls.map(({ function: { name, arguments: input } }) => ({
          type: 'tool-call' as const,
          name,
          input: JSON.stringify(input),
        })),
      ]);
    }),
  );
});

test('pictures are of the kind that their first letters tell', () => {
  const images = ['/9j/4AAQ', 'R0lGODlh', 'UklGRiQA', 'iVBORw0K'];
  const { choices } = ollama.readReply(line({ images }, { done: true }));
  expect(choices[0]?.parts).toEqual(
    ['image/jpeg', 'image/gif', 'image/webp', 'image/png'].map((mediaType, n) => ({
      type: 'image' as const,
      source: { kind: 'data' as const, mediaType, data: images[n] ?? '' },
    })),
  );
});

describe('requests', () => {
  const request: ChatRequest = {
    dialect: 'openai-chat',
    model: 'm',
    stream: false,
    messages: [],
    tools: [],
    extra: {},
  };
  const set = { model: 'm', stream: false, askUsage: true, defaultMaxTokens: 1, drop: () => undefined };

  test('tell efforts to the models that know them, and others to think', () => {
    const thinkOf = (model: string) =>
      ollama.writeRequest({ ...request, reasoning: { effort: 'high' } }, { ...set, model }).think;
    expect(['gpt-oss:20b', 'qwen3'].map(thinkOf)).toEqual(['high', true]);
  });

  test('what a tool has given and no model here reads is told in words', () => {
    const left: string[] = [];
    const pdf: Part = {
      type: 'file',
      source: { kind: 'data', mediaType: 'application/pdf', data: 'JVBERi0x' },
      filename: 'a.pdf',
    };
    const content: Part[] = [
      { type: 'text', text: 'Read.' },
      pdf,
      { type: 'image', source: { kind: 'url', url: 'https://i.example/a.png' } },
      { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'iVBORw0K' } },
    ];
    const result: Part = { type: 'tool-result', id: 'c', name: 'f', content, kind: 'function' };
    const { messages } = ollama.writeRequest(
      { ...request, messages: [{ role: 'tool', parts: [result] }] },
      { ...set, drop: (what) => left.push(what) },
    );
    expect(messages).toMatchObject([
      {
        content:
          'Read.[a.pdf was left out: it cannot be read here][image was left out: it cannot be read here]',
        images: ['iVBORw0K'],
      },
    ]);
    expect(left).toEqual(['file', 'image']);
    expect(() =>
      ollama.writeRequest({ ...request, messages: [{ role: 'user', parts: [pdf] }] }, set),
    ).toThrow('invalid_request');
  });

  test('pictures by address are refused', () => {
    const parts: Part[] = [{ type: 'image', source: { kind: 'url', url: 'https://i.example/a.png' } }];
    const messages: ChatRequest['messages'] = [{ role: 'user', parts }];
    expect(() => ollama.writeRequest({ ...request, messages }, set)).toThrow('invalid_request');
  });
});
