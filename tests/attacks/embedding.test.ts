/** The console inside applications: who may open it there, for whom, and in whose frame. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Answer, Client, type TestApi } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import {
  agree,
  authorizeQuery,
  bearer,
  pkce,
  refresh,
  registerApp,
  signInAt,
  type TestApp,
} from '../support/oauth-app.ts';

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
  app = await registerApp(root);
  await api.deps.options.set({ EmbedOrigins: `${ORIGIN}\n${OTHER}`, CriticalRateLimitCount: '1000' });
}, 120_000);
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
async function opened(by: Client = user, origin: string = ORIGIN) {
  const signedIn = await signInAt(api, app, by, 'embed');
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
    expect(asked).toMatchObject({ status: 401, code: 'AUTH_REQUIRED' });
    expect(await frame.call('POST', '/api/user/token', {}, OWN)).toMatchObject({ code: 'REAUTH_REQUIRED' });
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
    for (const path of ['/login', '/setup', '/approve', '/oauth/login'])
      expect([path, await policyOf(`${path}?layout=false`, inFrame)]).toEqual([path, "'none'"]);
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
