import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { writtenBy } from '../../../tests/support/written.ts';
import type { JsonObject } from '../../core/json.ts';
import { objectOf, objectsOf } from '../fields.ts';
import type { ChatRequest, Message, Part } from '../neutral.ts';
import { readRequest, writeRequest } from './request.ts';

const CLAUDE = 'claude-sonnet-4-5-20250929';
/** As far as it can be told: a text in a field. */
const ANTHROPICS = Buffer.from('\x12\x04seal').toString('base64');

const written = writtenBy(writeRequest, { dialect: 'openai-chat', model: CLAUDE, askUsage: true });

const again = (body: JsonObject): JsonObject => {
  const request = readRequest(body, {});
  return writeRequest(request, {
    model: request.model,
    stream: request.stream,
    askUsage: true,
    defaultMaxTokens: 8192,
    drop: (what) => {
      throw new Error(`dropped ${what}`);
    },
  });
};

const said = (text: string): Part[] => [{ type: 'text', text }];
const RESULT: Message = {
  role: 'tool',
  parts: [{ type: 'tool-result', id: 'a', name: 'f', kind: 'function', content: said('seen') }],
};

/** A turn that has called a tool, and has its result. */
const goingOn = (signature: string): Message[] => [
  { role: 'user', parts: said('hi') },
  {
    role: 'assistant',
    parts: [
      { type: 'thinking', text: 'hm', origin: 'anthropic-messages', signature },
      { type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' },
    ],
  },
  { role: 'tool', parts: [{ type: 'tool-result', id: 'a', kind: 'function', content: said('ok') }] },
];

describe('a request of this dialect', () => {
  test('keeps what thousands of messages say beside their words, each in its turn', () => {
    const own = (n: number) =>
      Object.fromEntries(Array.from({ length: 12 }, (_, k) => [`k${12 * n + k}`, n] as const));
    const messages = Array.from({ length: 4_000 }, (_, n) => ({ role: 'user', content: 'a', ...own(n) }));
    const { messages: turns } = again({ model: CLAUDE, max_tokens: 1, messages });
    expect(turns).toHaveLength(1);
    expect(turns).toMatchObject([{ role: 'user', k0: 0, k47999: 3_999 }]);
  });

  test('keeps every field that it had', () => {
    const body: JsonObject = {
      model: CLAUDE,
      max_tokens: 4096,
      system: [
        { type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'text', text: 'be kind', cache_control: { type: 'ephemeral', ttl: '5m' } },
      ],
      stream: true,
      temperature: 1,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END', '\n'],
      metadata: { user_id: 'u-1', team: 'blue' },
      service_tier: 'standard_only',
      cache_control: { type: 'ephemeral' },
      container: 'container_1',
      mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      thinking: { type: 'enabled', budget_tokens: 2048, display: 'summarized' },
      output_config: {
        effort: 'medium',
        task_budget: { type: 'tokens', total: 1000 },
        format: { type: 'json_schema', schema: { type: 'object', properties: { a: { minimum: 1 } } } },
      },
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      tools: [
        {
          name: 'f',
          description: 'does f',
          input_schema: { type: 'object', properties: { x: { type: 'number' } } },
          strict: true,
          cache_control: { type: 'ephemeral' },
          defer_loading: true,
        },
        { type: 'custom', name: 'g', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 3, blocked_domains: ['a.example'] },
        { type: 'bash_20250124', name: 'bash' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look', cache_control: { type: 'ephemeral', scope: 'global' } },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://img.example/a.png' } },
            { type: 'image', source: { type: 'file', file_id: 'file_1' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
              title: 'T',
              context: 'C',
              citations: { enabled: true },
            },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
            { type: 'document', source: { type: 'url', url: 'https://doc.example/a.pdf' } },
            {
              type: 'document',
              source: { type: 'content', content: [{ type: 'text', text: 'one' }] },
              title: 'blocks',
            },
            {
              type: 'search_result',
              source: 'https://r.example',
              title: 'R',
              content: [{ type: 'text', text: 'found' }],
              citations: { enabled: true },
            },
            { type: 'container_upload', file_id: 'file_2' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: ANTHROPICS },
            { type: 'redacted_thinking', data: 'ZGF0YQ==' },
            {
              type: 'text',
              text: 'because',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'plain',
                  document_index: 1,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 5,
                },
              ],
            },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'f',
              input: { x: 1 },
              caller: { type: 'direct' },
              cache_control: { type: 'ephemeral' },
            },
            { type: 'tool_use', id: 'toolu_2', name: 'g', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done', is_error: false },
            {
              type: 'tool_result',
              tool_use_id: 'toolu_2',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
              is_error: true,
              cache_control: { type: 'ephemeral', ttl: '1h' },
            },
            { type: 'text', text: 'go on' },
          ],
        },
        { role: 'assistant', content: 'So ' },
      ],
    };
    expect(again(body)).toEqual(body);
  });

  test('keeps what nobody has heard of', () => {
    const names = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(names, fc.jsonValue(), names, (field, value, text) => {
        const body = {
          [`new_${field}`]: value,
          model: CLAUDE,
          max_tokens: 5,
          messages: [{ role: 'user', content: [{ type: 'text', text, [`new_${field}`]: value }] }],
        };
        expect(again(body as JsonObject)).toEqual(body as JsonObject);
      }),
    );
  });
});

describe('turns of other dialects', () => {
  test('instructions move up, wherever they stood', () => {
    const { body } = written({
      messages: [
        { role: 'system', parts: said('one') },
        { role: 'user', parts: said('hi') },
        { role: 'developer', parts: said('two') },
      ],
    });
    expect(body.system).toBe('one\ntwo');
    expect(body.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  test('a cache mark keeps instructions apart', () => {
    const { body } = written({
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'one', cache: { ttl: '1h' } }] },
        { role: 'user', parts: said('hi') },
      ],
    });
    expect(body.system).toEqual([
      { type: 'text', text: 'one', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ]);
  });

  test('text of blanks alone is none, as an empty one is none', () => {
    const { body } = written({
      messages: [
        { role: 'system', parts: said(' \n') },
        { role: 'user', parts: said('hi') },
        { role: 'assistant', parts: said('\n\n') },
        { role: 'user', parts: said('go on') },
        {
          role: 'assistant',
          parts: [
            ...said('\n\n'),
            { type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' },
            { type: 'refusal', text: ' ' },
          ],
        },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'a', kind: 'function', content: said('\t') }] },
      ],
    });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: 'go on' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
    ]);
    expect(written({ messages: [{ role: 'user', parts: said('\n') }] }).body.messages).toEqual([
      { role: 'user', content: '...' },
    ]);
  });

  test('types of pictures and documents are spelled as the service knows them', () => {
    const sources = ['image/JPEG', 'IMAGE/Png', 'image/jpg', 'application/PDF'].map((mediaType) => ({
      ...{ kind: 'data' as const, mediaType, data: 'AAAA' },
    }));
    const { body } = written({
      messages: [{ role: 'user', parts: sources.map((source) => ({ type: 'file' as const, source })) }],
    });
    const types = objectsOf(objectsOf(body.messages)[0]?.content).map(({ type, source }) => [
      type,
      objectOf(source)?.media_type,
    ]);
    expect(types).toEqual([
      ['image', 'image/jpeg'],
      ['image', 'image/png'],
      ['image', 'image/jpeg'],
      ['document', 'application/pdf'],
    ]);
  });

  test('results of tools come first in one turn with what the user says', () => {
    const { body } = written({
      messages: [
        { role: 'user', parts: said('hi') },
        {
          role: 'assistant',
          parts: [
            { type: 'tool-call', id: 'functions_f_0', name: 'f', input: '{"x":1}', kind: 'function' },
            { type: 'tool-call', id: 'b', name: 'g', input: '', kind: 'function' },
          ],
        },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', id: 'functions_f_0', kind: 'function', content: said('1') }],
        },
        { role: 'user', parts: said('and?') },
        { role: 'tool', parts: [{ type: 'tool-result', id: 'b', kind: 'function', content: [] }] },
      ],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'functions_f_0', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'functions_f_0', content: '1' },
          { type: 'tool_result', tool_use_id: 'b' },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  test('an answer first gets a question, and no text is empty', () => {
    const { body } = written({
      messages: [
        { role: 'assistant', parts: said('hello') },
        { role: 'assistant', parts: said('') },
        { role: 'user', parts: said('') },
        { role: 'assistant', parts: said('Sure:  \n') },
      ],
    });
    expect(body.messages).toEqual([
      { role: 'user', content: '...' },
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: '...' },
      { role: 'assistant', content: 'Sure:' },
    ]);
  });

  test('thinking of other makers stays away from the model', () => {
    const { body, dropped } = written({
      messages: [
        { role: 'user', parts: said('hi') },
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'hm', origin: 'gemini', signature: 'x' },
            { type: 'thinking', text: 'so', origin: 'anthropic-messages', signature: ANTHROPICS },
            { type: 'thinking', text: 'another', origin: 'anthropic-messages', signature: 'c5a0'.repeat(16) },
            { type: 'thinking', text: 'no proof', origin: 'anthropic-messages' },
            ...said('ok'),
          ],
        },
        { role: 'user', parts: said('more') },
      ],
    });
    expect((body.messages as JsonObject[])[1]?.content).toEqual([
      { type: 'thinking', thinking: 'so', signature: ANTHROPICS },
      { type: 'text', text: 'ok' },
    ]);
    expect(dropped).toEqual(['thinking', 'thinking', 'thinking']);
  });

  test('sound is refused by name', () => {
    const sound: Part = {
      type: 'audio',
      source: { kind: 'data', mediaType: 'audio/wav', data: 'AAAA' },
      format: 'wav',
    };
    expect(() => written({ messages: [{ role: 'user', parts: [sound] }] })).toThrow('invalid_request');
  });
});

describe('settings of other dialects', () => {
  test('what has a word is said with it, what has none is reported', () => {
    const { body, dropped } = written({
      maxOutputTokens: 100,
      temperature: 1.5,
      topP: 0.5,
      topK: 3,
      stop: ['a', '  '],
      user: 'u',
      seed: 1,
      frequencyPenalty: 1,
      choices: 2,
      verbosity: 'low',
      modalities: ['text'],
    });
    expect(body).toEqual({
      model: CLAUDE,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 1,
      top_k: 3,
      stop_sequences: ['a'],
      metadata: { user_id: 'u' },
    });
    expect(dropped.sort()).toEqual([
      'frequency_penalty',
      'n',
      'seed',
      'temperature above 1',
      'top_p',
      'verbosity',
    ]);
  });

  test('a caller without a cap gets the default', () => {
    expect(written({}).body.max_tokens).toBe(8192);
  });

  const f = { type: 'function' as const, name: 'f', parameters: { type: 'object' } };
  test.each<[string, Partial<ChatRequest>, JsonObject | undefined]>([
    ['auto', { toolChoice: { mode: 'auto' } }, { type: 'auto' }],
    ['none', { toolChoice: { mode: 'none' } }, { type: 'none' }],
    ['required', { toolChoice: { mode: 'required' } }, { type: 'any' }],
    ['a name', { toolChoice: { mode: 'named', name: 'f', kind: 'function' } }, { type: 'tool', name: 'f' }],
    [
      'one of some',
      { toolChoice: { mode: 'allowed', names: ['f'], required: true } },
      { type: 'tool', name: 'f' },
    ],
    ['one at a time', { parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    ['several at a time', { parallelToolCalls: true }, undefined],
    ['no choice', {}, undefined],
  ])('tool choice: %s', (_name, request, expected) => {
    expect(written({ tools: [f], ...request }).body.tool_choice).toEqual(expected);
  });

  test('only the allowed tools are shown', () => {
    const { body } = written({
      tools: [f, { ...f, name: 'g' }],
      toolChoice: { mode: 'allowed', names: ['g'], required: false },
    });
    expect(body.tools).toEqual([{ name: 'g', input_schema: { type: 'object' } }]);
    expect(body.tool_choice).toEqual({ type: 'auto' });
  });

  test('a function without parameters and a tool of free text get a schema', () => {
    const { body } = written({
      tools: [
        { type: 'function', name: 'f' },
        { type: 'custom', name: 'c' },
      ],
    });
    expect(body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      {
        name: 'c',
        input_schema: {
          type: 'object',
          properties: { input: { type: 'string' } },
          required: ['input'],
          additionalProperties: false,
        },
      },
    ]);
  });

  test('a schema binds where the model takes one, and is an instruction elsewhere', () => {
    const responseFormat = {
      type: 'schema' as const,
      name: 'r',
      schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
    };
    expect(written({ responseFormat }).body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{minimum: 1}' } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    });
    const old = written({ responseFormat }, 'claude-3-5-haiku-20241022').body;
    expect(old.output_config).toBeUndefined();
    expect(old.system).toContain('"minimum":1');
  });

  test.each<[string, string, Partial<ChatRequest>, JsonObject]>([
    [
      'an effort is a budget',
      CLAUDE,
      { reasoning: { effort: 'medium' } },
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
    ],
    [
      'an effort where the model knows efforts',
      'claude-opus-4-6',
      { reasoning: { effort: 'high' } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      'a budget where the model knows none',
      'claude-opus-4-7',
      { reasoning: { budgetTokens: 20_000 } },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    ['no effort is no thinking', CLAUDE, { reasoning: { effort: 'none' } }, {}],
    [
      'no effort where the model thinks unasked',
      'claude-opus-5',
      { reasoning: { effort: 'none' } },
      { thinking: { type: 'disabled' } },
    ],
    [
      'no effort is the least where the model always thinks',
      'claude-fable-5',
      { reasoning: { effort: 'none' } },
      { output_config: { effort: 'low' } },
    ],
    [
      'a budget leaves room for the answer',
      CLAUDE,
      { reasoning: { effort: 'high' }, maxOutputTokens: 2000 },
      { thinking: { type: 'enabled', budget_tokens: 1600 } },
    ],
    ['no room, no thinking', CLAUDE, { reasoning: { effort: 'high' }, maxOutputTokens: 1000 }, {}],
    [
      'a budget, where the turn that goes on began with a thought of its own',
      CLAUDE,
      { reasoning: { effort: 'high' }, messages: goingOn(ANTHROPICS) },
      { thinking: { type: 'enabled', budget_tokens: 4096 } },
    ],
    [
      'none, where it began with one of another maker',
      CLAUDE,
      { reasoning: { effort: 'high' }, messages: goingOn('c5a0'.repeat(16)) },
      {},
    ],
    [
      'a forced tool forbids thinking',
      CLAUDE,
      { reasoning: { effort: 'high' }, toolChoice: { mode: 'required' }, tools: [f] },
      {},
    ],
  ])('reasoning: %s', (_name, model, request, expected) => {
    const { thinking, output_config } = written(request, model).body;
    expect({ ...(thinking && { thinking }), ...(output_config && { output_config }) } as JsonObject).toEqual(
      expected,
    );
  });

  test.each<[string, Message[], boolean]>([
    ['after results', [RESULT], false],
    ['after results with a picture of theirs', [RESULT, { role: 'user', parts: said('see') }], false],
    ['where a turn begins', [{ role: 'user', parts: said('and now?') }], true],
  ])('a budget goes up with a history that lost its thinking: %s', (_, more, isAllowed) => {
    const messages: Message[] = [
      { role: 'user', parts: said('look') },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' }],
      },
      ...more,
    ];
    const { body } = written({ messages, tools: [f], reasoning: { effort: 'medium' } });
    expect(body.thinking !== undefined).toBe(isAllowed);
  });

  test('thinking takes the sampling away', () => {
    const { body, dropped } = written({ reasoning: { effort: 'low' }, temperature: 0.2, topK: 4 });
    expect(body.temperature).toBeUndefined();
    expect(dropped).toEqual(['temperature', 'top_k']);
  });
});
