/** Prices as calls meet them: tiers, ratios of groups, and changes while calls are under way. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';

const INPUT = 17;
const OUTPUT = 20;

let relay: TestRelay;
beforeEach(async () => {
  relay = await openTestRelay();
});
afterEach(() => relay.close());

const lastRow = async (calls: number) => (await relay.settled(calls)).at(-1);

describe('a change of ModelRatio while a stream is held open', () => {
  it('leaves the stream its old price, and the next call pays the new one', async () => {
    relay.upstream.next.push('slow');
    const answer = await relay.chat({ stream: true });
    const reader = answer.body?.getReader();
    await reader?.read();
    await relay.root.put('/api/option/', { key: 'ModelRatio', value: '{"gpt-4o": 100}' });
    // The stream is still under way when the change has been answered.
    expect(relay.upstream.chats[0]?.framesSent).toBeLessThan(OUTPUT);
    while (!(await reader?.read())?.done);
    expect(await lastRow(1)).toMatchObject({ quota: CALL_COST, other: { model_ratio: 1 } });
    await (await relay.chat()).text();
    expect(await lastRow(2)).toMatchObject({ quota: 100 * CALL_COST, other: { model_ratio: 100 } });
  });
});

describe('a tiered price', () => {
  it('by the length of the input charges the tier of the whole prompt, and the row tells which', async () => {
    const tiers = (upTo: number) => [
      { up_to: upTo, input: 2, output: 2 },
      { up_to: null, input: 4, output: 8 },
    ];
    await relay.set({ ModelTieredPrice: { 'gpt-4o': tiers(INPUT) } });
    await (await relay.chat()).text();
    expect(await lastRow(1)).toMatchObject({
      quota: INPUT + OUTPUT,
      other: { model_ratio: 1, price_tier: { by: 'input', from: 0, up_to: INPUT, count: INPUT } },
    });
    await relay.set({ ModelTieredPrice: { 'gpt-4o': tiers(INPUT - 1) } });
    await (await relay.chat({ stream: true })).text();
    expect(await lastRow(2)).toMatchObject({
      quota: 2 * INPUT + 4 * OUTPUT,
      other: {
        model_ratio: 2,
        completion_ratio: 2,
        price_tier: { by: 'input', from: INPUT - 1, up_to: null, count: INPUT },
      },
    });
  });

  it('of the default table charges, and holds for, a long prompt as its vendor does', async () => {
    await relay.addChannel({ models: 'qwen3-max' });
    relay.upstream.settings.promptTokens = 32_001;
    relay.upstream.next.push('slow');
    const messages = [{ role: 'user', content: 'a '.repeat(32_001) }];
    const answer = await relay.chat({ model: 'qwen3-max', messages, stream: true, max_tokens: OUTPUT });
    const cost = Math.round(32_001 * 1.2 + OUTPUT * 6);
    const [held] = await relay.reservations();
    expect(held?.amount).toBeGreaterThanOrEqual(cost);
    await answer.text();
    expect(await lastRow(1)).toMatchObject({
      quota: cost,
      other: {
        price_source: 'default',
        price_tier: { by: 'input', from: 32_000, up_to: 128_000, count: 32_001 },
      },
    });
  });

  it('by cumulative use charges by what the user has used of the model this month, and no one else', async () => {
    const used = (userId: number, tokens: number, hour: number, model = 'gpt-4o') =>
      relay.api.deps.db.query(
        `insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
           completion_tokens, quota) values ($1, $2, 1, 1, $3, 'default', 1, $4, 0, 0)`,
        [hour, userId, model, tokens],
      );
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    const longAgo = hour - 40 * 86_400;
    const other = await relay.api.createUser({ quota: 1_000_000 });
    await relay.set({
      ModelTieredPrice: {
        'gpt-4o': {
          by: 'month',
          tiers: [
            { up_to: 1000, input: 4, output: 4 },
            { up_to: null, input: 2, output: 2 },
          ],
        },
      },
    });
    await used(relay.user.id, 1001, hour);
    await used(other.id, 1000, hour);
    await used(other.id, 5000, longAgo);
    await used(other.id, 5000, hour, 'gpt-4o-mini');
    await (await relay.chat()).text();
    expect(await lastRow(1)).toMatchObject({
      quota: CALL_COST,
      other: { model_ratio: 1, price_tier: { by: 'month', from: 1000, up_to: null, count: 1001 } },
    });
    await (await relay.chat({}, { key: await relay.addToken({}, other) })).text();
    expect(await lastRow(2)).toMatchObject({
      quota: 2 * CALL_COST,
      other: { model_ratio: 2, price_tier: { by: 'month', from: 0, up_to: 1000, count: 1000 } },
    });
  });

  it('gives way to a fixed price a call', async () => {
    await relay.set({
      ModelTieredPrice: { 'gpt-4o': [{ up_to: null, input: 100, output: 100 }] },
      ModelPrice: { 'gpt-4o': 0.002 },
    });
    await (await relay.chat()).text();
    expect((await lastRow(1))?.quota).toBe(1000);
  });
});

describe('the ratio of a group', () => {
  it('is that of the group used, or the one for the user’s own group in its place', async () => {
    const vip = await relay.api.createUser({ quota: 1_000_000, group: 'vip' });
    await relay.addChannel({ group: 'default,vip' });
    const keys = { user: relay.key, vip: await relay.addToken({ group: 'default' }, vip) };
    await relay.set({
      GroupRatio: { default: 2, vip: 1 },
      GroupGroupRatio: { vip: { default: 0.5 } },
    });
    await (await relay.chat({}, { key: keys.user })).text();
    expect(await lastRow(1)).toMatchObject({
      quota: 2 * CALL_COST,
      other: { group_ratio: 2, user_group_ratio: -1 },
    });
    await (await relay.chat({}, { key: keys.vip })).text();
    expect(await lastRow(2)).toMatchObject({
      quota: Math.floor(CALL_COST / 2 + 0.5),
      other: { group_ratio: 2, user_group_ratio: 0.5 },
    });
  });
});
