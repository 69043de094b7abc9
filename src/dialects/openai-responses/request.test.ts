import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { carry } from '../carried.ts';
import type { RequestTarget } from '../codec.ts';
import type { ChatRequest, Message } from '../neutral.ts';
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
const object = fc.dictionary(word, fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 3 });
/** A record of which only the named fields must be there. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>, ...required: string[]) =>
  fc.record(fields, { requiredKeys: required });
const status = fc.constantFrom('completed', 'incomplete');

const inputPart = fc.oneof(
  fc.record({ type: fc.constant('input_text'), text }),
  some(
    {
      type: fc.constant('input_image'),
      image_url: fc.constantFrom('https://a.example/x.png', 'data:image/webp;base64,aGk='),
      detail: fc.constantFrom('low', 'high', 'auto'),
    },
    'type',
    'image_url',
  ),
  fc.constant({ type: 'input_image', file_id: 'file-1', detail: 'auto' }),
  fc.constantFrom<JsonObject>(
    { type: 'input_file', file_id: 'file-1' },
    { type: 'input_file', file_url: 'https://a.example/a.pdf' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' },
    { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
    { type: 'of_the_future', value: 1 },
  ),
);
const outputPart = fc.oneof(
  some(
    {
      type: fc.constant('output_text'),
      text,
      annotations: fc.constantFrom(
        [],
        [{ type: 'url_citation', start_index: 0, end_index: 1, url: 'u', title: 't' }],
      ),
      logprobs: fc.constant([]),
    },
    'type',
    'text',
  ),
  fc.record({ type: fc.constant('refusal'), refusal: text }),
);
const message = fc.oneof(
  some(
    {
      type: fc.constant('message'),
      role: fc.constantFrom('user', 'system', 'developer'),
      content: fc.oneof(text, fc.array(inputPart, { minLength: 1, maxLength: 3 })),
      id: word,
      status,
    },
    'role',
    'content',
  ),
  some(
    {
      type: fc.constant('message'),
      role: fc.constant('assistant'),
      content: fc.oneof(text, fc.array(outputPart, { minLength: 1, maxLength: 3 })),
      id: word,
      status,
      phase: fc.constantFrom('commentary', 'final_answer'),
    },
    'role',
    'content',
  ),
);

const tool = fc.oneof(
  some(
    {
      type: fc.constant('function'),
      name: word,
      description: text,
      parameters: object,
      strict: fc.boolean(),
      of_the_future: word,
    },
    'type',
    'name',
  ),
  some({ type: fc.constant('custom'), name: word, description: text, format: object }, 'type', 'name'),
  fc.constantFrom<JsonObject>(
    { type: 'web_search', search_context_size: 'low', filters: { allowed_domains: ['a.example'] } },
    { type: 'web_search_preview' },
    { type: 'file_search', vector_store_ids: ['vs_1'] },
    { type: 'mcp', server_label: 'l', server_url: 'https://a.example' },
  ),
);
const tools = fc.array(
  fc.oneof(
    tool,
    fc.record({
      type: fc.constant('namespace'),
      name: fc.oneof(word, fc.constant('functions')),
      description: text,
      tools: fc.array(tool, { maxLength: 2 }),
    }),
  ),
  { minLength: 1, maxLength: 3 },
);
const namespace = fc.oneof(word, fc.constant('functions'));

const summary = fc.array(fc.record({ type: fc.constant('summary_text'), text }), { maxLength: 2 });
const item = fc.oneof(
  message,
  some(
    { type: fc.constant('reasoning'), id: word, summary, encrypted_content: text, status },
    'type',
    'summary',
  ),
  fc.record({
    type: fc.constant('reasoning'),
    id: word,
    summary: fc.constant([]),
    content: fc.array(fc.record({ type: fc.constant('reasoning_text'), text }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  some(
    {
      type: fc.constant('function_call'),
      id: word,
      call_id: word,
      name: word,
      arguments: fc.constant('{"a":1}'),
      namespace,
      status,
    },
    'type',
    'call_id',
    'name',
    'arguments',
  ),
  some(
    { type: fc.constant('custom_tool_call'), id: word, call_id: word, name: word, namespace, input: text },
    'type',
    'call_id',
    'name',
    'input',
  ),
  some(
    {
      type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
      call_id: word,
      output: fc.oneof(text, fc.array(inputPart, { minLength: 1, maxLength: 3 })),
      status,
    },
    'type',
    'call_id',
    'output',
  ),
  fc.record({
    type: fc.constant('additional_tools'),
    id: word,
    role: fc.constant('developer'),
    tools,
  }),
  fc.constantFrom<JsonObject>(
    { type: 'item_reference', id: 'msg_1' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' },
    { type: 'image_generation_call', id: 'ig_1' },
    { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: 'u' } },
    { type: 'mcp_approval_response', approval_request_id: 'a', approve: true },
  ),
);

const request = some(
  {
    model: fc.constant('m'),
    input: fc.oneof(text, fc.array(item, { minLength: 1, maxLength: 6 })),
    instructions: text,
    max_output_tokens: fc.integer({ min: 16, max: 1000 }),
    max_tool_calls: fc.nat(),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    top_logprobs: fc.integer({ min: 0, max: 20 }),
    truncation: fc.constantFrom('auto', 'disabled'),
    parallel_tool_calls: fc.boolean(),
    store: fc.boolean(),
    metadata: object,
    user: text,
    safety_identifier: text,
    prompt_cache_key: text,
    service_tier: fc.constantFrom('auto', 'flex'),
    previous_response_id: word,
    conversation: fc.constant({ id: 'conv_1' }),
    prompt: fc.constant({ id: 'pmpt_1', variables: {} }),
    reasoning: some({
      effort: fc.constantFrom('low', 'of_the_future'),
      summary: fc.constantFrom('auto', 'detailed'),
    }),
    text: fc.constantFrom(
      { format: { type: 'text' } },
      {
        format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
    ),
    tools,
    // A choice that names a tool of another kind would be refused; no generated tool has this name.
    tool_choice: fc.constantFrom(
      'auto',
      'required',
      { type: 'function', name: 'F' },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'F' }] },
      { type: 'web_search_preview' },
    ),
    include: fc.constantFrom(['reasoning.encrypted_content'], ['message.output_text.logprobs']),
    of_the_future: object,
  },
  'model',
  'input',
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

test('a search is known by its whole name, of which the date of a version is a part', () => {
  const types = ['web_search', 'web_search_preview', 'web_search_2025_08_26', 'web_search_image'];
  const { tools } = readRequest(
    { model: 'm', input: 'Find it.', tools: types.map((type) => ({ type })) },
    {},
  );
  expect(tools.map(({ type }) => type)).toEqual(['web-search', 'web-search', 'web-search', 'raw']);
});

// ---- Between dialects --------------------------------------------------------------------------------------------

test('what an assistant said in several items is one message', () => {
  const { messages } = readRequest(
    {
      instructions: 'be brief',
      input: [
        { role: 'user', content: 'hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'e',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look' }] },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'g', input: 'x' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'two' }] },
        { role: 'user', content: 'and?' },
      ],
    },
    {},
  );
  expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
    ['system', ['text']],
    ['user', ['text']],
    ['assistant', ['thinking', 'text', 'tool-call', 'tool-call']],
    ['tool', ['tool-result', 'tool-result']],
    ['user', ['text']],
  ]);
  expect(messages[2]?.parts[0]).toMatchObject({ text: 'hm', summary: true, encrypted: 'e', id: 'rs_1' });
  expect(messages[3]?.parts).toMatchObject([
    { id: 'a', name: 'f', kind: 'function' },
    { id: 'b', name: 'g', kind: 'custom' },
  ]);
});

test.each([
  [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role'],
  [{ input: ['x'] }, 'input[0]'],
])('%p is refused by its place', (body, place) => {
  expect(() => readRequest(body, {})).toThrow(
    expect.objectContaining({ detail: expect.objectContaining({ field: place }) }),
  );
});

const from = (fields: Partial<ChatRequest>): ChatRequest => ({
  dialect: 'openai-chat',
  model: 'x',
  stream: false,
  messages: [],
  tools: [],
  extra: {},
  ...fields,
});

describe('a request of another dialect', () => {
  test('becomes items, one after the other', () => {
    const messages: Message[] = [
      { role: 'system', parts: [{ type: 'text', text: 'be brief' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', text: 'look' },
          { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'aGk=' } },
        ],
      },
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
            type: 'tool-result',
            id: 'a',
            kind: 'function',
            isError: true,
            content: [
              { type: 'text', text: 'one' },
              { type: 'image', source: { kind: 'url', url: 'https://a.example/x.png' }, detail: 'high' },
            ],
          },
        ],
      },
    ];
    const target = targetOf();
    expect(writeRequest(from({ messages }), target)).toEqual({
      model: 'm',
      store: false,
      input: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'look' },
            { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'I ' },
            { type: 'output_text', text: 'look' },
          ],
        },
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [
            { type: 'input_text', text: 'Error: one' },
            { type: 'input_image', image_url: 'https://a.example/x.png', detail: 'high' },
          ],
        },
      ],
    });
    expect(target.left).toEqual(['thinking']);
  });

  test('gives the service its own reasoning back', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        parts: [
          {
            type: 'thinking',
            text: 'hm',
            summary: true,
            origin: 'openai-responses',
            id: 'rs_1',
            encrypted: 'e',
          },
        ],
      },
    ];
    expect(writeRequest(from({ messages }), targetOf()).input).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'e',
      },
    ]);
  });

  test('has its tools flat, strict only where they say so', () => {
    const nothing = { type: 'object', properties: {}, required: [], additionalProperties: false };
    const written = writeRequest(
      from({
        tools: [
          { type: 'function', name: 'a' },
          { type: 'function', name: 'b', parameters: nothing, strict: true },
          { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'a' } },
        ],
        toolChoice: { mode: 'named', name: 'c', kind: 'custom' },
        parallelToolCalls: false,
      }),
      targetOf(),
    );
    expect(written).toMatchObject({
      tools: [
        { type: 'function', name: 'a', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'function', name: 'b', parameters: nothing, strict: true },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'regex', definition: 'a' } },
      ],
      tool_choice: { type: 'custom', name: 'c' },
      parallel_tool_calls: false,
    });
  });

  test('speaks of reasoning only to models that reason, and keeps the least limit', () => {
    const fields = { reasoning: { effort: 'high', mode: 'on' }, maxOutputTokens: 5 } as const;
    expect(writeRequest(from(fields), targetOf({ model: 'gpt-5-mini' }))).toMatchObject({
      max_output_tokens: 16,
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
    const plain = writeRequest(from(fields), targetOf({ model: 'gpt-4o' }));
    expect(plain).not.toHaveProperty('reasoning');
    expect(plain).not.toHaveProperty('include');
  });

  test('reports the settings that this wire has no word for', () => {
    const target = targetOf();
    writeRequest(from({ topK: 1, stop: ['a'], seed: 7, choices: 2, frequencyPenalty: 1 }), target);
    expect(target.left.sort()).toEqual(['frequency_penalty', 'n', 'seed', 'stop', 'top_k']);
  });
});

test('the proof of another maker comes back through the encrypted content', () => {
  const proof = { origin: 'anthropic-messages', signature: 'c2ln' } as const;
  const { messages } = readRequest(
    {
      input: [
        {
          type: 'reasoning',
          id: 'rs_relay_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: carry(proof),
        },
      ],
    },
    {},
  );
  expect(messages[0]?.parts).toEqual([{ type: 'thinking', text: 'hm', ...proof }]);
});
