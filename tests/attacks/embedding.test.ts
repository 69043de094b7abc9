/** The console inside applications: who may open it there, for whom, and in whose frame. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { limits } from '../../src/core/limits.ts';
import { type Answer, Client, type TestApi } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { actingReads, leastOf } from '../support/contract.ts';
import {
  agree,
  authorizeQuery,
  bearer,
  exchange,
  pkce,
  REDIRECT,
  refresh,
  registerApp,
  signInAt,
  type TestApp,
} from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';

const ORIGIN = 'https://app.example';
const OTHER = 'https://other.example';
/** What a browser says of a call of our own page. */
const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' };

let site: Site;
let api: TestApi;
let root: Client;
let app: TestApp;
let user: Client;
beforeAll(async () => {
  site = await openSite('pglite');
  api = site.api;
  root = await api.root();
  app = await registerApp(root, { redirect_uris: [REDIRECT, `${OTHER}/back`] });
  await api.deps.options.set({ EmbedOrigins: `${ORIGIN}\n${OTHER}`, CriticalRateLimitCount: '1000' });
}, patience(120_000));
afterAll(() => site.close());
beforeEach(async () => {
  user = await api.as(await api.createUser());
});

const tokenFor = (access: string, origin: string = ORIGIN): Promise<Answer> =>
  bearer(api, access).post('/api/oauth/embed_token', { origin });
const begin = (frame: Client, token: string, over: object = {}): Promise<Answer> =>
  frame.call('POST', '/api/oauth/embed_session', { token, ...over }, OWN);
/** The browser of a frame, with a store of cookies of its own. */
const newFrame = (): Client => new Client(api.handle);
/** The frame of a user who opened his console inside the application. */
async function opened(by: Client = user, origin: string = ORIGIN, scope = 'embed') {
  const signedIn = await signInAt(api, app, by, scope);
  const { data } = await tokenFor(signedIn.access, origin);
  const frame = newFrame();
  const begun = await begin(frame, data.token);
  return { ...signedIn, frame, token: data.token as string, begun };
}
/** Nobody is told apart from somebody by a status alone: a refusal for another reason is none. */
const isIn = async (frame: Client): Promise<boolean> => {
  const { status } = await frame.call('GET', '/api/user/self', undefined, OWN);
  expect([200, 401]).toContain(status);
  return status === 200;
};
const policyOf = async (path: string, headers: Record<string, string>): Promise<string> => {
  const answer = await site.handle(new Request(site.base + path, { headers }));
  return /frame-ancestors ([^;]*)/.exec(answer.headers.get('content-security-policy') ?? '')?.[1] ?? '';
};

describe('an application', () => {
  it('opens the console for its user, in a cookie for that frame alone', async () => {
    const { frame, begun } = await opened();
    expect(begun.data).toMatchObject({ user: user.userId, origin: ORIGIN, expires_in: 3_600 });
    const cookie = begun.headers.get('set-cookie') ?? '';
    for (const part of ['HttpOnly', 'Secure', 'SameSite=None', 'Partitioned', 'Max-Age=3600'])
      expect(cookie.split('; ')).toContain(part);
    expect((await frame.call('GET', '/api/user/self', undefined, OWN)).data.id).toBe(user.userId);
    const byBearer = bearer(api, begun.data.bearer);
    expect((await byBearer.call('GET', '/api/user/self', undefined, OWN)).data.id).toBe(user.userId);
  });

  it('needs the scope, a user below administrators, and an origin that root has named', async () => {
    const without = await signInAt(api, app, user, 'profile');
    expect(await tokenFor(without.access)).toMatchObject({ status: 403, code: 'SCOPE_MISSING' });
    const admin = await api.as(await api.createUser({ role: 10 }));
    const his = await signInAt(api, app, admin, 'embed');
    expect(await tokenFor(his.access)).toMatchObject({ status: 403, code: 'EMBED_ROLE' });
    const { access } = await signInAt(api, app, user, 'embed');
    for (const origin of [
      'https://evil.example',
      'https://app.example:444',
      'https://app.example/',
      'null',
      '',
    ])
      expect([origin, (await tokenFor(access, origin)).code]).toEqual([origin, 'EMBED_ORIGIN']);
    // The user himself has nothing to embed in.
    expect(await user.post('/api/oauth/embed_token', { origin: ORIGIN })).toMatchObject({
      code: 'SCOPE_MISSING',
    });
  });

  it('shows it to nobody who became an administrator, was banned, or whose sign-in there has ended', async () => {
    const promoted = await opened();
    expect(await isIn(promoted.frame)).toBe(true);
    await root.post('/api/user/manage', { id: user.userId, action: 'promote' });
    expect(await isIn(promoted.frame)).toBe(false);
    const other = await api.as(await api.createUser());
    const banned = await opened(other);
    await root.post('/api/user/manage', { id: other.userId, action: 'disable' });
    expect(await isIn(banned.frame)).toBe(false);
    const third = await opened(await api.as(await api.createUser()));
    // A refresh token that is used twice ends all that came of the sign-in.
    await refresh(api, app, third.refresh);
    await refresh(api, app, third.refresh);
    expect(await isIn(third.frame)).toBe(false);
  });

  it('shows it no longer once root has taken the origin off the list', async () => {
    const { frame } = await opened(user, OTHER);
    expect(await isIn(frame)).toBe(true);
    await api.deps.options.set({ EmbedOrigins: ORIGIN });
    expect(await isIn(frame)).toBe(false);
    await api.deps.options.set({ EmbedOrigins: `${ORIGIN}\n${OTHER}` });
  });
});

describe('a frame', () => {
  it('never becomes somebody else by a header, and is signed out for itself alone', async () => {
    const { frame } = await opened();
    const stranger = await api.createUser();
    const named = await frame.call('GET', '/api/user/self', undefined, {
      ...OWN,
      'new-api-user': String(stranger.id),
    });
    expect(named).toMatchObject({ status: 401, code: 'USER_MISMATCH' });
    expect((await frame.call('GET', '/api/user/logout', undefined, OWN)).success).toBe(true);
    expect(await isIn(frame)).toBe(false);
    expect((await user.get('/api/user/self')).status).toBe(200);
  });

  it('proves nobody: what needs the owner is refused, and nothing is allowed to applications', async () => {
    const { frame } = await opened();
    const asked = await frame.call('GET', authorizeQuery(app, pkce().challenge), undefined, OWN);
    expect(asked).toMatchObject({ status: 403, code: 'EMBED_CONFIRM' });
    expect(await frame.call('POST', '/api/user/token', {}, OWN)).toMatchObject({ code: 'EMBED_CONFIRM' });
    const proved = await frame.call('POST', '/api/user/confirm', { password: 'Passw0rd1' }, OWN);
    expect(proved).toMatchObject({ status: 403, code: 'EMBED_CONFIRM' });
    expect(await agree(user, authorizeQuery(app, pkce().challenge))).toBeInstanceOf(URL);
  });

  it('writes nothing that a page of another site sends', async () => {
    const { frame } = await opened();
    const sites: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: ORIGIN }];
    for (const headers of sites) {
      expect(await frame.call('POST', '/api/token/', { name: 'x' }, headers)).toMatchObject({
        code: 'CROSS_SITE',
      });
    }
  });
});

describe('an application that was allowed to show the console and no more', () => {
  /** Every call of the console for users. */
  const callsOfUsers = () =>
    createApi(api.deps)
      .routes.filter(({ path }) => path.startsWith('/api/'))
      .filter(({ method, path }) => leastOf(method, path) === 'user');
  const tokensOf = async () =>
    api.deps.db.query('select id, name, status from tokens where user_id = $1 order by id', [user.userId]);

  it('writes nothing by any call, with the cookie and with the bearer', async () => {
    const { begun } = await opened();
    const calls = callsOfUsers();
    const writing = calls.filter(({ method }) => method !== 'GET');
    expect(writing.length).toBeGreaterThan(30);
    // Those that a link could make do, too.
    const links = actingReads.filter((path) => path !== '/api/user/logout');
    const acting = calls.filter(({ method, path }) => method === 'GET' && links.some((one) => one === path));
    const passed: string[] = [];
    for (const { method, path } of [...writing, ...acting]) {
      const address = path.replace(/:\w+/g, '999999');
      const body = method === 'GET' ? undefined : {};
      const byCookie = newFrame();
      byCookie.headers.cookie = `embed=${begun.data.bearer}`;
      for (const frame of [byCookie, bearer(api, begun.data.bearer)]) {
        const answer = await frame.call(method, address, body, OWN);
        if (answer.code !== 'EMBED_CONFIRM') passed.push(`${method} ${path}`);
      }
    }
    expect([...new Set(passed)].sort()).toEqual([
      'GET /api/log/export',
      'GET /api/task/:id/content',
      'GET /api/user/statement/export',
      'POST /api/log/:row/recompute',
    ]);
  });

  it('reads every call that reads, and no key in any', async () => {
    const { data } = await user.post('/api/token/', { name: 'mine', unlimited_quota: true });
    const { begun } = await opened();
    const frame = bearer(api, begun.data.bearer);
    for (const path of [
      '/api/token/',
      '/api/token/?mask=false',
      '/api/token/page',
      '/api/token/search?keyword=mine',
      `/api/token/${data.id}`,
      '/api/user/self',
    ]) {
      const answer = await frame.call('GET', path, undefined, OWN);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text).not.toContain(data.key);
    }
    const told = await frame.call('POST', `/api/token/${data.id}/key`, {}, OWN);
    expect(told).toMatchObject({ status: 403, code: 'EMBED_CONFIRM' });
    const changed = await frame.call('PUT', '/api/token/', { id: data.id, name: 'theirs' }, OWN);
    expect(changed).toMatchObject({ status: 403, code: 'EMBED_CONFIRM' });
    expect(await tokensOf()).toMatchObject([{ name: 'mine' }]);
    // Who sees it on this site himself sees the key as before.
    expect((await user.get(`/api/token/${data.id}`)).data.key).toBe(data.key);
  });

  it('has no token but those that it made for this user, whatever it was let do', async () => {
    const neighbour = await api.as(await api.createUser());
    const other = await registerApp(root, { name: 'Other' });
    const keyOf = async (by: Client) =>
      (await by.post('/api/token/', { name: 'k', unlimited_quota: true })).data;
    const his = await keyOf(user);
    const others = await keyOf(bearer(api, (await signInAt(api, other, user, 'tokens:create')).access));
    const theirs = await keyOf(bearer(api, (await signInAt(api, app, neighbour, 'tokens:create')).access));
    const maker = await signInAt(api, app, user, 'tokens:create');
    const own = await keyOf(bearer(api, maker.access));
    for (const scope of ['embed', 'embed tokens:create']) {
      const { begun } = await opened(user, ORIGIN, scope);
      const frame = bearer(api, begun.data.bearer);
      const read = (path: string) => frame.call('GET', path, undefined, OWN);
      const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
      expect(ids((await read('/api/token/')).data)).toEqual([own.id]);
      const page = (await read('/api/token/page?sort=name')).data;
      expect([ids(page.items), page.total]).toEqual([[own.id], 1]);
      for (const key of [his.key, others.key])
        expect((await read(`/api/token/page?token=${key}`)).data).toMatchObject({ items: [], total: 0 });
      expect(ids((await read('/api/token/search?keyword=k')).data)).toEqual([own.id]);
      for (const { id, key } of [his, others, theirs]) {
        const answers = [await read(`/api/token/${id}`)];
        if (scope !== 'embed') {
          answers.push(
            await frame.call('PUT', '/api/token/', { id, name: 'taken' }, OWN),
            await frame.call('PUT', '/api/token/?status_only=true', { id, status: 2 }, OWN),
            await frame.call('POST', `/api/token/${id}/key`, {}, OWN),
            await frame.call('DELETE', `/api/token/${id}`, undefined, OWN),
          );
          const batch = await frame.call('POST', '/api/token/batch', { ids: [id] }, OWN);
          expect(batch.data).toBe(0);
        }
        for (const answer of answers) {
          expect(answer.code).toBe('NOT_FOUND');
          expect(answer.text).not.toContain(key);
        }
      }
    }
    expect(await tokensOf()).toMatchObject([
      { id: his.id, name: 'k', status: 1 },
      { id: others.id, name: 'k', status: 1 },
      { id: own.id, name: 'k', status: 1 },
    ]);
    // He himself has all of them.
    expect((await user.get('/api/token/page')).data.total).toBe(3);
  });

  it('keeps tokens where the user let it make some, and nothing besides', async () => {
    const { begun } = await opened(user, ORIGIN, 'embed tokens:create');
    const frame = bearer(api, begun.data.bearer);
    const made = await frame.call('POST', '/api/token/', { name: 'made', unlimited_quota: true }, OWN);
    expect(made).toMatchObject({ success: true });
    const shown = await frame.call('GET', `/api/token/${made.data.id}`, undefined, OWN);
    expect(shown.data.key).toBe(made.data.key);
    const named = await frame.call('PATCH', '/api/request_bind', { code: 'x', token: 'x' }, OWN);
    expect(named).toMatchObject({ code: 'EMBED_CONFIRM' });
    const removed = await frame.call('DELETE', `/api/token/${made.data.id}`, undefined, OWN);
    expect(removed.success).toBe(true);
  });

  it('calls no model at his expense, unless he let it', async () => {
    const chat = async (scope: string): Promise<string> => {
      const { begun } = await opened(user, ORIGIN, scope);
      const headers = {
        ...OWN,
        authorization: `Bearer ${begun.data.bearer}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ model: 'no-such-model', messages: [{ role: 'user', content: 'hi' }] });
      const url = `${site.base}/pg/chat/completions`;
      return (await site.handle(new Request(url, { method: 'POST', headers, body }))).text();
    };
    expect(await chat('embed tokens:create')).toContain('EMBED_CONFIRM');
    expect(await chat('embed relay')).toContain('no-such-model');
  });

  it('embeds at no origin but its own', async () => {
    const other = await registerApp(root, { name: 'Other', redirect_uris: [`${OTHER}/back`] });
    const redirect_uri = `${OTHER}/back`;
    const { verifier, challenge } = pkce();
    const back = await agree(user, authorizeQuery(other, challenge, { scope: 'embed', redirect_uri }));
    const code = back.searchParams.get('code') ?? '';
    const { body } = await exchange(api, other, code, verifier, { redirect_uri });
    expect(await tokenFor(body.access_token ?? '')).toMatchObject({
      status: 403,
      code: 'EMBED_ORIGIN_OF_APP',
    });
    expect((await tokenFor(body.access_token ?? '', OTHER)).success).toBe(true);
  });
});

describe('a token of embedding', () => {
  it('that was stolen and used is of no use to whom it was for, nor the other way round', async () => {
    const { token } = await opened();
    expect(await begin(newFrame(), token)).toMatchObject({ status: 403, code: 'EMBED_TOKEN' });
    const { access } = await signInAt(api, app, user, 'embed');
    const { data } = await tokenFor(access);
    const racing = await Promise.all(Array.from({ length: 20 }, () => begin(newFrame(), data.token)));
    expect(racing.filter(({ success }) => success)).toHaveLength(1);
  });

  it('is taken from our own page alone, for whom it was made', async () => {
    const { access } = await signInAt(api, app, user, 'embed');
    const { data } = await tokenFor(access);
    const sites: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: ORIGIN }, {}];
    for (const headers of sites) {
      const answer = await newFrame().call(
        'POST',
        '/api/oauth/embed_session',
        { token: data.token },
        headers,
      );
      expect(answer).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    }
    const other = await api.createUser();
    expect(await begin(newFrame(), data.token, { user: other.id })).toMatchObject({ code: 'EMBED_TOKEN' });
    expect(await begin(newFrame(), 'oae_guessed')).toMatchObject({ code: 'EMBED_TOKEN' });
    expect(await begin(newFrame(), access)).toMatchObject({ code: 'EMBED_TOKEN' });
  });

  it('forces no log-in on a visitor who is signed in as somebody else', async () => {
    const attacker = await api.as(await api.createUser());
    const { access } = await signInAt(api, app, attacker, 'embed');
    const mine = await api.as({ id: user.userId ?? 0, username: '', role: 1 });
    const forced = await begin(mine, (await tokenFor(access)).data.token);
    expect(forced).toMatchObject({ status: 403, code: 'EMBED_OTHER_ACCOUNT' });
    expect(forced.headers.get('set-cookie')).toBeNull();
    // Nor on one whose console another page shows him.
    const { frame } = await opened(user, OTHER);
    expect(await begin(frame, (await tokenFor(access, ORIGIN)).data.token)).toMatchObject({
      code: 'EMBED_OTHER_ACCOUNT',
    });
  });

  it('stands neither in the database nor among what is kept for a minute as it is', async () => {
    const { begun } = await opened();
    const rows = await api.deps.db.query<{ row: string }>('select e::text as row from embed_sessions e');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(begun.data.bearer);
  });
});

describe('the console in a frame', () => {
  it('makes no token that reaches its user’s own keys, nor lets one', async () => {
    const { frame } = await opened(user, ORIGIN, 'embed tokens:create');
    const send = (method: string, body: object) => frame.call(method, '/api/token/', body, OWN);
    const { data } = await send('POST', { name: 'framed' });
    expect(data.own_keys).toBe(false);
    expect((await send('POST', { name: 'greedy', own_keys: true })).code).toBe('SCOPE_MISSING');
    expect((await send('PUT', { id: data.id, own_keys: true })).code).toBe('SCOPE_MISSING');
    expect((await send('PUT', { id: data.id, name: 'renamed', own_keys: false })).success).toBe(true);
    const [token] = (await user.get('/api/token/?size=100')).data;
    expect(token).toMatchObject({ name: 'renamed', own_keys: false });
  });
});

describe('whose page may frame', () => {
  const inFrame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' };

  it('what a token opens is the origin that it was made for', async () => {
    const { access } = await signInAt(api, app, user, 'embed');
    const { data } = await tokenFor(access);
    expect(await policyOf(`/token?oToken=${data.token}`, inFrame)).toBe(ORIGIN);
    expect(await policyOf('/token?oToken=oae_guessed', inFrame)).toBe(`'self' ${ORIGIN} ${OTHER}`);
    // Looking at it has not used it up.
    expect((await begin(newFrame(), data.token)).success).toBe(true);
  });

  it('what its session shows is that origin, and outside of frames the session is none', async () => {
    const { begun } = await opened();
    const cookie = `embed=${begun.data.bearer}`;
    expect(await policyOf('/token', { ...inFrame, cookie })).toBe(ORIGIN);
    expect(
      await policyOf('/token', { 'sec-fetch-dest': 'empty', authorization: `Bearer ${begun.data.bearer}` }),
    ).toBe(ORIGIN);
    const top = await site.handle(
      new Request(`${site.base}/token`, { headers: { cookie, 'sec-fetch-dest': 'document' } }),
    );
    expect(top.headers.get('location')).toContain('/login');
  });

  it('the pages to sign in and to allow things is nobody, also with a token in the address', async () => {
    for (const path of ['/login', '/register', '/reset', '/setup', '/approve', '/oauth/login'])
      expect([path, await policyOf(`${path}?layout=false`, inFrame)]).toEqual([path, "'none'"]);
  });

  it('what somebody sees who is signed in here himself is nobody', async () => {
    const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { ...inFrame, cookie };
    for (const path of ['/token', '/model-hub', '/token?oToken=oae_guessed'])
      expect([path, await policyOf(path, own)]).toEqual([path, "'none'"]);
    const script = await api.deps.sessions.issueAccessToken(user.userId ?? 0);
    expect(await policyOf('/token', { ...inFrame, authorization: `Bearer ${script}` })).toBe("'none'");
    expect(await policyOf('/model-hub', inFrame)).toBe(`'self' ${ORIGIN} ${OTHER}`);
    // In a frame of his own application he goes on by the bearer of the frame, whose page is that of its origin.
    const { access } = await signInAt(api, app, user, 'embed');
    const { data } = await tokenFor(access);
    const begun = await begin(user, data.token);
    expect(begun.data.own_session).toBe(true);
    const authorization = `Bearer ${begun.data.bearer}`;
    expect(await policyOf('/token', { 'sec-fetch-dest': 'empty', cookie, authorization })).toBe(ORIGIN);
  });

  it('the console is nobody at all where root has named none', async () => {
    await api.deps.options.reset(['EmbedOrigins']);
    expect(await policyOf('/model-hub', inFrame)).toBe("'none'");
    await api.deps.options.set({ EmbedOrigins: `${ORIGIN}\n${OTHER}` });
  });

  it('takes the token out of the address before anything else, and sends it nowhere', async () => {
    const answer = await site.handle(
      new Request(`${site.base}/token?oToken=oae_x&oUser=1`, { headers: inFrame }),
    );
    const html = await answer.text();
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(html).not.toContain('oae_x');
    expect(html.indexOf('history.replaceState')).toBeLessThan(html.indexOf('fetch('));
  });
});

describe('whoever acts for a user keeps nothing of what is his', () => {
  const cookiesOf = ({ cookies }: Client): string =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  /** Networks have counts of their own. */
  const from = (ip: string, client: Client): Client => {
    client.headers['x-forwarded-for'] = ip;
    return client;
  };

  it('of his calls, though he lets in several frames', async () => {
    const frames = [await opened(), await opened(), await opened(), await opened()];
    await api.deps.options.set({ ApiRateLimitSession: '20' });
    try {
      let last: Answer | undefined;
      for (const [at, { frame }] of frames.entries()) {
        from(`198.51.100.${at}`, frame);
        for (let n = 0; n < 20; n++) last = await frame.call('GET', '/api/user/self', undefined, OWN);
      }
      expect(last?.code).toBe('RATE_LIMIT');
      expect((await from('203.0.113.1', user).get('/api/user/self')).status).toBe(200);
    } finally {
      await api.deps.options.reset(['ApiRateLimitSession']);
    }
  });

  it('of what his own scripts may call', async () => {
    const { access } = await signInAt(api, app, user, 'profile');
    const application = from('198.51.100.9', bearer(api, access));
    const token = await api.deps.sessions.issueAccessToken(user.userId ?? 0);
    const script = from('203.0.113.2', bearer(api, token));
    await api.deps.options.set({ ApiRateLimitSession: '20' });
    try {
      let last: Answer | undefined;
      for (let n = 0; n <= 20; n++) last = await application.get('/api/oauth/userinfo');
      expect(last?.status).toBe(429);
      expect((await script.get('/api/user/self')).status).toBe(200);
    } finally {
      await api.deps.options.reset(['ApiRateLimitSession']);
    }
  });

  it('of his pages', async () => {
    const { begun } = await opened();
    const ask = async (headers: Record<string, string>) => {
      const { status } = await site.handle(new Request(`${site.base}/no-such-page`, { headers }));
      return status;
    };
    const authorization = `Bearer ${begun.data.bearer}`;
    for (let n = 0; n < limits.pagesAMinute; n++) await ask({ authorization });
    expect(await ask({ authorization })).toBe(429);
    expect(await ask({ cookie: cookiesOf(user) })).toBe(404);
  });

  it('of what guests are shown', async () => {
    const { access } = await signInAt(api, app, user, 'profile');
    const path = '/terms/privacy-policy.html';
    const ofGuests = `'self' ${ORIGIN} ${OTHER}`;
    expect(await policyOf(path, { authorization: `Bearer ${access}` })).toBe(ofGuests);
    expect(await policyOf(path, {})).toBe(ofGuests);
  });
});
