/**
 * Tools that OpenRouter runs beside any model, and bills: pictures, pages and searches that no price here knows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';
import { chatAnswer, messagesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openrouter: { type: 20 },
    selling: { type: 20, setting: { allow_dearer: true } },
  }));
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
