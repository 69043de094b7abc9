import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { Elysia } from 'elysia';
import { createApi } from '../../src/api.ts';
import { playgroundRoutes, relayRouter } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { type Least, leastOf, RANK } from '../support/contract.ts';

/** By what a route that the router has compiled makes a table of what its caller has named. */
const TABLES = [
  { of: 'cookies', sign: /parseCookie\w*\(/ },
  { of: 'query', sign: /parseQuery\w*\(/ },
  { of: 'headers', sign: /c\.headers=/ },
];

type Compiled = ReturnType<typeof createApi>['routes'][number];

describe('every call', () => {
  let api: TestApi;
  const clients: Partial<Record<Least, Client>> = {};
  let routes: { method: string; path: string }[] = [];
  beforeAll(async () => {
    api = await openApi('postgres');
    clients.guest = api.guest();
    clients.user = await api.as(await api.createUser());
    clients.admin = await api.as(await api.createUser({ role: 10 }));
    clients.root = await api.root();
    routes = createApi(api.deps).routes.filter((route) => route.path.startsWith('/api/'));
  });
  afterAll(() => api.close());

  it('stands in the contract or in the list of our own', () => {
    expect(routes.length).toBeGreaterThan(15);
    const unknown = routes.filter(({ method, path }) => !leastOf(method, path));
    expect(unknown.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('has the router make no table of what its caller has named: cookies, headers, the query of the relay', () => {
    const { deps } = api;
    const relay = relayRouter(deps.relay, handle).routes;
    const playground = playgroundRoutes({ ...deps, ...deps.relay }, handle).routes;
    const madeBy = (route: Compiled) => {
      const code = route.compile().toString();
      return TABLES.filter(({ sign }) => sign.test(code)).map(({ of }) => of);
    };
    // What hands all on that there is shows that the router still writes tables as they are looked for here.
    const [all] = new Elysia().get('/', (call) => Object.keys(call)).routes;
    expect(all && madeBy(all)).toEqual(['cookies', 'query', 'headers']);
    const made = [
      // Here the envelope has the router leave the query alone.
      ...createApi(deps).routes.map((route) => ({
        route,
        tables: madeBy(route).filter((of) => of !== 'query'),
      })),
      ...[...relay, ...playground].map((route) => ({ route, tables: madeBy(route) })),
    ].filter(({ tables }) => tables.length > 0);
    expect(made.map(({ route, tables }) => `${route.method} ${route.path} ${tables}`)).toEqual([]);
  });

  it('refuses a guest with 401 and a role too low with 403, before it looks at anything else', async () => {
    const wrong: string[] = [];
    for (const { method, path } of routes) {
      const least = leastOf(method, path);
      if (!least) continue;
      for (const who of ['guest', 'user', 'admin'] as const) {
        if (RANK[who] >= RANK[least]) continue;
        for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : ['{}', '"nonsense"']) {
          const answer = await clients[who]?.call(
            method,
            path.replace(':id', '1').replace(/:\w+/g, 'x'),
            body,
          );
          const wanted = who === 'guest' ? 401 : 403;
          if (answer?.status !== wanted || answer.success !== false || !answer.message) {
            wrong.push(`${method} ${path} as ${who}: ${answer?.status} ${answer?.text}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('answers with and without a slash at its end, without redirect', async () => {
    for (const path of [
      '/api/status',
      '/api/setup',
      '/api/user/self',
      '/api/group',
      '/api/option',
      '/api/user',
    ]) {
      for (const form of [path, `${path}/`]) expect((await clients.root?.get(form))?.status).toBe(200);
    }
  });

  it('takes a word in the place of an id for an address that leads nowhere, whoever asks', async () => {
    const numbered = routes.filter(({ path }) => path.includes('/:id'));
    expect(numbered.length).toBeGreaterThan(8);
    for (const who of ['guest', 'user', 'admin', 'root'] as const) {
      for (const { method, path } of numbered) {
        for (const word of ['activity_pack', '1e3', '-1', '1.5', '%20']) {
          const answer = await clients[who]?.call(method, path.replace(':id', word));
          expect(`${who} ${method} ${path} ${answer?.status} ${answer?.code}`).toBe(
            `${who} ${method} ${path} 404 UNKNOWN_ROUTE`,
          );
        }
      }
    }
    expect((await clients.user?.get('/api/user/affair'))?.status).toBe(404);
  });

  it('answers what does not exist with 404 in the envelope', async () => {
    expect(await clients.guest?.get('/api/no/such')).toMatchObject({
      status: 404,
      success: false,
      code: 'UNKNOWN_ROUTE',
    });
  });
});

describe('a request from another site', () => {
  let api: TestApi;
  let user: TestUser;
  let victim: Client;
  beforeAll(async () => {
    api = await openApi('postgres');
    user = await api.createUser();
    victim = await api.as(user);
    victim.userId = null;
  });
  afterAll(() => api.close());

  const refused = { status: 403, success: false, code: 'CROSS_SITE' };

  it('is refused although the browser sends the cookie, reading or writing', async () => {
    const foreign: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'x-forwarded-host': 'evil.example' },
    ];
    for (const headers of foreign) {
      expect(await victim.call('GET', '/api/user/token', undefined, headers)).toMatchObject(refused);
      expect(await victim.call('GET', '/api/user/logout', undefined, headers)).toMatchObject(refused);
      expect(await victim.call('PUT', '/api/user/self', { display_name: 'x' }, headers)).toMatchObject(
        refused,
      );
    }
    expect(await api.deps.db.query('select 1 from access_tokens')).toEqual([]);
  });

  it('is let in when it proves that it is none', async () => {
    const own: Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin' },
      { origin: 'http://localhost' },
      { 'new-api-user': String(user.id) },
    ];
    for (const headers of own) {
      expect((await victim.call('GET', '/api/user/self', undefined, headers)).status).toBe(200);
    }
  });

  it('is judged by the public address where there is one', async () => {
    const behind = await openApi('postgres', { SERVER_ADDRESS: 'https://gate.example.com' });
    const client = behind.guest();
    const someone = await behind.createUser();
    const answer = await client.post('/api/user/login', {
      username: someone.username,
      password: 'Passw0rd1',
    });
    expect(answer.headers.getSetCookie()[0]).toStartWith('__Host-session=');
    const from = (origin: string) => client.call('GET', '/api/user/self', undefined, { origin });
    expect((await from('https://gate.example.com')).status).toBe(200);
    expect((await from('http://localhost')).status).toBe(403);
    await behind.close();
  });

  it('named for another user than the cookie’s is refused with 401', async () => {
    for (const id of ['999', '0', 'abc', '', `${user.id} `, `0${user.id}`]) {
      const answer = await victim.call('GET', '/api/user/self', undefined, { 'new-api-user': id });
      // Headers are trimmed on their way.
      if (id.trim() === String(user.id)) expect(answer.status).toBe(200);
      else expect(answer).toMatchObject({ status: 401, code: 'USER_MISMATCH' });
    }
  });

  it('asks no proof of a caller with an access token, but the header must fit', async () => {
    const token = await api.deps.sessions.issueAccessToken(user.id);
    const script = api.guest();
    script.headers.authorization = `Bearer ${token}`;
    expect((await script.get('/api/user/self')).data.id).toBe(user.id);
    const mismatch = await script.call('GET', '/api/user/self', undefined, { 'new-api-user': '999' });
    expect(mismatch).toMatchObject({ status: 401, code: 'USER_MISMATCH' });
  });

  it('takes no relay key for a way into the console', async () => {
    const script = api.guest();
    await api.deps.db.query(
      `insert into tokens (user_id, name, key_lookup, key_hint) values (${user.id}, 't', '${api.deps.secrets.lookup('abc')}', 'h')`,
    );
    script.headers.authorization = 'Bearer sk-abc';
    expect(await script.get('/api/user/self')).toMatchObject({ status: 401, code: 'ACCESS_TOKEN_INVALID' });
  });
});
