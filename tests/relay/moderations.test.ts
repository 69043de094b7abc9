import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import OpenAI from 'openai';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
let client: OpenAI;
beforeAll(async () => {
  t = await openOperations();
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => t.close());

const ANSWER = {
  id: 'modr-1',
  model: 'omni-moderation-latest',
  results: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }],
};

describe('moderations', () => {
  it("reach OpenAI's client as they come, and cost what was counted here", async () => {
    const model = await t.model(1, { named: 'omni-moderation-latest' });
    t.answers(ANSWER);
    const answer = await client.moderations.create({ model, input: ['I will hurt you', 'hello'] });
    expect(answer).toEqual(expect.objectContaining(ANSWER));
    expect(t.lastSeen.path).toBe('/v1/moderations');
    const row = await t.row();
    expect(row).toMatchObject({ quota: 5, prompt_tokens: 5, other: { usage_source: 'estimated' } });
  });

  it('of no named model go to the usual one', async () => {
    t.answers(ANSWER);
    const response = await t.post('/v1/moderations', { input: [{ type: 'text', text: 'hello' }] });
    expect(response.status).toBe(200);
    expect(t.lastSeen.body).toEqual({
      model: 'omni-moderation-latest',
      input: [{ type: 'text', text: 'hello' }],
    });
    expect((await t.row()).quota).toBe(1);
  });

  it('of pictures cost what a picture of their size is counted as', async () => {
    t.answers(ANSWER);
    const image_url = { url: 'https://a.example/b.png' };
    await t.post('/v1/moderations', {
      input: [
        { type: 'image_url', image_url },
        { type: 'text', text: 'hello' },
      ],
    });
    expect((await t.row()).quota).toBe(1_600 + 1);
  });

  it('of a model without a price cost nothing', async () => {
    const model = await t.model(1);
    await t.price({ ModelRatio: { [model]: 0 } });
    t.answers(ANSWER);
    expect((await t.post('/v1/moderations', { model, input: 'hello' })).status).toBe(200);
    expect((await t.row()).quota).toBe(0);
  });

  describe('of Zhipu', () => {
    const judged = (risk_level: string, risk_type: string[]) => ({
      id: 'm-1',
      created: 1,
      request_id: 'r-1',
      result_list: [{ content_type: 'text', risk_level, risk_type }],
      usage: { moderation_text: { call_count: 1 } },
    });

    it.each([
      ['PASS', [], false, {}],
      ['REVIEW', ['politics'], true, { politics: true }],
      ['REJECT', ['porn', 'violence'], true, { porn: true, violence: true }],
    ])("are told in OpenAI's words: %s", async (level, types, flagged, categories) => {
      const model = await t.model(26);
      await t.price({ ModelPrice: { [model]: 0.0002 } });
      t.answers(judged(level, types));
      const response = await t.post('/v1/moderations', { model, input: ['hello'] });
      expect(await response.json()).toMatchObject({ id: 'm-1', results: [{ flagged, categories }] });
      expect([t.lastSeen.path, t.lastSeen.body]).toEqual([
        '/api/paas/v4/moderations',
        { model, input: 'hello' },
      ]);
      expect((await t.row()).quota).toBe(100);
    });

    it('take a picture by its address, and one thing at a time', async () => {
      const model = await t.model(26);
      t.answers(judged('PASS', []));
      const picture = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
      expect((await t.post('/v1/moderations', { model, input: [picture] })).status).toBe(200);
      expect(t.lastSeen.body).toEqual({ model, input: picture });
      await t.row();
      const sent = t.seen.length;
      const refused = await t.post('/v1/moderations', { model, input: ['a', 'b'] });
      expect([refused.status, (await refused.json()).error.param, t.seen.length]).toEqual([
        400,
        'input',
        sent,
      ]);
    });
  });

  it('are refused without an input, and where no provider serves them', async () => {
    const refused = await t.post('/v1/moderations', { model: 'gpt-4o' });
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'input']);
    const model = await t.model(34);
    const unserved = await t.post('/v1/moderations', { model, input: 'hello' });
    expect((await unserved.json()).error.code).toBe('operation_not_supported');
  });
});
