/**
 * A coding agent that talks to every model at the address of Chat and takes the words for its tools from other wires, by the
 * name of the model, as Cursor does. Its tools are called and read their results at vendors that refuse what is not theirs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf, objectsOf, textOf } from '../../src/dialects/fields.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { eventsOf } from '../support/surfaces.ts';

const BY_CHAT = 'gpt-4.1';
/** Calls tools by Responses alone. */
const BY_RESPONSES = 'gpt-6.1-sol';
const BY_CLAUDE = 'claude-sonnet-4-5';
const BY_GEMINI = 'gemini-2.5-pro';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true });
  const setting = JSON.stringify({ proxy: t.base });
  await t.relay.addChannel({
    type: 1,
    base_url: 'http://api.openai.com',
    setting,
    models: `${BY_CHAT},${BY_RESPONSES}`,
  });
  await t.relay.addChannel({ type: 14, base_url: 'http://api.anthropic.com', setting, models: BY_CLAUDE });
  await t.relay.addChannel({
    ...{ type: 24, base_url: 'http://generativelanguage.googleapis.com', setting, models: BY_GEMINI },
  });
  await t.relay.setBalance(9_000_000_000);
  t.answers(({ path, body }) => {
    const vendor = VENDORS.find((one) => path.endsWith(one.path));
    const refusal = vendor ? vendor.refusal(body) : `no such path: ${path}`;
    if (!vendor || refusal) return Response.json({ error: { message: refusal } }, { status: 400 });
    return eventStream(vendor.says(vendor.results(body).length));
  });
});
afterAll(() => t.close());

// ---- Vendors -----------------------------------------------------------------------------------------------------

const READ = { path: 'a' };
const PATCH = '*** Begin Patch';

interface Vendor {
  path: string;
  /** What is wrong with a request. */
  refusal(body: JsonObject): string | null;
  /** What the tools have given, as its model reads it. */
  results(body: JsonObject): unknown[];
  /** Calls one tool, then the other, and is done. */
  says(results: number): (JsonObject | string)[];
}

const named = (tools: unknown[], names = ['read', 'patch']): string | null =>
  names.every((name) => tools.includes(name)) ? null : `tools: ${JSON.stringify(tools)}`;
const strange = (object: JsonObject, known: string[]): string | null =>
  Object.keys(object).find((name) => !known.includes(name)) ?? null;

const chat: Vendor = {
  path: '/v1/chat/completions',
  refusal({ messages, tools }) {
    const open = new Set<unknown>();
    for (const message of objectsOf(messages)) {
      const { role, content } = message;
      const field = strange(message, ['role', 'content', 'tool_calls', 'tool_call_id']);
      if (field) return `messages: ${field}`;
      if (role === 'tool' && !open.delete(message.tool_call_id)) return 'a result of no call';
      if (role !== 'tool' && open.size > 0) return 'a call without its result';
      for (const call of objectsOf(message.tool_calls)) open.add(call.id);
      for (const { type } of objectsOf(content)) if (type !== 'text') return `a part: ${type}`;
    }
    if (open.size > 0) return 'a call without its result';
    const names = objectsOf(tools).map((tool) => {
      const { type = '' } = tool;
      const said = objectOf(tool[String(type)]);
      return strange(tool, ['type', 'function', 'custom']) ?? said?.name;
    });
    return named(names);
  },
  results: ({ messages }) =>
    objectsOf(messages).flatMap(({ role, content }) => (role === 'tool' ? [content] : [])),
  says(results) {
    const custom = t.lastSeen.body.tools && JSON.stringify(t.lastSeen.body.tools).includes('"custom"');
    const patch = custom
      ? { type: 'custom', custom: { name: 'patch', input: PATCH } }
      : { type: 'function', function: { name: 'patch', arguments: JSON.stringify({ input: PATCH }) } };
    const read = { type: 'function', function: { name: 'read', arguments: JSON.stringify(READ) } };
    const call = [read, patch][results];
    const said = call ? { tool_calls: [{ index: 0, id: `call_${results}`, ...call }] } : { content: 'done' };
    const chunk = (delta: JsonObject, finish_reason: string | null): JsonObject => ({
      ...{ id: 'x', object: 'chat.completion.chunk', created: 1, model: BY_CHAT },
      choices: [{ index: 0, delta, finish_reason }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    });
    return [chunk({ role: 'assistant', ...said }, null), chunk({}, call ? 'tool_calls' : 'stop'), '[DONE]'];
  },
};

const claude: Vendor = {
  path: '/v1/messages',
  refusal({ messages, tools }) {
    let pending: unknown[] = [];
    for (const { role, content } of objectsOf(messages)) {
      const blocks = objectsOf(content);
      const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id);
      if (JSON.stringify(results) !== JSON.stringify(pending)) return `results: ${results} for ${pending}`;
      pending = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
      if (pending.length > 0 && role !== 'assistant') return 'a call of the user';
    }
    const names = objectsOf(tools).map((tool) => {
      const field = strange(tool, ['name', 'description', 'input_schema', 'strict']);
      return field ?? (objectOf(tool.input_schema)?.type === 'object' ? tool.name : 'no schema');
    });
    return named(names);
  },
  results: ({ messages }) =>
    objectsOf(messages).flatMap(({ content }) =>
      objectsOf(content).flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
    ),
  says(results) {
    const call = [
      { name: 'read', input: READ },
      { name: 'patch', input: { input: PATCH } },
    ][results];
    const block = call
      ? { type: 'tool_use', id: `toolu_${results}`, name: call.name, input: {} }
      : { type: 'text', text: '' };
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
      : { type: 'text_delta', text: 'done' };
    return [
      {
        type: 'message_start',
        message: {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: BY_CLAUDE, content: [] },
          usage: { input_tokens: 5, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: call ? 'tool_use' : 'end_turn' },
        usage: { output_tokens: 2 },
      },
      { type: 'message_stop' },
    ];
  },
};

const partsOf = ({ contents }: JsonObject): JsonObject[] =>
  objectsOf(contents).flatMap(({ parts }) => objectsOf(parts));

const gemini: Vendor = {
  path: ':streamGenerateContent',
  refusal(body) {
    const calls = partsOf(body).flatMap(({ functionCall }) => objectOf(functionCall)?.name ?? []);
    const results = partsOf(body).flatMap(({ functionResponse }) => objectOf(functionResponse)?.name ?? []);
    if (JSON.stringify(calls) !== JSON.stringify(results)) return `results: ${results} for ${calls}`;
    const declared = objectsOf(body.tools).flatMap((tool) => objectsOf(tool.functionDeclarations));
    return named(declared.map(({ name }) => name));
  },
  results: (body) =>
    partsOf(body).flatMap(({ functionResponse }) => objectOf(functionResponse)?.response ?? []),
  says(results) {
    const call = [
      { name: 'read', args: READ },
      { name: 'patch', args: { input: PATCH } },
    ][results];
    const parts = [call ? { functionCall: call } : { text: 'done' }];
    return [
      {
        candidates: [{ content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
        modelVersion: BY_GEMINI,
      },
    ];
  },
};

const responses: Vendor = {
  path: '/v1/responses',
  refusal({ input, tools }) {
    const open = new Set<unknown>();
    for (const item of objectsOf(input)) {
      const { type = 'message', call_id } = item;
      if (String(type).endsWith('_output')) {
        if (!open.delete(`${call_id} ${type}`)) return `a result of no call: ${call_id} ${type}`;
      } else if (type !== 'message') open.add(`${call_id} ${type}_output`);
    }
    if (open.size > 0) return 'a call without its result';
    const known = ['type', 'name', 'description', 'parameters', 'strict', 'format'];
    return named(objectsOf(tools).map((tool) => strange(tool, known) ?? tool.name));
  },
  results: ({ input }) =>
    objectsOf(input).flatMap(({ type, output }) => (String(type).endsWith('_output') ? [output] : [])),
  says(results) {
    const hasCustom = objectsOf(t.lastSeen.body.tools).some(({ type }) => type === 'custom');
    const ids = { id: `fc_${results}`, call_id: `call_${results}`, status: 'completed' };
    const patch = hasCustom
      ? { ...ids, type: 'custom_tool_call', name: 'patch', input: PATCH }
      : { ...ids, type: 'function_call', name: 'patch', arguments: JSON.stringify({ input: PATCH }) };
    const read = { ...ids, type: 'function_call', name: 'read', arguments: JSON.stringify(READ) };
    const item = [read, patch][results] ?? {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    };
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: BY_RESPONSES };
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ];
  },
};

const VENDORS = [chat, responses, claude, gemini];

// ---- The caller --------------------------------------------------------------------------------------------------

/** A call as an answer has told it, and what came of it. */
interface Step {
  call: JsonObject;
  result: string;
}

const SCHEMA = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const TEXT_SCHEMA = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
const FLAT: JsonObject[] = [
  { type: 'function', name: 'read', description: 'reads', parameters: SCHEMA, strict: false },
  {
    ...{ type: 'custom', name: 'patch', description: 'writes' },
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  },
];

const saidIn = (call: JsonObject): JsonObject => objectOf(call[String(call.type)]) ?? {};

interface Shape {
  /** It has words for a tool that takes free text. */
  hasCustom: boolean;
  body(steps: readonly Step[]): JsonObject;
}

const SHAPES: [string, Shape][] = [
  [
    'flat tools beside messages',
    {
      hasCustom: true,
      body: (steps) => ({
        tools: FLAT,
        messages: [
          { role: 'system', content: 'You mend.' },
          { role: 'user', content: 'Mend a.' },
          ...steps.flatMap(({ call, result }) => [
            { role: 'assistant', content: 'Look.', tool_calls: [call] },
            { role: 'tool', tool_call_id: call.id ?? '', content: result },
          ]),
        ],
      }),
    },
  ],
  [
    'tools, calls and results of Messages',
    {
      hasCustom: false,
      body: (steps) => ({
        tools: [
          { name: 'read', description: 'reads', input_schema: SCHEMA },
          { name: 'patch', description: 'writes', input_schema: TEXT_SCHEMA },
        ],
        tool_choice: { type: 'auto' },
        messages: [
          { role: 'system', content: 'You mend.' },
          { role: 'user', content: [{ type: 'text', text: 'Mend a.' }] },
          ...steps.flatMap(({ call, result }) => {
            const { name = '', arguments: input } = saidIn(call);
            const id = call.id ?? '';
            const use = { type: 'tool_use', id, name, input: JSON.parse(String(input)) };
            const found = { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: result }] };
            return [
              { role: 'assistant', content: [{ type: 'text', text: 'Look.' }, use] },
              { role: 'user', content: [found] },
            ];
          }),
        ],
      }),
    },
  ],
  [
    'a body of Responses',
    {
      hasCustom: true,
      body: (steps) => ({
        tools: FLAT,
        ...{ instructions: 'You mend.', store: false, include: ['reasoning.encrypted_content'] },
        max_output_tokens: 500,
        stream_options: { include_usage: true },
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Mend a.' }] },
          ...steps.flatMap(({ call, result }): JsonObject[] => {
            const { name = '', arguments: args = '', input = '' } = saidIn(call);
            const call_id = call.id ?? '';
            return call.type === 'custom'
              ? [
                  { type: 'custom_tool_call', call_id, name, input },
                  { type: 'custom_tool_call_output', call_id, output: result },
                ]
              : [
                  { type: 'function_call', call_id, name, arguments: args },
                  { type: 'function_call_output', call_id, output: result },
                ];
          }),
        ],
      }),
    },
  ],
];

/** One call of the pieces of a stream. */
function joined(call: JsonObject, { index: _, ...piece }: JsonObject): JsonObject {
  const type = textOf(piece.type ?? call.type) ?? '';
  const field = type === 'custom' ? 'input' : 'arguments';
  const [before, more] = [objectOf(call[type]) ?? {}, objectOf(piece[type]) ?? {}];
  return {
    ...call,
    ...piece,
    [type]: { ...before, ...more, [field]: `${before[field] ?? ''}${more[field] ?? ''}` },
  };
}

async function asked(model: string, body: JsonObject) {
  const answer = await t.post('/v1/chat/completions', { model, stream: true, ...body });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, text]);
  const deltas = eventsOf(text).flatMap(({ choices }) =>
    objectsOf(choices).map(({ delta }) => objectOf(delta) ?? {}),
  );
  const call = deltas.flatMap(({ tool_calls }) => objectsOf(tool_calls)).reduce(joined, {});
  const content = deltas.map((delta) => delta.content ?? '').join('');
  return { call, content, lost: answer.headers.get('x-gateway-lost') };
}

describe.each(SHAPES)('%s', (_, { body, hasCustom }) => {
  it.each<[string, Vendor]>([
    [BY_CHAT, chat],
    [BY_RESPONSES, responses],
    [BY_CLAUDE, claude],
    [BY_GEMINI, gemini],
  ])('are two tools that %s calls, and whose results it reads', async (model, vendor) => {
    const first = await asked(model, body([]));
    expect(first.call).toMatchObject({
      type: 'function',
      function: { name: 'read', arguments: JSON.stringify(READ) },
    });
    const read = { call: first.call, result: 'text of a' };

    const second = await asked(model, body([read]));
    expect(second.call).toMatchObject(
      hasCustom
        ? { type: 'custom', custom: { name: 'patch', input: PATCH } }
        : { type: 'function', function: { name: 'patch', arguments: JSON.stringify({ input: PATCH }) } },
    );

    const last = await asked(model, body([read, { call: second.call, result: 'written' }]));
    expect(last.content).toBe('done');
    const found = JSON.stringify(vendor.results(t.lastSeen.body));
    expect(found).toContain('text of a');
    expect(found).toContain('written');
    expect([first, second, last].map(({ lost }) => lost)).toEqual([null, null, null]);
  });
});

it.each<[string, JsonObject, JsonObject]>([
  ['an earlier answer', { previous_response_id: 'resp_1' }, { param: 'previous_response_id' }],
  ['an item of one', { input: [{ type: 'item_reference', id: 'msg_1' }] }, { param: 'input' }],
  ['a prompt of the account', { prompt: { id: 'pmpt_1' } }, { param: 'prompt' }],
  [
    'a store of the account',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    { param: 'tools[0].vector_store_ids', code: 'shared_context_refused' },
  ],
])('a body of Responses that builds upon %s is refused before anybody is asked', async (_, more, error) => {
  const { length } = t.seen;
  const body = { model: BY_RESPONSES, input: 'hi', ...more };
  const answer = await t.post('/v1/chat/completions', body);
  expect(await answer.json()).toMatchObject({ error });
  expect([answer.status, t.seen.length]).toEqual([400, length]);
});

it('what a chat has no word for is told as lost', async () => {
  const more = { max_tool_calls: 3, tools: [...FLAT, { type: 'code_interpreter', container: 'auto' }] };
  const { lost } = await asked(BY_CHAT, { input: 'hi', ...more });
  expect(lost).toBe('code_interpreter, max_tool_calls');
  expect(JSON.stringify(t.lastSeen.body)).not.toContain('code_interpreter');
});
