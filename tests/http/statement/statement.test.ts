/** What an account's statement tells, to its owner and to administrators. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { MOVEMENT } from '../../../src/billing/ledger.ts';
import { grantReward, REWARD } from '../../../src/billing/rewards.ts';
import { reserveAll, settleAll } from '../../../src/billing/statements.ts';
import { nowSec } from '../../../src/core/time.ts';
import { parseDateTime } from '../../../src/core/time-text.ts';
import type { StatementItem, StatementPage } from '../../../src/modules/statement/contract.ts';
import { LINE_KINDS } from '../../../src/modules/statement/facts.ts';
import { LINE_TITLES } from '../../../src/modules/statement/words.ts';
import en from '../../../web/locales/en/statement.json';
import zh from '../../../web/locales/zh/statement.json';
import { holdOf, makeToken, settlementOf } from '../../support/accounts.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

const utc = (text: string): number => parseDateTime(text, 'UTC') ?? Number.NaN;

describe.each(callEngines)('statements, on %s', (engine) => {
  let api: TestApi;
  let una: TestUser;
  let mine: Client;
  let root: Client;
  let tokenId: number;

  const charge = async (user: number, at: number, amount: number, token = tokenId) => {
    const hold = holdOf(user, token, amount);
    await reserveAll(api.deps.db, [{ ...hold, extends: false }], 'test');
    await settleAll(api.deps.db, [settlementOf(hold.id, amount, { at })]);
    return hold.id;
  };
  const read = async (client: Client, query = '', path = '/api/user/statement'): Promise<StatementPage> => {
    const answer = await client.get(`${path}?${query}`);
    if (!answer.success) throw new Error(answer.text);
    return answer.data;
  };
  const told = ({ kind, delta, balance }: StatementItem) => [kind, delta, balance];

  beforeAll(async () => {
    api = await openApi(engine);
    una = await api.createUser({ username: 'una', quota: 1_000 });
    mine = await api.as(una);
    root = await api.root();
    tokenId = await makeToken(api.deps.db, una.id);
    // Three days in May: a gift, charges by day, an edit between them.
    await api.deps.db.query(
      `update ledger set created_at = ${utc('2026-05-01 08:00:00')} where user_id = ${una.id}`,
    );
    await charge(una.id, utc('2026-05-01 09:00:00'), 100);
    await charge(una.id, utc('2026-05-01 18:40:00'), 50);
    await charge(una.id, utc('2026-05-02 10:00:00'), 200);
    await root.put('/api/user/', { id: una.id, add_quota: 30, reason: '=1+1 for the outage' });
    await api.deps.db.query(
      `update ledger set created_at = ${utc('2026-05-02 07:00:00')} where user_id = ${una.id} and kind = 9`,
    );
    await charge(una.id, utc('2026-05-03 00:10:00'), 0);
  }, patience(120_000));
  afterAll(() => api.close());

  it('has charges a line a day, after what came in that day, and meets 0 at its first line', async () => {
    const page = await read(mine);
    expect(page).toMatchObject({ balance: 680, newer: null, older: null });
    expect(page.items.map(told)).toEqual([
      [1, -200, 680],
      [9, 30, 880],
      [1, -150, 850],
      [4, 1_000, 1_000],
    ]);
    const [charges, edit] = page.items;
    expect(charges).toMatchObject({
      created_at: utc('2026-05-02 23:59:59'),
      ref: '',
      day: { from: utc('2026-05-02 00:00:00'), calls: 1 },
    });
    expect(edit).toMatchObject({ reason: '=1+1 for the outage', reference: '', day: null });
    expect(edit?.ref).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has the days of the zone asked for, also where midnight lies within an hour of UTC', async () => {
    const charged = async (zone: string) =>
      (await read(mine, `kind=1&time_zone=${encodeURIComponent(zone)}`)).items.map(
        ({ delta, day, balance }) => [
          delta,
          balance,
          new Date((day?.from ?? 0) * 1000).toISOString().slice(0, 16),
        ],
      );
    // 18:40 is past midnight half an hour before 19:00, and not yet where the day begins at 19:00.
    expect(await charged('Asia/Kolkata')).toEqual([
      [-250, 680, '2026-05-01T18:30'],
      [-100, 900, '2026-04-30T18:30'],
    ]);
    expect(await charged('Asia/Karachi')).toEqual([
      [-200, 680, '2026-05-01T19:00'],
      [-150, 850, '2026-04-30T19:00'],
    ]);
    expect((await read(mine, 'time_zone=Nowhere/At_All')).time_zone).toBe('UTC');
  });

  it('is filtered by kind, amount and time, and the balances stay', async () => {
    expect((await read(mine, 'kind=9')).items.map(told)).toEqual([[9, 30, 880]]);
    // Of charges a day's sum is the amount.
    const some = 'min_amount=30&max_amount=150';
    expect((await read(mine, some)).items.map(told)).toEqual([
      [9, 30, 880],
      [1, -150, 850],
    ]);
    expect((await read(mine, `${some}&kind=1&page_size=1`)).items.map(told)).toEqual([[1, -150, 850]]);
    const sheet = (await mine.get(`/api/user/statement/export?${some}`)).text;
    expect(sheet.trim().split('\r\n')).toHaveLength(3);
    expect((await mine.get('/api/user/statement?min_amount=-1')).status).toBe(400);
    const between = `start_timestamp=${utc('2026-05-02 00:00:00')}&end_timestamp=${utc('2026-05-02 08:00:00')}`;
    const page = await read(mine, between);
    // Of a day that is asked for in part the charges are there whole.
    expect(page.items.map(told)).toEqual([
      [1, -200, 680],
      [9, 30, 880],
    ]);
    const first = await read(mine, `end_timestamp=${utc('2026-05-01 23:59:59')}`);
    expect(first.items.map(told)).toEqual([
      [1, -150, 850],
      [4, 1_000, 1_000],
    ]);
  });

  it('has every line on one page, whatever its size and which way one turns them', async () => {
    const whole = (await read(mine)).items;
    for (const size of [1, 2, 3]) {
      const seen: StatementItem[] = [];
      let page = await read(mine, `page_size=${size}`);
      const pages = [page];
      for (seen.push(...page.items); page.older; seen.push(...page.items)) {
        page = await read(mine, `page_size=${size}&before=${page.older}`);
        pages.push(page);
      }
      expect(seen).toEqual(whole);
      for (const one of pages.toReversed().slice(1)) {
        page = await read(mine, `page_size=${size}&after=${page.newer}`);
        expect(page.items).toEqual(one.items);
      }
      expect(page.newer).toBeNull();
      expect(page.older).not.toBeNull();
    }
    expect((await mine.get('/api/user/statement?before=nonsense')).status).toBe(400);
  });

  it('orders lines of one second by ref and kind, and counts each once over pages', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    const refs = ['22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111'];
    for (const [ref, kind, delta] of [
      [refs[0], 4, 5],
      [refs[1], 4, 7],
      [refs[1], 9, -3],
    ]) {
      await api.deps.db.query(
        `insert into ledger values ('${ref}', ${kind}, ${user.id}, ${delta}, ${utc('2026-01-01 00:00:00')}, null)`,
      );
    }
    await api.deps.db.query(`update users set quota = 9 where id = ${user.id}`);
    const first = await read(client, 'page_size=2');
    expect(first.items.map(told)).toEqual([
      [4, 5, 9],
      [9, -3, 4],
    ]);
    const second = await read(client, `page_size=2&before=${first.older}`);
    expect(second.items.map(told)).toEqual([[4, 7, 7]]);
    expect(second.older).toBeNull();
  });

  it('tells what was written off, and what a code was', async () => {
    const user = await api.createUser({ quota: 40 });
    const client = await api.as(user, { locale: 'en' });
    await api.deps.db.query(`update ledger set created_at = created_at - 1 where user_id = ${user.id}`);
    const token = await makeToken(api.deps.db, user.id);
    const hold = holdOf(user.id, token, 40);
    await reserveAll(api.deps.db, [{ ...hold, extends: false }], 'test');
    await settleAll(api.deps.db, [settlementOf(hold.id, 65)]);
    const [code] = (await root.post('/api/redemption/', { name: 'c', quota: 10 })).data;
    await client.post('/api/user/topup', { key: code });
    const { items } = await read(client);
    const of = (kind: number) => items.find((item) => item.kind === kind);
    expect(of(LINE_KINDS.writeOff)).toMatchObject({ delta: 0, written_off: 25, reason: '', ref: hold.id });
    expect(of(LINE_KINDS.redemption)?.reference).toMatch(/^redemption:\d+$/);
    expect(items.at(-1)?.balance).toBe(40);
    expect(items[0]?.balance).toBe(10);
    const [head = '', ...rows] = (await client.get('/api/user/statement/export')).text.trim().split('\r\n');
    const columns = head.replace('\ufeff', '').split(',');
    const cells = (row: string) => Object.fromEntries(row.split(',').map((cell, at) => [columns[at], cell]));
    expect(
      rows
        .map(cells)
        .map((row) => [row.kind, row.movement, row.written_off, row.written_off_usd])
        .sort(),
    ).toEqual([
      ['charge', 'Calls', '', ''],
      ['gift', 'Gift', '', ''],
      ['redemption', 'Redemption code', '', ''],
      ['writeOff', 'Written off', '25', '0.00005'],
    ]);
  });

  it('names what each movement came from: a new account, an interval, and whom or what a transfer was earned by', async () => {
    await root.put('/api/option/', { key: 'FuelPackEnabled', value: 'true' });
    await root.put('/api/option/', { key: 'fuel_pack.verified_only', value: 'false' });
    await root.put('/api/option/', { key: 'FuelPackQuota', value: '25' });
    await root.put('/api/option/', { key: 'FuelPackLimit', value: '3' });
    const ivy = await api.createUser({ quota: 40 });
    const client = await api.as(ivy);
    await client.get('/api/user/fuel_pack');
    const spring = (await root.post('/api/activity/', { name: 'Spring', desc: 'd', quota: 60 })).data.id;
    const { db } = api.deps;
    const grant = (kind: 1 | 2, amount: number, causeId: number) =>
      db.orm.transaction((tx) =>
        grantReward(tx, { userId: ivy.id, kind, amount, causeId, ref: crypto.randomUUID() }),
      );
    for (let guest = 1; guest <= 8; guest++) {
      await grant(REWARD.invitation, 10, 700_000 + guest);
      await db.query(
        `update rewards set created_at = ${1_000 + guest} where cause_id = ${700_000 + guest} and kind = 1`,
      );
    }
    await root.post('/api/activity/reward', { activity_id: spring, user_ids: [ivy.id] });
    // The first ends within what the second guest earned; the third goes on to the activity.
    const transfer = async (quota: number) => {
      await client.post('/api/user/quota_transfer', { quota });
      await db.query(
        `update rewards set created_at = created_at - 1 where user_id = ${ivy.id} and amount < 0`,
      );
      await db.query(`update ledger set created_at = created_at - 1 where user_id = ${ivy.id} and kind = 8`);
    };
    await transfer(15);
    await transfer(65);
    await transfer(60);
    const page = await read(client);
    const of = (kind: number) => page.items.filter((item) => item.kind === kind);
    expect(of(LINE_KINDS.gift).map(({ reference }) => reference)).toEqual([`new_user:${ivy.id}`]);
    expect(of(LINE_KINDS.fuelPack).map(({ reference }) => reference)).toEqual(['fuel_pack:3']);
    expect(of(LINE_KINDS.transfer).map(({ delta, reference }) => [delta, reference])).toEqual([
      [60, `activity:${spring}`],
      [65, 'invitee:700002 invitee:700003 invitee:700004 invitee:700005 invitee:700006 more:2'],
      [15, 'invitee:700001 invitee:700002'],
    ]);
    expect(page.activities).toEqual([{ id: spring, name: 'Spring' }]);
    const sheet = (await client.get('/api/user/statement/export')).text;
    expect(sheet).toContain(',invitee:700001 invitee:700002,');
    expect(sheet).toContain(',fuel_pack:3,');
  });

  it('has the kinds that something writes', () => {
    const never = ['activity'];
    expect(Object.keys(LINE_KINDS).filter((name) => never.includes(name))).toEqual([]);
    expect(Object.values(LINE_KINDS)).toEqual(Object.values(MOVEMENT));
    // A sheet calls them what the page does.
    for (const [locale, texts] of [
      ['zh', zh],
      ['en', en],
    ] as const) {
      for (const [name, title] of Object.entries(LINE_TITLES))
        expect(title[locale]).toBe(
          Object.entries(texts).find(([key]) => key === `statement.kind.${name}`)?.[1] ?? '',
        );
    }
  });

  it('says of an account without movements that there are none', async () => {
    const nobody = await api.as(await api.createUser());
    expect(await read(nobody)).toMatchObject({ items: [], balance: 0, newer: null, older: null });
  });

  it('is read by administrators of whom they may read, and by nobody else', async () => {
    const admin = await api.as(await api.createUser({ role: 10 }));
    const path = `/api/user/${una.id}/statement`;
    expect(await read(admin, '', path)).toMatchObject({ user_id: una.id, username: 'una', balance: 680 });
    const other = await api.createUser({ role: 10 });
    expect((await admin.get(`/api/user/${other.id}/statement`)).code).toBe('USER_LEVEL');
    expect((await admin.get(`/api/user/${admin.userId}/statement`)).success).toBe(true);
    expect((await admin.get('/api/user/999999/statement')).code).toBe('NOT_FOUND');
    expect((await admin.get(`/api/user/${other.id}/statement/export`)).code).toBe('USER_LEVEL');
    expect((await mine.get(path)).status).toBe(403);
    expect((await api.guest().get('/api/user/statement')).status).toBe(401);
  });

  it.each([
    [{ locale: 'en' }, 'time,kind,added,spent,balance,', 'Calls', 'Administrator'],
    [{ locale: 'zh' }, '时间,变动代码,增加,扣除,变动后余额,', '调用', '管理员'],
    // As programs ask.
    [{}, 'time,kind,added,spent,balance,', 'Calls', 'Administrator'],
  ] as const)(
    'comes as a sheet in its reader’s language, %j, whole and with formulas as text',
    async (options, head, charge, edit) => {
      const reader = await api.as(una, options);
      const answer = await reader.get('/api/user/statement/export?time_zone=UTC');
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.text).toStartWith(head);
      const lines = answer.text.trim().split('\r\n');
      expect(lines).toHaveLength(5);
      expect(lines[1]).toBe(`2026-05-02T23:59:59.000Z,charge,0,200,680,0,0.0004,0.00136,1,,,,,,${charge}`);
      expect(lines[2]).toStartWith(
        `2026-05-02T07:00:00.000Z,adminEdit,30,0,880,0.00006,0,0.00176,,'=1+1 for`,
      );
      expect(lines[2]).toEndWith(`,${edit}`);
      const admin = await api.as(await api.createUser({ role: 10 }));
      const filtered = await admin.get(`/api/user/${una.id}/statement/export?kind=4`);
      expect(filtered.text.trim().split('\r\n')).toHaveLength(2);
    },
  );

  it('goes on over the pages of a long sheet', async () => {
    const user = await api.createUser();
    await api.deps.db.query(
      `insert into ledger select gen_random_uuid(), 9, ${user.id}, case when n % 2 = 0 then -1 else 1 end,
         ${nowSec()} - 2000 + n, 'n' || n from generate_series(1, 1201) n`,
    );
    await api.deps.db.query(`update users set quota = 1 where id = ${user.id}`);
    const { text } = await (await api.as(user)).get('/api/user/statement/export');
    const rows = text.trim().split('\r\n').slice(1);
    expect(rows.map((row) => row.split(',')[9])).toEqual(
      Array.from({ length: 1201 }, (_, i) => `n${1201 - i}`),
    );
    expect(new Set(rows.map((row) => row.split(',')[4]))).toEqual(new Set(['0', '1']));
  });
});
