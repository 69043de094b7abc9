import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { BALANCE } from '../support/relay.ts';
import { until } from '../support/waits.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'How many tokens is this, please?' }];
const CONTENTS = [{ role: 'user', parts: [{ text: 'How many tokens is this, please?' }] }];

const asAnthropic = (model: string, more = {}) =>
  t.post(
    '/v1/messages/count_tokens',
    { model, messages: MESSAGES, system: 'Be brief.', ...more },
    { 'anthropic-version': '2023-06-01' },
  );
const asGoogle = (model: string, body: object = { contents: CONTENTS }) =>
  t.post(`/v1beta/models/${model}:countTokens`, { ...body });

/** Nobody pays and nothing is held or written. */
async function expectFree() {
  expect((await t.relay.account()).quota).toBe(BALANCE);
  expect(await t.relay.logs()).toEqual([]);
  expect(await t.relay.reservations()).toEqual([]);
}

describe('counting tokens', () => {
  it('is answered by Anthropic, as it comes', async () => {
    const model = await t.model(14, { model_mapping: '{"own":"claude-x"}', named: 'own' });
    t.answers({ input_tokens: 14 });
    const response = await asAnthropic(model, { own_field: 1, api_base: 'http://evil.example' });
    expect(await response.json()).toEqual({ input_tokens: 14 });
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
    expect(t.lastSeen.path).toBe('/v1/messages/count_tokens');
    expect(t.lastSeen.body).toEqual({
      model: 'claude-x',
      messages: MESSAGES,
      system: 'Be brief.',
      own_field: 1,
    });
    await expectFree();
  });

  it('is answered by Google, in both forms of the question', async () => {
    const model = await t.model(24);
    t.answers({ totalTokens: 8, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 8 }] });
    expect((await (await asGoogle(model)).json()).totalTokens).toBe(8);
    expect(t.lastSeen.path).toBe(`/v1beta/models/${model}:countTokens`);
    expect(t.lastSeen.body).toEqual({ contents: CONTENTS });
    await asGoogle(model, { generateContentRequest: { contents: CONTENTS } });
    expect(t.lastSeen.body).toEqual({
      generateContentRequest: { model: `models/${model}`, contents: CONTENTS },
    });
    await expectFree();
  });

  it('is put to the other service in its own words', async () => {
    const gemini = await t.model(24);
    t.answers({ totalTokens: 11 });
    expect(await (await asAnthropic(gemini)).json()).toEqual({ input_tokens: 11 });
    expect(t.lastSeen.body.generateContentRequest).toMatchObject({
      model: `models/${gemini}`,
      contents: CONTENTS,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    });
    const claude = await t.model(14);
    t.answers({ input_tokens: 12 });
    expect((await (await asGoogle(claude)).json()).totalTokens).toBe(12);
    expect(t.lastSeen.body).toMatchObject({ model: claude, messages: [{ role: 'user' }] });
    expect(t.lastSeen.body).not.toHaveProperty('max_tokens');
    await expectFree();
  });

  it('is done here where no upstream can tell', async () => {
    const model = await t.model(1);
    const before = t.seen.length;
    const { input_tokens } = await (await asAnthropic(model)).json();
    expect(input_tokens).toBeGreaterThan(8);
    expect(input_tokens).toBeLessThan(30);
    expect((await (await asGoogle(model)).json()).totalTokens).toBeGreaterThan(6);
    expect(t.seen.length).toBe(before);
    await expectFree();
  });

  it('is done here where the upstream fails, and refused where it finds a fault', async () => {
    const model = await t.model(14);
    t.answers(() => new Response('down', { status: 503 }));
    expect((await (await asAnthropic(model)).json()).input_tokens).toBeGreaterThan(8);
    t.answers(() =>
      Response.json(
        { type: 'error', error: { type: 'invalid_request_error', message: 'no such tool' } },
        { status: 400 },
      ),
    );
    const refused = await asAnthropic(model);
    expect([refused.status, (await refused.json()).error.message]).toEqual([
      400,
      expect.stringContaining('no such tool'),
    ]);
    await expectFree();
  });

  it('is done here where the upstream does not answer soon, whatever it looks for', async () => {
    const { countAskMs } = limits;
    Object.assign(limits, { countAskMs: 500 });
    try {
      const model = await t.model(14);
      t.answers(() => new Promise(() => undefined));
      const source = { type: 'url', url: 'https://silent.example/1.png' };
      const messages = [{ role: 'user', content: [{ type: 'image', source }] }];
      expect((await (await asAnthropic(model, { messages })).json()).input_tokens).toBeGreaterThan(8);
      expect(t.lastSeen.body).toMatchObject({ model, messages });
      await until('it is given up', () => t.lastSeen.signal.aborted);
      await expectFree();
    } finally {
      Object.assign(limits, { countAskMs });
    }
  });

  it('asks with another key, and takes the dead one out', async () => {
    await t.relay.set({ AutomaticDisableChannelEnabled: true });
    const model = await t.model(14, { key: 'sk-dead\nsk-well', multi_key_mode: 'random' });
    const keys: (string | null)[] = [];
    t.answers((seen) => {
      const key = seen.headers.get('x-api-key');
      keys.push(key);
      return key === 'sk-dead'
        ? Response.json({ error: { type: 'authentication_error', message: 'no' } }, { status: 401 })
        : Response.json({ input_tokens: 15 });
    });
    for (let n = 0; n < 20 && !keys.includes('sk-dead'); n++) {
      expect(await (await asAnthropic(model)).json()).toEqual({ input_tokens: 15 });
    }
    expect(keys.slice(-2)).toEqual(['sk-dead', 'sk-well']);
    const left = async () => {
      const [row] = await t.relay.api.deps.db.query<{ count: number }>(
        'select count(*)::int as count from channel_keys where status = 3',
      );
      return row?.count;
    };
    await until('the dead key is disabled', async () => (await left()) === 1);
  });

  it('leaves alone what fails again and again, and takes its retries from the budget', async () => {
    const model = await t.model(14);
    let asked = 0;
    t.answers(() => {
      asked++;
      return new Response('down', { status: 500 });
    });
    await t.model(14, { models: model });
    const { breakers, retries: all } = t.relay.api.deps.relay.ofFree;
    const retries = all.of(t.relay.user.id);
    const before = breakers.openCount;
    for (let n = 0; n < 5; n++) expect((await asAnthropic(model)).status).toBe(200);
    // Both channels were asked each time until they had failed five times. No chat of ours tests who cannot count.
    expect([asked, breakers.openCount]).toEqual([10, before + 2]);
    const other = await t.model(14);
    for (let n = 0; n < 2; n++) await t.model(14, { models: other });
    await t.relay.set({ RetryTimes: 2 });
    // Earlier calls may have left nearly a whole retry: what remains then is less than one call earns.
    while (retries.spend());
    while (!retries.spend()) retries.earn();
    asked = 0;
    expect((await asAnthropic(other)).status).toBe(200);
    expect(asked).toBe(2);
  });

  it('is not asked again and again of who has no such call, which says nothing of his chats', async () => {
    const model = await t.model(14);
    t.answers(() => new Response('no such path', { status: 404 }));
    const { breakers, ofFree } = t.relay.api.deps.relay;
    const [before, beforeFree] = [breakers.openCount, ofFree.breakers.openCount];
    for (let n = 0; n < 8; n++) expect((await asAnthropic(model)).status).toBe(200);
    expect([breakers.openCount, ofFree.breakers.openCount]).toEqual([before, beforeFree + 1]);
  });

  it('is refused to strangers, for unknown models and for what is no chat', async () => {
    const stranger = await t.post('/v1/messages/count_tokens', {}, { authorization: 'Bearer sk-no' });
    expect([stranger.status, (await stranger.json()).type]).toEqual([401, 'error']);
    expect((await asAnthropic('nope')).status).toBe(404);
    const model = await t.model(14);
    const empty = await asAnthropic(model, { messages: [] });
    expect([empty.status, (await empty.json()).error.type]).toEqual([400, 'invalid_request_error']);
    expect((await asGoogle(model, {})).status).toBe(400);
  });
});
