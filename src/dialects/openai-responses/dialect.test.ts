import { describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { ruled } from '../body-rules.ts';
import { carry } from '../carried.ts';
import { sealsIn } from '../sealed-reasoning.ts';
import { openaiResponses as dialect } from './dialect.ts';

const ask = (fields: JsonObject): JsonObject => ({ model: 'm', input: 'hi', ...fields });

describe('what the relay must know of a request', () => {
  test('is read from its fields', () => {
    const facts = dialect.readRequest(
      ask({
        stream: true,
        max_output_tokens: 50,
        previous_response_id: 'resp_1',
        prompt_cache_key: 'k',
        instructions: 'be brief',
      }),
      {},
    );
    expect(facts).toMatchObject({
      model: 'm',
      stream: true,
      outputCap: 50,
      choices: 1,
      affinity: 'k',
      previousAnswer: 'resp_1',
      wantsUsage: true,
      prompt: { messages: 2 },
    });
    expect(facts.prompt.textBytes).toBeGreaterThanOrEqual('hi'.length + 'be brief'.length);
  });

  test.each<[string, JsonObject]>([
    ['model', { model: 5 }],
    ['input', { input: undefined }],
    ['input', { input: 5 }],
    ['input[0]', { input: ['x'] }],
    ['input[0].content', { input: [{ role: 'user', content: 5 }] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['max_output_tokens', { max_output_tokens: 1.5 }],
    ['stream', { stream: 'yes' }],
    ['background', { background: true }],
    ['tools', { tools: {} }],
    ['previous_response_id', { previous_response_id: 5 }],
  ])('is refused when %s is wrong', (field, fields) => {
    expect(() => dialect.readRequest(ask(fields), {})).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        detail: expect.objectContaining({ field }),
      }),
    );
  });

  test('input may be kept by the service', () => {
    expect(dialect.readRequest({ model: 'm', previous_response_id: 'resp_1' }, {}).previousAnswer).toBe(
      'resp_1',
    );
  });

  test.each<[string | undefined, boolean, JsonObject]>([
    ['conversation', true, { conversation: 'conv_1' }],
    ['prompt', true, { prompt: { id: 'pmpt_1' } }],
    [
      'input[1]',
      true,
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'msg_1' },
        ],
      },
    ],
    ['input[0]', true, { input: [{ id: 'msg_1' }] }],
    [undefined, true, { previous_response_id: 'resp_1' }],
    [
      'input[0].content[0].file_id',
      true,
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
    ],
    [
      undefined,
      true,
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.b/c' }] }] },
    ],
    ['input[0].file_id', true, { tools: [], input: [{ type: 'mcp_call', file_id: 'file-1' }] }],
    ['input[0]', true, { input: [{ type: 'image_generation_call', id: 'ig_1' }] }],
    [
      undefined,
      false,
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'function_call', id: 'fc_1' },
        ],
      },
    ],
  ])('what the service keeps is told: %s, a prompt of unknown size: %s', (kept, unseen, fields) => {
    const facts = dialect.readRequest(ask(fields), {});
    expect(facts.namedItems?.[0]?.at ?? ruled(ask(fields), dialect.rules).kept).toBe(kept);
    expect(facts.prompt.unseen ?? false).toBe(unseen);
  });

  test("a drawing's result is its bytes", () => {
    const drawn = (result: string) => () =>
      dialect.readRequest(ask({ input: [{ type: 'image_generation_call', id: 'ig_1', result }] }), {});
    for (const result of ['aGk=', 'data:image/png;base64,aGk=']) expect(drawn(result)).not.toThrow();
    for (const result of ['gs://bucket/a.png', 'https://a.example/b.png', 'file:///a', 'so many words']) {
      expect(drawn(result)).toThrow(
        expect.objectContaining({ detail: expect.objectContaining({ field: 'input[0].result' }) }),
      );
    }
  });

  test('thoughts of earlier answers are known by their ids, whether or not they stand there sealed', () => {
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'abc' },
      { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: '' },
      { type: 'reasoning', id: 'rs_relay_1', summary: [{ type: 'summary_text', text: 'So.' }] },
      { type: 'reasoning', summary: [] },
    ];
    expect(dialect.readRequest(ask({ input }), {}).keptThoughts).toEqual([
      { id: 'rs_1', isSealed: false },
      { id: 'rs_2', isSealed: true },
      { id: 'rs_3', isSealed: false },
    ]);
    expect(dialect.readRequest(ask({}), {})).not.toHaveProperty('keptThoughts');
  });

  test('more items than a conversation can have are refused', () => {
    const input = Array.from({ length: 4097 }, () => ({ role: 'user', content: 'x' }));
    expect(() => dialect.readRequest(ask({ input }), {})).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});

describe('forwarding', () => {
  const own = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'abc' };
  const foreign = { ...own, encrypted_content: carry({ origin: 'gemini', signature: 's' }) };
  const made = { type: 'reasoning', id: 'rs_relay_r1_0', summary: [] };

  test('changes the model and keeps every field', () => {
    const body = ask({ of_the_future: 1, include: ['x'], stream: true });
    expect(dialect.forward(body, { model: 'up', stream: false, askUsage: true })).toEqual({
      model: 'up',
      input: 'hi',
      of_the_future: 1,
      include: ['x'],
    });
  });

  test('leaves out reasoning that the service never gave', () => {
    const user = { role: 'user', content: 'hi' };
    const body = ask({ input: [own, foreign, made, user] });
    expect(dialect.forward(body, { model: 'm', stream: true, askUsage: false })).toEqual({
      model: 'm',
      stream: true,
      input: [own, user],
    });
  });

  test('puts the operator first among instructions, before the caller only when told', () => {
    expect(dialect.addSystem(ask({}), 'op', false)).toMatchObject({ instructions: 'op' });
    expect(dialect.addSystem(ask({ instructions: 'me' }), 'op', false)).toMatchObject({ instructions: 'me' });
    expect(dialect.addSystem(ask({ instructions: 'me' }), 'op', true)).toMatchObject({
      instructions: 'op\nme',
    });
    const system = [{ role: 'developer', content: 'me' }];
    expect(dialect.addSystem(ask({ input: system }), 'op', false)).not.toHaveProperty('instructions');
  });
});

describe('watching', () => {
  const frameOf = (event: JsonObject) => ({ event: String(event.type), data: JSON.stringify(event) });
  const bytesOf = (event: JsonObject) =>
    new TextEncoder().encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 };

  test('looks only at frames that may end the answer', () => {
    const tap = dialect.tap({ wantsUsage: true });
    expect(tap.wants(bytesOf({ type: 'response.output_text.delta', delta: 'x' }))).toBe(false);
    expect(tap.wants(bytesOf({ type: 'response.completed', response: {} }))).toBe(true);
    expect(tap.wants(bytesOf({ type: 'error', message: 'm' }))).toBe(true);
  });

  test('reads usage and the reason of the last frame', () => {
    const tap = dialect.tap({ wantsUsage: true });
    const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, usage };
    expect(tap.read(frameOf({ type: 'response.incomplete', response }))).toMatchObject({
      last: true,
      drop: false,
    });
    expect(tap.usage).toMatchObject({ input: 5, cacheRead: 4, output: 5 });
    expect(tap.finishReason).toBe('max_output_tokens');
    expect(tap.complete).toBe(true);
  });

  test.each<[JsonObject, string]>([
    [{ type: 'error', code: 'c', message: 'flat' }, 'flat'],
    [{ error: { type: 't', code: 'c', message: 'nameless' } }, 'nameless'],
    [{ type: 'error', error: { type: 't', code: 'c', message: 'nested' } }, 'nested'],
    [{ type: 'response.failed', response: { error: { code: 'c', message: 'failed' }, usage } }, 'failed'],
  ])('%p is an error', (event, message) => {
    const tap = dialect.tap({ wantsUsage: true });
    expect(tap.read(frameOf(event))).toMatchObject({ drop: true, error: { message, code: 'c' } });
    expect(tap.complete).toBe(false);
  });

  test('tells content from the frames around it', () => {
    const tap = dialect.tap({ wantsUsage: true });
    const content = (event: JsonObject) => tap.read(frameOf(event)).content;
    expect(content({ type: 'response.created', response: { error: null, usage: null } })).toBe(false);
    expect(content({ type: 'response.output_item.added', item: { type: 'message' } })).toBe(false);
    expect(content({ type: 'response.output_item.added', item: { type: 'function_call', name: 'f' } })).toBe(
      true,
    );
    expect(content({ type: 'response.output_text.delta', delta: 'x' })).toBe(true);
  });

  test('knows the ids of its items, and whether its service keeps them', () => {
    const thought = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `of ${id}` });
    const itemsOf = (created: JsonObject, more: JsonObject[] = []) => {
      const tap = dialect.tap({ wantsUsage: true });
      const done = { type: 'response.output_item.done', item: thought('rs_1') };
      expect(tap.wants(bytesOf(done))).toBe(true);
      const begun = {
        type: 'response.output_item.added',
        item: { ...thought('rs_1'), encrypted_content: 'of' },
      };
      tap.read(frameOf({ type: 'response.created', response: created }));
      for (const event of [begun, done]) tap.read(frameOf(event));
      const output = [thought('rs_1'), thought('rs_2'), { type: 'message', id: 'msg_1' }, ...more];
      tap.read(frameOf({ type: 'response.completed', response: { ...created, output, usage } }));
      expect(dialect.readReply({ ...created, output, usage }).items).toEqual(tap.items);
      return tap.items;
    };
    const thoughts = ['rs_1', 'rs_2'];
    const seals = sealsIn(thoughts.map(thought));
    expect(new Set(seals).size).toBe(thoughts.length);
    const items = { ids: [...thoughts, 'msg_1'], thoughts, seals, areKept: true, searches: 0 };
    expect(itemsOf({ id: 'resp_1' })).toEqual(items);
    expect(itemsOf({ id: 'resp_1', store: false })).toEqual({ ...items, areKept: false });
    expect(itemsOf({})).toBeUndefined();
    const called = ['function_call', 'custom_tool_call', 'shell_call'].map((type) => ({ type, name: 'f' }));
    expect(itemsOf({ id: 'resp_1' }, called)).toEqual(items);
    for (const type of ['mcp_call', 'file_search_call', 'image_generation_call'])
      expect(itemsOf({ id: 'resp_1' }, [{ type, name: 'f' }])).toEqual({ ...items, searches: null });
    const atX = [{ type: 'web_search_call' }, { type: 'custom_tool_call', name: 'x_keyword_search' }];
    expect(itemsOf({ id: 'resp_1' }, atX)).toEqual({ ...items, searches: null });
    const searched = [{ type: 'web_search_call' }, { type: 'web_search_call', id: 'ws_1' }];
    const withSearches = { ...items, ids: [...items.ids, 'ws_1'], searches: 2 };
    expect(itemsOf({ id: 'resp_1' }, searched)).toEqual(withSearches);
    // What is kept and shown without its seal is known by its id, and what nobody keeps by nothing.
    const bare = { type: 'reasoning', id: 'rs_3', summary: [] };
    const more = { ids: [...items.ids, 'rs_3'], thoughts: [...thoughts, 'rs_3'] };
    const byId = [...seals, ...sealsIn([bare])];
    expect(byId.length).toBe(3);
    expect(itemsOf({ id: 'resp_1' }, [bare])).toEqual({ ...items, ...more, seals: byId });
    expect(itemsOf({ id: 'resp_1', store: false }, [bare])).toEqual({ ...items, ...more, areKept: false });
  });

  test('counts what the model produced', () => {
    const tap = dialect.tap({ wantsUsage: true });
    const produced = (event: JsonObject) => tap.produced(frameOf(event));
    expect(produced({ type: 'response.output_text.delta', delta: 'x' })).toEqual({ text: 'x', toolCalls: 0 });
    const item = { type: 'function_call', name: 'f', arguments: '' };
    expect(produced({ type: 'response.output_item.added', item })).toMatchObject({ text: 'f', toolCalls: 1 });
    expect(produced({ type: 'response.output_text.done', text: 'x' })).toEqual({ text: '', toolCalls: 0 });
  });
});

describe('whole answers', () => {
  test('an answer has its usage and its reason', () => {
    const facts = dialect.readReply({
      status: 'completed',
      error: null,
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'ok' }] },
        { type: 'function_call', name: 'f', arguments: '{}' },
      ],
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    expect(facts).toMatchObject({ error: null, usage: { input: 1, output: 2 }, finishReason: 'completed' });
    expect(facts.produced()).toMatchObject({ text: 'okf{}', toolCalls: 1 });
  });

  test('a failed response is an error, and so is anything without output', () => {
    const failed = { status: 'failed', error: { code: 'server_error', message: 'm' }, output: [] };
    expect(dialect.readReply(failed).error).toMatchObject({ message: 'm', code: 'server_error' });
    expect(dialect.readReply({}).error).not.toBeNull();
    expect(dialect.readReply('x').error).not.toBeNull();
  });
});
