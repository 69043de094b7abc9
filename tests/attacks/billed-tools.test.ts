/**
 * What OpenRouter runs beside any model, and bills: pictures, pages and searches that no price here knows, and a reader of
 * files that nobody asks for.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { pdfOf } from '../support/pdf.ts';
import { chatAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openrouter: { type: 20 },
    selling: { type: 20, setting: { allow_dearer: true } },
    native: { type: 20, named: 'openai/gpt-4o' },
    openai: { type: 1 },
    open: { type: 1, setting: { allow_dearer: true } },
    claude: { type: 14, setting: { allow_dearer: true }, named: 'claude-opus-4-8' },
    own: { type: 20, param_override: { plugins: [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }] } },
  }));
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const CHAT: JsonObject = { messages: MESSAGES, max_tokens: 50 };
const post = (path: string, model: string, body: JsonObject) =>
  t.post(path, { model: models[model] ?? '', ...body });

describe("OpenRouter's own tools", () => {
  const own = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const claudes = { name: 'f', input_schema: { type: 'object' } };
  const ANSWERS: Record<string, JsonObject> = {
    '/v1/chat/completions': chatAnswer({ prompt_tokens: 10, completion_tokens: 5 }, 'News.'),
    '/v1/messages': messagesAnswer({ input_tokens: 10, output_tokens: 5 }, 'News.'),
  };
  const TYPES = ['image_generation', 'web_search', 'web_fetch', 'fusion', 'of_the_future'];

  it.each(Object.keys(ANSWERS).flatMap((path) => TYPES.map((type) => [path, type] as const)))(
    'do not go up: %s, %s',
    async (path, type) => {
      t.answers(ANSWERS[path] ?? {});
      const kept: JsonObject = path === '/v1/messages' ? claudes : own;
      const tool: JsonObject = { type: `openrouter:${type}`, parameters: {} };
      const both = await post(path, 'openrouter', { ...CHAT, tools: [tool, kept] });
      expect([both.status, both.headers.get('x-gateway-lost')]).toEqual([200, 'openrouter:*']);
      expect(t.lastSeen.body.tools).toEqual([kept]);
      await t.row();
      const alone = await post(path, 'openrouter', { ...CHAT, tools: [tool], tool_choice: { type: 'auto' } });
      expect(alone.status).toBe(200);
      expect(t.lastSeen.body).not.toHaveProperty('tools');
      expect(t.lastSeen.body).not.toHaveProperty('tool_choice');
      await t.row();
    },
  );

  it('go up where they are sold', async () => {
    t.answers(ANSWERS['/v1/chat/completions'] ?? {});
    const tools = [{ type: 'openrouter:web_fetch' }];
    expect((await post('/v1/chat/completions', 'selling', { ...CHAT, tools })).status).toBe(200);
    expect(t.lastSeen.body.tools).toEqual(tools);
    await t.row();
  });
});

describe('a tool that names a model', () => {
  it('stays behind, and what one came to all the same is paid for', async () => {
    const { usage, ...answer } = messagesAnswer({ input_tokens: 412, output_tokens: 531 }, 'News.');
    const asked = { type: 'advisor_message', input_tokens: 180_823, output_tokens: 11_612 };
    t.answers({ ...answer, usage: { ...Object(usage), iterations: [asked] } });
    const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'openai/gpt-5.5-pro' };
    const said = await post('/v1/messages', 'openrouter', { ...CHAT, tools: [advisor] });
    expect([said.status, said.headers.get('x-gateway-lost')]).toEqual([200, 'advisor_20260301']);
    expect(t.lastSeen.body).not.toHaveProperty('tools');
    expect(await t.row()).toMatchObject({ prompt_tokens: 412 + 180_823 });
  });
});

describe('tools that stand among what was said', () => {
  const searched = (id: string): JsonObject => ({ type: 'web_search_call', id, status: 'completed' });
  const tools = [
    { type: 'web_search' },
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } },
    { type: 'mcp', server_label: 'a', server_url: 'https://mcp.example', require_approval: 'never' },
    { type: 'function', name: 'f', parameters: { type: 'object' } },
  ];
  const added: JsonObject = { type: 'additional_tools', role: 'developer', tools };
  const body = { max_output_tokens: 50, input: [added, ...MESSAGES] };
  const answer = responsesAnswer(
    { input_tokens: 10, output_tokens: 5 },
    { text: 'News.', before: ['a', 'b', 'c'].map(searched) },
  );

  it('do not go up but for those that the caller runs', async () => {
    t.answers(answer);
    const said = await post('/v1/responses', 'openai', body);
    expect([said.status, said.headers.get('x-gateway-lost')]).toEqual([
      200,
      'web_search, code_interpreter, mcp',
    ]);
    expect(t.lastSeen.body.input).toEqual([{ ...added, tools: tools.slice(3) }, ...MESSAGES]);
    await t.row();
  });

  it('are held for and charged where they are sold', async () => {
    t.answers(answer);
    expect((await post('/v1/responses', 'open', body)).status).toBe(200);
    expect(t.lastSeen.body).toMatchObject({ input: body.input, max_tool_calls: expect.any(Number) });
    expect((await t.row()).quota).toBeGreaterThanOrEqual(15_000);
    await t.relay.setBalance(15_000);
    expect((await post('/v1/responses', 'open', body)).status).toBe(403);
    await t.relay.setBalance(50_000_000);
  });

  it('are held for and charged as those of the list in the words of another wire', async () => {
    const usage = { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: 3 } };
    let held = 0;
    t.answers(async () => {
      held = (await t.relay.reservations()).reduce((sum, { amount }) => sum + amount, 0);
      return Response.json(messagesAnswer(usage, 'News.'));
    });
    const search = [{ type: 'web_search', search_context_size: 'low' }];
    const asked = async (said: JsonObject) => {
      const sent = { max_output_tokens: 50, ...said };
      expect((await post('/v1/responses', 'claude', sent)).status).toBe(200);
      expect(t.lastSeen.body.tools).toHaveLength(1);
      const { quota } = await t.row();
      return { quota, held };
    };
    const listed = await asked({ input: MESSAGES, tools: search });
    const there = await asked({ input: [{ ...added, tools: search }, ...MESSAGES] });
    expect(there.quota).toBe(listed.quota);
    expect(there.quota).toBeGreaterThan(15_000);
    expect(there.held).toBeGreaterThanOrEqual(listed.held);
  });
});

describe("OpenRouter's reader of files", () => {
  const data = pdfOf([{ text: '(Hi.) Tj' }]).toString('base64');
  const said = (...content: JsonObject[]): JsonObject[] => [{ role: 'user', content }];
  const file = (file_data: string): JsonObject => ({ type: 'file', file: { filename: 'a.pdf', file_data } });
  const document: JsonObject = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data },
  };
  const file_data = `data:application/pdf;base64,${data}`;
  const BYTES = { messages: said(file(file_data)) };
  const INPUT = said({ type: 'input_file', filename: 'a.pdf', file_data });
  const TEXT = { messages: said({ type: 'text', text: 'Hi.' }) };
  const result: JsonObject = { type: 'tool_result', tool_use_id: 't', content: [document] };
  const USED: JsonObject[] = [
    ...said({ type: 'text', text: 'Read.' }),
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'read', input: {} }] },
    ...said(result),
  ];
  const parser = (engine: string): JsonObject[] => [{ id: 'file-parser', pdf: { engine } }];
  const FREE = parser('cloudflare-ai');
  const CHAT_AT = '/v1/chat/completions';

  it.each<[string, string, string, JsonObject, JsonObject[] | undefined]>([
    ['bytes', 'openrouter', CHAT_AT, BYTES, FREE],
    ['an address', 'openrouter', CHAT_AT, { messages: said(file('https://a.example/a.pdf')) }, FREE],
    ['a document', 'openrouter', '/v1/messages', { messages: said(document) }, FREE],
    ['the result of a tool', 'openrouter', '/v1/messages', { messages: USED }, FREE],
    ['a file of Responses', 'openrouter', '/v1/responses', { input: INPUT }, FREE],
    [
      'what a caller would have read dearer',
      'openrouter',
      CHAT_AT,
      { ...BYTES, plugins: parser('mistral-ocr') },
      FREE,
    ],
    ['a model that reads files itself', 'native', CHAT_AT, BYTES, parser('native')],
    ['where dearer services are sold, unasked', 'selling', CHAT_AT, BYTES, FREE],
    [
      'and asked for',
      'selling',
      CHAT_AT,
      { ...BYTES, plugins: parser('mistral-ocr') },
      parser('mistral-ocr'),
    ],
    ["an operator's choice", 'own', CHAT_AT, BYTES, parser('mistral-ocr')],
    ['a file beside old words', 'openrouter', '/v1/completions', { prompt: 'Hi.', ...BYTES }, FREE],
    ['no file', 'openrouter', CHAT_AT, TEXT, undefined],
  ])('is the one that costs nothing: %s', async (_, model, path, body, plugins) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 };
    t.answers(path === '/v1/messages' ? messagesAnswer(usage) : chatAnswer(usage));
    const answer = await post(path, model, { ...(path !== '/v1/responses' && { max_tokens: 50 }), ...body });
    expect(answer.status).toBe(200);
    expect(t.lastSeen.body.plugins).toEqual(plugins);
    await t.row();
  });
});
