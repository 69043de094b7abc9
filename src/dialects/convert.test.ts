import { describe, expect, it } from 'bun:test';
import { textOf } from '../../tests/dialects/bytes.ts';
import { byLowBits } from '../../tests/support/alike-names.ts';
import type { JsonObject } from '../core/json.ts';
import { noUsage } from '../core/usage.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { type Conversion, convertingPassage } from './convert.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';

const conversion = (over: Partial<Conversion> = {}): Conversion => ({
  caller: { dialect: openaiChat, codec: openaiChatCodec },
  upstream: {
    ...messagesCodec,
    id: 'anthropic-messages',
    readError: (body) => anthropicMessages.readReply(body).error,
  },
  spoken: anthropicMessages,
  path: { model: 'claude-x', stream: true },
  requestId: 'req-1',
  createdSec: 1_700_000_000,
  defaultMaxTokens: 4096,
  thinkingToContent: false,
  ...over,
});

const messagesWire = conversion().upstream;
const losing: typeof messagesWire.writeRequest = (_request, { drop }) => {
  for (const what of ['seed', 'Übel', 'a\r\nb: c', 'x'.repeat(100)]) drop(what);
  return {};
};

const body = { model: 'claude-x', stream: true, seed: 3, messages: [{ role: 'user', content: 'hi' }] };
const set = { model: 'claude-upstream', stream: true, askUsage: true };

const frame = (data: { type: string; [field: string]: unknown }) =>
  new TextEncoder().encode(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);

const frames = [
  frame({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-upstream',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 4,
        output_tokens: 1,
      },
    },
  }),
  frame({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'thinking', thinking: '', signature: '' },
  }),
  frame({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  }),
  frame({ type: 'content_block_stop', index: 0 }),
  frame({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
  frame({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ok' } }),
  frame({ type: 'content_block_stop', index: 1 }),
  frame({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 12 },
  }),
  frame({ type: 'message_stop' }),
];

const facts = openaiChat.readRequest(
  {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'hi' }],
  },
  {},
);

const run = (over: Partial<Conversion> = {}) => {
  const passage = convertingPassage(conversion(over));
  const sent = passage.request(body, set);
  const stream = passage.stream(facts);
  const steps = frames.map((each) => stream.push(each));
  const text = steps.map((step) => (step.out ? textOf(step.out) : '')).join('');
  const ending = stream.ending();
  const end = textOf(ending ?? '');
  return { passage, sent, stream, steps, text, end };
};

const WHOLE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-upstream',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'ok' },
  ],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 12 },
};

interface Chunk {
  choices: { delta: { content?: string; reasoning_content?: string } }[];
}

const chunksOf = (text: string): Chunk[] =>
  text
    .split('\n\n')
    .flatMap((each) => (each.startsWith('data: {') ? [JSON.parse(each.slice(6)) as Chunk] : []));

describe('a converting passage', () => {
  it('writes the request for the upstream and says what was lost', () => {
    const { sent, passage } = run();
    expect(sent).toMatchObject({ model: 'claude-upstream', stream: true, max_tokens: 4096 });
    expect([...passage.converted.dropped]).toContain('seed');
  });

  it.each([false, true])('refuses tools by whose names no answer could be told, forwards: %p', (forwards) => {
    const tools = byLowBits(40).map((name) => ({ type: 'function', function: { name } }));
    const passage = convertingPassage(conversion({ forwards }));
    const refused = expect.objectContaining({ code: 'invalid_request' });
    expect(() => passage.request({ ...body, tools }, set)).toThrow(refused);
  });

  it('says nothing of what was lost but names', () => {
    const passage = convertingPassage(conversion({ upstream: { ...messagesWire, writeRequest: losing } }));
    passage.request(body, set);
    expect([...passage.converted.dropped]).toEqual(['seed', 'part']);
  });

  it('converts a stream, reads its usage and keeps the end back', () => {
    const { stream, steps, text, end } = run();
    expect(
      chunksOf(text)
        .map((chunk) => chunk.choices[0]?.delta.reasoning_content ?? '')
        .join(''),
    ).toBe('hm');
    expect(
      chunksOf(text)
        .map((chunk) => chunk.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe('ok');
    expect(stream.usage).toEqual({ ...noUsage(), input: 10, cacheRead: 4, output: 12, untoldWrites: 0 });
    expect(stream.complete).toBe(true);
    expect(steps.map(({ last }) => last)).toEqual([...Array(8).fill(false), true]);
    expect(steps.findIndex(({ content }) => content)).toBeLessThanOrEqual(2);
    expect(text).not.toContain('[DONE]');
    expect(end).toContain('"prompt_tokens":14');
    expect(end.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('shows reasoning as text where the operator asks for it', () => {
    const { text } = run({ thinkingToContent: true });
    expect(
      chunksOf(text)
        .map((chunk) => chunk.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe('<think>\nhm\n</think>\nok');
    expect(text).not.toContain('reasoning_content');
  });

  it('is not complete when the upstream broke off', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const stream = passage.stream(facts);
    for (const each of frames.slice(0, 6)) stream.push(each);
    expect(stream.complete).toBe(false);
  });

  it('reports an error inside the stream', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const step = passage
      .stream(facts)
      .push(frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }));
    expect(step.error?.message).toBe('Overloaded');
  });

  it('converts a whole answer', () => {
    const passage = convertingPassage(conversion({ thinkingToContent: true }));
    passage.request(body, set);
    const { facts: read, text } = passage.reply('', WHOLE);
    expect(read.usage).toEqual({ ...noUsage(), input: 10, output: 12 });
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: '<think>\nhm\n</think>\nok' }, finish_reason: 'stop' }],
    });
  });

  it('passes an error of a whole answer on as one', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const { facts: read } = passage.reply('', { type: 'error', error: { type: 'api_error', message: 'no' } });
    expect(read.error?.message).toBe('no');
  });

  it('tells a whole answer as a stream, where the upstream has none', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const stream = passage.streamOfJson(facts);
    const step = stream?.push(new TextEncoder().encode(`data: ${JSON.stringify(WHOLE)}\n\n`));
    expect(step).toMatchObject({ content: true, last: true, produced: { text: 'hmok', toolCalls: 0 } });
    const text = textOf(step?.out ?? '');
    expect(
      chunksOf(text)
        .map((chunk) => chunk.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe('ok');
    expect(stream?.usage).toEqual({ ...noUsage(), input: 10, output: 12 });
    expect(textOf(stream?.ending() ?? '')).toEndWith('data: [DONE]\n\n');
  });

  it('collects a stream for a caller who wants the answer whole', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const collector = passage.collect();
    expect(frames.map((each) => collector.push(each))).toEqual(Array(frames.length).fill(null));
    const answer = collector.end();
    expect(answer?.facts.usage).toEqual({
      ...noUsage(),
      input: 10,
      cacheRead: 4,
      output: 12,
      untoldWrites: 0,
    });
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({
      choices: [{ message: { content: 'ok', reasoning_content: 'hm' }, finish_reason: 'stop' }],
    });
  });

  it('knows the sounds of an answer by the names that its caller is told', () => {
    const chat = { ...openaiChatCodec, id: 'openai-chat' as const, readError: () => null };
    const passage = convertingPassage(conversion({ upstream: chat, spoken: openaiChat }));
    passage.request({ ...body, model: 'm' }, set);
    const choices = (audio: JsonObject, name = 'delta', more = {}) => ({
      choices: [{ index: 0, [name]: { audio }, ...more }],
    });
    const events = [
      choices({ id: 'audio_1', transcript: 'so' }),
      choices({ data: 'AAAA' }, 'delta', { finish_reason: 'stop' }),
    ];
    const frames = events.map((event) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    const stream = passage.stream(openaiChat.readRequest({ ...body, model: 'm' }, {}));
    const collector = passage.collect?.();
    for (const each of frames) {
      stream.push(each);
      collector?.push(each);
    }
    const whole = passage.reply(
      '',
      choices({ id: 'audio_1', data: 'AAAA' }, 'message', { finish_reason: 'stop' }),
    );
    for (const { soundIds } of [stream, collector?.end()?.facts ?? {}, whole.facts]) {
      expect([...(soundIds ?? [])]).toEqual(['audio_1']);
    }
  });

  it('collects nothing from a stream that broke off, and says what broke it and what had come', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const cut = passage.collect();
    for (const each of frames.slice(0, 6)) cut.push(each);
    expect(cut.end()).toBeNull();
    const failed = passage.collect();
    const error = frame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    for (const each of frames.slice(0, 6)) failed.push(each);
    const told = failed.push(error);
    expect(told).toMatchObject({ message: 'Overloaded' });
    const { facts } = failed.failed(told ?? { message: '' });
    // What came is not in the counts that stand before it.
    const prompt = { ...noUsage(), input: 10, cacheRead: 4, untoldWrites: 0 };
    expect([facts.usage, facts.promptUsage]).toEqual([null, prompt]);
    expect([facts.error, facts.produced().text, facts.due(), facts.isFiltered]).toEqual([
      told,
      'hmok',
      1,
      false,
    ]);
  });

  it('counts nothing as content before there is something to see', () => {
    const { steps } = run();
    // The start, the empty block; then a thought.
    expect(steps.slice(0, 3).map(({ content }) => content)).toEqual([false, false, true]);
    expect(steps.map(({ produced }) => produced?.text ?? '').join('')).toBe('hmok');
  });

  it('begins an answer that is whole and empty', () => {
    const passage = convertingPassage(conversion());
    passage.request(body, set);
    const stream = passage.stream(facts);
    const steps = [frames[0], frames[7], frames[8]].map((each) => stream.push(each ?? new Uint8Array()));
    expect(steps.map(({ content }) => content)).toContain(true);
    expect(stream.complete).toBe(true);
  });

  it('passes the request as it is between equal dialects, and only writes the answer anew', () => {
    const wire = { ...openaiChatCodec, id: 'openai-chat', readError: () => null };
    const passage = convertingPassage(
      conversion({ upstream: wire, spoken: openaiChat, forwards: true, strict: true }),
    );
    expect(passage.request({ ...body, vendor_field: 1 }, set)).toMatchObject({ vendor_field: 1, seed: 3 });
    expect(passage.converted.dropped.size).toBe(0);
    const chunk = { id: 'c', model: 'up', nonce: 'n', choices: [{ index: 0, delta: { content: 'ok' } }] };
    const step = passage.stream(facts).push(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
    expect(textOf(step.out ?? '')).toContain('"content":"ok"');
    expect(textOf(step.out ?? '')).not.toContain('nonce');
  });
});

it.each<[what: string, message: JsonObject, marked: (message: JsonObject) => unknown]>([
  ['a text', { role: 'user', content: 'hi' }, ({ content }) => content],
  ['what a tool found', { role: 'tool', tool_call_id: 'c', content: 'fast' }, ({ content }) => content],
  [
    'several parts',
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    ({ content }) => content,
  ],
])(
  'a mark on a message stands on the last of its parts where a wire reads them there: %s',
  (_, message, of) => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const before = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, tool_calls: calls },
    ];
    const upTo = (more: JsonObject) =>
      convertingPassage(conversion()).request(
        { model: 'claude-x', messages: [...before, { ...message, ...more }] },
        { ...set, stream: false },
      ) as { messages: JsonObject[] };
    const mark = { cache_control: { type: 'ephemeral' } };
    const plain = [of(upTo({}).messages.at(-1) ?? {})].flat();
    const marked = [of(upTo(mark).messages.at(-1) ?? {})].flat();
    expect(JSON.stringify(marked.slice(0, -1))).toBe(JSON.stringify(plain.slice(0, -1)));
    expect(marked.at(-1)).toMatchObject(mark);
  },
);

it('a mark on a system message stands on its text', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const messages = [
    { role: 'system', content: 'be brief', cache_control },
    { role: 'user', content: 'hi' },
  ];
  const { system } = convertingPassage(conversion()).request(
    { model: 'claude-x', messages },
    { ...set, stream: false },
  );
  expect(system).toEqual([{ type: 'text', text: 'be brief', cache_control }]);
});
