import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import { replyOf, text as textPart } from '../../../tests/dialects/arbitrary.ts';
import { countsOf } from '../../../tests/dialects/mapping.ts';
import type { JsonObject } from '../../core/json.ts';
import { Accumulator, eventsOf } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import type { ChatReply, ChatRequest, Part, StreamEvent } from '../neutral.ts';
import { openaiResponsesCodec as codec } from './codec.ts';

function read(events: JsonObject[]): StreamEvent[] {
  const reader = codec.streamReader();
  const told = events.flatMap((event) => reader.push({ event: '', data: JSON.stringify(event) }));
  return [...told, ...reader.end()];
}
const partsOf = (events: JsonObject[]): Part[] | undefined => accumulate(read(events)).choices[0]?.parts;

const response = (fields: JsonObject = {}): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [],
  ...fields,
});
const completed = { type: 'response.completed', response: response() };
const added = (item: JsonObject, output_index = 0): JsonObject => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (item: JsonObject, output_index = 0): JsonObject => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const message = (text: string): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});

describe('reading events as servers send them', () => {
  test('a finished item makes up for pieces that never came', () => {
    expect(partsOf([added({ ...message(''), content: [] }), done(message('ok')), completed])).toMatchObject([
      { type: 'text', text: 'ok' },
    ]);
  });

  test('a stream of nothing but the finished response says all of it', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{"x":1}' };
    const whole = { type: 'response.completed', response: response({ output: [message('ok'), call] }) };
    const reply = accumulate(read([whole]));
    expect(reply.choices[0]).toMatchObject({
      parts: [
        { type: 'text', text: 'ok' },
        { type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}' },
      ],
      stop: 'tool-calls',
    });
  });

  test('pieces that came are not said again by what is done', () => {
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    expect(
      partsOf([
        added({ ...message(''), content: [] }),
        { type: 'response.output_text.delta', ...place, delta: 'o' },
        { type: 'response.output_text.delta', ...place, delta: 'k' },
        { type: 'response.output_text.done', ...place, text: 'ok' },
        {
          type: 'response.content_part.done',
          ...place,
          part: { type: 'output_text', text: 'ok', annotations: [] },
        },
        done(message('ok')),
        completed,
      ]),
    ).toMatchObject([{ type: 'text', text: 'ok' }]);
  });

  test('pieces without an item that was added begin one', () => {
    expect(partsOf([{ type: 'response.output_text.delta', delta: 'ok' }, completed])).toMatchObject([
      { type: 'text', text: 'ok' },
    ]);
  });

  test('a call without arguments has an empty object', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '' };
    expect(partsOf([added(call), done(call), completed])).toMatchObject([{ type: 'tool-call', input: '{}' }]);
  });

  test('the proof of reasoning is that of the finished item', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [] };
    expect(
      partsOf([
        added({ ...item, encrypted_content: 'early' }),
        done({ ...item, encrypted_content: 'final' }),
        completed,
      ]),
    ).toMatchObject([{ type: 'thinking', text: '', encrypted: 'final', id: 'rs_1' }]);
    expect(partsOf([added(item), done(item), completed])).toEqual([]);
  });

  test('reasoning that is not summarised is reasoning', () => {
    const place = { item_id: 'rs_1', output_index: 0, content_index: 0 };
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'hm' }],
    };
    const [part] =
      partsOf([
        added({ ...item, content: [] }),
        { type: 'response.reasoning_text.delta', ...place, delta: 'hm' },
        done(item),
        completed,
      ]) ?? [];
    expect(part).toMatchObject({ type: 'thinking', text: 'hm' });
    expect(part).not.toHaveProperty('summary');
  });

  test('what the service did itself comes whole, and unknown events say nothing', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } };
    const drawing = { type: 'image_generation_call', id: 'ig_1', result: 'aGk=', output_format: 'webp' };
    expect(
      partsOf([
        added({ ...search, status: 'in_progress' }),
        { type: 'response.web_search_call.searching', output_index: 0 },
        done(search),
        added({ type: 'image_generation_call', id: 'ig_1' }, 1),
        { type: 'response.image_generation_call.partial_image', output_index: 1, partial_image_b64: 'aG' },
        done(drawing, 1),
        completed,
      ]),
    ).toMatchObject([
      { type: 'raw', dialect: 'openai-responses', value: search },
      { type: 'image', source: { mediaType: 'image/webp', data: 'aGk=' } },
    ]);
  });

  test.each<[string, JsonObject, object]>([
    ['an error without a name', { error: { code: 'c', message: 'm' } }, { message: 'm', code: 'c' }],
    ['a flat error', { type: 'error', code: 'c', message: 'm', param: null }, { message: 'm', code: 'c' }],
    [
      'an error object',
      { type: 'error', error: { type: 't', code: 'c', message: 'm' } },
      { message: 'm', code: 'c', kind: 't' },
    ],
    [
      'a failed response',
      {
        type: 'response.failed',
        response: response({ status: 'failed', error: { code: 'c', message: 'm' } }),
      },
      { message: 'm', code: 'c' },
    ],
    ['a failure that says nothing', { type: 'response.failed' }, { message: expect.stringMatching(/\w/) }],
  ])('%s ends the stream', (_name, event, expected) => {
    const stream = new Accumulator();
    for (const told of read([{ type: 'response.created', response: response() }, event, completed]))
      stream.push(told);
    expect(stream.error).toMatchObject(expected);
    expect(stream.complete).toBe(false);
  });

  test('a stream that was cut has no end', () => {
    const cut = read([{ type: 'response.output_text.delta', delta: 'ok' }]);
    expect(cut.map(({ type }) => type)).toEqual(['part-start', 'part-delta', 'part-end']);
  });
});

// ---- Writing -----------------------------------------------------------------------------------------------------

const contextOf = (request: Partial<ChatRequest> = {}): ReplyContext => ({
  model: 'asked',
  createdSec: 7,
  requestId: 'r1',
  request: {
    dialect: 'openai-responses',
    model: 'asked',
    stream: true,
    messages: [],
    tools: [],
    extra: {},
    ...request,
  },
  wantsUsage: true,
});

const answer = (parts: Part[], fields: Partial<ChatReply> = {}): ChatReply => ({
  id: 'x1',
  model: 'm',
  created: 0,
  choices: [{ index: 0, parts, stop: 'stop' }],
  usage: null,
  extra: {},
  ...fields,
});

function eventsWritten(whole: ChatReply, context = contextOf()): JsonObject[] {
  const writer = codec.streamWriter(context);
  const text = eventsOf(whole)
    .map((event) => writer.write(event))
    .join('');
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      const parsed = JSON.parse(data.slice('data: '.length)) as JsonObject;
      expect(event).toBe(`event: ${parsed.type}`);
      return parsed;
    });
}
const typesOf = (whole: ChatReply, context?: ReplyContext) =>
  eventsWritten(whole, context).map(({ type }) => String(type).replace('response.', ''));

const thinking: Part = { type: 'thinking', text: 'hm', origin: 'openai-chat' };

describe('writing events', () => {
  test('reasoning and text come in the order of the service', () => {
    expect(typesOf(answer([thinking, { type: 'text', text: 'ok' }]))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  test('events are numbered from nought, items by their first appearance', () => {
    const call: Part = { type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}', kind: 'function' };
    const events = eventsWritten(answer([thinking, { type: 'text', text: 'ok' }, call]));
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    const items = events.filter(({ type }) => type === 'response.output_item.added');
    expect(items.map((event) => event.output_index)).toEqual([0, 1, 2]);
  });

  test('texts that follow one another stand in one message', () => {
    const events = eventsWritten(
      answer([
        { type: 'text', text: 'a' },
        { type: 'refusal', text: 'no' },
      ]),
    );
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        id: 'resp_x1',
        model: 'asked',
        created_at: 7,
        status: 'completed',
        output: [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [
              { type: 'output_text', text: 'a', annotations: [], logprobs: [] },
              { type: 'refusal', refusal: 'no' },
            ],
          },
        ],
      },
    });
  });

  test('a thought that its maker has not proved comes with the proof that there is none, and back as it was', () => {
    const events = eventsWritten(answer([thinking]));
    const { item } = events.find(({ type }) => type === 'response.output_item.done') ?? {};
    const { output } = codec.writeReply(answer([thinking]), contextOf());
    for (const told of [item, (output as JsonObject[])[0]]) {
      const { messages } = codec.readRequest({ model: 'm', input: [told as JsonObject] }, {});
      expect(messages[0]?.parts).toEqual([{ ...thinking, signature: '' }]);
    }
  });

  test('a call begins with nothing, behind which its pieces come', () => {
    const part: Part = { type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}', kind: 'function' };
    const [begun, ...others] = eventsWritten(answer([part])).slice(2);
    expect(begun).toMatchObject({ type: 'response.output_item.added', item: { name: 'f', arguments: '' } });
    const pieces = others.flatMap(({ type, delta }) =>
      type === 'response.function_call_arguments.delta' ? [delta] : [],
    );
    expect(pieces.join('')).toBe('{"x":1}');
  });

  test('a custom tool that was called as a function gets its text back', () => {
    const context = contextOf({ tools: [{ type: 'custom', name: 'sql' }] });
    const part: Part = {
      type: 'tool-call',
      id: 'a',
      name: 'sql',
      input: '{"input":"SELECT 1"}',
      kind: 'function',
    };
    expect(typesOf(answer([part]), context).slice(2, -1)).toEqual([
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
    ]);
    expect(codec.writeReply(answer([part]), context)).toMatchObject({
      output: [{ type: 'custom_tool_call', call_id: 'a', name: 'sql', input: 'SELECT 1' }],
    });
  });

  test('an answer that was cut short is incomplete, and so is its message', () => {
    const whole = answer([{ type: 'text', text: 'a' }], {
      choices: [{ index: 0, parts: [{ type: 'text', text: 'a' }], stop: 'length' }],
    });
    expect(codec.writeReply(whole, contextOf())).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
  });

  test('a failure is an error event and a failed response', () => {
    const writer = codec.streamWriter(contextOf());
    const text = writer.write({ type: 'error', message: 'm', code: 'c', kind: 'k' });
    const frames = text.split('\n\n').filter((frame) => frame !== '');
    const events = frames.map((frame) => JSON.parse(frame.split('\ndata: ')[1] ?? '') as JsonObject);
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', message: 'm', code: 'c', error: { type: 'k', message: 'm', code: 'c' } },
      { type: 'response.failed', response: { status: 'failed', error: { code: 'c', message: 'm' } } },
    ]);
  });

  test('the response repeats the request', () => {
    const { request } = contextOf();
    const body: JsonObject = {
      model: 'asked',
      input: 'hi',
      instructions: 'be brief',
      temperature: 0.5,
      metadata: { a: 'b' },
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }],
      tool_choice: 'required',
    };
    const context = { ...contextOf(), request: { ...request, ...codec.readRequest(body, {}) } };
    const { input: _input, reasoning: _reasoning, ...repeated } = body;
    expect(codec.writeReply(answer([]), context)).toMatchObject({
      ...repeated,
      reasoning: { effort: 'low', summary: null },
      store: false,
    });
  });

  test('logprobs stand with the text that they speak of', () => {
    const logprobs = { content: [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }] };
    const whole = answer([], {
      choices: [{ index: 0, parts: [{ type: 'text', text: 'a' }], stop: 'stop', logprobs }],
    });
    const body = codec.writeReply(whole, contextOf());
    expect(body).toMatchObject({ output: [{ content: [{ logprobs: logprobs.content }] }] });
    expect(codec.readReply(body).choices[0]?.logprobs).toEqual(logprobs);
  });

  test('what is written reads back the same', () => {
    const call = fc.record({
      type: fc.constant('tool-call' as const),
      id: fc.stringMatching(/^[a-z]{3,6}$/),
      name: fc.stringMatching(/^[a-z]{1,6}$/),
      input: fc.constantFrom('{}', '{"a":1}'),
      kind: fc.constant('function' as const),
    });
    const parts = fc.oneof(textPart, call);
    fc.assert(
      fc.property(replyOf(parts, 1), (whole) => {
        const back = codec.readReply(codec.writeReply(whole, contextOf()));
        const said = (reply: ChatReply) =>
          reply.choices[0]?.parts.map((part) =>
            part.type === 'text'
              ? [part.text, part.citations?.map(({ url, title }) => [url, title])]
              : part.type === 'tool-call' && [part.id, part.name, part.input],
          );
        expect(said(back)).toEqual(said(whole));
        expect(back.usage && countsOf(back.usage)).toEqual(whole.usage);
      }),
    );
  });
});
