/** What users thought of their tasks: told by their clients, read by administrators. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import type { LikeItem } from '../../../src/modules/like/contract.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

describe.each(callEngines)('likes, on %s', (engine) => {
  let api: TestApi;
  let una: Client;
  let otto: Client;
  let admin: Client;
  const read = async (query = ''): Promise<{ items: LikeItem[]; total: number }> =>
    (await admin.get(`/api/task/like/admin?${query}`)).data;
  const shown = async (query?: string) =>
    (await read(query)).items.map(({ username, task_id, mark, note }) => [username, task_id, mark, note]);

  beforeAll(async () => {
    api = await openApi(engine);
    una = await api.as(await api.createUser({ username: 'una' }));
    otto = await api.as(await api.createUser({ username: 'otto' }));
    admin = await api.as(await api.createUser({ username: 'amy', role: 10 }));
  }, patience(120_000));
  afterAll(() => api.close());

  it('are kept, one of each user and task, the last word counting', async () => {
    const task = JSON.stringify({ steps: ['read', 'write'] });
    expect(
      await una.post('/api/task/like', { task_id: 't1', title: 'A letter', mark: 1, task }),
    ).toMatchObject({
      success: true,
    });
    await otto.post('/api/task/like', { task_id: 't1', mark: 1 });
    await otto.post('/api/task/like', { task_id: 't1', mark: 7, note: 'too long' });
    expect(await shown('username=una')).toEqual([['una', 't1', 1, '']]);
    expect(await shown('username=OTT')).toEqual([['otto', 't1', 2, 'too long']]);
    expect(await shown('mark=2')).toEqual([['otto', 't1', 2, 'too long']]);
    const [first] = (await read('mark=1')).items;
    expect(first).toMatchObject({ title: 'A letter' });
    expect((await admin.get(`/api/task/like/admin/${first?.id}`)).data).toEqual({ task });
    expect(await admin.get('/api/task/like/admin/999999')).toMatchObject({
      success: false,
      code: 'NOT_FOUND',
    });
  });

  it.each([
    ['without a task', { mark: 1 }],
    ['without a mark', { task_id: 't2' }],
    ['with a title that is too long', { task_id: 't2', mark: 1, title: 'x'.repeat(301) }],
    ['with a task that is too long', { task_id: 't2', mark: 1, task: 'x'.repeat(limits.likedTaskChars + 1) }],
  ])('are refused %s, and nothing is kept', async (_, like) => {
    const before = (await read()).total;
    expect((await una.post('/api/task/like', like)).success).toBe(false);
    expect((await read()).total).toBe(before);
  });

  it('are read by administrators alone', async () => {
    expect((await una.get('/api/task/like/admin')).success).toBe(false);
    expect((await una.get('/api/task/like/admin/1')).success).toBe(false);
    expect((await api.guest().post('/api/task/like', { task_id: 't', mark: 1 })).success).toBe(false);
  });

  it('of one user give way to his newest when there are many, and go with his data', async () => {
    const user = await api.createUser({ username: 'max' });
    await api.deps.db.query(
      `insert into task_likes (user_id, task_id, title, mark, note, task, created_at)
       select ${user.id}, 'old' || i, '', 1, '', '', i from generate_series(1, ${limits.likesOfOne}) i`,
    );
    await (await api.as(user)).post('/api/task/like', { task_id: 'new', mark: 1 });
    const { items, total } = await read('username=max');
    expect([items[0]?.task_id, total]).toEqual(['new', limits.likesOfOne]);
    expect(await api.deps.db.query(`select task_id from task_likes where task_id = 'old1'`)).toEqual([]);
    expect(await (await api.root()).del(`/api/user/${user.id}`)).toMatchObject({ success: true });
    expect(await api.deps.db.query(`select id from task_likes where user_id = ${user.id}`)).toEqual([]);
  });

  const kept = (user: TestUser) =>
    api.deps.db.query<{ task_id: string; xmin: string }>(
      `select task_id, xmin::text as xmin from task_likes where user_id = ${user.id} order by created_at, id`,
    );

  it('of one user give way to his newest when they are large, too', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    const task = '点'.repeat(limits.likedTaskChars);
    const sayAll = async (ids: readonly string[]) => {
      for (const task_id of ids)
        expect((await client.post('/api/task/like', { task_id, mark: 1, task })).success).toBe(true);
    };
    await sayAll(['a', 'b', 'c']);
    expect((await kept(user)).map(({ task_id }) => task_id)).toEqual(['b', 'c']);
    // Also where the clock was put back meanwhile.
    await api.deps.db.query(`update task_likes set created_at = created_at + 60 where user_id = ${user.id}`);
    await sayAll(['d']);
    expect((await kept(user)).map(({ task_id }) => task_id)).toContain('d');
  });

  it('are not written again where they say the same, and are so many a minute', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    const say = async (note: string) =>
      (await client.post('/api/task/like', { task_id: 't', mark: 2, note })).code;
    await say('too long');
    const first = await kept(user);
    await say('too long');
    expect(await kept(user)).toEqual(first);
    await say('too short');
    expect(await kept(user)).not.toEqual(first);
    for (let n = 3; n < limits.likesAMinute; n++) expect(await say('again')).toBeUndefined();
    expect(await say('once more')).toBe('RATE_LIMIT');
    expect((await otto.post('/api/task/like', { task_id: 't3', mark: 1 })).success).toBe(true);
  });
});
