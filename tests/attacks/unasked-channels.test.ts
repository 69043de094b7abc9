/**
 * A channel that has no words for a call is not asked, and the next one is. That took of the retries that all had together,
 * which are few: by calls that cost nothing one had the others' fail at the first channel that did. So had whoever asks what
 * fails at every channel.
 */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { openOperations } from '../support/operations.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let t: TestRelay;
beforeAll(async () => {
  t = await openTestRelay();
  // The first has pictures fetched, and nothing private is reached.
  await t.addChannel({ type: 4, models: 'seeing', priority: 10 });
  await t.addChannel({ type: 1, models: 'seeing' });
  await t.set({ ModelRatio: { seeing: 1 } });
});
afterAll(() => t.close());

it('tries that ask nobody take none of the retries', async () => {
  const retries = t.api.deps.relay.retries.of(t.user.id);
  while (retries.spend());
  const content = [{ type: 'image_url', image_url: { url: 'https://10.0.0.1/1.png' } }];
  const calls = 2 / limits.retryShare + 1;
  for (let n = 0; n < calls; n++) {
    const { status } = await t.chat({ model: 'seeing', messages: [{ role: 'user', content }] });
    expect(status).toBe(200);
  }
  expect([retries.spend(), retries.spend(), retries.spend()]).toEqual([true, true, false]);
});

it('calls that fail wherever they are asked take no retries of anybody else', async () => {
  const failing = { type: 1, models: 'failing', base_url: 'http://127.0.0.1:1' };
  for (const priority of [20, 10]) await t.addChannel({ ...failing, priority });
  await t.addChannel({ type: 1, models: 'failing' });
  await t.set({ SelfUseModeEnabled: true, RetryTimes: 2 });
  const { retries } = t.api.deps.relay;
  // As one does whose request no channel can answer.
  while (retries.of(t.user.id).spend());
  const other = await t.api.createUser({ quota: 1_000_000 });
  const asked = { model: 'failing', messages: [{ role: 'user', content: 'hi' }] };
  expect((await t.chat(asked, { key: await t.addToken({}, other) })).status).toBe(200);
  expect((await t.chat(asked)).status).toBe(502);
});

it('the first other channel of a call is its own, however many fail at one', async () => {
  await t.addChannel({ type: 1, models: 'down', base_url: 'http://127.0.0.1:1', priority: 10 });
  await t.addChannel({ type: 1, models: 'down' });
  await t.set({ SelfUseModeEnabled: true, RetryTimes: 2 });
  while (t.api.deps.relay.retries.of(t.user.id).spend());
  expect((await t.chat({ model: 'down', messages: [{ role: 'user', content: 'hi' }] })).status).toBe(200);
});

describe('of the retries of a call itself', () => {
  const content = [{ type: 'image_url', image_url: { url: 'https://10.0.0.1/1.png' } }];
  const ask = async (model: string) =>
    (await t.chat({ model, messages: [{ role: 'user', content }] })).status;
  /** Channels that are not asked, then these. */
  const add = async (models: string, unasked: number, ...others: JsonObject[]) => {
    const all = [...Array.from({ length: unasked }, () => ({ type: 4 })), ...others];
    for (const [n, channel] of all.entries()) await t.addChannel({ ...channel, models, priority: 100 - n });
    await t.set({ SelfUseModeEnabled: true });
  };
  const failing = { type: 1, base_url: 'http://127.0.0.1:1' };

  it('they take none', async () => {
    await add('later', 2, failing, { type: 1 });
    await add('last', 2, failing, failing, { type: 1 });
    await t.set({ RetryTimes: 1 });
    for (let n = 0; n < 20; n++) t.api.deps.relay.retries.of(t.user.id).earn();
    expect([await ask('later'), await ask('last')]).toEqual([200, 502]);
  });

  it('and are few all the same, for each costs work', async () => {
    await add('never', limits.unservedMost + 1, { type: 1 });
    await t.set({ RetryTimes: 10 });
    expect(await ask('never')).toBe(400);
  });
});

it('a balance that does not carry the tools of a call is asked as often as one may try', async () => {
  const o = await openOperations();
  try {
    const named = 'gpt-5-mini';
    const setting = JSON.stringify({ proxy: o.base });
    for (let n = 0; n < 6; n++) await o.model(1, { named, base_url: 'http://api.openai.com', setting });
    await o.relay.set({ RetryTimes: 2 });
    await o.relay.setBalance(200_000);
    // More is held for a search from now on.
    o.answers(async () => {
      await o.relay.set({ ToolMaxUses: { web_search: 100 } });
      return Response.json({ error: { message: 'no' } }, { status: 500 });
    });
    const extend = spyOn(o.relay.api.deps.relay.billing, 'extend');
    const body = { model: named, input: 'hi', tools: [{ type: 'web_search' }] };
    const { status } = await o.post('/v1/responses', body);
    expect([status, o.seen.length, extend.mock.calls.length]).toEqual([403, 1, 2]);
  } finally {
    await o.close();
  }
});
