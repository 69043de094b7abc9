/** Applications sign in here: by a library that knows nothing of us, and call by call. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import * as oauth from 'oauth4webapi';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import {
  agree,
  answerConsent,
  appCall,
  authorizeQuery,
  bearer,
  exchange,
  pkce,
  REDIRECT,
  refresh,
  registerApp,
  sentTo,
  signInAt,
  type TestApp,
  ticketIn,
} from '../../support/oauth-app.ts';

const ISSUER = 'http://gate.example';

let api: TestApi;
let root: Client;
let una: TestUser;
let user: Client;
let app: TestApp;
beforeAll(async () => {
  api = await openApi('pglite', { SERVER_ADDRESS: ISSUER });
  root = await api.root();
  una = await api.createUser({ username: 'una', quota: 5_000_000 });
  user = await api.as(una);
  app = await registerApp(root);
});
afterAll(() => api.close());

it('is signed in to by a library that knows the standards alone', async () => {
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: RequestInit) =>
      api.handle(new Request(url.replace(ISSUER, 'http://localhost'), init)),
  };
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    const issuer = new URL(ISSUER);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm, ...options }),
    );
    const client: oauth.Client = { client_id: app.clientId };
    const secret = app.secret ?? '';
    const auth = algorithm === 'oidc' ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret);
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    expect(server.authorization_endpoint).toBe(`${ISSUER}/oauth/login`);
    // What the page behind that address does with its query.
    const back = await agree(
      user,
      authorizeQuery(app, await oauth.calculatePKCECodeChallenge(verifier), {
        scope: 'openid profile balance',
        state,
        nonce,
      }),
    );
    const params = oauth.validateAuthResponse(server, client, back, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      params,
      REDIRECT,
      verifier,
      options,
    );
    const granted = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, response, options);
    const subject = oauth.getValidatedIdTokenClaims(granted)?.sub ?? '';
    expect(subject).toBe(String(una.id));
    const told = await oauth.userInfoRequest(server, client, granted.access_token, options);
    expect(await oauth.processUserInfoResponse(server, client, subject, told)).toEqual({
      sub: subject,
      name: 'una',
      preferred_username: 'una',
      quota: 5_000_000,
      used_quota: 0,
      request_count: 0,
    });
    const again = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, granted.refresh_token ?? '', options),
    );
    expect(again).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'balance openid profile' });
    const token = again.refresh_token ?? '';
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, token, options),
    );
    expect((await bearer(api, again.access_token).get('/api/oauth/userinfo')).status).toBe(401);
  }
});

describe('the question', () => {
  it('names the application, who is asked and what for, and is never framed', async () => {
    const asked = await registerApp(root, { name: '<b>Odd & co</b>', homepage: 'https://odd.example/' });
    const page = await user.get(authorizeQuery(asked, pkce().challenge, { scope: 'profile relay' }));
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' https://app.example");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.text).toContain('&#60;b&#62;Odd &#38; co');
    expect(page.text).not.toContain('<b>Odd');
    for (const word of ['una', 'app.example', 'https://odd.example/', '以您的余额调用模型'])
      expect(page.text).toContain(word);
    expect(page.text).not.toContain('创建 API 令牌');
  });

  it('is asked once for what is agreed to, and again for more and when the application wants it', async () => {
    const asked = await registerApp(root);
    const ask = (over: Record<string, string>) => user.get(authorizeQuery(asked, pkce().challenge, over));
    expect((await ask({})).status).toBe(200);
    await agree(user, authorizeQuery(asked, pkce().challenge));
    expect(sentTo(await ask({})).searchParams.get('code')).toStartWith('oac_');
    expect((await ask({ scope: 'profile balance' })).status).toBe(200);
    expect((await ask({ prompt: 'consent' })).status).toBe(200);
    expect(sentTo(await ask({ scope: 'balance', prompt: 'none' })).searchParams.get('error')).toBe(
      'consent_required',
    );
    await agree(user, authorizeQuery(asked, pkce().challenge, { scope: 'balance' }));
    // What he had agreed to before still holds, but no page has told him of both.
    for (const scope of ['profile', 'balance']) expect((await ask({ scope })).status).toBe(303);
    expect((await ask({ scope: 'profile balance' })).status).toBe(200);
  });

  it('is asked each time of a public application that any program of the machine could be', async () => {
    const program = await registerApp(root, {
      confidential: false,
      redirect_uris: ['http://127.0.0.1/back', 'https://app.example/back'],
    });
    const local = { redirect_uri: 'http://127.0.0.1:49152/back' };
    await agree(user, authorizeQuery(program, pkce().challenge, local));
    expect((await user.get(authorizeQuery(program, pkce().challenge, local))).status).toBe(200);
    expect((await user.get(authorizeQuery(program, pkce().challenge))).status).toBe(303);
  });

  it('takes no for an answer, and tells the application so', async () => {
    const asked = await registerApp(root);
    const page = await user.get(authorizeQuery(asked, pkce().challenge));
    const back = sentTo(await answerConsent(user, ticketIn(page), 'reject'));
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      state: 'the state',
      iss: ISSUER,
    });
    expect((await user.get(authorizeQuery(asked, pkce().challenge))).status).toBe(200);
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'profile admin' }, 'invalid_scope'],
    [{ scope: ' ' }, 'invalid_scope'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ prompt: 'login' }, 'invalid_request'],
    [{ request: 'a.b.c' }, 'invalid_request'],
  ])('is not asked for %p: the application is told %s', async (over, error) => {
    const back = sentTo(await user.get(authorizeQuery(app, pkce().challenge, over)));
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({ error, state: 'the state', iss: ISSUER });
  });

  it('shows a browser what is wrong, in a page', async () => {
    const page = await user.call('GET', '/api/oauth/authorize?client_id=nobody', undefined, {
      accept: 'text/html',
    });
    expect(page.status).toBe(400);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).toContain('应用不存在或已禁用');
    const envelope = await user.get('/api/oauth/authorize?client_id=nobody');
    expect(envelope).toMatchObject({ status: 400, success: false, code: 'OAUTH_APP_UNKNOWN' });
  });
});

describe('an access token', () => {
  it('does what its scopes say, and nothing else of its user’s', async () => {
    const { access } = await signInAt(api, app, user, 'profile');
    const caller = bearer(api, access);
    expect(JSON.parse((await caller.get('/api/oauth/userinfo')).text)).toEqual({
      sub: String(una.id),
      name: 'una',
      preferred_username: 'una',
    });
    for (const [method, path] of [
      ['GET', '/api/user/self'],
      ['GET', '/api/token/'],
      ['POST', '/api/token/'],
      ['GET', '/api/user/token'],
      ['GET', '/api/log/self'],
      ['GET', '/api/oauth/authorize'],
    ] as const) {
      const answer = await caller.call(method, path, method === 'POST' ? { name: 'x' } : undefined);
      expect([path, answer.status, answer.code]).toEqual([path, 403, 'SCOPE_MISSING']);
    }
    // Where guests are let in it is a guest.
    expect((await caller.get('/api/status')).status).toBe(200);
  });

  it('makes tokens for its user with the scope for it', async () => {
    const { access } = await signInAt(api, app, user, 'tokens:create');
    const made = await bearer(api, access).post('/api/token/', { name: 'of the app', unlimited_quota: true });
    expect(made).toMatchObject({ success: true });
    expect(made.data.key).toHaveLength(48);
    const mine = await user.get('/api/token/?p=0&size=100');
    expect(mine.data.map(({ name }: { name: string }) => name)).toContain('of the app');
  });

  it('is refused in the words of the standard', async () => {
    const { access } = await signInAt(api, app, user, 'balance');
    const foreign = bearer(api, access);
    foreign.headers.authorization = `Bearer oat_${'a'.repeat(48)}`;
    const answer = await foreign.get('/api/oauth/userinfo');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'invalid_token', code: 'ACCESS_TOKEN_INVALID' });
  });

  it('is less than was allowed where the application asks for less', async () => {
    const first = await signInAt(api, app, user, 'profile balance');
    const less = await refresh(api, app, first.refresh, { scope: 'balance' });
    expect(less.body.scope).toBe('balance');
    const told = await bearer(api, less.body.access_token ?? '').get('/api/oauth/userinfo');
    expect(Object.keys(JSON.parse(told.text))).toEqual(['sub', 'quota', 'used_quota', 'request_count']);
    const more = await refresh(api, app, less.body.refresh_token ?? '', { scope: 'balance relay' });
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope']);
    // The token that brought it is still good.
    expect((await refresh(api, app, less.body.refresh_token ?? '')).body.scope).toBe('balance profile');
  });
});

describe('what an application was let do ends', () => {
  const works = async (access: string) =>
    (await bearer(api, access).get('/api/oauth/userinfo')).status === 200;
  const signedIn = async () => {
    const own = await registerApp(root);
    const someone = await api.as(await api.createUser());
    return { own, someone, ...(await signInAt(api, own, someone)) };
  };
  const fresh = async () => {
    const made = await signedIn();
    expect(await works(made.access)).toBe(true);
    return made;
  };

  it('when root switches it off, and comes back neither on its own nor by a refresh', async () => {
    const { own, access, refresh: token } = await fresh();
    await root.put(`/api/oauth_app/admin/${own.id}`, { enabled: false });
    expect(await works(access)).toBe(false);
    expect((await refresh(api, own, token)).body.error).toBe('invalid_client');
    await root.put(`/api/oauth_app/admin/${own.id}`, { enabled: true });
    expect(await works(access)).toBe(false);
    expect((await refresh(api, own, token)).body.error).toBe('invalid_grant');
  });

  it('when root removes it', async () => {
    const { own, someone, access } = await fresh();
    const other = await api.as(await api.createUser());
    const keys: string[] = [];
    for (const by of [someone, other]) {
      const maker = await signInAt(api, own, by, 'tokens:create');
      keys.push((await bearer(api, maker.access).post('/api/token/', { name: 'made' })).data.key);
    }
    const kept = (await someone.post('/api/token/', { name: 'his own' })).data.key;
    const relays = async (key: string) =>
      (await api.deps.relay.callers.find(key, { ip: '198.18.0.1', apart: '' })) !== null;
    for (const key of [...keys, kept]) expect(await relays(key)).toBe(true);
    await root.del(`/api/oauth_app/admin/${own.id}`);
    expect(await works(access)).toBe(false);
    // With the tokens that it made, for whomever.
    for (const key of keys) expect(await relays(key)).toBe(false);
    expect(await relays(kept)).toBe(true);
  });

  it('when its user is banned', async () => {
    const { own, someone, access, refresh: token } = await fresh();
    await root.post('/api/user/manage', { id: someone.userId, action: 'disable' });
    expect(await works(access)).toBe(false);
    expect((await refresh(api, own, token)).body.error).toBe('invalid_grant');
  });

  it('when its user changes his password', async () => {
    const { own, someone, access, refresh: token } = await fresh();
    const change = { password: 'An0therPass', original_password: PASSWORD };
    expect((await someone.put('/api/user/self', change)).success).toBe(true);
    expect(await works(access)).toBe(false);
    expect((await refresh(api, own, token)).body.error).toBe('invalid_grant');
  });

  it('when an access token is over', async () => {
    const { access } = await signedIn();
    await api.deps.db.query(`update oauth_tokens set expires_at = 1 where kind = 'access'`);
    expect(await works(access)).toBe(false);
  });
});

it('takes a code from a public application without a secret, and refuses one that brings a secret', async () => {
  const own = await registerApp(root, { confidential: false });
  const { verifier, challenge } = pkce();
  const back = await agree(user, authorizeQuery(own, challenge));
  const code = back.searchParams.get('code') ?? '';
  const wrong = await exchange(api, { ...own, secret: 'guessed' }, code, verifier);
  expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
  expect((await exchange(api, own, code, verifier)).status).toBe(200);
});

it('answers what is no such call in the words of the standard', async () => {
  const of = async (fields: Record<string, string>) =>
    (await appCall(api, '/api/oauth/token', app, fields)).body.error;
  expect(await of({ grant_type: 'password' })).toBe('unsupported_grant_type');
  expect(await of({ grant_type: 'authorization_code', code: 'nobody’s', code_verifier: 'x' })).toBe(
    'invalid_grant',
  );
  const json = await api.guest().post('/api/oauth/token', { grant_type: 'authorization_code' });
  expect(json.status).toBe(401);
  // What the database cannot even be asked for.
  for (const id of ['a%00b', 'a\0b']) {
    const authorization = `Basic ${Buffer.from(`${id}:secret`).toString('base64')}`;
    const unknown = await api.guest().call('POST', '/api/oauth/token', {}, { authorization });
    expect([unknown.status, JSON.parse(unknown.text).error]).toEqual([401, 'invalid_client']);
  }
  const twice = await api.guest().call('POST', '/api/oauth/token', 'client_id=a&client_id=b', {
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(JSON.parse(twice.text).error).toBe('invalid_request');
});

it('tells the application that nobody is signed in where no page may be shown, and has every other guest sign in', async () => {
  const guest = api.guest();
  const page = { accept: 'text/html' };
  const address = (over: Record<string, string>) => authorizeQuery(app, pkce().challenge, over);
  const told = sentTo(await guest.get(address({ prompt: 'none' })));
  expect(told.href).toStartWith(REDIRECT);
  expect(Object.fromEntries(told.searchParams)).toEqual({
    error: 'login_required',
    state: 'the state',
    iss: ISSUER,
  });
  // Nowhere but where it registered, and what is wrong besides comes first.
  const elsewhere = await guest.get(address({ prompt: 'none', redirect_uri: 'https://evil.example/' }));
  expect(elsewhere.headers.get('location')).toBeNull();
  const bad = sentTo(await guest.get(address({ prompt: 'none', scope: 'everything' })));
  expect(bad.searchParams.get('error')).toBe('invalid_scope');
  const led = await guest.call('GET', address({}), undefined, page);
  expect(led.headers.get('location')).toStartWith('/oauth/login?client_id=');
  expect(await guest.get(address({}))).toMatchObject({ status: 401, code: 'AUTH_REQUIRED' });
  const fresh = await api.as(await api.createUser());
  const consent = sentTo(await fresh.get(address({ prompt: 'none' })));
  expect(consent.searchParams.get('error')).toBe('consent_required');
});
