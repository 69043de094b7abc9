import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import type { ChatExtension } from '../chat-extension.ts';
import type { RequestTarget } from '../codec.ts';
import type { ChatRequest, Message, ToolResultPart } from '../neutral.ts';
import { readRequest, writeRequest } from './request.ts';

const targetOf = (fields: Partial<RequestTarget> = {}): RequestTarget & { left: string[] } => {
  const left: string[] = [];
  return {
    model: 'm',
    stream: false,
    askUsage: false,
    defaultMaxTokens: 4096,
    drop: (what) => left.push(what),
    left,
    ...fields,
  };
};

// ---- Same dialect ------------------------------------------------------------------------------------------------

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const id = word.map((name) => `call_${name}`);
const some = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }, required: (keyof T)[] = []) =>
  fc.record(fields, { requiredKeys: required as never });
const object = fc.dictionary(word, fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 3 });
const cacheControl = fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });

const textPart = some({ type: fc.constant('text'), text, cache_control: cacheControl, vendor_mark: word }, [
  'type',
  'text',
]).filter((part) => Object.keys(part).length > 2);
const imagePart = some(
  {
    type: fc.constant('image_url'),
    image_url: some(
      {
        url: fc.constantFrom('https://a.example/x.png', 'data:image/webp;base64,aGk='),
        detail: fc.constantFrom('low', 'high', 'auto'),
        min_pixels: fc.nat(),
      },
      ['url'],
    ),
    cache_control: cacheControl,
  },
  ['type', 'image_url'],
);
const audioPart = fc.record({
  type: fc.constant('input_audio'),
  input_audio: fc.record({ data: fc.constant('aGk='), format: fc.constantFrom('wav', 'mp3') }),
});
const filePart = fc.record({
  type: fc.constant('file'),
  file: fc.oneof(
    fc.constant({ file_id: 'file-1' }),
    fc.record({ filename: fc.constant('a.pdf'), file_data: fc.constant('data:application/pdf;base64,aGk=') }),
  ),
});
const otherPart = fc.oneof(
  fc.constant({ type: 'video_url', video_url: { url: 'https://a.example/x.mp4' } }),
  fc.constant({ type: 'thinking', thinking: [{ type: 'text', text: 'so' }] }),
  fc.record({ type: fc.constant('of_a_vendor'), value: object }),
);
const parts = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart, otherPart), {
  minLength: 1,
  maxLength: 4,
});
const content = fc.oneof(text, parts);

const call = fc.oneof(
  fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name: word, arguments: object.map((value) => JSON.stringify(value)) }),
  }),
  fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name: word, input: text }) }),
  fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name: word, arguments: fc.constant('{}') }),
    extra_content: fc.constant({ google: { thought_signature: 'c2ln' } }),
  }),
);

const message = fc.oneof(
  some({ role: fc.constantFrom('system', 'developer', 'user'), content, name: word }, ['role', 'content']),
  some(
    {
      role: fc.constant('assistant'),
      content,
      name: word,
      refusal: text,
      audio: fc.constant({ id: 'audio_1' }),
      reasoning_content: text,
      reasoning_details: fc.constant([{ type: 'reasoning.text', text: 'so', signature: 'c2ln' }]),
      prefix: fc.boolean(),
      partial: fc.boolean(),
      tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    },
    ['role', 'content'],
  ),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  }),
  some({ role: fc.constant('tool'), tool_call_id: id, content, name: word }, [
    'role',
    'tool_call_id',
    'content',
  ]),
);

const functionBody = some(
  { name: word, description: text, parameters: object, strict: fc.boolean(), vendor_mark: word },
  ['name'],
);
const format = fc.constantFrom(
  { type: 'text' },
  { type: 'grammar', grammar: { syntax: 'regex', definition: 'a+' } },
);
const tool = fc.oneof(
  some({ type: fc.constant('function'), function: functionBody, cache_control: cacheControl }, [
    'type',
    'function',
  ]),
  fc.record({
    type: fc.constant('custom'),
    custom: some({ name: word, description: text, format }, ['name']),
  }),
  fc.constant({ type: 'builtin_function', function: { name: '$web_search' } }),
);

const request = some(
  {
    model: fc.constant('m'),
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    max_tokens: fc.integer({ min: 1, max: 1000 }),
    max_completion_tokens: fc.integer({ min: 1, max: 1000 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    top_k: fc.nat(),
    min_p: fc.double({ min: 0, max: 1, noNaN: true }),
    repetition_penalty: fc.constant(1.1),
    n: fc.integer({ min: 1, max: 4 }),
    presence_penalty: fc.constant(-1.5),
    frequency_penalty: fc.constant(0.5),
    seed: fc.integer(),
    stop: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 })),
    logit_bias: fc.constant({ '50256': -100 }),
    logprobs: fc.boolean(),
    top_logprobs: fc.integer({ min: 0, max: 20 }),
    tools: fc.array(tool, { minLength: 1, maxLength: 3 }),
    // A choice that names a tool of another kind would be refused; no generated tool has this name.
    tool_choice: fc.constantFrom(
      'auto',
      'none',
      'required',
      { type: 'function', function: { name: 'F' } },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'F' } }] },
      },
      { type: 'of_a_vendor' },
    ),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.constantFrom(
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, of_a_vendor: 1 } },
      { type: 'regex', pattern: 'a+' },
    ),
    reasoning_effort: fc.constantFrom('none', 'low', 'xhigh', 'of_a_vendor'),
    reasoning: fc.constant({ max_tokens: 2000, exclude: true }),
    thinking: fc.constant({ type: 'enabled', budget_tokens: 2000 }),
    enable_thinking: fc.boolean(),
    thinking_budget: fc.nat(),
    verbosity: fc.constantFrom('low', 'high'),
    modalities: fc.constant(['text', 'audio']),
    audio: fc.constantFrom({ voice: 'alloy', format: 'wav' }, { voice: { id: 'voice_1' }, format: 'wav' }),
    prediction: fc.constant({ type: 'content', content: 'x' }),
    web_search_options: fc.constant({
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { country: 'US' } },
    }),
    user: text,
    safety_identifier: text,
    prompt_cache_key: text,
    prompt_cache_retention: fc.constant('24h'),
    metadata: object,
    store: fc.boolean(),
    service_tier: fc.constantFrom('auto', 'flex'),
    extra_body: object,
    cache_control: cacheControl,
    of_a_vendor: object,
    temperature_of_a_vendor: fc.constant(null),
  },
  ['model', 'messages'],
);

test('a request that is read and written in this dialect keeps every field as it was', () => {
  fc.assert(
    fc.property(request, (given) => {
      const body: JsonObject = JSON.parse(JSON.stringify(given));
      expect(writeRequest(readRequest(body, {}), targetOf())).toEqual(body);
    }),
    { numRuns: 300 },
  );
});

test('deprecated functions go back as they came', () => {
  const body: JsonObject = {
    model: 'm',
    functions: [{ name: 'f', parameters: { type: 'object' } }],
    function_call: { name: 'f' },
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'done' },
    ],
  };
  const request = readRequest(body, {});
  expect(writeRequest(request, targetOf())).toEqual(body);
  expect(request.tools).toMatchObject([{ type: 'function', name: 'f' }]);
  expect(request.toolChoice).toEqual({ mode: 'named', name: 'f', kind: 'function' });
  const [, { parts: [called] = [] } = {}, { parts: [answered] = [] } = {}] = request.messages;
  expect(called).toMatchObject({ type: 'tool-call', name: 'f', input: '{"a":1}' });
  expect(answered).toMatchObject({
    type: 'tool-result',
    name: 'f',
    id: called && 'id' in called ? called.id : '',
  });
});

test('usage in the stream is asked for beside what the caller asked', () => {
  const request = readRequest(
    { model: 'x', messages: [], stream: true, stream_options: { include_obfuscation: false } },
    {},
  );
  const written = writeRequest(request, targetOf({ stream: true, askUsage: true }));
  expect(written).toMatchObject({
    model: 'm',
    stream: true,
    stream_options: { include_obfuscation: false, include_usage: true },
  });
});

test('a role that is none is refused by its place', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: 'a' },
      { role: 'robot', content: 'b' },
    ],
  };
  expect(() => readRequest(body, {})).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      detail: expect.objectContaining({ field: 'messages[1].role' }),
    }),
  );
});

// ---- From other dialects -----------------------------------------------------------------------------------------

const from = (fields: Partial<ChatRequest>): ChatRequest => ({
  dialect: 'anthropic-messages',
  model: 'x',
  stream: false,
  messages: [],
  tools: [],
  extra: {},
  ...fields,
});
const messagesOf = (messages: Message[], extensions: ChatExtension[] = []) =>
  writeRequest(from({ messages }), targetOf({ extensions: new Set(extensions) })).messages;

describe('a request of another dialect', () => {
  test('has its system texts joined by lines and its user parts in a list', () => {
    expect(
      messagesOf([
        {
          role: 'system',
          parts: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'look' },
            { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'aGk=' }, detail: 'low' },
          ],
        },
      ]),
    ).toEqual([
      { role: 'system', content: 'a\nb' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
        ],
      },
    ]);
  });

  test('has a message for each result, and their images in one of the user after them', () => {
    const result = (callId: string, text: string): ToolResultPart => ({
      type: 'tool-result',
      id: callId,
      kind: 'function',
      content: [{ type: 'text', text }],
    });
    expect(
      messagesOf([
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'hm', origin: 'anthropic-messages', signature: 's' },
            { type: 'text', text: 'I ' },
            { type: 'text', text: 'look' },
            { type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' },
          ],
        },
        {
          role: 'tool',
          parts: [
            {
              ...result('a', 'one'),
              content: [
                { type: 'text', text: 'one' },
                { type: 'image', source: { kind: 'url', url: 'https://a.example/x.png' } },
              ],
            },
            result('b', 'two'),
          ],
        },
        { role: 'user', parts: [{ type: 'text', text: 'and?' }] },
      ]),
    ).toEqual([
      {
        role: 'assistant',
        content: 'I look',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/x.png' } }] },
      { role: 'user', content: 'and?' },
    ]);
  });

  test('gives reasoning back only to an upstream that takes it', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm', origin: 'openai-chat' },
          { type: 'text', text: 'ok' },
        ],
      },
    ];
    expect(messagesOf(messages)).toEqual([{ role: 'assistant', content: 'ok' }]);
    expect(messagesOf(messages, ['reasoning_content'])).toEqual([
      { role: 'assistant', content: 'ok', reasoning_content: 'hm' },
    ]);
  });

  test('has no turn of which nothing is left, but one that came empty', () => {
    const thought: Message = {
      role: 'assistant',
      parts: [{ type: 'thinking', text: 'hm', origin: 'anthropic-messages' }],
    };
    expect(messagesOf([thought])).toEqual([]);
    expect(messagesOf([thought], ['reasoning_content'])).toEqual([
      { role: 'assistant', content: '', reasoning_content: 'hm' },
    ]);
    expect(messagesOf([{ role: 'assistant', parts: [] }])).toEqual([{ role: 'assistant', content: '' }]);
  });

  test('says only what OpenAI knows, and reports the rest', () => {
    const target = targetOf();
    const written = writeRequest(
      from({
        topK: 5,
        maxOutputTokens: 100,
        stop: ['a'],
        temperature: 0.5,
        reasoning: { mode: 'on', budgetTokens: 2000 },
        responseFormat: { type: 'schema', name: 'n', schema: { type: 'object' } },
        metadata: { a: 'b' },
        user: 'u',
      }),
      target,
    );
    expect(written).toEqual({
      model: 'm',
      messages: [],
      max_tokens: 100,
      stop: 'a',
      temperature: 0.5,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
      user: 'u',
    });
    expect(target.left).toEqual(['top_k', 'metadata']);
  });

  test('limits a reasoning model by the field that it knows', () => {
    for (const [model, field] of [
      ['gpt-5-mini', 'max_completion_tokens'],
      ['openai/o3', 'max_completion_tokens'],
      ['gpt-4o', 'max_tokens'],
      ['deepseek-chat', 'max_tokens'],
    ] as const) {
      expect(writeRequest(from({ maxOutputTokens: 7 }), targetOf({ model }))).toHaveProperty(field, 7);
    }
  });

  test.each<[model: string, given: number, told: number, left: string[]]>([
    ['gpt-4o-mini', 32_000, 16_384, ['max_tokens beyond 16384']],
    ['gpt-4.1', 32_000, 32_000, []],
    ['gpt-4.1', 64_000, 32_768, ['max_tokens beyond 32768']],
    ['of-a-vendor', 64_000, 64_000, []],
  ])('limits %s, where %i are wanted, to what it can say: %i', (model, maxOutputTokens, max_tokens, left) => {
    const target = targetOf({ model });
    expect(writeRequest(from({ maxOutputTokens }), target)).toMatchObject({ max_tokens });
    expect(target.left).toEqual(left);
  });

  test('asks a model of OpenAI for the nearest effort that it knows', () => {
    for (const [model, effort, expected] of [
      ['o3', 'none', 'low'],
      ['gpt-5-mini', 'none', 'minimal'],
      ['gpt-5.1', 'none', 'none'],
      ['gpt-5', 'max', 'high'],
      ['gpt-5.2', 'max', 'xhigh'],
      ['of-a-vendor', 'max', 'max'],
    ] as const) {
      expect(writeRequest(from({ reasoning: { effort } }), targetOf({ model }))).toHaveProperty(
        'reasoning_effort',
        expected,
      );
    }
  });

  test.each([
    'gpt-4.1',
    'gpt-4o',
    'openai/gpt-4o-mini',
    'gpt-35-turbo',
    'chatgpt-4o-latest',
    'gpt-5-chat-latest',
  ])('says nothing of reasoning to %s, which refuses every word of it', (model) => {
    for (const reasoning of [{ effort: 'high', mode: 'on' }, { mode: 'off' }] as const) {
      const target = targetOf({ model });
      expect(writeRequest(from({ reasoning }), target)).not.toHaveProperty('reasoning_effort');
      expect(target.left).toEqual(['reasoning']);
    }
  });

  test.each(['o3', 'gpt-5-mini', 'gpt-oss-120b', 'grok-4.3', 'deepseek-chat', 'of-an-operator'])(
    'asks %s for an effort, as nobody knows that it refuses one',
    (model) => {
      const target = targetOf({ model });
      const written = writeRequest(from({ reasoning: { effort: 'high', mode: 'on' } }), target);
      expect([written.reasoning_effort, target.left]).toEqual(['high', []]);
    },
  );

  test.each<[string, JsonObject, string[]]>([
    ['kimi-k2.6', { stop: 'x' }, ['temperature', 'top_p']],
    ['moonshotai/kimi-k3', { stop: 'x' }, ['temperature', 'top_p']],
    ['kimi-k2-0905-preview', { stop: 'x', temperature: 0.2, top_p: 0.9 }, []],
    ['o3', { temperature: 0.2, top_p: 0.9 }, ['stop']],
    ['gpt-4.1', { stop: 'x', temperature: 0.2, top_p: 0.9 }, []],
  ])('says nothing to %s that it refuses of sampling and of where to stop', (model, expected, left) => {
    const target = targetOf({ model });
    const sampled = from({ temperature: 0.2, topP: 0.9, stop: ['x'] });
    const { model: _m, messages: _s, ...rest } = writeRequest(sampled, target);
    expect<JsonObject>(rest).toEqual(expected);
    expect(target.left).toEqual(left);
    const own = readRequest({ model, messages: [], temperature: 0.2, stop: 'x' }, {});
    expect(writeRequest(own, targetOf({ model }))).toMatchObject({ temperature: 0.2, stop: 'x' });
  });

  test('leaves the effort that its own caller wrote', () => {
    const own = readRequest({ model: 'gpt-4.1', messages: [], reasoning_effort: 'high' }, {});
    expect(writeRequest(own, targetOf({ model: 'gpt-4.1' }))).toHaveProperty('reasoning_effort', 'high');
  });

  test('switches thinking by the words of its upstream', () => {
    const thinking = (reasoning: ChatRequest['reasoning'], extension: ChatExtension) => {
      const {
        model: _m,
        messages: _s,
        ...rest
      } = writeRequest(from({ reasoning }), targetOf({ extensions: new Set([extension]) }));
      return rest;
    };
    expect(thinking({ mode: 'off' }, 'enable_thinking')).toEqual({ enable_thinking: false });
    expect(thinking({ budgetTokens: 0 }, 'enable_thinking')).toEqual({ enable_thinking: false });
    expect(thinking({ budgetTokens: 0 }, 'thinking')).toEqual({ thinking: { type: 'disabled' } });
    expect(thinking({ mode: 'on', budgetTokens: 99 }, 'enable_thinking')).toEqual({
      enable_thinking: true,
      thinking_budget: 99,
    });
    expect(thinking({ mode: 'off' }, 'thinking')).toEqual({ thinking: { type: 'disabled' } });
    expect(thinking({ mode: 'on', effort: 'high' }, 'thinking')).toEqual({
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
    });
  });

  test('offers no more than the allowed tools, and custom tools as functions of one text', () => {
    const written = writeRequest(
      from({
        tools: [
          { type: 'function', name: 'a', parameters: { type: 'object' } },
          { type: 'function', name: 'b' },
          { type: 'custom', name: 'c', description: 'says c' },
          { type: 'raw', dialect: 'anthropic-messages', value: { type: 'bash_20250124', name: 'bash' } },
        ],
        toolChoice: { mode: 'allowed', names: ['a', 'c'], required: true },
        parallelToolCalls: false,
      }),
      targetOf(),
    );
    expect(written).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'a', parameters: { type: 'object' } } },
        { type: 'function', function: { name: 'c', parameters: { required: ['input'] } } },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
  });

  test('says no choice where no tool is left', () => {
    const written = writeRequest(from({ toolChoice: { mode: 'auto' }, parallelToolCalls: true }), targetOf());
    expect(written).toEqual({ model: 'm', messages: [] });
  });

  test('is refused with what its upstream cannot take', () => {
    const file = (source: Parameters<typeof urlFile>[0]) => () => messagesOf([urlFile(source)]);
    const urlFile = (source: { kind: 'url'; url: string } | { kind: 'file'; id: string }): Message => ({
      role: 'user',
      parts: [{ type: 'file', source }],
    });
    const refused = expect.objectContaining({ code: 'invalid_request' });
    expect(file({ kind: 'url', url: 'https://a.example/a.pdf' })).toThrow(refused);
    expect(file({ kind: 'file', id: 'file_1' })).toThrow(refused);
    expect(() => writeRequest(from({ previousResponseId: 'resp_1' }), targetOf())).toThrow(refused);
  });

  test('has its text documents as text', () => {
    const data = Buffer.from('a,b').toString('base64');
    expect(
      messagesOf([
        { role: 'user', parts: [{ type: 'file', source: { kind: 'data', mediaType: 'text/csv', data } }] },
      ]),
    ).toEqual([{ role: 'user', content: [{ type: 'text', text: 'a,b' }] }]);
  });
});

test.each([{}, { type: null }])('a function is one where its type is not said: %j', (type) => {
  const read = readRequest({ model: 'm', tools: [{ ...type, function: { name: 'f' } }] }, {});
  expect(read.tools).toEqual([{ type: 'function', name: 'f' }]);
});
