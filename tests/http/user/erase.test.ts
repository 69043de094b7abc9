import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { limits } from '../../../src/core/limits.ts';
import { dailyWork } from '../../../src/jobs/daily.ts';
import { holdOf, makeToken, settlementOf } from '../../support/accounts.ts';
import {
  type Answer,
  type Client,
  openApi,
  PASSWORD,
  type TestApi,
  type TestUser,
} from '../../support/api.ts';
import { callEngines, takeAllTime } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';
import { until, untilBlocked } from '../../support/waits.ts';

describe.each(callEngines)('erasing a user, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    takeAllTime(api.deps.db);
    root = await api.root();
  });
  afterAll(() => api.close());

  const erase = (id: number) => root.del(`/api/user/${id}`);
  const query = <T = Record<string, unknown>>(text: string) => api.deps.db.query<T>(text);
  const rowOf = async ({ id }: TestUser) => (await query(`select * from users where id = ${id}`))[0];

  /** Somebody of whom everything is known. */
  async function known(username: string, quota = 1_000): Promise<{ user: TestUser; key: string }> {
    const user = await api.createUser({ username, quota });
    const { id } = user;
    const mine = await api.as(user, { ip: '198.51.100.99' });
    const { key } = (
      await mine.post('/api/token/', {
        name: `${username}-laptop`,
        unlimited_quota: true,
        allow_ips: '198.51.100.99',
      })
    ).data;
    await mine.post('/api/user/token');
    await query(
      `update users set display_name = '${username} Doe', email = '${username}@example.com', phone = '139${String(id).padStart(8, '0')}',
         login_ip = '198.51.100.99', setting = '{"webhook_url":"https://${username}.example"}', language = 'en' where id = ${id}`,
    );
    await query(
      `insert into identities (user_id, provider, subject, login_name) values (${id}, 'github', 's${id}', '${username}')`,
    );
    await query(`insert into second_factors (user_id, secret_sealed) values (${id}, 'x')`);
    await query(`insert into backup_codes (user_id, hash) values (${id}, 'x')`);
    await query(`insert into quota_warnings values (${id}, 1, true)`);
    await query(
      `insert into logs (created_at, user_id, username, token_name, type, ip, quota, content) values
         (extract(epoch from now())::bigint, ${id}, '${username}', '${username}-laptop', 4, '198.51.100.99', 0, 'status 500')`,
    );
    await root.put('/api/user/', {
      id,
      remarks: `${username} of Acme`,
      display_name: `${username} D.`,
      add_quota: 10,
      reason: `for ${username}`,
    });
    return { user, key };
  }

  it('leaves nothing that says who he was, and all of his sums', async () => {
    const { user, key } = await known('margaret');
    const before = await query(`select kind, delta from ledger where user_id = ${user.id} order by ref`);
    const answer = await erase(user.id);
    expect(answer).toMatchObject({ status: 200, success: true });
    expect(await rowOf(user)).toMatchObject({
      username: `deleted-${user.id}`,
      display_name: '',
      password_hash: null,
      email: '',
      phone: '',
      login_ip: '',
      remarks: '',
      language: '',
      setting: {},
      status: 2,
      quota: 1_010,
      deleted_at: expect.any(Number),
      erased_at: expect.any(Number),
    });
    for (const table of [
      'sessions',
      'access_tokens',
      'identities',
      'second_factors',
      'backup_codes',
      'quota_warnings',
    ]) {
      expect(await query(`select 1 from ${table} where user_id = ${user.id}`)).toEqual([]);
    }
    const tables = [
      'users',
      'tokens',
      'logs',
      'ledger',
      'admin_actions',
      'identities',
      'sessions',
      'usage_hourly',
    ];
    for (const table of tables) {
      const texts = JSON.stringify(await query(`select t::text as text from ${table} t`));
      expect([table, texts]).toEqual([table, expect.not.stringMatching(/margaret|198\.51\.100\.99|Acme/i)]);
      expect(texts).not.toContain(key);
      expect(texts).not.toContain(api.deps.secrets.lookup(key));
    }
    expect(await query(`select kind, delta from ledger where user_id = ${user.id} order by ref`)).toEqual(
      before,
    );
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  /** Orders that nobody has paid, the first one first. */
  const ordersOf = async ({ id }: TestUser, count: number): Promise<number[]> => {
    const made = await query<{ id: number }>(
      `insert into topups (trade_no, ref, user_id, provider, method, quota, money, currency, places, expires_at)
       select 't${id}-' || n, gen_random_uuid(), ${id}, 'epay', 'alipay', 500, 100, 'CNY', 2, 1
       from generate_series(1, ${count}) n returning id`,
    );
    return made.map((order) => order.id);
  };

  it('takes the reasons out of his orders and of their record, and leaves what was paid', async () => {
    const { user } = await known('olive', 2_000);
    const { user: other } = await known('peter', 2_000);
    const [[his], [another]] = [await ordersOf(user, 1), await ordersOf(other, 1)];
    if (!his || !another) throw new Error('no orders');
    for (const order of [his, another]) {
      expect((await root.post(`/api/topup/${order}/void`, { reason: 'Olive said so' })).success).toBe(true);
      expect(
        (await root.post(`/api/topup/${order}/complete`, { reason: 'Olive paid by wire' })).success,
      ).toBe(true);
      expect((await root.post(`/api/topup/${order}/refund`, { reason: 'Olive asked' })).success).toBe(true);
    }
    const sums = `select t.quota, t.money, t.status, t.completed_by, r.quota as back, r.created_by
      from topups t join topup_reversals r on r.topup_id = t.id where t.id = ${his}`;
    const before = await query(sums);
    const told = (order: number) =>
      query<{ reason: string; void_reason: string; back: string; actions: unknown }>(
        `select t.reason, t.void_reason, r.reason as back,
           (select jsonb_agg(detail->'reason' order by id) from admin_actions where target = 'topup:${order}') as actions
         from topups t join topup_reversals r on r.topup_id = t.id where t.id = ${order}`,
      );
    await erase(user.id);
    expect(await told(his)).toEqual([
      { reason: '', void_reason: '', back: '', actions: ['erased', 'erased', 'erased'] },
    ]);
    expect(await told(another)).toEqual([
      {
        reason: 'Olive paid by wire',
        void_reason: 'Olive said so',
        back: 'Olive asked',
        actions: ['Olive said so', 'Olive paid by wire', 'Olive asked'],
      },
    ]);
    expect(await query(sums)).toEqual(before);
    const [{ facts } = { facts: null }] = await query<{ facts: unknown }>(
      `select detail as facts from admin_actions where target = 'topup:${his}' and action = 'topup.refund'`,
    );
    expect(facts).toMatchObject({ trade_no: `t${user.id}-1`, taken: 500, written_off: 0 });
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  it('keeps the record of what was done to him and by him, without naming him', async () => {
    const { user } = await known('harriet');
    await query(`update users set role = 10 where id = ${user.id}`);
    const other = await api.createUser();
    await (await api.as({ ...user, role: 10 }, { ip: '198.51.100.99' })).put('/api/user/', {
      id: other.id,
      remarks: 'x',
    });
    await erase(user.id);
    const rows = await query<{ action: string; detail: unknown; ip: string }>(
      `select action, detail, ip from admin_actions where target = 'user:${user.id}' or actor_id = ${user.id} order by id`,
    );
    expect([...rows]).toMatchObject([
      {
        action: 'user.quota',
        detail: {
          quota: { before: 1_000, after: 1_010 },
          display_name: 'erased',
          remarks: 'erased',
          reason: 'erased',
        },
      },
      { action: 'user.update', ip: '', detail: { remarks: { before: '', after: 'x' } } },
      { action: 'user.erase', detail: { pseudonym: `deleted-${user.id}` } },
    ]);
    const items = (await root.get(`/api/admin_action/?actor=deleted-${user.id}`)).data.items;
    expect(items).toMatchObject([{ actor_name: `deleted-${user.id}`, action: 'user.update' }]);
  });

  const fillLog = (id: number, name: string, rows: number) =>
    query(
      `insert into logs (created_at, user_id, username, token_name, type, ip, quota, content)
       select 1700000000 + n / 7, ${id}, '${name}', '${name}-laptop', 5, '198.51.100.99', 0, ''
       from generate_series(1, ${rows}) n`,
    );
  const named = async (id: number): Promise<number> =>
    (await query(`select 1 from logs where user_id = ${id} and (username not like 'deleted-%' or ip <> '')`))
      .length;

  it('takes every row of a long log, slice by slice', async () => {
    const { user } = await known('rosalind');
    await fillLog(user.id, 'rosalind', limits.forgottenRows * 2 + 50);
    expect((await erase(user.id)).success).toBe(true);
    expect(await named(user.id)).toBe(0);
  });

  it('goes on daily with what a process that died has left', async () => {
    const { user } = await known('josephine');
    await erase(user.id);
    await fillLog(user.id, 'josephine', limits.forgottenRows + 10);
    const { db, options } = api.deps;
    const work = dailyWork({ db, options }).find(({ name }) => name === 'erased');
    await work?.run(new AbortController().signal);
    expect(await named(user.id)).toBe(0);
  });

  it('leaves neither a session nor another way in to who signs in meanwhile', async () => {
    for (let n = 0; n < 8; n++) {
      const { user } = await known(`racer${n}`);
      const guests = Array.from({ length: 3 }, () =>
        api.guest().post('/api/user/login', { username: `racer${n}`, password: PASSWORD }),
      );
      const [answer] = await Promise.all([erase(user.id), ...guests]);
      expect(answer.success).toBe(true);
      for (const table of ['sessions', 'access_tokens', 'second_factors']) {
        expect(await query(`select 1 from ${table} where user_id = ${user.id}`)).toEqual([]);
      }
    }
  });

  if (engine === 'postgres') {
    const logIn = (username: string) => api.guest().post('/api/user/login', { username, password: PASSWORD });

    it('is done however many orders he has made', async () => {
      const { user } = await known('quentin');
      const orders = await ordersOf(user, 70_000);
      const last = orders.at(-1);
      expect((await root.post(`/api/topup/${last}/complete`, { reason: 'Quentin wired it' })).success).toBe(
        true,
      );
      expect(await erase(user.id)).toMatchObject({ status: 200, success: true });
      const texts = `select t.reason, a.detail->'reason' as told from topups t
        join admin_actions a on a.target = 'topup:' || t.id where t.id = ${last}`;
      expect(await query(texts)).toEqual([{ reason: '', told: 'erased' }]);
      await query(`delete from topups where user_id = ${user.id} and id <> ${last}`);
    });

    // Who waits for his row gets it in the order in which he came.
    it.each([
      ['he enters just before', true],
      ['he would enter just after', false],
    ] as const)(
      'leaves no session when %s',
      async (name, entersFirst) => {
        const { user } = await known(entersFirst ? 'early' : 'late');
        const steps = [() => logIn(user.username), () => erase(user.id)];
        if (!entersFirst) steps.reverse();
        const begun: Promise<Answer>[] = [];
        await api.deps.db.orm.transaction(async (tx) => {
          await tx.execute(`select 1 from users where id = ${user.id} for update`);
          for (const [at, step] of steps.entries()) {
            begun.push(step());
            await untilBlocked(api.deps.db, at + 1);
          }
        });
        const [first, second] = await Promise.all(begun);
        const [login, erased] = entersFirst ? [first, second] : [second, first];
        expect([name, login?.success, erased?.success]).toEqual([name, entersFirst, true]);
        expect(await query(`select 1 from sessions where user_id = ${user.id}`)).toEqual([]);
      },
      patience(30_000),
    );

    it('waits for his orders as those who mark them do, in the order of their ids', async () => {
      const { user } = await known('rosalind');
      const orders = await ordersOf(user, 2);
      // Now the first one comes last where a table is read as it lies.
      await query(`update topups set asked_at = 1 where id = ${orders[0]}`);
      let erased: Promise<unknown> = Promise.resolve();
      await api.deps.db.orm.transaction(async (tx) => {
        await tx.execute(`select 1 from topups where id = ${orders[0]} for update`);
        erased = erase(user.id);
        await untilBlocked(api.deps.db, 1);
        await tx.execute(`select 1 from topups where id = ${orders[1]} for update nowait`);
      });
      expect(await erased).toMatchObject({ success: true });
    });

    it('holds nothing of his while his log is long', async () => {
      const { user } = await known('wilhelmina');
      let erased: Promise<unknown> = Promise.resolve();
      await api.deps.db.orm.transaction(async (tx) => {
        await tx.execute('lock table logs in share mode');
        erased = erase(user.id);
        // It is over but for the log, which waits.
        expect(await erased).toMatchObject({ success: true });
        expect(await rowOf(user)).toMatchObject({ status: 2, username: `deleted-${user.id}` });
        await query(`select 1 from users where id = ${user.id} for update nowait`);
        expect(await named(user.id)).toBeGreaterThan(0);
      });
      await until('the log forgets his name', async () => (await named(user.id)) === 0);
      expect(await named(user.id)).toBe(0);
    });
  }

  it('frees the name, the mailbox and the phone, and nobody can take the pseudonym', async () => {
    const { user } = await known('beatrice');
    const { phone } = (await rowOf(user)) as { phone: string };
    await erase(user.id);
    const again = await root.post('/api/user/', { username: 'Beatrice', password: PASSWORD });
    expect(again.success).toBe(true);
    await query(
      `update users set email = 'beatrice@example.com', phone = '${phone}' where id = ${again.data.id}`,
    );
    const taken = await root.post('/api/user/', { username: 'Deleted-99', password: PASSWORD });
    expect(taken.code).toBe('USERNAME_TAKEN');
  });

  it('finds another pseudonym where somebody was called so before', async () => {
    const user = await api.createUser();
    await api.createUser({ username: `deleted-${user.id}` });
    expect((await erase(user.id)).success).toBe(true);
    expect((await rowOf(user))?.username).toMatch(new RegExp(`^deleted-${user.id}-\\w{6}$`));
  });

  it('works on who cancelled his account before, and once', async () => {
    const { user } = await known('dorothea');
    await root.post('/api/user/manage', { id: user.id, action: 'delete' });
    await query(`update users set deleted_at = 5 where id = ${user.id}`);
    const answers = await Promise.all([erase(user.id), erase(user.id), erase(user.id)]);
    expect(answers.map(({ code }) => code ?? 'ok').sort()).toEqual(['NOT_FOUND', 'NOT_FOUND', 'ok']);
    expect(await rowOf(user)).toMatchObject({ deleted_at: 5, username: `deleted-${user.id}` });
    expect((await root.get(`/api/user/${user.id}`)).data).toMatchObject({ erased_at: expect.any(Number) });
    expect(await erase(999_999)).toMatchObject({ status: 200, code: 'NOT_FOUND' });
  });

  it('is root’s alone, never of root, and asked for by somebody who has just shown that it is he', async () => {
    const { user } = await known('winifred');
    expect(await erase(root.userId ?? 0)).toMatchObject({ code: 'ROOT_PROTECTED' });
    const admin = await api.as(await api.createUser({ role: 10 }));
    expect((await admin.del(`/api/user/${user.id}`)).status).toBe(403);
    const open = await api.root();
    await query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${root.userId}`);
    expect((await open.del(`/api/user/${user.id}`)).code).toBe('REAUTH_REQUIRED');
    expect(await rowOf(user)).toMatchObject({ username: 'winifred', erased_at: null });
    await open.post('/api/user/confirm', { password: PASSWORD });
    expect((await open.del(`/api/user/${user.id}`)).success).toBe(true);
    root = await api.root();
  });

  it('lets calls under way settle under the pseudonym, starts none, and leaves every sum right', async () => {
    const { user } = await known('eleanor');
    const { billing, db } = api.deps;
    const tokenId = await makeToken(db, user.id);
    const [hold, late] = [holdOf(user.id, tokenId, 400), holdOf(user.id, tokenId, 300)];
    expect(await billing.reserve(hold)).toBe('granted');
    expect(await billing.reserve(late)).toBe('granted');
    const said = { username: 'eleanor', tokenName: 'eleanor-laptop', ip: '198.51.100.99' };
    const [, settled] = await Promise.all([erase(user.id), billing.settle(settlementOf(late.id, 120, said))]);
    expect(settled).toMatchObject({ paid: 120, committed: true });
    expect(await billing.reserve(holdOf(user.id, tokenId, 1))).toBe('refused');
    expect(await billing.settle(settlementOf(hold.id, 250, said))).toMatchObject({
      paid: 250,
      committed: true,
    });
    expect(await rowOf(user)).toMatchObject({ quota: 1_010 - 370, reserved: 0 });
    const rows = await query(
      `select username, token_name, ip, quota from logs where user_id = ${user.id} and type = 2`,
    );
    const anonymous = { username: `deleted-${user.id}`, token_name: '', ip: '' };
    expect(rows).toEqual(
      expect.arrayContaining([
        { ...anonymous, quota: 250 },
        { ...anonymous, quota: 120 },
      ]),
    );
    expect((await audit(db)).findings).toEqual([]);
  });
});
