import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { rateLimit } from '../../src/options/rate-limit.ts';
import type { OptionKey } from '../../src/options/registry.ts';
import { duration } from '../../src/relay/entry/rate-limit.ts';
import type { TestUser } from '../support/api.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const OPTIONS: OptionKey[] = [
  'ModelRequestRateLimitEnabled',
  'ModelRequestRateLimitCount',
  'ModelRequestRateLimitSuccessCount',
  'ModelRequestRateLimitDurationMinutes',
  'ModelRequestRateLimitGroup',
  'TokenRequestsPerMinute',
  'TokenTokensPerMinute',
  'UserRequestsPerMinute',
  'UserTokensPerMinute',
  'UserConcurrentStreams',
  'DrainSeconds',
];

const url = process.env.TEST_REDIS_URL;
if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests by ./scripts/test');

describe.each([
  ['in process', {}],
  ['in Redis', { REDIS_URL: url }],
])('limits of calls, counted %s', (_, env) => {
  let relay: TestRelay;
  let users = 0;

  beforeAll(async () => {
    relay = await openTestRelay('postgres', {}, env);
    await relay.addChannel({ models: 'gpt-4o', group: 'vip' });
    await relay.set({ GroupRatio: { default: 1, vip: 1 }, UserUsableGroups: { default: 'd', vip: 'v' } });
  });
  afterAll(() => relay.close());
  afterEach(() => relay.api.deps.options.reset(OPTIONS));

  /** Somebody whom nobody has counted yet. */
  const newcomer = async (): Promise<{ user: TestUser; key: string }> => {
    const user = await relay.api.createUser({ username: `u${users++}`, quota: 1_000_000 });
    // Redis remembers the users of other runs, by ids that begin again.
    await Promise.all(
      ['model:all', 'model:good', 'user:requests', 'user:tokens'].map((name) =>
        relay.api.deps.limiter.clear(`${name}:${user.id}`),
      ),
    );
    return { user, key: await relay.addToken({}, user) };
  };
  const call = async (key: string, body: object = {}): Promise<Response> => {
    const answer = await relay.chat({ ...body }, { key });
    return new Response(await answer.text(), answer);
  };
  const statuses = async (key: string, count: number, body: object = {}): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < count; n++) all.push((await call(key, body)).status);
    return all;
  };

  it('ModelRequestRateLimitCount: so many calls a period, failed ones too, all tokens of a user together', async () => {
    await relay.set({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: 3 });
    const { user, key } = await newcomer();
    const other = await relay.addToken({}, user);
    relay.upstream.next.push('ok', '400', 'ok');
    expect(await statuses(key, 2)).toEqual([200, 400]);
    expect(await statuses(other, 2)).toEqual([200, 429]);
    expect((await call((await newcomer()).key)).status).toBe(200);
  });

  it('a refused call says so in words that clients know, and when to come again', async () => {
    await relay.set({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: 1 });
    const { key } = await newcomer();
    const first = await call(key);
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(first.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(first.headers.get('x-ratelimit-reset-requests')).toMatch(/^(1m0|5\ds|60)/);
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect((await refused.json()).error).toMatchObject({ code: 'rate_limit_exceeded' });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
  });

  it.each([0, -1])('request count %i means unlimited', async (count) => {
    await relay.set({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitCount: count });
    const { key } = await newcomer();
    const answer = await call(key);
    expect(answer.status).toBe(200);
    // The default of the successes.
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe('1000');
    expect(new Set(await statuses(key, 5))).toEqual(new Set([200]));
  });

  it('ModelRequestRateLimitSuccessCount: failed calls do not count, those under way do', async () => {
    await relay.set({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 2 });
    const { key } = await newcomer();
    relay.upstream.next.push('400', '400', '400', '400');
    expect(await statuses(key, 6)).toEqual([400, 400, 400, 400, 200, 200]);
    expect((await call(key)).status).toBe(429);

    const busy = await newcomer();
    relay.upstream.next.push('held', 'held');
    const held = [call(busy.key), call(busy.key)];
    await relay.upstream.until(({ heldNow }) => heldNow === 2);
    expect((await call(busy.key)).status).toBe(429);
    relay.upstream.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('ModelRequestRateLimitDurationMinutes: the period, and 0 is no limit', async () => {
    await relay.set({
      ModelRequestRateLimitEnabled: true,
      ModelRequestRateLimitCount: 1,
      ModelRequestRateLimitDurationMinutes: 10,
    });
    const { key } = await newcomer();
    await call(key);
    const wait = Number((await call(key)).headers.get('retry-after'));
    expect(wait).toBeGreaterThan(590);
    expect(wait).toBeLessThanOrEqual(600);
    await relay.set({ ModelRequestRateLimitDurationMinutes: 0 });
    expect(new Set(await statuses(key, 3))).toEqual(new Set([200]));
  });

  it('ModelRequestRateLimitGroup: a group has its own counts', async () => {
    await relay.set({
      ModelRequestRateLimitEnabled: true,
      ModelRequestRateLimitCount: 1,
      ModelRequestRateLimitGroup: { vip: [3, 1000] },
    });
    const { user, key } = await newcomer();
    const vip = await relay.addToken({ group: 'vip' }, user);
    expect(await statuses(vip, 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(key, 1)).toEqual([429]);
    expect(await statuses((await newcomer()).key, 2)).toEqual([200, 429]);
  });

  it('nothing is limited while ModelRequestRateLimitEnabled is off', async () => {
    await relay.set({ ModelRequestRateLimitCount: 1 });
    const { key } = await newcomer();
    const answer = await call(key);
    expect(answer.headers.has('x-ratelimit-limit-requests')).toBe(false);
    expect(await statuses(key, 2)).toEqual([200, 200]);
  });

  it('calls a minute: each token on its own, and all of a user', async () => {
    await relay.set({ TokenRequestsPerMinute: 2, UserRequestsPerMinute: 3 });
    const { user, key } = await newcomer();
    const tokenIds = await relay.api.deps.db.query<{ id: number; user_id: number }>(
      'select id, user_id from tokens',
    );
    await Promise.all(
      tokenIds.map(({ id, user_id }) => relay.api.deps.limiter.clear(`token:requests:${user_id}:${id}:0`)),
    );
    const other = await relay.addToken({}, user);
    expect(await statuses(key, 3)).toEqual([200, 200, 429]);
    expect(await statuses(other, 2)).toEqual([200, 429]);
  });

  it('tokens a minute: what calls used counts, whatever it was thought before', async () => {
    // A call takes 37.
    await relay.set({ UserTokensPerMinute: 60 });
    const { user, key } = await newcomer();
    const first = await call(key);
    expect(first.headers.get('x-ratelimit-limit-tokens')).toBe('60');
    const rule = { key: `user:tokens:${user.id}`, limit: 60, windowSec: 60 };
    await until(async () => (await relay.api.deps.limiter.peek({ ...rule, cost: 0 })).remaining === 23);
    expect((await call(key, { stream: true })).status).toBe(200);
    await until(async () => !(await relay.api.deps.limiter.peek(rule)).ok);
    const refused = await call(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('tokens a minute: a call that fails uses none, and one larger than the limit may be made alone', async () => {
    await relay.set({ UserTokensPerMinute: 40 });
    const { key } = await newcomer();
    relay.upstream.next.push('400', '400', '400');
    expect(await statuses(key, 3)).toEqual([400, 400, 400]);
    const long = { messages: [{ role: 'user', content: 'x'.repeat(4_000) }] };
    expect((await call(key, long)).status).toBe(200);
    await until(async () => (await call(key, long)).status === 429);
  });

  it('streams at once: so many of a user, however they end', async () => {
    await relay.set({ UserConcurrentStreams: 2, DrainSeconds: 0 });
    const { key } = await newcomer();
    relay.upstream.next.push('held', 'held');
    const held = [call(key, { stream: true }), call(key, { stream: true })];
    await relay.upstream.until(({ heldNow }) => heldNow === 2);
    const refused = await call(key, { stream: true });
    expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'too_many_streams']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await call(key)).status).toBe(200);
    relay.upstream.release();
    await Promise.all(held);
    await until(async () => (await call(key, { stream: true })).status === 200);
    relay.upstream.next.push('400', '500', 'cut');
    for (let n = 0; n < 3; n++) await call(key, { stream: true }).catch(() => null);
    const leave = new AbortController();
    relay.upstream.next.push('endless');
    const left = await relay.chat({ stream: true }, { key, signal: leave.signal });
    await left.body?.getReader().read();
    leave.abort();
    const both = async () => {
      const answers = await Promise.all([call(key, { stream: true }), call(key, { stream: true })]);
      return answers.every(({ status }) => status === 200);
    };
    await until(both);
  });

  it('a call that is refused for lack of quota gives back what only successes count', async () => {
    await relay.set({ ModelRequestRateLimitEnabled: true, ModelRequestRateLimitSuccessCount: 1 });
    const { user, key } = await newcomer();
    const poor = await relay.addToken({ unlimited_quota: false, remain_quota: 0 }, user);
    expect(await statuses(poor, 3)).toEqual([403, 403, 403]);
    await until(async () => (await call(key)).status === 200);
  });

  it('counting tokens counts as a call', async () => {
    await relay.set({ UserRequestsPerMinute: 1 });
    const { key } = await newcomer();
    const count = () =>
      fetch(`${relay.base}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      });
    expect([(await count()).status, (await count()).status]).toEqual([200, 429]);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + patience(10_000); performance.now() < end; await Bun.sleep(10)) {
    if (await holds()) return;
  }
  throw new Error('it did not come to hold');
}

it('rate limit defaults: request count 0, success count 1000, duration 1 minute, and off', () => {
  const { ModelRequestRateLimitEnabled: enabled, ...limits } = rateLimit;
  expect(enabled.default).toBe(false);
  expect(limits.ModelRequestRateLimitCount.default).toBe(0);
  expect(limits.ModelRequestRateLimitSuccessCount).toMatchObject({ default: 1_000, min: 1 });
  expect(limits.ModelRequestRateLimitDurationMinutes).toMatchObject({ default: 1, min: 0 });
});

it('times are written as OpenAI writes them', () => {
  expect([1, 59, 60, 90, 3_600, 3_661].map(duration)).toEqual([
    '1s',
    '59s',
    '1m0s',
    '1m30s',
    '1h0m0s',
    '1h1m1s',
  ]);
});
