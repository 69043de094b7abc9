/**
 * What OpenRouter runs beside any model, and bills: pictures, pages and searches that no price here knows, and a reader of
 * files that nobody asks for.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { pdfOf } from '../support/pdf.ts';
import { chatAnswer, messagesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openrouter: { type: 20 },
    selling: { type: 20, setting: { allow_dearer: true } },
    native: { type: 20, named: 'openai/gpt-4o' },
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
