import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';

const STORES = [
  ['in this process', ''],
  ['in Redis', process.env.TEST_REDIS_URL ?? ''],
] as const;

describe.each(STORES)('remembered %s', (_where, url) => {
  let t: WireRelay;
  let first: { model: string; id: number };
  let second: { model: string; id: number };
  beforeAll(async () => {
    t = await openWireRelay({ REDIS_URL: url });
    first = await t.extra('responses', { key: 'sk-first\nsk-other', multi_key_mode: 'random' });
    second = await t.extra('responses', { models: first.model, key: 'sk-second' });
  });
  afterAll(() => t.close());

  it('is in the store that was asked for', () => {
    expect(t.relay.api.deps.redis !== null).toBe(url !== '');
  });

  const build = (id: string, more: object = {}) =>
    t.ask('openai-responses', 'responses', {
      model: first.model,
      more: { previous_response_id: id },
      ...more,
    });

  /** The key that gave the latest response. */
  let keeper: string | null = null;
  const keyUsed = (): string | null => t.lastSeen.headers.get('authorization');

  describe.each([false, true])('a response that its upstream keeps, streaming: %p', (stream) => {
    it('is built upon by the key that gave it, every time', async () => {
      const response = await t.ask('openai-responses', 'responses', { model: first.model, stream });
      const text = await response.text();
      const id = 'resp_upstream_1';
      expect(text).toContain(id);
      await t.row();
      keeper = keyUsed();
      for (let i = 0; i < 8; i++) {
        expect((await build(id)).status).toBe(200);
        expect(keyUsed()).toBe(keeper);
        expect(t.lastSeen.body.previous_response_id).toBe(id);
        await t.row();
      }
    });
  });

  it("is nobody else's", async () => {
    const stranger = await t.relay.api.createUser({ quota: 1_000_000 });
    const key = await t.relay.addToken({}, stranger);
    const refused = await build('resp_upstream_1', { key });
    expect(refused.status).toBe(400);
    expect((await refused.json()).error).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      type: 'invalid_request_error',
    });
  });

  it.each(['resp_nobody', 'x'.repeat(10_000)])(
    'an id that was never given is refused before any charge',
    async (id) => {
      const seen = t.wires.seen.length;
      const refused = await build(id);
      expect([refused.status, (await refused.json()).error.code]).toEqual([
        400,
        'previous_response_not_found',
      ]);
      expect(t.wires.seen).toHaveLength(seen);
      expect(await t.relay.reservations()).toEqual([]);
    },
  );

  it.each(['conversation', 'prompt'])(
    'a %s that anybody may have made is refused before any charge, unless the channel allows it',
    async (field) => {
      const seen = t.wires.seen.length;
      const more = { [field]: { id: 'x_1' } };
      const refused = await t.ask('openai-responses', 'responses', { model: first.model, more });
      expect(refused.status).toBe(400);
      expect((await refused.json()).error).toMatchObject({ code: 'shared_context_refused', param: field });
      expect(t.wires.seen).toHaveLength(seen);
      expect(await t.relay.reservations()).toEqual([]);
      const { model } = await t.extra('responses', { setting: '{"shared_context":true}' });
      // What anybody may have made is as long as its model reads.
      await t.relay.setBalance(2_000_000);
      expect((await t.ask('openai-responses', 'responses', { model, more })).status).toBe(200);
      expect(t.lastSeen.body[field]).toEqual({ id: 'x_1' });
      await t.row();
    },
  );

  it('a document whose bytes are elsewhere is held for as a whole context', async () => {
    const poor = await t.relay.api.createUser({ quota: 1_048_000 });
    await t.relay.setBalance(2_000_000);
    const key = await t.relay.addToken({}, poor);
    const parts = [{ fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/b.pdf' } }];
    const more = { contents: [{ role: 'user', parts }], generationConfig: { maxOutputTokens: 5 } };
    const refused = await t.ask('gemini', 'generateContent', { key, more });
    expect(refused.status).toBe(403);
    expect((await t.ask('gemini', 'generateContent', { more })).status).toBe(200);
    await t.row();
  });

  it('a response that was converted is not kept, and says so', async () => {
    const response = await t.ask('openai-responses', 'messages');
    const { id, store } = await response.json();
    expect(store).toBe(false);
    await t.row();
    const refused = await t.ask('openai-responses', 'messages', { more: { previous_response_id: id } });
    expect((await refused.json()).error.code).toBe('previous_response_not_found');
  });

  it('waits for no other channel when the one that keeps it is gone', async () => {
    const holder = keeper?.includes('second') ? second : first;
    await t.relay.root.put('/api/channel/', { id: holder.id, status: 2 });
    const refused = await build('resp_upstream_1');
    expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'no_available_channel']);
  });
});
