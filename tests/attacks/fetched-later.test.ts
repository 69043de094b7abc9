/**
 * An answer that is fetched later, for nothing: the upstream takes the prompt, names the answer to come, and bills it
 * when nobody here is asked any more.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import type { Operations } from '../support/operations.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    acall: { type: 1 },
  }));
  await t.price({ ModelPrice: { [models.acall ?? '']: 0.01 } });
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const CHAT: JsonObject = { messages: MESSAGES, max_tokens: 50 };
const post = (path: string, model: string, body: JsonObject) =>
  t.post(path, { model: models[model] ?? '', ...body });

describe('an answer that is to be fetched later', () => {
  it.each<[path: string, body: JsonObject, field: string]>([
    ['/v1/chat/completions', { ...CHAT, deferred: true }, 'deferred'],
    ['/v1/chat/completions', { ...CHAT, background: true }, 'background'],
    ['/v1/chat/completions', { ...CHAT, deferred: 'true' }, 'deferred'],
    ['/v1/responses', { input: 'hi', deferred: true }, 'deferred'],
    ['/v1/responses', { input: 'hi', background: true }, 'background'],
    ['/v1/messages', { ...CHAT, deferred: true }, 'deferred'],
    ['/v1/completions', { prompt: 'hi', deferred: true }, 'deferred'],
  ])('is not asked for: %s, %p', async (path, body, field) => {
    const before = t.seen.length;
    const refused = await post(path, 'openai', body);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(field);
    expect(t.seen.length).toBe(before);
  });

  it('is asked for at once where the words say so, and not in another spelling', async () => {
    t.answers({
      choices: [{ index: 0, message: { role: 'assistant', content: 'News.' }, finish_reason: 'stop' }],
    });
    expect((await post('/v1/chat/completions', 'openai', { ...CHAT, deferred: false })).status).toBe(200);
    await t.row();
    expect((await post('/v1/chat/completions', 'openai', { ...CHAT, Deferred: true })).status).toBe(200);
    expect(t.lastSeen.body).not.toHaveProperty('Deferred');
    await t.row();
  });

  it.each([200, 202])('costs the prompt where an upstream gives nothing else: %d', async (status) => {
    t.answers(() => Response.json({ request_id: 'f15c114e' }, { status }));
    const got = await post('/v1/chat/completions', 'openai', CHAT);
    expect([got.status, await got.json()]).toEqual([200, { request_id: 'f15c114e' }]);
    const row = await t.row();
    expect(row.quota).toBeWithin(5, 30);
    expect(row).toMatchObject({ type: 2, completion_tokens: 0, other: { usage_source: 'estimated' } });
  });

  it.each<[path: string, body: JsonObject]>([
    ['/v1/chat/completions', { ...CHAT, stream: true }],
    ['/v1/chat/completions', { ...CHAT, stream: true, stream_options: { include_usage: true } }],
    ['/v1/completions', { prompt: 'What is new?', max_tokens: 50, stream: true }],
  ])('costs the prompt where a stream was asked for, too: %s %p', async (path, body) => {
    t.answers({ request_id: 'f15c114e' });
    const got = await post(path, 'openai', body);
    expect([got.status, await got.json()]).toEqual([200, { request_id: 'f15c114e' }]);
    const row = await t.row();
    expect(row.quota).toBeWithin(2, 30);
    expect(row).toMatchObject({ type: 2, completion_tokens: 0, other: { usage_source: 'estimated' } });
  });

  it('costs the call where that has a price', async () => {
    t.answers({ request_id: 'f15c114e' });
    expect((await post('/v1/chat/completions', 'acall', CHAT)).status).toBe(200);
    expect((await t.row()).quota).toBe(5_000);
  });

  it('is no answer that says anything else of why there is none', async () => {
    t.answers({ request_id: 'r', code: 20012, message: 'Model does not exist' });
    expect((await post('/v1/chat/completions', 'openai', CHAT)).status).toBe(502);
    expect((await t.row()).quota).toBe(0);
  });
});
