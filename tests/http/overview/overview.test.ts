/** How things stand, for a user and for administrators; and what the figures of channels are made of. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fail } from '../../../src/core/errors.ts';
import { nowSec } from '../../../src/core/time.ts';
import { keepAudit } from '../../../src/modules/audit/service.ts';
import { expireChannels } from '../../../src/modules/channel/expiry.ts';
import { forgetQuarters } from '../../../src/modules/channel/quarters.ts';
import { ownOverview } from '../../../src/modules/overview/own.ts';
import { siteChannels, siteOverview } from '../../../src/modules/overview/site.ts';
import type { Client } from '../../support/api.ts';
import { CALL_COST, openTestRelay, type TestRelay } from '../../support/relay.ts';

let relay: TestRelay;
let user: Client;
let admin: Client;
beforeAll(async () => {
  relay = await openTestRelay();
  user = await relay.api.as(relay.user);
  admin = await relay.api.as(await relay.api.createUser({ role: 10 }));
});
afterAll(() => relay.close());

const call = async (model = 'gpt-4o', body: object = {}) => {
  const answer = await fetch(relay.chatRequest({ model, ...body }));
  await answer.text();
  return answer.status;
};
const own = async (client: Client) => (await client.get('/api/overview/self?time_zone=Asia/Shanghai')).data;
const site = async (client: Client) => (await client.get('/api/overview/')).data;
const steps = (data: { steps: { name: string; done: boolean }[] }) =>
  data.steps.map(({ name, done }) => `${name} ${done}`);

describe('one’s own overview', () => {
  it('tells the balance, thirty days, and what there is to do first', async () => {
    const fresh = await relay.api.as(await relay.api.createUser({ quota: 0 }));
    expect(steps(await own(fresh))).toEqual(['balance false', 'token false', 'call false']);
    expect(steps(await own(user))).toEqual(['balance true', 'token true', 'call false']);

    expect(await call()).toBe(200);
    relay.upstream.next.push('500', '500', '500', '500');
    expect(await call('gpt-4o')).toBeGreaterThanOrEqual(400);
    relay.upstream.next.length = 0;
    await relay.settled(1);
    await relay.api.deps.relay.failures.idle();
    const data = await own(user);
    expect(steps(data)).toEqual(['balance true', 'token true', 'call true']);
    const { quota } = await relay.account();
    expect(data).toMatchObject({ quota, reserved: 0 });
    expect(data.usage).toMatchObject({
      all: { quota: CALL_COST, calls: 1, failed: 1 },
      models: [{ model: 'gpt-4o', quota: CALL_COST, calls: 1 }],
      others: null,
    });
    expect(data.usage.starts).toHaveLength(30);
    expect(data.usage.quota.at(-1)).toBe(CALL_COST);
    // Midnight in Shanghai.
    expect(data.usage.starts.map((at: number) => (at + 8 * 3600) % 86_400)).toEqual(Array(30).fill(0));
  });

  it('goes without usage where the dashboard is closed', async () => {
    await relay.set({ DataExportEnabled: false });
    expect((await own(user)).usage).toBeNull();
    expect((await site(admin)).usage).toBeNull();
    await relay.set({ DataExportEnabled: true });
  });

  it('goes without figures that are not there in time, and tells all else', async () => {
    const { deps } = relay.api;
    const viewer = { id: relay.user.id, role: 1 };
    const told = (code: 'LOG_TIMEOUT' | 'RATE_LIMIT' | 'INTERNAL') => {
      const get = () => {
        throw fail(code);
      };
      // The first that the usage asks for, and nothing else of a user's overview does.
      const options = { ...deps.options, get };
      return ownOverview({ ...deps, options }, viewer, { timeZone: undefined, unpriced: async () => [] });
    };
    const { quota } = await relay.account();
    for (const code of ['LOG_TIMEOUT', 'RATE_LIMIT'] as const) {
      expect(await told(code)).toMatchObject({ usage: 'busy', quota, steps: { length: 3 } });
    }
    await expect(told('INTERNAL')).rejects.toThrow();
  });

  it('does not call failures none that are no longer kept', async () => {
    const { db } = relay.api.deps;
    const failed = async () => (await own(user)).usage.all.failed;
    expect(await failed()).toBe(1);
    const [{ value } = { value: null }] = await db.query<{ value: string | null }>(
      `select value from meta where name = 'logs_from'`,
    );
    await db.query(
      `insert into meta (name, value) values ('logs_from', $1) on conflict (name) do update set value = $1`,
      [String(nowSec() - 86_400)],
    );
    expect(await failed()).toBeNull();
    if (value === null) await db.query(`delete from meta where name = 'logs_from'`);
    else await db.query(`update meta set value = $1 where name = 'logs_from'`, [value]);
    expect(await failed()).toBe(1);
  });

  it('tells root alone of the site’s address, and who keeps channels which to test', async () => {
    expect(steps(await own(relay.root))).toContain('address false');
    await relay.set({ ServerAddress: 'https://gateway.example' });
    expect(steps(await own(relay.root))).toContain('address true');
    expect(steps(await own(admin)).join()).not.toContain('address');
    await relay.set({ ServerAddress: '' });
    // That a call went well is no test.
    expect(await own(admin)).toMatchObject({ untested: { id: relay.channelId, name: 'mock' } });
    expect((await own(user)).untested).toBeNull();
    await relay.api.deps.db.query('update channels set response_time = 5');
    expect((await own(admin)).untested).toBeNull();
  });

  it('tells administrators of the site’s steps, whoever did them, of prices only where others use it', async () => {
    expect(steps(await own(admin))).toEqual([
      'channel true',
      'test true',
      'price true',
      'token true',
      'call true',
    ]);
    const id = await relay.addChannel({ name: 'dear', models: 'nobody-priced,gpt-4o' });
    expect(steps(await own(admin))).toContain('price false');
    expect((await site(admin)).unpriced).toEqual({ count: 1, models: ['nobody-priced'] });
    await relay.set({ SelfUseModeEnabled: true });
    expect(steps(await own(admin)).join()).not.toContain('price');
    await relay.set({ SelfUseModeEnabled: false });
    await relay.root.del(`/api/channel/${id}`);
    expect(steps(await own(admin))).toContain('price true');
  });
});

describe('the site’s overview', () => {
  it('counts every try of a channel, and is told from the database', async () => {
    const { quarters } = relay.api.deps.relay;
    await quarters.write();
    const before = (await site(admin)).channels.days.find(
      (one: { id: number }) => one.id === relay.channelId,
    );
    // A try that failed behind one that answered: no charge tells of it.
    const second = await relay.addChannel({ name: 'second', priority: -5 });
    relay.upstream.next.push('500');
    expect(await call()).toBe(200);
    expect(await call('gpt-4o', { stream: true })).toBe(200);
    // What came of a stream is told when it has ended.
    await relay.settled(3);
    await quarters.write();
    // What is told of a day is worked out anew when channels change.
    await relay.root.put('/api/channel/', { id: second, name: 'second one' });
    const { channels } = await site(admin);
    const days = new Map<number, { ok: number; slow: number; failed: number; quarters: number[][] }>(
      channels.days.map((one: { id: number }) => [one.id, one]),
    );
    const [first, next] = [days.get(relay.channelId), days.get(second)];
    expect([(first?.ok ?? 0) - before.ok, (first?.failed ?? 0) - before.failed]).toEqual([1, 1]);
    expect(next).toMatchObject({ ok: 1, slow: 0, failed: 0 });
    for (const [at, ok, slow, failed] of next?.quarters ?? []) {
      expect(at).toBeGreaterThanOrEqual(94);
      expect([ok, slow, failed]).toEqual([1, 0, 0]);
    }
    expect(channels.slowest.map((one: { id: number }) => one.id).toSorted()).toEqual(
      [relay.channelId, second].toSorted(),
    );
    expect(channels.enabled).toBe(2);
    await relay.root.del(`/api/channel/${second}`);
  });

  it('forgets the figures of channels after a week', async () => {
    const { db } = relay.api.deps;
    const count = async () => (await db.query('select 1 from channel_quarters')).length;
    const kept = await count();
    await db.query('insert into channel_quarters values (900, 1, 1, 0, 0, 5)');
    await forgetQuarters({ db });
    expect([kept > 0, await count()]).toEqual([true, kept]);
  });

  it('names an enabled channel of whose keys some are off by themselves', async () => {
    const { db } = relay.api.deps;
    const told = async () => (await siteChannels(relay.api.deps, { id: 1, locale: 'en' })).keys_off;
    const id = await relay.addChannel({
      name: 'three keys',
      models: 'other',
      key: 'a\nb\nc',
      multi_key_mode: 'polling',
    });
    const off = (status: number) =>
      db.query(
        'update channel_keys set status = $2, disabled_at = 1000 where channel_id = $1 and position = 1',
        [id, status],
      );
    // What somebody has switched off needs no look.
    await off(2);
    expect(await told()).toEqual([]);
    await off(3);
    expect(await told()).toEqual([{ id, name: 'three keys', off: 1, count: 3, since: 1000 }]);
    await relay.root.del(`/api/channel/${id}`);
  });

  it('names what is off and why, in the reader’s language, and what rests', async () => {
    const off = await relay.addChannel({ name: 'switched off', models: 'other' });
    await relay.root.put('/api/channel/', { id: off, status: 2 });
    const over = await relay.addChannel({ name: 'over', models: 'other' });
    await relay.api.deps.db.query('update channels set expired_time = 1000 where id = $1', [over]);
    await expireChannels(relay.api.deps);
    const key = { id: 0, value: '' };
    const channel = relay.api.deps.relay.channels.byId(relay.channelId);
    if (!channel) throw new Error('the channel is gone');
    for (let n = 0; n < 5; n++)
      relay.api.deps.relay.breakers.note({ channel, key: channel.keys[0] ?? key }, 'gpt-4o', {
        kind: 'failure',
        isLate: false,
        reason: { code: 'timeout' },
      });
    const english = relay.api.guest({ locale: 'en' });
    await english.login('root');
    const { channels, resting } = await site(english);
    expect(channels).toMatchObject({ enabled: 1, disabled: 1, auto_disabled: 1 });
    // What somebody has switched off is counted; it needs no look.
    expect(channels.off).toMatchObject([{ id: over, name: 'over', reason: 'expired' }]);
    expect(channels.off[0].since).toBeGreaterThan(1_700_000_000);
    expect(resting).toEqual([{ id: relay.channelId, name: 'mock', why: 'failing', models: ['gpt-4o'] }]);
    relay.api.deps.relay.breakers.forget(channel);
    expect((await site(admin)).channels.off[0].reason).toBe('已过期');
  });

  it('goes without what is not there in time, and tells all else', async () => {
    const late = (code: 'LOG_TIMEOUT' | 'OVERLOADED' | 'INTERNAL') => () => Promise.reject(fail(code));
    const sources = {
      openBreakers: () => [],
      unpriced: async () => ['nobody-priced'],
      snapshots: async () => [],
      usage: async () => null,
      channels: () => siteChannels(relay.api.deps, { id: 1, locale: 'en' }),
    };
    const told = (given: Partial<typeof sources>) => siteOverview(relay.api.deps, { ...sources, ...given });
    const rest = { unpriced: { count: 1 }, queue: { spooled: 0 }, disk: { is_low: false } };
    expect(await told({ channels: late('LOG_TIMEOUT') })).toMatchObject({
      ...rest,
      usage: null,
      channels: 'busy',
    });
    expect(await told({ usage: late('OVERLOADED') })).toMatchObject({
      ...rest,
      usage: 'busy',
      channels: { enabled: 1 },
    });
    await expect(told({ usage: late('INTERNAL') })).rejects.toThrow();
  });

  it('tells queues and disk, and of the books to root alone what does not hold', async () => {
    const finding = { check: 'x', id: '7', expected: 1, found: 2 };
    const audit = { checked_at: 5, seconds: 1, checks: 2, unfinished: [], found: 1, findings: [finding] };
    await keepAudit(relay.api.deps.db, audit);
    const seen = await site(admin);
    expect(seen.audit).toEqual({ ...audit, findings: [] });
    expect((await site(relay.root)).audit).toEqual(audit);
    expect(seen.queue).toMatchObject({ calls_open: 0, reserve_waiting: 0, settle_waiting: 0, spooled: 0 });
    expect(seen.disk.free_bytes).toBeGreaterThan(0);
    expect(seen.disk.total_bytes).toBeGreaterThanOrEqual(seen.disk.free_bytes);
  });
});
