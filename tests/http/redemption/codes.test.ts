/** Redemption codes as administrators keep them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import { maskKey } from '../../../src/core/key-text.ts';
import { nowSec } from '../../../src/core/time.ts';
import type { RedemptionItem } from '../../../src/modules/redemption/contract.ts';
import { type Answer, type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines, takeAllTime } from '../../support/database.ts';
import { untilBlocked } from '../../support/waits.ts';

describe.each(callEngines)('redemption codes, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    admin = await api.as(await api.createUser({ username: 'amy', role: 10 }));
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    await api.deps.db.script('delete from redemptions; delete from admin_actions');
  });

  const make = async (body: object = {}): Promise<string[]> => {
    const made = await admin.post('/api/redemption/', { name: 'spring', ...body });
    expect(made.message).toBe('');
    return made.data;
  };
  const items = async (query = ''): Promise<RedemptionItem[]> => {
    const answer = await admin.get(`/api/redemption/search?page_size=100&${query}`);
    expect(answer.data.total).toBe(answer.data.items.length);
    return answer.data.items;
  };
  const ids = async (query = '') => (await items(query)).map(({ id }) => id);
  const only = async (query = ''): Promise<RedemptionItem> => {
    const [item, ...others] = await items(query);
    if (!item || others.length > 0) throw new Error(`${others.length} others`);
    return item;
  };
  const actions = async () =>
    await api.deps.db.query<{ action: string; target: string; detail: object }>(
      'select action, target, detail from admin_actions order by id',
    );

  it('makes a batch and answers its codes', async () => {
    const codes = await make({ quota: 250_000, count: 3 });
    expect(codes).toHaveLength(3);
    expect(new Set(codes).size).toBe(3);
    for (const code of codes) expect(code).toMatch(/^[0-9a-f]{32}$/);
    const page = (await admin.get('/api/redemption/?p=0&page_size=2')).data;
    expect(page).toMatchObject({ total: 3, page: 0, page_size: 2 });
    expect(page.items).toHaveLength(2);
    expect((await admin.get('/api/redemption/?p=1&page_size=2')).data.items).toHaveLength(1);
    const all = await items();
    expect(all.map(({ key }) => key).sort()).toEqual(codes.map(maskKey).sort());
    expect(all[0]).toEqual({
      id: expect.any(Number),
      user_id: admin.userId ?? 0,
      key: expect.any(String),
      name: 'spring',
      status: 1,
      quota: 250_000,
      created_time: expect.any(Number),
      expired_time: -1,
      redeemed_time: 0,
      used_user_id: 0,
      used_username: '',
    });
    expect((await admin.get(`/api/redemption/${all[1]?.id}`)).data).toEqual(all[1]);
  });

  it('takes the defaults of the form', async () => {
    await make();
    expect(await only()).toMatchObject({ quota: 100_000, expired_time: -1 });
  });

  it('keeps no code that a reader of the database could use', async () => {
    const [code = ''] = await make();
    const rows = JSON.stringify(await api.deps.db.query('select * from redemptions'));
    const records = JSON.stringify(await actions());
    expect(rows + records).not.toContain(code);
    expect(rows).toContain(`${code.slice(0, 4)}…${code.slice(-3)}`);
  });

  it('reads whole codes to nobody, and shows them by a call that is recorded', async () => {
    const codes = await make({ count: 2 });
    const [one, two] = await ids();
    for (const path of ['', 'search', `${one}`, `${one}?mask=false`]) {
      const { success, text } = await admin.get(`/api/redemption/${path}`);
      expect([path, success, codes.filter((code) => text.includes(code))]).toEqual([path, true, []]);
      expect(text).toMatch(/"key":"[0-9a-f]{4}…[0-9a-f]{3}"/);
    }
    const shown = await admin.post('/api/redemption/keys', { ids: [one, two, 999_999] });
    expect(shown.data.map(({ key }: { key: string }) => key).sort()).toEqual([...codes].sort());
    expect((await actions()).at(-1)).toMatchObject({
      action: 'redemption.reveal',
      target: 'redemptions',
      detail: { ids: [one, two].sort() },
    });
    await admin.post('/api/redemption/keys', { ids: [one] });
    expect((await actions()).at(-1)).toMatchObject({
      action: 'redemption.reveal',
      target: `redemption:${one}`,
    });
  });

  it.each([
    [{ name: ' ' }, 'REDEMPTION_NAME'],
    [{ name: 'x'.repeat(21) }, 'REDEMPTION_NAME'],
    [{ quota: 0 }, 'REDEMPTION_QUOTA'],
    [{ quota: 1.5 }, 'REDEMPTION_QUOTA'],
    [{ quota: -1 }, 'REDEMPTION_QUOTA'],
    [{ quota: 2 ** 53 }, 'REDEMPTION_QUOTA'],
    [{ count: 0 }, 'REDEMPTION_COUNT'],
    [{ count: 101 }, 'REDEMPTION_COUNT'],
    [{ count: 1.5 }, 'REDEMPTION_COUNT'],
    [{ expired_time: 1 }, 'REDEMPTION_EXPIRY'],
    [{ expired_time: -2 }, 'REDEMPTION_EXPIRY'],
  ])('refuses %j and makes nothing', async (body, code) => {
    const answer = await admin.post('/api/redemption/', { name: 'spring', ...body });
    expect([answer.success, answer.code]).toEqual([false, code]);
    expect(await items()).toEqual([]);
  });

  it('counts the name by characters and makes a hundred at once', async () => {
    expect(await make({ name: '春'.repeat(20), count: 100 })).toHaveLength(100);
  });

  it('edits an unused code, and no other', async () => {
    await make();
    const { id } = await only();
    const until = nowSec() + 3600;
    const put = (body: object, query = '') => admin.put(`/api/redemption/${query}`, { id, ...body });
    expect((await put({ name: 'summer', quota: 7, expired_time: until })).data).toMatchObject({
      name: 'summer',
      quota: 7,
      expired_time: until,
    });
    expect((await actions()).at(-1)).toMatchObject({
      action: 'redemption.update',
      target: `redemption:${id}`,
      detail: {
        name: { before: 'spring', after: 'summer' },
        quota: { before: 100_000, after: 7 },
        expired_time: { before: -1, after: until },
      },
    });
    // Nothing named, nothing changed, nothing recorded; the status has its own call.
    const before = (await actions()).length;
    expect((await put({ status: 2 })).data).toMatchObject({ name: 'summer', status: 1 });
    expect(await actions()).toHaveLength(before);
    expect((await put({ quota: 0 })).code).toBe('REDEMPTION_QUOTA');
    await put({ status: 2 }, '?status_only=true');
    expect((await put({ quota: 8 })).code).toBe('REDEMPTION_DISABLED');
    await put({ status: 1 }, '?status_only=true');
    await api.deps.db.query(`update redemptions set status = 3 where id = ${id}`);
    expect((await put({ quota: 8 })).code).toBe('REDEMPTION_USED');
    expect(await only()).toMatchObject({ quota: 7 });
  });

  it('gives an expired code more time, and takes the row back as it was', async () => {
    await make();
    const { id } = await only();
    await api.deps.db.query(`update redemptions set expired_time = 5 where id = ${id}`);
    const row = await only('mask=true');
    expect((await admin.put('/api/redemption/', { ...row, name: 'same' })).data).toMatchObject({
      name: 'same',
      expired_time: 5,
    });
    expect((await admin.put('/api/redemption/', { id, expired_time: 6 })).code).toBe('REDEMPTION_EXPIRY');
    expect((await admin.put('/api/redemption/', { id, expired_time: -1 })).data.expired_time).toBe(-1);
  });

  it('enables and disables what was not used', async () => {
    await make();
    const { id } = await only();
    const put = (status: number) => admin.put('/api/redemption/?status_only=true', { id, status });
    expect((await put(2)).data.status).toBe(2);
    expect((await put(1)).data.status).toBe(1);
    expect((await actions()).slice(-2).map(({ action }) => action)).toEqual([
      'redemption.disable',
      'redemption.enable',
    ]);
    expect((await put(3)).code).toBe('REDEMPTION_STATUS');
    await api.deps.db.query('update redemptions set status = 3');
    expect((await put(1)).code).toBe('REDEMPTION_USED');
    expect((await put(2)).code).toBe('REDEMPTION_USED');
    expect((await only()).status).toBe(3);
    expect((await admin.put('/api/redemption/?status_only=true', { id: 999_999, status: 1 })).code).toBe(
      'NOT_FOUND',
    );
  });

  it('does the same to many, and leaves those to which it cannot be done', async () => {
    await make({ count: 3 });
    const [a, b, c] = await ids();
    await api.deps.db.query(`update redemptions set status = 3 where id = ${c}`);
    const batch = (action: string, list: (number | undefined)[]) =>
      admin.post('/api/redemption/batch', { action, ids: list });
    expect((await batch('disable', [a, b, c, 999_999])).data).toBe(2);
    expect(await ids('status=disabled')).toEqual([a, b] as number[]);
    expect((await batch('enable', [a, c])).data).toBe(1);
    expect((await batch('delete', [a, c])).data).toBe(2);
    expect(await ids()).toEqual([b] as number[]);
    expect((await batch('burn', [a])).code).toBe('BAD_PARAM');
    expect((await batch('enable', [])).code).toBe('BAD_PARAM');
  });

  it('removes one, which then is not there', async () => {
    await make();
    const { id } = await only();
    expect((await admin.call('DELETE', `/api/redemption/${id}/`)).success).toBe(true);
    expect(await items()).toEqual([]);
    expect((await admin.call('DELETE', `/api/redemption/${id}/`)).code).toBe('NOT_FOUND');
    expect((await admin.get(`/api/redemption/${id}`)).code).toBe('NOT_FOUND');
    expect((await admin.put('/api/redemption/', { id, name: 'x' })).code).toBe('NOT_FOUND');
    expect((await admin.post('/api/redemption/keys', { ids: [id] })).data).toEqual([]);
  });

  it('removes all that can be redeemed no more', async () => {
    await make({ count: 4 });
    const [a, b, c, d] = await ids();
    await api.deps.db.query(`update redemptions set status = 3 where id = ${a}`);
    await api.deps.db.query(`update redemptions set status = 2 where id = ${b}`);
    await api.deps.db.query(`update redemptions set expired_time = 1 where id = ${c}`);
    expect((await admin.call('DELETE', '/api/redemption/invalid')).data).toBe(3);
    expect(await ids()).toEqual([d] as number[]);
    expect((await actions()).at(-1)).toMatchObject({
      action: 'redemption.delete_invalid',
      detail: { removed: 3 },
    });
  });

  it('searches by name, id, state and whole code, and orders', async () => {
    await make({ name: 'b-50%', quota: 20 });
    await make({ name: 'a-plain', quota: 30 });
    const [code = ''] = await make({ name: 'c-late', quota: 10 });
    const [c, a, b] = (await ids()) as [number, number, number];
    expect(await ids('keyword=PLAIN')).toEqual([a]);
    expect(await ids('keyword=0%25')).toEqual([b]);
    expect(await ids(`keyword=${a}`)).toEqual([a]);
    expect(await ids('sort=name')).toEqual([a, b, c]);
    expect(await ids('sort=-quota')).toEqual([a, b, c]);
    expect(await ids('status=nothing')).toEqual([c, a, b]);
    await api.deps.db.query(`update redemptions set expired_time = 1 where id = ${c}`);
    await api.deps.db.query(`update redemptions set status = 2 where id = ${b}`);
    expect(await ids('status=unused')).toEqual([a]);
    expect(await ids('status=expired')).toEqual([c]);
    expect(await ids('status=disabled')).toEqual([b]);
    expect(await ids('status=used')).toEqual([]);
    // Those that never expire, or were not used, stand last both ways.
    await api.deps.db.query(
      `update redemptions set expired_time = 4000000000, used_time = 5 where id = ${a}`,
    );
    expect(await ids('sort=expires')).toEqual([c, a, b]);
    expect(await ids('sort=-expires')).toEqual([a, c, b]);
    expect(await ids('sort=used')).toEqual([a, b, c]);
    expect(await ids('sort=-used')).toEqual([a, c, b]);
    const found = await admin.post('/api/redemption/find', { key: ` ${code.toUpperCase()} ` });
    expect(found.data).toMatchObject({ id: c, name: 'c-late' });
    expect(found.data.key).toContain('…');
    expect((await admin.post('/api/redemption/find', { key: 'nothing' })).data).toBeNull();
  });
});

it('two who change the same codes wait for one another and never both forever', async () => {
  const api = await openApi('postgres');
  takeAllTime(api.deps.db);
  try {
    const admin = await api.as(await api.createUser({ role: 10 }));
    await admin.post('/api/redemption/', { name: 'spring', count: 3 });
    const rows = await api.deps.db.query<{ id: number }>('update redemptions set status = 2 returning id');
    const [first = 0, second = 0] = rows.map(({ id }) => id).sort((a, b) => a - b);
    // Its row stands last in the table from now on.
    await api.deps.db.query(`update redemptions set name = 'moved' where id = ${first}`);
    const changes: Promise<Answer>[] = [];
    await api.deps.db.orm.transaction(async (tx) => {
      await tx.execute(sql`select id from redemptions where id = ${second} for update`);
      changes.push(admin.call('DELETE', '/api/redemption/invalid'));
      await untilBlocked(api.deps.db, 1);
      changes.push(admin.post('/api/redemption/batch', { action: 'enable', ids: [first, second] }));
      await untilBlocked(api.deps.db, 2);
    });
    for (const answer of await Promise.all(changes)) expect(answer.success).toBe(true);
  } finally {
    await api.close();
  }
});
