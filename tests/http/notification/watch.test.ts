/** Warnings of a low balance, as a whole: calls are charged, the watch looks, letters and webhooks arrive. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { requestId } from '../../../src/core/ids.ts';
import { nowSec } from '../../../src/core/time.ts';
import { openPostgres } from '../../../src/db/client.ts';
import { notifyPatiently } from '../../../src/modules/notification/service.ts';
import { claimDue, type QuotaWatch, startQuotaWatch } from '../../../src/modules/notification/watch.ts';
import { makeUser, settlementOf } from '../../support/accounts.ts';
import { openApi, type TestApi } from '../../support/api.ts';
import { callEngines, freshPostgresUrl } from '../../support/database.ts';
import { startReceivers } from './support.ts';

const receivers = startReceivers();

describe.each(callEngines)('the watch over balances on %s', (engine) => {
  let api: TestApi;
  let watch: QuotaWatch;
  /** A round, and all that it has to tell. */
  const round = async (): Promise<number> => {
    const due = await watch.round();
    await watch.delivered();
    return due;
  };
  beforeAll(async () => {
    api = await openApi(engine);
    await receivers.serve(api, async () => ['127.0.0.1']);
    watch = startQuotaWatch(api.deps);
  });
  afterAll(async () => {
    await watch.stop();
    await api.close();
  });

  const db = () => api.deps.db;
  /** A user who is told by webhook unless his setting says otherwise. */
  const someone = async (
    quota: number,
    setting: Record<string, unknown> = {},
    fields = '',
  ): Promise<number> => {
    const userId = await makeUser(db(), quota);
    const chosen = { notify_type: 'webhook', webhook_url: `${receivers.hook.base}/`, ...setting };
    await db().query(`update users set setting = $2::text::jsonb ${fields} where id = $1`, [
      userId,
      JSON.stringify(chosen),
    ]);
    return userId;
  };
  const spend = async (userId: number, charge: number) => {
    const id = requestId();
    await api.deps.billing.reserve({ id, userId, tokenId: 0, sold: 'gpt-4o', amount: charge });
    await api.deps.billing.settle(settlementOf(id, charge));
  };
  const told = () => receivers.hook.received.map(({ body }) => JSON.parse(body).user_id as number);
  const pass = (userId: number, seconds: number) =>
    db().query('update quota_warnings set warned_at = warned_at - $2::bigint where user_id = $1', [
      userId,
      seconds,
    ]);

  it('warns once of a balance that calls have brought below the threshold', async () => {
    const [poor, rich] = [await someone(100_500), await someone(100_500)];
    await spend(poor, 501);
    await spend(rich, 500);
    expect(await round()).toBe(1);
    expect(JSON.parse(receivers.hook.received[0]?.body ?? '')).toMatchObject({
      type: 'quota_exceed',
      title: expect.stringContaining('额度即将用尽'),
      user_id: poor,
      quota: 99_999,
      threshold: 100_000,
    });
    await spend(poor, 1);
    expect(await round()).toBe(0);
    expect(told()).toEqual([poor]);
  });

  it('reckons with what calls under way hold, because it may come back', async () => {
    const userId = await someone(150_000);
    await spend(userId, 10);
    await api.deps.billing.reserve({
      id: requestId(),
      userId,
      tokenId: 0,
      sold: 'gpt-4o',
      amount: 149_000,
    });
    expect(await round()).toBe(0);
  });

  it('goes by each user’s own threshold, and by none when it is 0', async () => {
    const [low, high, never] = [
      await someone(50_000, { quota_warning_threshold: 10_000 }),
      await someone(500_000, { quota_warning_threshold: 499_999 }),
      await someone(50, { quota_warning_threshold: 0 }),
    ];
    for (const userId of [low, high, never]) await spend(userId, 50);
    expect(await round()).toBe(1);
    expect(told()).toEqual([high]);
  });

  it('leaves alone who has used nothing of late, was banned or is gone', async () => {
    const idle = await someone(50);
    const banned = await someone(50);
    const gone = await someone(50);
    for (const userId of [idle, banned, gone]) await spend(userId, 1);
    await db().query('update usage_hourly set hour = hour - 7200 where user_id = $1', [idle]);
    await db().query('update users set status = 2 where id = $1', [banned]);
    await db().query('update users set deleted_at = 1 where id = $1', [gone]);
    expect(await round()).toBe(0);
  });

  it('keeps the turn of who has named no place until he has', async () => {
    const userId = await someone(50, { notify_type: 'email' });
    await spend(userId, 1);
    expect(await round()).toBe(0);
    const email = `place${userId}@example.com`;
    await db().query(`update users set email = $2, language = 'en' where id = $1`, [userId, email]);
    const at = receivers.mail.mails.length;
    expect(await round()).toBe(1);
    expect(await receivers.mail.nth(at + 1)).toMatchObject({
      recipients: [email],
      subject: expect.stringContaining('balance is running low'),
      text: expect.stringContaining('below your threshold of $0.20'),
    });
  });

  it('warns again when he was above and fell once more, but never twice in two hours', async () => {
    const userId = await someone(50);
    await spend(userId, 1);
    expect(await round()).toBe(1);
    await db().query('update users set quota = 200000 where id = $1', [userId]);
    expect(await round()).toBe(0);
    await db().query('update users set quota = 40 where id = $1', [userId]);
    await pass(userId, 2 * 3_600 - 60);
    expect(await round()).toBe(0);
    await pass(userId, 60);
    expect(await round()).toBe(1);
  });

  it('reminds who stays below once a day', async () => {
    const userId = await someone(50);
    await spend(userId, 1);
    expect(await round()).toBe(1);
    await pass(userId, 86_400 - 60);
    expect(await round()).toBe(0);
    await pass(userId, 60);
    expect(await round()).toBe(1);
  });

  it('warns so many a round and the rest in the next', async () => {
    for (let n = 0; n < 53; n++) {
      const userId = await someone(50);
      await db().query(
        `insert into usage_hourly values ($2::bigint / 3600 * 3600, $1, 0, 0, 'm', 'default', 1, 1, 1, 1)`,
        [userId, nowSec()],
      );
    }
    expect(await round()).toBe(50);
    expect(await round()).toBe(3);
    expect(new Set(told()).size).toBe(53);
  });

  it('does not keep the server from stopping while it waits to try again', async () => {
    const userId = await someone(50);
    await spend(userId, 1);
    receivers.hook.next.push(new Response('not now', { status: 500 }));
    const other = startQuotaWatch(api.deps);
    expect(await other.round()).toBe(1);
    await receivers.hook.nth(1);
    await other.stop();
    expect(told()).toEqual([userId]);
  });

  it('lets nobody wait for a webhook that takes its time', async () => {
    const [slow, other] = [await someone(50), await someone(50)];
    await spend(slow, 1);
    receivers.hook.next.push(new Response('not now', { status: 500 }));
    expect(await watch.round()).toBe(1);
    await receivers.hook.nth(1);
    await spend(other, 1);
    expect(await watch.round()).toBe(1);
    await receivers.hook.nth(2);
    expect(told()).toEqual([slow, other]);
    await watch.stop();
    watch = startQuotaWatch(api.deps);
  });

  it('tries again what did not arrive at once', async () => {
    const userId = await someone(50);
    const [row] = await db().query<{ setting: string }>(
      'select setting::text as setting from users where id = $1',
      [userId],
    );
    const user = { id: userId, language: 'en', email: '', setting: JSON.parse(row?.setting ?? '') };
    const notice = { type: 'quota_exceed', quota: 1, threshold: 2 } as const;
    const tell = (pausesMs: number[]) =>
      notifyPatiently(api.deps, user, notice, new AbortController().signal, pausesMs);
    const failing = () => new Response('', { status: 503 });
    receivers.hook.next.push(failing(), failing());
    await tell([1, 1]);
    expect(receivers.hook.received).toHaveLength(3);
    receivers.hook.next.push(failing(), failing());
    await expect(tell([1])).rejects.toThrow('status 503');
    expect(receivers.hook.received).toHaveLength(5);
  });

  it('is kept by one of several processes at a time, and taken over from one that stops', async () => {
    const other = startQuotaWatch({ ...api.deps, bootId: crypto.randomUUID() });
    const userId = await someone(50);
    await spend(userId, 1);
    await round();
    expect(told()).toEqual([userId]);
    await pass(userId, 86_400);
    expect(await other.round()).toBe(0);
    await watch.stop();
    expect(await other.round()).toBe(1);
    await other.stop();
    watch = startQuotaWatch(api.deps);
  });
});

describe('two processes that watch at once', () => {
  it('tell each user once, whoever of them is quicker', async () => {
    const api = await openApi('postgres');
    const url = await freshPostgresUrl();
    const [one, two] = await Promise.all([openPostgres(url), openPostgres(url)]);
    try {
      const people = await Promise.all(Array.from({ length: 40 }, () => makeUser(one, 50)));
      await one.query(
        `update users set setting = '{"notify_type": "webhook", "webhook_url": "https://hook.test/"}'`,
      );
      await one.query(
        `insert into usage_hourly select $1::bigint / 3600 * 3600, id, 0, 0, 'm', 'default', 1, 1, 1, 1 from users`,
        [nowSec()],
      );
      const claims = [one, two, one, two].map((db) => claimDue({ ...api.deps, db }));
      const claimed = (await Promise.all(claims)).flat().map(({ id }) => id);
      expect(claimed.toSorted((a, b) => a - b)).toEqual(people.toSorted((a, b) => a - b));
    } finally {
      await Promise.all([one.close(), two.close(), api.close()]);
    }
  });
});
