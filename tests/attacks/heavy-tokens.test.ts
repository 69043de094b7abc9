/**
 * Tokens that are small in number and large in what they carry: lists of models and addresses that every list call, every
 * process' memory and the disk would have to hold, and rows that are made only to be deleted.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { dailyWork, startDaily } from '../../src/jobs/daily.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { callEngines } from '../support/database.ts';
import { bearer, registerApp, signInAt, type TestApp } from '../support/oauth-app.ts';

const KIB = 1024;

/** Names of models that take so many bytes with what stands between them. */
const names = (bytes: number, each = 32): string =>
  Array.from({ length: bytes / each }, (_, n) => String(n).padStart(each - 1, 'm')).join(',');

const networks = (count: number): string =>
  Array.from(
    { length: count },
    (_, n) => `2001:db8:1234:5678:9abc:def0:1111:${(4_096 + n).toString(16)}`,
  ).join('\n');

describe.each(callEngines)('heavy tokens, on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  const open = async (): Promise<{ user: TestUser; client: Client }> => {
    const user = await api.createUser();
    return { user, client: await api.as(user) };
  };
  const query = <T>(text: string) => api.deps.db.query<T>(text);
  /** Rows as if made by calls, with so many bytes of names each; by an application where one is given. */
  const fill = (
    userId: number,
    count: number,
    bytes: number,
    deletedAt: number | null = null,
    appId: number | null = null,
  ) =>
    query(`insert into tokens (user_id, name, key_lookup, key_hint, model_limits, deleted_at, oauth_app_id)
      select ${userId}, 'n' || i, 'heavy ' || ${userId} || ' ' || coalesce(${deletedAt}, 0) || ' ' || i, '',
        array(select lpad(k::text, 31, 'm') from generate_series(1, ${bytes / 32}) k), ${deletedAt}::bigint,
        ${appId}::bigint
      from generate_series(1, ${count}) i`);

  /** A user who lets two applications make tokens; the callers are both of them and he. */
  const withApplications = async () => {
    const { user, client } = await open();
    const root = await api.root();
    const [one, other] = [await registerApp(root), await registerApp(root, { name: 'Other' })];
    const caller = async (app: TestApp) =>
      bearer(api, (await signInAt(api, app, client, 'tokens:create')).access);
    return { user, client, one, all: [await caller(one), await caller(other), client] };
  };

  it.each([
    ['names of models', { model_limits: names(17 * KIB) }],
    ['the longest names', { model_limits: names(17 * KIB, 256).split(',') }],
    ['short names, two thousand of them', { model_limits: names(18_000, 9) }],
    ['letters of several bytes', { model_limits: names(8 * KIB).replaceAll('m', '模') }],
    ['names and addresses together', { model_limits: names(10 * KIB), allow_ips: networks(200) }],
  ])('a token carries no more than its room: %s', async (_what, lists) => {
    const { client } = await open();
    const refused = await client.post('/api/token/', { name: 'heavy', ...lists });
    expect([refused.status, refused.success, refused.code, refused.message]).toEqual([
      200,
      false,
      'TOKEN_LISTS',
      '令牌的模型限制与 IP 限制合计最多 16 KiB',
    ]);
    const { data } = await client.post('/api/token/', { name: 'light', model_limits: 'a' });
    expect((await client.put('/api/token/', { id: data.id, ...lists })).code).toBe('TOKEN_LISTS');
    expect((await client.get('/api/token/')).data).toMatchObject([{ name: 'light', model_limits: 'a' }]);
  });

  it('a token that was full before may be changed in all but its lists', async () => {
    const { user, client } = await open();
    await fill(user.id, 1, 20 * KIB);
    const [row] = (await client.get('/api/token/')).data;
    expect(await client.put('/api/token/', { ...row, name: 'renamed' })).toMatchObject({ success: true });
    expect((await client.put('/api/token/', { ...row, allow_ips: '10.0.0.1' })).code).toBe('TOKEN_LISTS');
    expect(await client.put('/api/token/', { ...row, model_limits: 'a' })).toMatchObject({ success: true });
  });

  it('all tokens of a user carry no more than theirs, however many calls race', async () => {
    const { user, client } = await open();
    await fill(user.id, limits.userListsBytes / limits.tokenListsBytes - 1, limits.tokenListsBytes);
    const light = (await client.post('/api/token/', { name: 'light' })).data;
    const half = names(limits.tokenListsBytes / 2 - 32);
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => client.post('/api/token/', { name: 'half', model_limits: half })),
      client.put('/api/token/', { id: light.id, model_limits: half }),
    ]);
    expect(answers.filter(({ success }) => success)).toHaveLength(2);
    expect(answers.filter(({ code }) => code === 'TOKEN_LISTS_OF_ALL')).toHaveLength(2);
    expect((await client.post('/api/token/', { name: 'bare' })).success).toBe(true);
    const list = await client.get('/api/token/?p=0&size=100');
    expect(list.text.length).toBeLessThan(limits.userListsBytes + 100 * KIB);
    // Others have their own.
    const { client: other } = await open();
    expect((await other.post('/api/token/', { name: 'half', model_limits: half })).success).toBe(true);
  });

  it.each([
    ['with as many as it may have', 'TOKEN_TOO_MANY', limits.tokensOfApp, 0, null],
    ['that makes and deletes them', 'TOKEN_TOO_MANY_DELETED', limits.tokensOfAppADay, 0, nowSec()],
    [
      'with lists as large as they may be',
      'TOKEN_LISTS_OF_ALL',
      limits.appListsBytes / limits.tokenListsBytes,
      limits.tokenListsBytes,
      null,
    ],
  ])(
    'an application %s keeps none from its user, nor from another',
    async (_how, code, count, bytes, gone) => {
      const { user, one, all } = await withApplications();
      await fill(user.id, count, bytes, gone, one.id);
      const answers = await Promise.all(
        all.map((who) => who.post('/api/token/', { name: 'new', model_limits: names(32) })),
      );
      expect(answers.map((answer) => answer.code)).toEqual([code, undefined, undefined]);
    },
  );

  it('all applications of a user have no more together than he has, and he keeps none from them', async () => {
    const { user, all } = await withApplications();
    await fill(user.id, limits.tokensPerUser, 0);
    const make = (who: Client) => who.post('/api/token/', { name: 'new' });
    const before = await Promise.all(all.map(make));
    expect(before.map(({ code }) => code)).toEqual([undefined, undefined, 'TOKEN_TOO_MANY']);
    await query(`delete from tokens where user_id = ${user.id}`);
    await fill(user.id, limits.tokensPerUser, 0, null, 999_999);
    const after = await Promise.all(all.map(make));
    expect(after.map(({ code }) => code)).toEqual(['TOKEN_TOO_MANY', 'TOKEN_TOO_MANY', undefined]);
  });

  it('what its owner writes into a token counts for the application that made it', async () => {
    const { user, client, one, all } = await withApplications();
    await fill(user.id, limits.appListsBytes / limits.tokenListsBytes, limits.tokenListsBytes, null, one.id);
    const { data } = (await all[0]?.post('/api/token/', { name: 'bare' })) ?? {};
    const change = (id: number) => client.put('/api/token/', { id, model_limits: names(32) });
    expect((await change(data.id)).code).toBe('TOKEN_LISTS_OF_ALL');
    const own = await client.post('/api/token/', { name: 'own' });
    expect((await change(own.data.id)).success).toBe(true);
  });

  it('nothing of the lists is left of a token that was deleted, nor of an account that was erased', async () => {
    const { user, client } = await open();
    const make = async () =>
      (
        await client.post('/api/token/', {
          name: 'heavy',
          model_limits: names(8 * KIB),
          allow_ips: networks(50),
        })
      ).data.id;
    const listed = () =>
      query(
        `select 1 from tokens where user_id = ${user.id} and (model_limits <> '{}' or allow_ips <> '{}')`,
      );
    const [one, two] = [await make(), await make()];
    await make();
    await client.del(`/api/token/${one}`);
    expect(await listed()).toHaveLength(2);
    await client.post('/api/token/batch', { ids: [two] });
    expect(await listed()).toHaveLength(1);
    expect((await (await api.root()).del(`/api/user/${user.id}`)).success).toBe(true);
    expect(await listed()).toHaveLength(0);
  });

  it('who makes and deletes tokens in a loop comes to an end, and goes on a day later', async () => {
    const { user, client } = await open();
    await fill(user.id, limits.tokensOfADay - 3, 0, nowSec());
    await fill(user.id, 50, 0, nowSec() - DAY_SEC - 60);
    await fill(user.id, 1, 0);
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.post('/api/token/', { name: 'again' })));
    expect(answers.filter(({ success }) => success)).toHaveLength(2);
    expect(answers.find(({ success }) => !success)?.code).toBe('TOKEN_TOO_MANY_DELETED');
    await query(`update tokens set deleted_at = deleted_at - ${DAY_SEC + 60} where user_id = ${user.id}`);
    expect((await client.post('/api/token/', { name: 'tomorrow' })).success).toBe(true);
  });

  it('tokens that were deleted long ago and never charged leave no row', async () => {
    const { user } = await open();
    const long = nowSec() - limits.deletedTokenSec - 60;
    await fill(user.id, 3, 0, long);
    await fill(user.id, 2, 0, long + 120);
    await fill(user.id, 1, 0);
    await query(
      `update tokens set used_quota = 7 where id = (select min(id) from tokens where user_id = ${user.id})`,
    );
    const log = createLogger('error');
    const daily = startDaily({ ...api.deps, log }, dailyWork(api.deps));
    expect(await daily.round()).toContain('tokens');
    await daily.stop();
    const left = await query<{ used_quota: number }>(
      `select used_quota from tokens where user_id = ${user.id} order by id`,
    );
    expect(left.map(({ used_quota }) => used_quota)).toEqual([7, 0, 0, 0]);
  });
});
