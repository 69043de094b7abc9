/** Activities as administrators keep them and as users see them, and what they reward: each user once. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { fail } from '../../../src/core/errors.ts';
import { nowSec } from '../../../src/core/time.ts';
import { dispatchRewards } from '../../../src/modules/activity/reward.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';
import { beforeTurn } from '../../support/waits.ts';

describe.each(callEngines)('activities, on %s', (engine) => {
  const QUOTA = 300_000;
  let api: TestApi;
  let admin: Client;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  afterAll(() => api.close());

  const body = (over: object = {}) => ({
    name: 'Spring',
    desc: 'Say what you built.',
    quota: QUOTA,
    ...over,
  });
  const create = async (over: object = {}): Promise<number> =>
    (await admin.post('/api/activity/', body(over))).data.id;
  const reward = (activity_id: number, user_ids: readonly (number | null)[], by = admin) =>
    by.post('/api/activity/reward', { activity_id, user_ids });
  /** In the order of their ids. */
  const people = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => api.createUser()))).sort((a, b) => a.id - b.id);
  const self = async (client: Client) => (await client.get('/api/user/self')).data;
  const rewardsOf = (activity: number) =>
    api.deps.db.query<{ user_id: number; amount: number }>(
      `select user_id, amount from rewards where kind = 2 and cause_id = ${activity} order by user_id`,
    );

  describe('kept by administrators', () => {
    it('are created with what is given and no limits else, and read back', async () => {
      const answer = await admin.post('/api/activity/', body());
      expect(answer.success).toBe(true);
      const { created_at, updated_at, ...rest } = answer.data;
      expect(rest).toEqual({
        id: expect.any(Number),
        name: 'Spring',
        desc: 'Say what you built.',
        quota: QUOTA,
        status: true,
        start_date: 0,
        end_date: 0,
        rewarded: 0,
      });
      expect(Math.abs(created_at - nowSec())).toBeLessThan(60);
      expect(updated_at).toBe(created_at);
      expect((await admin.get(`/api/activity/${rest.id}`)).data).toEqual(answer.data);
      expect((await admin.get('/api/activity/999999')).code).toBe('NOT_FOUND');
    });

    it.each<[object, string, string]>([
      [{ name: ' ' }, 'ACTIVITY_NAME', '请输入活动名称，最多100个字符'],
      [{ name: null }, 'ACTIVITY_NAME', '请输入活动名称，最多100个字符'],
      [{ name: '字'.repeat(101) }, 'ACTIVITY_NAME', '请输入活动名称，最多100个字符'],
      [{ desc: '' }, 'ACTIVITY_DESC', '请输入活动描述，最多2000个字符'],
      [{ desc: 'x'.repeat(2_001) }, 'ACTIVITY_DESC', '请输入活动描述，最多2000个字符'],
      [{ quota: null }, 'ACTIVITY_QUOTA', '只能输入整数'],
      [{ quota: 1.5 }, 'ACTIVITY_QUOTA', '只能输入整数'],
      [{ quota: -1 }, 'ACTIVITY_QUOTA', '只能输入整数'],
      [{ quota: 2 ** 53 }, 'ACTIVITY_QUOTA', '只能输入整数'],
      [{ start_date: -1 }, 'ACTIVITY_DATE', '活动时间格式不正确'],
      [{ end_date: 1e13 }, 'ACTIVITY_DATE', '活动时间格式不正确'],
      [{ start_date: 20, end_date: 19 }, 'ACTIVITY_DATES', '结束时间不能早于开始时间'],
    ])('are not created with %j', async (over, code, message) => {
      const before = (await admin.get('/api/activity/')).data.total;
      expect(await admin.post('/api/activity/', body(over))).toMatchObject({
        status: 200,
        success: false,
        code,
        message,
      });
      expect((await admin.get('/api/activity/')).data.total).toBe(before);
    });

    it.each<object>([
      { quota: 0 },
      { name: `${'字'.repeat(100)} ` },
      { start_date: 20, end_date: 20 },
      { start_date: 20, end_date: 0 },
    ])('are created with %j', async (over) => {
      expect((await admin.post('/api/activity/', body(over))).success).toBe(true);
    });

    it('are changed in what is named, and in nothing else', async () => {
      const id = await create({ start_date: 100, end_date: 4_000_000_000 });
      await api.deps.db.query(`update activities set updated_at = 5, created_at = 5 where id = ${id}`);
      const changed = await admin.put(`/api/activity/${id}`, { status: false });
      expect(changed.data).toMatchObject({ status: false, name: 'Spring', start_date: 100, created_at: 5 });
      expect(changed.data.updated_at).toBeGreaterThan(5);
      // A row as it was read may come back, nulls included.
      const echoed = await admin.put(`/api/activity/${id}`, { ...changed.data, desc: null, name: 'Summer' });
      expect(echoed.data).toMatchObject({ name: 'Summer', desc: 'Say what you built.', quota: QUOTA });
      // An end before the start that was kept is refused like one before a start that comes with it.
      expect((await admin.put(`/api/activity/${id}`, { end_date: 99 })).code).toBe('ACTIVITY_DATES');
      expect((await admin.put('/api/activity/999999', {})).code).toBe('NOT_FOUND');
    });

    it('are searched by a part of the name and by their state, page by page from 1', async () => {
      const ids = [];
      for (let n = 1; n <= 12; n++) ids.push(await create({ name: `100%_find ${n}`, status: n > 2 }));
      const list = async (query: string) => (await admin.get(`/api/activity/?q=100%25_FIND${query}`)).data;
      const first = await list('');
      expect(first).toMatchObject({ total: 12, page: 1, page_size: 10 });
      expect(first.items.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed().slice(0, 10));
      expect((await list('&page=2')).items).toHaveLength(2);
      expect((await list('&status=false')).total).toBe(2);
      expect((await list('&status=true')).total).toBe(10);
      expect((await list('&status=nonsense')).total).toBe(12);
      expect((await admin.get('/api/activity/?q=100xyfind')).data.total).toBe(0);
    });

    it('are listed by the state that they show, which is more than whether they are in progress', async () => {
      const now = nowSec();
      const [past, soon] = [now - 1_000, now + 1_000];
      for (const [name, over] of [
        ['open', {}],
        ['open too', { start_date: past, end_date: soon }],
        ['early', { start_date: soon }],
        ['over', { start_date: past, end_date: past }],
        ['ended', { status: false }],
        ['ended early', { status: false, start_date: soon }],
      ] as const) {
        await create({ name: `stated ${name}`, ...over });
      }
      const list = async (state: string) =>
        (await admin.get(`/api/activity/?q=stated&state=${state}`)).data.items.map(
          ({ name }: { name: string }) => name.replace('stated ', ''),
        );
      expect(await list('open')).toEqual(['open too', 'open']);
      expect(await list('early')).toEqual(['early']);
      expect(await list('over')).toEqual(['over']);
      expect(await list('ended')).toEqual(['ended early', 'ended']);
      expect(await list('nonsense')).toHaveLength(6);
    });

    it('are no business of users', async () => {
      const una = await api.as(await api.createUser());
      for (const answer of [
        await una.get('/api/activity/'),
        await una.post('/api/activity/', body()),
        await una.put('/api/activity/1', {}),
        await reward(1, [una.userId], una),
        await una.post('/api/activity/1/dispatch', { user_ids: [una.userId] }),
        await una.get('/api/activity/1/dispatch'),
      ]) {
        expect(answer).toMatchObject({ status: 403, success: false, code: 'FORBIDDEN_ROLE' });
      }
    });
  });

  it('are shown to users while they are in progress and within their time, newest first', async () => {
    await api.deps.db.query('update activities set status = false');
    const now = nowSec();
    const open = await create({ name: 'open' });
    const begun = await create({ name: 'begun', start_date: now - 5, end_date: now + 1_000 });
    await create({ name: 'ended', status: false });
    await create({ name: 'early', start_date: now + 1_000 });
    await create({ name: 'late', end_date: now - 1_000 });
    const user = await api.createUser();
    const una = await api.as(user);
    expect((await una.get('/api/activity_list')).data).toMatchObject([
      { id: begun, name: 'begun', joined: false, start_date: now - 5 },
      { id: open, name: 'open', joined: false, start_date: 0 },
    ]);
    await reward(open, [user.id]);
    const shown = (await una.get('/api/activity_list')).data;
    expect(shown.map(({ joined }: { joined: boolean }) => joined)).toEqual([false, true]);
    expect(Object.keys(shown[0])).not.toContain('rewarded');
  });

  describe('reward', () => {
    it('each user once, and tell what became of each', async () => {
      const id = await create();
      const [una, ben, gone] = await people(3);
      if (!una || !ben || !gone) throw new Error('three were made');
      await api.deps.db.query(`update users set deleted_at = 1 where id = ${gone.id}`);
      await reward(id, [una.id]);
      const answer = await reward(id, [ben.id, 999_999, una.id, ben.id, gone.id]);
      expect(answer).toMatchObject({ status: 200, success: true });
      expect(answer.data).toEqual({
        granted: 1,
        skipped: [una.id],
        missing: [gone.id, 999_999],
        results: [
          { user_id: una.id, username: una.username, result: 'skipped' },
          { user_id: ben.id, username: ben.username, result: 'granted' },
          { user_id: gone.id, username: gone.username, result: 'missing' },
          { user_id: 999_999, username: '', result: 'missing' },
        ],
      });
      const client = await api.as(ben);
      expect(await self(client)).toMatchObject({
        quota: 0,
        activity_quota: QUOTA,
        activity_history_quota: QUOTA,
        aff_quota: 0,
      });
      const { items } = (await client.get('/api/log/self/?type=5')).data;
      expect(items).toMatchObject([{ type: 5, quota: QUOTA, content: '活动“Spring”奖励 300,000 单位' }]);
      expect((await admin.get(`/api/activity/${id}`)).data.rewarded).toBe(2);
      expect(await rewardsOf(id)).toEqual([
        { user_id: una.id, amount: QUOTA },
        { user_id: ben.id, amount: QUOTA },
      ]);
    });

    it('nobody twice, though it is dispatched ten times at once and with force', async () => {
      const id = await create();
      const users = await people(60);
      const ids = users.map((user) => user.id);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          admin.post('/api/activity/reward', {
            activity_id: id,
            user_ids: n % 2 ? ids : ids.toReversed(),
            force: true,
          }),
        ),
      );
      const granted = answers.reduce((sum, { data }) => sum + data.granted, 0);
      expect(granted).toBe(ids.length);
      expect(await rewardsOf(id)).toEqual(ids.map((user_id) => ({ user_id, amount: QUOTA })));
      const again = await reward(id, ids);
      expect(again).toMatchObject({ status: 200, success: false, code: 'ACTIVITY_NONE_REWARDED' });
      expect(again.data).toMatchObject({ granted: 0, missing: [] });
      expect(again.data.skipped).toHaveLength(ids.length);
    });

    it('of several activities add up, and one that fails for a user leaves the others theirs', async () => {
      const [one, two] = [await create(), await create({ quota: 7 })];
      const [full, ben] = await people(2);
      if (!full || !ben) throw new Error('two were made');
      await api.deps.db.query(
        `insert into rewards (ref, kind, user_id, amount, cause_id, created_at)
         values ('${crypto.randomUUID()}', 2, ${full.id}, ${Number.MAX_SAFE_INTEGER}, 987654, 1)`,
      );
      await api.deps.db.query(
        `update users set activity_quota = ${Number.MAX_SAFE_INTEGER}, activity_history_quota = ${Number.MAX_SAFE_INTEGER}
         where id = ${full.id}`,
      );
      expect((await reward(one, [full.id, ben.id])).data.results).toMatchObject([
        { user_id: full.id, result: 'full' },
        { user_id: ben.id, result: 'granted' },
      ]);
      await reward(two, [ben.id]);
      expect((await self(await api.as(ben))).activity_quota).toBe(QUOTA + 7);
    });

    it('nobody of an activity that is not open, has nothing to give, or is not there', async () => {
      const [una] = await people(1);
      const id = una?.id ?? 0;
      for (const [over, code] of [
        [{ status: false }, 'ACTIVITY_CLOSED'],
        [{ start_date: nowSec() + 1_000 }, 'ACTIVITY_CLOSED'],
        [{ end_date: nowSec() - 1_000 }, 'ACTIVITY_CLOSED'],
        [{ quota: 0 }, 'ACTIVITY_NO_QUOTA'],
      ] as const) {
        const activity = await create(over);
        expect(await reward(activity, [id])).toMatchObject({ status: 200, success: false, code });
        expect(await rewardsOf(activity)).toEqual([]);
      }
      expect((await reward(999_999, [id])).code).toBe('NOT_FOUND');
    });

    it('nobody whom the administrator may not act on, himself among them; root may reward all', async () => {
      const id = await create();
      const peer = await api.createUser({ role: 10 });
      const denied = await reward(id, [peer.id, admin.userId, root.userId]);
      expect(denied.code).toBe('ACTIVITY_NONE_REWARDED');
      expect(new Set(denied.data.results.map(({ result }: { result: string }) => result))).toEqual(
        new Set(['denied']),
      );
      expect((await reward(id, [peer.id, root.userId], root)).data.granted).toBe(2);
    });

    it.each([[[]], [Array.from({ length: 1_001 }, (_, at) => at + 1)], [[1.5]], [[-1]], [[null]]])(
      'does not take such users',
      async (ids) => {
        expect(await reward(await create(), ids)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
      },
    );
  });

  /** Ends an activity by itself once so many of its rewards are there, in the middle of a dispatch. */
  const endsAfter = async (activity: number, rewarded: number) => {
    await api.deps.db.query(`create or replace function end_activity() returns trigger language plpgsql as $$
      begin
        if (select count(*) from rewards where kind = 2 and cause_id = new.cause_id) >= ${rewarded} then
          update activities set status = false where id = new.cause_id;
        end if;
        return new;
      end $$`);
    await api.deps.db.query(
      `create or replace trigger end_activity_${activity} after insert on rewards
       for each row when (new.cause_id = ${activity}) execute function end_activity()`,
    );
  };

  it('tells whom it rewarded when it ends in the middle of a dispatch', async () => {
    const id = await create();
    const ids = (await people(60)).map((user) => user.id);
    await endsAfter(id, 10);
    const answer = await reward(id, ids);
    expect(answer.success).toBe(true);
    // Those of one transaction are rewarded together.
    expect(answer.data.granted).toBe(50);
    expect(answer.data.results.map(({ result }: { result: string }) => result)).toEqual([
      ...Array.from({ length: 50 }, () => 'granted'),
      ...Array.from({ length: 10 }, () => 'closed'),
    ]);
    expect(await rewardsOf(id)).toHaveLength(50);
    // Before anybody was rewarded it is the refusal that it always was.
    expect((await reward(id, ids)).code).toBe('ACTIVITY_CLOSED');
  });

  it.each(['between two parts', 'while a part waits'])(
    'stops %s for who may reward no more, and tells whom he rewarded until then',
    async (when) => {
      const activity_id = await create();
      const user_ids = (await people(60)).map((user) => user.id);
      const { id } = await api.createUser({ role: 10 });
      const still = async () => {
        if (when === 'between two parts') throw fail('SESSION_EXPIRED');
        beforeTurn(api.deps.db, () => root.post('/api/user/manage', { id, action: 'demote' }));
      };
      const actor = { id, role: 10, ip: '', wayIn: null, still };
      await expect(dispatchRewards(api.deps, actor, { activity_id, user_ids })).rejects.toMatchObject({
        code: 'BATCH_STOPPED',
        detail: { params: { done: 50, all: 60 }, data: { granted: 50 } },
      });
      expect(await rewardsOf(activity_id)).toHaveLength(50);
    },
  );

  describe('dispatched in the background', () => {
    interface Progress {
      state: string;
      results: { user_id: number; username: string; result: string | null }[];
    }
    const begin = (id: number, user_ids: readonly number[], by = admin) =>
      by.post(`/api/activity/${id}/dispatch`, { user_ids });
    const progress = async (id: number): Promise<Progress | null> =>
      (await admin.get(`/api/activity/${id}/dispatch`)).data;
    const ended = async (id: number): Promise<Progress> => {
      for (
        const until = performance.now() + patience(30_000);
        performance.now() < until;
        await Bun.sleep(20)
      ) {
        const now = await progress(id);
        if (now && now.state !== 'running') return now;
      }
      throw new Error(`still under way: ${JSON.stringify(await progress(id))}`);
    };

    it('rewards each user once, and keeps what became of each for whoever asks later', async () => {
      const id = await create();
      expect(await progress(id)).toBeNull();
      const users = await people(120);
      const [first, gone] = users;
      if (!first || !gone) throw new Error('they were made');
      await reward(id, [first.id]);
      await api.deps.db.query(`update users set deleted_at = 1 where id = ${gone.id}`);
      const ids = users.map((user) => user.id);
      expect(await begin(id, [...ids.toReversed(), first.id])).toMatchObject({
        success: true,
        data: { count: 120 },
      });
      const seen = await progress(id);
      expect(seen?.results.map(({ user_id }) => user_id)).toEqual(ids);
      const { state, results } = await ended(id);
      expect(state).toBe('done');
      expect(results).toEqual(
        users.map(({ id: user_id, username }) => ({
          user_id,
          username,
          result: user_id === first.id ? 'skipped' : user_id === gone.id ? 'missing' : 'granted',
        })),
      );
      expect(await rewardsOf(id)).toEqual(
        ids.filter((each) => each !== gone.id).map((user_id) => ({ user_id, amount: QUOTA })),
      );
      // Sent again it says so, and nobody has twice.
      expect((await begin(id, ids)).success).toBe(true);
      expect(new Set((await ended(id)).results.map(({ result }) => result))).toEqual(
        new Set(['skipped', 'missing']),
      );
      expect(await rewardsOf(id)).toHaveLength(119);
    });

    it('keeps what it did when the activity ends meanwhile, and leaves the others unrewarded', async () => {
      const id = await create();
      const ids = (await people(60)).map((user) => user.id);
      await endsAfter(id, 10);
      expect((await begin(id, ids)).success).toBe(true);
      const { results } = await ended(id);
      expect(results.filter(({ result }) => result === 'granted')).toHaveLength(50);
      expect(results.filter(({ result }) => result === 'closed')).toHaveLength(10);
      expect(await rewardsOf(id)).toHaveLength(50);
    });

    it('is refused like any other where nobody could be rewarded, and twice at once', async () => {
      const [una] = await people(1);
      const ids = [una?.id ?? 0];
      expect((await begin(await create({ status: false }), ids)).code).toBe('ACTIVITY_CLOSED');
      expect((await begin(await create({ quota: 0 }), ids)).code).toBe('ACTIVITY_NO_QUOTA');
      expect((await begin(999_999, ids)).code).toBe('NOT_FOUND');
      expect((await admin.get('/api/activity/999999/dispatch')).data).toBeNull();
      expect(await begin(await create(), [])).toMatchObject({ status: 400, code: 'BAD_PARAM' });
      const id = await create();
      const many = (await people(100)).map((user) => user.id);
      const answers = await Promise.all([begin(id, many), begin(id, many), begin(id, many)]);
      const codes = answers.map(({ success, code }) => (success ? 'begun' : code)).sort();
      expect(codes).toEqual(['ACTIVITY_DISPATCHING', 'ACTIVITY_DISPATCHING', 'begun']);
      await ended(id);
      expect(await rewardsOf(id)).toHaveLength(100);
    });

    const leaves = (user: TestUser, client: Client) => ({
      'goes on when its administrator signs out': () => client.get('/api/user/logout'),
      'ends with the rights of its administrator': () =>
        root.post('/api/user/manage', { id: user.id, action: 'demote' }),
    });
    it.each([
      ['goes on when its administrator signs out', 'granted'],
      ['ends with the rights of its administrator', 'denied'],
    ] as const)('%s', async (what, then) => {
      const id = await create();
      const user = await api.createUser({ role: 10 });
      const client = await api.as(user);
      // Behind the question whether the activity is open, and the first batch.
      beforeTurn(api.deps.db, leaves(user, client)[what], 2);
      const ids = (await people(110)).map((one) => one.id);
      await begin(id, ids, client);
      const { results } = await ended(id);
      const became = results.map(({ result }) => result);
      expect(became).toEqual(ids.map((_, at) => (at < 50 ? 'granted' : then)));
      expect(await rewardsOf(id)).toHaveLength(then === 'granted' ? 110 : 50);
    });

    it('calls an erased user by no name that he had', async () => {
      const id = await create();
      const user = await api.createUser({ username: 'vanessa' });
      await begin(id, [user.id]);
      expect((await ended(id)).results[0]?.username).toBe('vanessa');
      await root.del(`/api/user/${user.id}`);
      expect((await ended(id)).results[0]?.username).toBe(`deleted-${user.id}`);
    });
  });

  it('leaves every unit accounted for', async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
});
