/** What a program reads of its balance, and by whose key. */
import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { nowSec } from '../../src/core/time.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
  await relay.set({ QuotaPerUnit: 500_000 });
});
afterAll(() => relay.close());

const ask = (path: string, key: string, method = 'GET') =>
  fetch(relay.base + path, { method, headers: { authorization: `Bearer ${key}` } });
const read = async (path: string, key: string) => (await ask(path, key)).json();

/** A user with 10 dollars, 2 of them used, and a token with 3 left of which it has used 1. */
const someone = async (token: object = {}) => {
  const user = await relay.api.createUser({ quota: 5_000_000 });
  const key = await relay.addToken({ unlimited_quota: false, remain_quota: 1_500_000, ...token }, user);
  await relay.api.deps.db.query(`update users set used_quota = 1000000 where id = ${user.id}`);
  await relay.api.deps.db.query(`update tokens set used_quota = 500000 where user_id = ${user.id}`);
  return { user, key };
};

describe.each(['/v1', ''])('the billing calls of OpenAI at %s/dashboard', (root) => {
  it('tell of the token', async () => {
    const expired_time = nowSec() + 3600;
    const { key } = await someone({ expired_time });
    expect(await read(`${root}/dashboard/billing/subscription`, key)).toEqual({
      object: 'billing_subscription',
      has_payment_method: true,
      soft_limit_usd: 4,
      hard_limit_usd: 4,
      system_hard_limit_usd: 4,
      access_until: expired_time,
    });
    expect(await read(`${root}/dashboard/billing/usage?start_date=2026-01-01`, key)).toEqual({
      object: 'list',
      total_usage: 100,
    });
  });

  it('take a token without a limit for one with a very high one', async () => {
    const { key } = await someone({ unlimited_quota: true });
    const told = await read(`${root}/dashboard/billing/subscription`, key);
    expect([told.hard_limit_usd, told.access_until]).toEqual([100_000_000, 0]);
  });
});

describe('the billing calls', () => {
  it('tell of the user where the option says so', async () => {
    const { key } = await someone();
    await relay.set({ DisplayTokenStatEnabled: false });
    expect((await read('/v1/dashboard/billing/subscription', key)).hard_limit_usd).toBe(12);
    expect((await read('/v1/dashboard/billing/usage', key)).total_usage).toBe(200);
    await relay.set({ DisplayTokenStatEnabled: true });
  });

  it('count in quota units where the site shows those', async () => {
    const { key } = await someone();
    await relay.set({ DisplayInCurrencyEnabled: false });
    expect((await read('/v1/dashboard/billing/subscription', key)).hard_limit_usd).toBe(2_000_000);
    await relay.set({ DisplayInCurrencyEnabled: true });
  });

  it('count what calls under way hold as left', async () => {
    const { user, key } = await someone();
    await relay.api.deps.db.query(
      `insert into reservations (id, user_id, token_id, amount, owner, created_at)
       select gen_random_uuid(), ${user.id}, id, 300000, 'test', 1 from tokens where user_id = ${user.id}`,
    );
    await relay.api.deps.db.query(
      `update tokens set remain_quota = remain_quota - 300000 where user_id = ${user.id}`,
    );
    expect((await read('/v1/dashboard/billing/subscription', key)).hard_limit_usd).toBe(4);
    expect((await read('/api/usage/token/', key)).data.total_available).toBe(1_500_000);
  });
});

describe('a balance', () => {
  const PATHS = ['/v1/dashboard/billing/subscription', '/dashboard/billing/usage', '/api/usage/token/'];

  it('is read once in a second, whatever calls a program makes for it', async () => {
    const { db } = relay.api.deps;
    const { user, key } = await someone();
    const asked = spyOn(db.orm, 'select');
    const spend = (units: number) =>
      db.query(`update tokens set remain_quota = remain_quota - ${units} where user_id = ${user.id}`);
    const left = async () => (await read('/api/usage/token/', key)).data.total_available;
    try {
      // The first call finds out whose key it is.
      expect(await left()).toBe(1_500_000);
      await Bun.sleep(limits.balanceKeptMs);
      asked.mockClear();
      for (let n = 0; n < 5; n++) for (const path of PATHS) expect((await ask(path, key)).status).toBe(200);
      // One of the token, one of what it holds; a slow machine may have needed more than a second.
      expect(asked.mock.calls.length).toBeWithin(1, 7);
    } finally {
      asked.mockRestore();
    }
    await spend(100_000);
    await Bun.sleep(limits.balanceKeptMs);
    expect(await left()).toBe(1_400_000);
  });

  it('is another one as soon as its owner has changed the token, and each token’s and account’s own', async () => {
    const { user, key } = await someone();
    const other = await someone({ remain_quota: 7 });
    const owner = await relay.api.as(user);
    const [token] = (await owner.get('/api/token/')).data;
    const left = async (of: string) => (await read('/api/usage/token/', of)).data.total_available;
    for (const quota of [1_000_000, 2_000_000, 3]) {
      await left(key);
      const changed = await owner.put('/api/token/', { id: token.id, remain_quota: quota });
      expect(changed.success).toBe(true);
      expect([await left(key), await left(other.key)]).toEqual([quota, 7]);
    }
    await relay.set({ DisplayTokenStatEnabled: false });
    expect((await read('/v1/dashboard/billing/subscription', key)).hard_limit_usd).toBe(12);
    await relay.set({ DisplayTokenStatEnabled: true });
  });
});

describe('GET /api/usage/token/', () => {
  it('tells all of the token in quota units', async () => {
    const { key } = await someone({ name: 'ci', model_limits_enabled: true, model_limits: 'gpt-4o' });
    for (const path of ['/api/usage/token/', '/api/usage/token']) {
      expect(await read(path, key)).toEqual({
        success: true,
        code: true,
        message: 'ok',
        data: {
          object: 'token_usage',
          name: 'ci',
          total_granted: 2_000_000,
          total_used: 500_000,
          total_available: 1_500_000,
          unlimited_quota: false,
          model_limits: { 'gpt-4o': true },
          model_limits_enabled: true,
          expires_at: 0,
        },
      });
    }
  });

  it('leaves what is below it to the console', async () => {
    expect((await ask('/api/usage/token/other', relay.key)).status).toBe(404);
  });
});

describe.each(['/v1/dashboard/billing/subscription', '/dashboard/billing/usage', '/api/usage/token/'])(
  'GET %s',
  (path) => {
    it('works for a token that is used up, and for no key that is wrong or of a banned user', async () => {
      const { user, key } = await someone({ remain_quota: 0 });
      expect((await ask(path, key)).status).toBe(200);
      const refused = await ask(path, `sk-${'A'.repeat(48)}`);
      expect([refused.status, (await refused.json()).error.code]).toEqual([401, 'invalid_api_key']);
      const { db, changes } = relay.api.deps;
      await db.query(`update users set status = 2 where id = ${user.id}`);
      await changes.commit(async (_tx, touch) => touch('users', user.id));
      expect((await ask(path, key)).status).toBe(403);
    });

    it('is answered to one user so many times a minute, whatever key of his he asks by', async () => {
      const { user, key } = await someone();
      const other = await relay.addToken({}, user);
      const { limiter } = relay.api.deps;
      const all = limits.balanceCallsAMinute;
      await limiter.take({ key: `balance:${user.id}`, limit: all, windowSec: 60, cost: all - 1 });
      expect((await ask(path, key)).status).toBe(200);
      const refused = await ask(path, other);
      expect([refused.status, (await refused.json()).error.code]).toEqual([429, 'rate_limit_exceeded']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await ask(path, (await someone()).key)).status).toBe(200);
      expect(relay.api.deps.relay.calls.open).toBe(0);
    });

    it('is read only', async () => {
      expect((await ask(path, relay.key, 'POST')).status).toBe(405);
    });
  },
);

it('the log of a token has its own rows alone, without what is for administrators', async () => {
  const { user, key } = await someone();
  const other = await relay.addToken({ name: 'other' }, user);
  expect((await relay.chat({}, { key })).status).toBe(200);
  expect((await relay.chat({}, { key: other })).status).toBe(200);
  await relay.chat({ model: 'nobody-has-it' }, { key });
  await relay.api.deps.relay.failures.idle();
  const told = await read('/api/log/token', key);
  expect(told).toMatchObject({ success: true });
  expect(told.data).toMatchObject([
    { type: 6, model_name: 'nobody-has-it', token_name: 'test', channel: 0 },
    { type: 2, model_name: 'gpt-4o', token_name: 'test', channel: 0 },
  ]);
  expect(JSON.stringify(told)).not.toContain('admin_info');
  expect((await ask('/api/log/token', `sk-${'A'.repeat(48)}`)).status).toBe(401);
});
