/**
 * Who may make which call, tried: every call of the server by everyone who might make it, and every action of
 * administrators on everyone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { openPostgres } from '../../src/db/client.ts';
import { CLIENT_CALLS } from '../../src/http/client-calls.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Runtime, runtimeOver } from '../../src/runtime.ts';
import {
  type Answer,
  Client,
  openApi,
  PASSWORD,
  passwordWork,
  SETUP_TOKEN,
  type TestApi,
  type TestUser,
  testEnv,
} from '../support/api.ts';
import { callName, consoleCalls, type Least, leastOf, RANK, relayCalls } from '../support/contract.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

interface Route {
  method: string;
  path: string;
  least: Least;
}

type Headers = Record<string, string>;

/** Nobody has this id. */
const NOBODY = '999999';
const hasBody = (method: string) => method !== 'GET' && method !== 'HEAD';

describe('every call of the console', () => {
  let api: TestApi;
  let routes: Route[] = [];
  let people: Record<'user' | 'admin' | 'root' | 'banned', TestUser>;
  let relayKey: string;
  beforeAll(async () => {
    api = await openApi('postgres');
    await api.root();
    people = {
      user: await api.createUser(),
      admin: await api.createUser({ role: 10 }),
      root: { id: (await api.root()).userId ?? 0, username: 'root', role: 100 },
      banned: await api.createUser({ role: 10, status: 2 }),
    };
    const created = await (await api.as(people.root)).post('/api/token/', {
      name: 'k',
      unlimited_quota: true,
    });
    relayKey = `sk-${created.data.key}`;
    routes = createApi(api.deps)
      .routes.filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => {
        const least = leastOf(method, path);
        if (!least) throw new Error(`${method} ${path} stands in no list`);
        return { method, path, least };
      });
  });
  afterAll(() => api.close());

  let addresses = 0;
  /** Everyone comes from an address of his own, so that no limit answers for the guard. */
  const address = () => {
    addresses++;
    return { ip: `198.18.${addresses >> 8}.${addresses & 255}` };
  };
  /** Nothing that changes something; who cancels his account need not say more than a name that is not wrong. */
  const bodyOf = ({ method, path }: Route) =>
    method === 'DELETE' && path === '/api/user/self' ? { username: 'nobody' } : {};
  const call = (client: Client, route: Route, headers: Record<string, string | null> = {}) => {
    const { method, path } = route;
    const body = hasBody(method) ? bodyOf(route) : undefined;
    return client.call(method, path.replace(/:\w+/g, NOBODY), body, headers);
  };
  const told = ({ method, path }: Route, who: string, { status, text }: Answer) =>
    `${method} ${path} as ${who}: ${status} ${text.slice(0, 120)}`;

  it('lets in everyone of its role and above, nobody below, and fails for none of them', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      for (const who of ['guest', 'user', 'admin', 'root'] as const) {
        // A session each: some of the calls end it.
        const client = who === 'guest' ? api.guest(address()) : await api.as(people[who], address());
        const answer = await call(client, route);
        const isAllowed = RANK[who] >= RANK[route.least];
        const refused = who === 'guest' ? answer.status === 401 : answer.code === 'FORBIDDEN_ROLE';
        const isSound = isAllowed
          ? answer.code !== 'AUTH_REQUIRED' && answer.code !== 'FORBIDDEN_ROLE' && answer.status < 500
          : refused && answer.success === false;
        // Applications are answered in the words of the standards.
        const hasEnvelope =
          route.path === '/api/oauth/userinfo' ||
          answer.success !== undefined ||
          !isAllowed ||
          (answer.status >= 300 && answer.status < 400);
        const isFrame = answer.headers.get('content-type')?.startsWith('text/html') === true;
        const isFile = answer.headers.get('content-disposition')?.startsWith('attachment') === true;
        if (!isSound || !(hasEnvelope || isFrame || isFile)) wrong.push(told(route, who, answer));
      }
    }
    expect(routes.length).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
  });

  it('has every call that the contract lists', () => {
    // A provider of sign-ins is a name in the path of one route.
    const ours = routes.map(
      ({ method, path }) => new RegExp(`^${callName(method, path).replaceAll('{}', '[^/]+')}$`),
    );
    expect(consoleCalls.length).toBeGreaterThan(150);
    expect(consoleCalls.filter((name) => !ours.some((one) => one.test(name)))).toEqual([]);
  });

  it('treats a banned administrator as a stranger, with a cookie and with an access token', async () => {
    const token = await api.deps.sessions.issueAccessToken(people.banned.id);
    const wrong: string[] = [];
    for (const route of routes.filter(({ least }) => least !== 'guest')) {
      const script = api.guest(address());
      script.headers.authorization = `Bearer ${token}`;
      for (const client of [await api.as(people.banned, address()), script]) {
        const answer = await call(client, route);
        if (answer.status !== 401 || answer.code !== 'USER_DISABLED')
          wrong.push(told(route, 'banned', answer));
      }
    }
    expect(wrong).toEqual([]);
  });

  it('takes a relay key for a way in at the calls of clients and nowhere else, not even root’s', async () => {
    const opened: string[] = [];
    for (const route of routes.filter(({ least }) => least !== 'guest')) {
      const answer = await call(withKey(relayKey), route);
      if (answer.status !== 401) opened.push(callName(route.method, route.path));
    }
    expect(opened.toSorted()).toEqual(CLIENT_CALLS.toSorted());
  });

  /** A companion client. */
  const withKey = (key: string) => {
    const client = api.guest(address());
    client.headers.authorization = `Bearer ${key}`;
    return client;
  };

  describe('that is a client’s', () => {
    let owner: TestUser;
    const LIKE = { task_id: 't', mark: 1 };
    const query = (text: string) => api.deps.db.query(text);
    /** The user's new key, once `change` was made to the row. */
    const keyOf = async (user: TestUser, fields: object, change?: string) => {
      const { data } = await (await api.as(user)).post('/api/token/', { name: 'client', ...fields });
      if (change) await query(`update tokens set ${change} where id = ${data.id}`);
      return `sk-${data.key}`;
    };
    const bannedKey = async () => {
      const user = await api.createUser();
      const key = await keyOf(user, {});
      await query(`update users set status = 2 where id = ${user.id}`);
      return key;
    };
    beforeAll(async () => {
      owner = await api.createUser();
      await api.deps.options.set({ GroupRatio: '{"default": 1, "vip": 1}' });
      await api.deps.options.set({ UserUsableGroups: '{"default": "Default", "vip": "Vip"}' });
      const root = await api.as(people.root);
      for (const group of ['default', 'vip']) {
        await root.post('/api/application/admin/', {
          name: `for-${group}`,
          display_name: group,
          version: '1.0.0',
          dxt_url: 'https://files.example/app.dxt',
          app_groups: [group],
        });
      }
      await root.post('/api/ai-role/admin/', { role_name: 'Writer', role: '{}' });
      await root.post('/api/supplier/admin/', { name: 'Acme', base_url: 'https://acme.example' });
      for (const release of [true, false])
        await root.post('/api/prompt/suggest', { instruction: 'x', title: `${release}`, release });
    });

    it('answers with a key what a user reads, in the group of the key, and once', async () => {
      const client = withKey(await keyOf(owner, { group: 'vip' }));
      const una = await api.as(owner);
      for (const path of ['/api/ai-role/', '/api/supplier', '/api/prompt/suggest']) {
        const read = await client.get(path);
        expect([path, read.data]).toEqual([path, (await una.get(path)).data]);
        expect(read.data).toHaveLength(1);
        const held = { 'if-none-match': read.headers.get('etag') };
        expect((await client.call('GET', path, undefined, held)).status).toBe(304);
      }
      const names = async (by: Client, asked = '') =>
        (await by.get(`/api/application/${asked}`)).data?.map(({ name }: { name: string }) => name);
      expect(await names(client)).toEqual(['for-vip']);
      expect(await names(client, '?group=vip')).toEqual(['for-vip']);
      expect(await names(una, '?group=vip')).toEqual(['for-vip']);
      expect(await client.get('/api/application/?group=default')).toMatchObject({ code: 'TOKEN_GROUP' });
      expect((await client.post('/api/task/like/', LIKE)).success).toBe(true);
      expect(await query('select user_id, task_id from task_likes')).toEqual([
        { user_id: owner.id, task_id: 't' },
      ]);
    });

    it('answers root’s key as any other', async () => {
      const titles = (await withKey(relayKey).get('/api/prompt/suggest')).data;
      expect(titles).toMatchObject([{ title: 'true' }]);
    });

    it.each<[string, number, string, () => Promise<string>]>([
      ['nobody has', 401, 'invalid_api_key', async () => `sk-${'x'.repeat(48)}`],
      ['is disabled', 401, 'token_disabled', () => keyOf(owner, {}, 'status = 2')],
      ['has expired', 401, 'token_expired', () => keyOf(owner, {}, 'expired_time = 1')],
      ['is used from elsewhere', 403, 'ip_not_allowed', () => keyOf(owner, { allow_ips: '10.0.0.0/8' })],
      ['has lost its group', 403, 'group_not_allowed', () => keyOf(owner, {}, `group_name = 'gone'`)],
      ['is of a banned user', 403, 'user_disabled', bannedKey],
      ['an application made', 403, 'SCOPE_MISSING', () => keyOf(owner, {}, 'oauth_app_id = 1')],
    ])('refuses a key that %s, and takes its holder for a guest elsewhere', async (_, status, code, make) => {
      const client = withKey(await make());
      for (const name of CLIENT_CALLS) {
        const [method = '', path = ''] = name.split(' ');
        const answer = await client.call(
          method,
          path,
          hasBody(method) ? { ...LIKE, task_id: 'u' } : undefined,
        );
        expect([name, answer.status, answer.code]).toEqual([name, status, code]);
      }
      expect(await query(`select 1 from task_likes where task_id = 'u'`)).toEqual([]);
      expect((await client.get('/api/prompt/suggest')).data).toHaveLength(1);
      expect((await client.get('/api/user/self')).code).toBe('ACCESS_TOKEN_INVALID');
    });
  });

  it('refuses root under the id of another user', async () => {
    const wrong: string[] = [];
    for (const route of routes.filter(({ least }) => least !== 'guest')) {
      const client = await api.as(people.root, address());
      client.userId = people.user.id;
      const answer = await call(client, route);
      if (answer.status !== 401 || answer.code !== 'USER_MISMATCH')
        wrong.push(told(route, 'root as user', answer));
    }
    expect(wrong).toEqual([]);
  });

  it('changes nothing for a page of another site, reading or writing, whatever the victim may', async () => {
    const victim = await api.as(people.root, address());
    victim.userId = null;
    const state = async () => {
      const tables = ['users', 'sessions', 'access_tokens', 'tokens', 'options', 'identities', 'channels'];
      const rows = await Promise.all(
        ['second_factors', 'jobs', 'admin_actions', ...tables].map((table) =>
          api.deps.db.query(
            `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from ${table} t`,
          ),
        ),
      );
      return JSON.stringify(rows);
    };
    const before = await state();
    const wrong: string[] = [];
    for (const route of routes.filter(({ least }) => least !== 'guest')) {
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        // A link that somebody clicks sends no origin.
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ] as Headers[]) {
        const answer = await call(victim, route, headers);
        if (answer.status !== 403 || answer.code !== 'CROSS_SITE') wrong.push(told(route, 'victim', answer));
      }
    }
    expect(wrong).toEqual([]);
    expect(await state()).toBe(before);
  });

  it.each(['/api/verification?email=a@example.com', '/api/reset_password?email=a@example.com'])(
    'sends no mail for a page of another site: %s',
    async (path) => {
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
      ] as Headers[]) {
        expect(await api.guest(address()).call('GET', path, undefined, headers)).toMatchObject({
          status: 403,
          code: 'CROSS_SITE',
        });
      }
      const own = await api
        .guest(address())
        .call('GET', path, undefined, { 'sec-fetch-site': 'same-origin' });
      expect(own.code).not.toBe('CROSS_SITE');
    },
  );
});

describe('every call of the relay', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await openTestRelay();
  });
  afterAll(() => relay.close());

  let networks = 0;
  /** Actions have names of their own; everything else may be called anything. */
  const ACTIONS: Record<string, string> = {
    '/mj/submit/{action}': 'imagine',
    '/suno/submit/{action}': 'music',
  };
  /** Which calls are answered otherwise than `isRight` says. */
  const knock = async (given: Headers, isRight: (status: number, text: string) => boolean) => {
    const wrong: string[] = [];
    for (const { method, path } of relayCalls) {
      // Wrong keys count by network, and this is about the keys.
      networks++;
      const headers = { ...given, 'x-forwarded-for': `198.19.${networks >> 8}.${networks & 255}` };
      const url = `${relay.base}${path.replace(/\{\w+\}/g, ACTIONS[path] ?? 'x')}`;
      const body = hasBody(method) ? '{"model":"gpt-4o","messages":[],"input":"x"}' : null;
      const response = await fetch(url, {
        method,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
      const text = await response.text();
      if (!isRight(response.status, text)) wrong.push(`${method} ${path}: ${response.status} ${text}`);
    }
    return wrong;
  };

  it('wants a relay key: neither nothing, nor an unknown one, nor the console’s session or token', async () => {
    const { cookies } = relay.root;
    const token = await relay.api.deps.sessions.issueAccessToken(relay.root.userId ?? 0);
    for (const headers of [
      {},
      { authorization: `Bearer sk-${'x'.repeat(48)}` },
      { authorization: 'Basic cm9vdDpQYXNzdzByZDE=' },
      { cookie: `session=${cookies.get('session')}`, 'new-api-user': String(relay.root.userId) },
      { authorization: `Bearer ${token}` },
    ] as Headers[]) {
      expect(await knock(headers, (status) => status === 401)).toEqual([]);
    }
    expect(relay.upstream.seen).toEqual([]);
  });

  it('is there for who has a key', async () => {
    const refused = /invalid_api_key|unknown_operation|method_not_allowed/;
    // What this upstream does not know has got as far as there.
    const isIn = (status: number, text: string) =>
      ![401, 403, 405].includes(status) && !refused.test(text) && (status < 500 || text.includes('mock 404'));
    expect(relayCalls.length).toBeGreaterThan(40);
    expect(await knock({ authorization: `Bearer ${relay.key}` }, isIn)).toEqual([]);
  });

  it('closes to the key of a user who is banned, with his next call', async () => {
    const call = () => relay.chat();
    expect((await call()).status).toBe(200);
    await relay.root.post('/api/user/manage', { id: relay.user.id, action: 'disable' });
    expect((await call()).status).toBe(403);
  });
});

describe('who may act on whom', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
    await api.root();
  });
  afterAll(() => api.close());

  const ROLES = { user: 1, admin: 10 } as const;
  type Actor = 'user' | 'admin' | 'root';
  type Target = 'user' | 'admin' | 'root' | 'self';
  const ACTIONS = ['promote', 'demote', 'disable', 'enable', 'delete'] as const;

  /** What each action answers: `ok` or the code of its refusal. */
  const TABLE: Record<Actor, Record<Target, Record<(typeof ACTIONS)[number], string>>> = (() => {
    const all = (answer: string) => ({
      promote: answer,
      demote: answer,
      disable: answer,
      enable: answer,
      delete: answer,
    });
    const none = { user: all('FORBIDDEN_ROLE'), admin: all('FORBIDDEN_ROLE') };
    return {
      user: { ...none, root: all('FORBIDDEN_ROLE'), self: all('FORBIDDEN_ROLE') },
      admin: {
        user: { ...all('ok'), promote: 'PROMOTE_DENIED', demote: 'ALREADY_USER' },
        admin: all('USER_LEVEL'),
        root: all('USER_LEVEL'),
        self: all('USER_LEVEL'),
      },
      root: {
        user: { ...all('ok'), demote: 'ALREADY_USER' },
        admin: { ...all('ok'), promote: 'ALREADY_ADMIN' },
        root: { ...all('ROOT_PROTECTED'), promote: 'ALREADY_ADMIN', enable: 'ok' },
        self: { ...all('ROOT_PROTECTED'), promote: 'ALREADY_ADMIN', enable: 'ok' },
      },
    };
  })();

  const rootUser = async (): Promise<TestUser> => ({
    id: (await api.root()).userId ?? 0,
    username: 'root',
    role: 100,
  });
  async function pair(actor: Actor, target: Target): Promise<[Client, TestUser]> {
    const who = actor === 'root' ? await rootUser() : await api.createUser({ role: ROLES[actor] });
    const whom =
      target === 'self'
        ? who
        : target === 'root'
          ? await rootUser()
          : await api.createUser({ role: ROLES[target] });
    return [await api.as(who), whom];
  }
  const stored = async ({ id }: TestUser): Promise<Record<string, unknown>> => {
    const [row] = await api.deps.db.query(`select * from users where id = ${id}`);
    return row ?? {};
  };

  const cases = (['user', 'admin', 'root'] as const).flatMap((actor) =>
    (['user', 'admin', 'root', 'self'] as const).map((target) => [actor, target] as const),
  );

  it.each(cases)('%s on %s: every action', async (actor, target) => {
    for (const action of ACTIONS) {
      const [client, whom] = await pair(actor, target);
      const before = await stored(whom);
      const answer = await client.post('/api/user/manage', { id: whom.id, action, role: 100, status: 1 });
      expect([action, answer.success ? 'ok' : answer.code]).toEqual([action, TABLE[actor][target][action]]);
      if (!answer.success) expect(await stored(whom)).toEqual(before);
    }
  });

  it.each(cases)('%s on %s: reading and changing', async (actor, target) => {
    const [client, whom] = await pair(actor, target);
    const may = actor === 'root' || (actor === 'admin' && target === 'user');
    const read = await client.get(`/api/user/${whom.id}`);
    expect(read.success).toBe(may || (actor === 'admin' && target === 'self'));
    const before = await stored(whom);
    const change = await client.put('/api/user/', { id: whom.id, remarks: `by ${actor}`, add_quota: 5 });
    expect(change.success).toBe(may);
    if (!may) expect(await stored(whom)).toEqual(before);
  });

  /** Everything that nobody sets by a form. */
  const WISHES = {
    role: 100,
    status: 2,
    used_quota: 77,
    request_count: 77,
    aff_code: 'wished',
    aff_count: 77,
    aff_quota: 77,
    aff_history_quota: 77,
    inviter_id: 77,
    created_at: 77,
    login_ip: '6.6.6.6',
    login_at: 77,
    DeletedAt: 77,
    deleted_at: 77,
    password_hash: 'wished',
    access_token: 'wished',
    email: 'wished@example.com',
    phone: '13812345678',
    github_id: 'wished',
    oidc_id: 'wished',
    has_password: false,
  };
  const raised = ({ id: _, ...row }: Record<string, unknown>) => row;

  it('nobody raises himself by what he sends along', async () => {
    for (const role of [1, 10]) {
      const user = await api.createUser({ role, quota: 100 });
      const client = await api.as(user);
      const before = raised(await stored(user));
      const all = {
        ...WISHES,
        quota: 1e9,
        add_quota: 1e9,
        group: 'svip',
        group_name: 'svip',
        reserved: 0,
        id: 1,
      };
      expect((await client.put('/api/user/self', { ...all, display_name: 'risen' })).success).toBe(true);
      expect(raised(await stored(user))).toEqual({ ...before, display_name: 'risen' });
      await client.put('/api/user/setting', { ...all, notify_type: 'email' });
      const { setting: _, ...rest } = raised(await stored(user));
      expect({ ...before, display_name: 'risen' }).toMatchObject(rest);
    }
  });

  it('administrators change the fields of the form and no other', async () => {
    const user = await api.createUser({ quota: 100 });
    for (const actor of ['admin', 'root'] as const) {
      const [client] = await pair(actor, 'user');
      const before = raised(await stored(user));
      const answer = await client.put('/api/user/', { ...WISHES, id: user.id, remarks: actor });
      expect(answer.success).toBe(true);
      expect(raised(await stored(user))).toEqual({ ...before, remarks: actor });
      const made = await client.post('/api/user/', {
        ...WISHES,
        role: 1,
        id: 1,
        quota: 1e9,
        group: 'svip',
        username: `by${actor}`,
        password: PASSWORD,
      });
      expect(await stored({ ...user, id: made.data.id })).toMatchObject({
        role: 1,
        status: 1,
        quota: 0,
        group_name: 'default',
        aff_quota: 0,
        used_quota: 0,
        inviter_id: 0,
        email: '',
        deleted_at: null,
      });
    }
  });

  it('nobody makes an account of his own level or above', async () => {
    for (const [actor, role] of [
      ['admin', 10],
      ['admin', 100],
      ['root', 100],
    ] as const) {
      const [client] = await pair(actor, 'user');
      expect(
        await client.post('/api/user/', { username: 'climber', password: PASSWORD, role }),
      ).toMatchObject({
        success: false,
        code: 'USER_LEVEL',
      });
    }
  });
});

describe('a role that was taken away', () => {
  const processes: Runtime[] = [];
  beforeAll(async () => {
    const url = await freshPostgresUrl();
    const quiet = createLogger('error', () => undefined);
    const env = await testEnv({ DATABASE_URL: url });
    for (let n = 0; n < 2; n++)
      processes.push(await runtimeOver(env, await openPostgres(url), quiet, { passwordWork }));
  });
  afterAll(async () => {
    for (const deps of processes) await deps.close();
  });

  const at = (which: 0 | 1): Client => {
    const deps = processes[which];
    if (!deps) throw new Error('no such process');
    const api = createApi(deps);
    return new Client(async (request) => api.handle(request));
  };

  /** The status of a call that does not answer `before` any more, or five seconds later still does. */
  const statusAfter = async (before: number, call: () => Promise<{ status: number }>): Promise<number> => {
    const end = performance.now() + 5_000;
    let status = before;
    while (status === before && performance.now() < end) status = (await call()).status;
    return status;
  };

  it('opens nothing with the very next call here, nor within five seconds on another process', async () => {
    const root = at(0);
    await root.post('/api/setup', {
      username: 'root',
      password: PASSWORD,
      confirmPassword: PASSWORD,
      setup_token: SETUP_TOKEN,
    });
    await root.login('root');
    const { id } = (await root.post('/api/user/', { username: 'amy', password: PASSWORD })).data;
    for (const action of ['demote', 'disable'] as const) {
      await root.post('/api/user/manage', { id, action: 'enable' });
      await root.post('/api/user/manage', { id, action: 'promote' });
      const here = await at(0).login('amy');
      const there = at(1);
      for (const [name, value] of here.cookies) there.cookies.set(name, value);
      there.userId = id;
      // Both processes have the session with its rights in their caches now.
      for (const client of [here, there]) expect((await client.get('/api/user/?p=1')).status).toBe(200);
      expect((await root.post('/api/user/manage', { id, action })).success).toBe(true);
      expect((await here.get('/api/user/?p=1')).status).toBe(401);
      expect(await statusAfter(200, () => there.get('/api/user/?p=1'))).toBe(401);
    }
  });

  it('ends the access token of a change of role, and leaves a new one no more than its user has, within five seconds on another process', async () => {
    const root = await at(0).login('root');
    const { id } = (await root.post('/api/user/', { username: 'tim', password: PASSWORD })).data;
    await root.post('/api/user/manage', { id, action: 'promote' });
    const deps = processes[0];
    const script = at(1);
    const issue = async () => {
      script.headers.authorization = `Bearer ${await deps?.sessions.issueAccessToken(id)}`;
    };
    await issue();
    expect((await script.get('/api/user/?p=1')).status).toBe(200);
    await root.post('/api/user/manage', { id, action: 'demote' });
    expect(await statusAfter(200, () => script.get('/api/user/?p=1'))).toBe(401);
    await issue();
    expect((await script.get('/api/user/?p=1')).status).toBe(403);
    expect((await script.get('/api/user/self')).status).toBe(200);
    await root.post('/api/user/manage', { id, action: 'disable' });
    expect(await statusAfter(200, () => script.get('/api/user/self'))).toBe(401);
  });
});

describe('a session that somebody else prepared', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('pglite');
  });
  afterAll(() => api.close());

  it('is never the one that a victim signs in to', async () => {
    const [attacker, victim] = [await api.createUser(), await api.createUser()];
    const owned = await api.as(attacker);
    const planted = owned.cookies.get('session') ?? '';
    for (const value of [planted, 'chosen-by-the-attacker', planted.slice(0, -1)]) {
      const browser = api.guest();
      browser.cookies.set('session', value);
      await browser.login(victim.username);
      expect(browser.cookies.get('session')).not.toBe(value);
      const thief = api.guest();
      thief.cookies.set('session', value);
      expect((await thief.get('/api/user/self')).status).toBe(401);
    }
  });
});
