/** Attacks on signing in to applications: what was stolen, guessed, bent or brought from elsewhere opens nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
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
} from '../support/oauth-app.ts';

const RACERS = 20;

let api: TestApi;
let root: Client;
let user: Client;
let app: TestApp;
beforeAll(async () => {
  api = await openApi('postgres');
  // What is tried here would otherwise be slowed down before it is refused.
  await api.deps.options.set({ CriticalRateLimitCount: '1000' });
  root = await api.root();
  user = await api.as(await api.createUser({ quota: 1_000_000 }));
  app = await registerApp(root);
});
afterAll(() => api.close());

const works = async (access: string | undefined): Promise<boolean> =>
  (await bearer(api, access ?? '').get('/api/oauth/userinfo')).status === 200;

const codeFor = async (of: TestApp = app, over: Record<string, string> = {}) => {
  const { verifier, challenge } = pkce();
  const back = await agree(user, authorizeQuery(of, challenge, over));
  return { verifier, code: back.searchParams.get('code') ?? '' };
};
const refused = { status: 400, body: { error: 'invalid_grant', success: false, code: 'OAUTH_GRANT' } };

describe('a code', () => {
  it('works once, and its second use ends what came of the first', async () => {
    const { code, verifier } = await codeFor();
    const first = await exchange(api, app, code, verifier);
    expect(await works(first.body.access_token)).toBe(true);
    expect(await exchange(api, app, code, verifier)).toMatchObject(refused);
    expect(await works(first.body.access_token)).toBe(false);
    expect(await refresh(api, app, first.body.refresh_token ?? '')).toMatchObject(refused);
  });

  it('is exchanged at most once by many at the same time, and then nobody keeps what came of it', async () => {
    const { code, verifier } = await codeFor();
    const all = await Promise.all(Array.from({ length: RACERS }, () => exchange(api, app, code, verifier)));
    const made = all.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(await works(made[0]?.body.access_token)).toBe(false);
  });

  it('is of no use without its verifier, with another, or with its challenge in its place', async () => {
    for (const wrong of ['', pkce().verifier, 'short', 'ü'.repeat(50)]) {
      const { code, verifier } = await codeFor();
      expect(await exchange(api, app, code, wrong)).toMatchObject(refused);
      // It is over: whoever tried it had stolen it.
      expect(await exchange(api, app, code, verifier)).toMatchObject(refused);
    }
    const { verifier, challenge } = pkce();
    const back = await agree(user, authorizeQuery(app, challenge));
    expect(await exchange(api, app, back.searchParams.get('code') ?? '', challenge)).toMatchObject(refused);
    expect(verifier).not.toBe(challenge);
  });

  it('is of no use to another application, which ends it', async () => {
    const other = await registerApp(root, { name: 'Other' });
    const { code, verifier } = await codeFor();
    expect(await exchange(api, other, code, verifier)).toMatchObject(refused);
    expect(await exchange(api, app, code, verifier)).toMatchObject(refused);
    const mine = await signInAt(api, app, user);
    expect(await refresh(api, other, mine.refresh)).toMatchObject(refused);
    expect(await works(mine.access)).toBe(false);
  });

  it('is of no use with another redirect address than it was sent to', async () => {
    const two = await registerApp(root, { redirect_uris: [REDIRECT, 'https://app.example/other'] });
    const { code, verifier } = await codeFor(two);
    const other = { redirect_uri: 'https://app.example/other' };
    expect(await exchange(api, two, code, verifier, other)).toMatchObject(refused);
  });

  it('is not taken from who cannot prove that he is the application, who does not end it either', async () => {
    const { code, verifier } = await codeFor();
    for (const secret of [null, '', 'guessed']) {
      expect(await exchange(api, { ...app, secret }, code, verifier)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
    }
    expect((await exchange(api, app, code, verifier)).status).toBe(200);
  });

  it('is over after a minute', async () => {
    const { code, verifier } = await codeFor();
    await api.deps.db.query(`update oauth_tokens set expires_at = expires_at - 60 where kind = 'code'`);
    expect(await exchange(api, app, code, verifier)).toMatchObject(refused);
  });

  it('stands nowhere in the database as it is, nor do tokens or secrets', async () => {
    const { code, verifier } = await codeFor();
    const { body } = await exchange(api, app, code, verifier);
    const dump = await api.deps.db.query<{ row: string }>(
      `select t::text as row from oauth_tokens t union all select a::text from oauth_apps a
       union all select g::text from oauth_grants g union all select m::text from meta m
       union all select d::text from admin_actions d`,
    );
    const text = dump.map(({ row }) => row).join('\n');
    for (const secret of [code, verifier, body.access_token, body.refresh_token, app.secret]) {
      expect(secret?.length).toBeGreaterThan(30);
      expect(text).not.toContain(secret ?? '');
    }
    expect(text).not.toContain('"d":');
  });
});

describe('a refresh token', () => {
  it('works once: its second use ends the whole family, also what is newest', async () => {
    const first = await signInAt(api, app, user);
    const second = await refresh(api, app, first.refresh);
    const third = await refresh(api, app, second.body.refresh_token ?? '');
    expect(await works(third.body.access_token)).toBe(true);
    expect(await refresh(api, app, first.refresh)).toMatchObject(refused);
    expect(await works(third.body.access_token)).toBe(false);
    expect(await refresh(api, app, third.body.refresh_token ?? '')).toMatchObject(refused);
  });

  it('is turned at most once by twenty at the same time, and the family ends', async () => {
    for (let round = 0; round < 3; round++) {
      const { access, refresh: token } = await signInAt(api, app, user);
      const all = await Promise.all(Array.from({ length: RACERS }, () => refresh(api, app, token)));
      const made = all.filter(({ status }) => status === 200);
      expect(made).toHaveLength(1);
      for (const { status, body } of all) if (status !== 200) expect(body.error).toBe('invalid_grant');
      expect(await works(access)).toBe(false);
      expect(await works(made[0]?.body.access_token)).toBe(false);
      expect(await refresh(api, app, made[0]?.body.refresh_token ?? '')).toMatchObject(refused);
    }
    const left = await api.deps.db.query(
      `select 1 from oauth_tokens t left join oauth_grants g on g.id = t.grant_id where g.id is null`,
    );
    expect(left).toEqual([]);
  });

  it('ends the family also while the newest of it is being turned', async () => {
    const first = await signInAt(api, app, user);
    const second = await refresh(api, app, first.refresh);
    const [stolen, turned] = await Promise.all([
      refresh(api, app, first.refresh),
      refresh(api, app, second.body.refresh_token ?? ''),
    ]);
    expect(stolen).toMatchObject(refused);
    if (turned.status === 200) expect(await works(turned.body.access_token)).toBe(false);
    expect(await works(second.body.access_token)).toBe(false);
  });

  it('is revoked by its application alone', async () => {
    const other = await registerApp(root, { name: 'Other' });
    const mine = await signInAt(api, app, user);
    expect((await appCall(api, '/api/oauth/revoke', other, { token: mine.refresh })).status).toBe(200);
    expect(await works(mine.access)).toBe(true);
    expect((await appCall(api, '/api/oauth/revoke', app, { token: 'nobody’s' })).status).toBe(200);
    expect((await appCall(api, '/api/oauth/revoke', app, { token: mine.access })).status).toBe(200);
    expect(await works(mine.access)).toBe(false);
    expect(await refresh(api, app, mine.refresh)).toMatchObject(refused);
  });
});

describe('an authorization', () => {
  const ask = (over: Record<string, string | null>, of: TestApp = app) =>
    user.get(authorizeQuery(of, pkce().challenge, over));

  it.each([
    'https://app.example/back/',
    'https://app.example/back?x=1',
    'https://app.example/back#x',
    'https://app.example/Back',
    'https://APP.example/back',
    'https://app.example:443/back',
    'https://app.example/x/../back',
    'https://app.example/back/../../evil',
    'https://app.example.evil.example/back',
    'https://evil.example/back',
    'https://app.example@evil.example/back',
    'https://app.example%2eevil.example/back',
    'http://app.example/back',
    '//app.example/back',
    'javascript:alert(1)//app.example/back',
    ' https://app.example/back',
    'https://app.example/back\n',
    '',
  ])('is answered nowhere but where the application registered: %p', async (redirect_uri) => {
    const answer = await ask({ redirect_uri });
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.code).toBe('OAUTH_REDIRECT_UNKNOWN');
  });

  it('lets only the port of a loopback address vary', async () => {
    const program = await registerApp(root, {
      confidential: false,
      redirect_uris: ['http://127.0.0.1/back', 'http://[::1]:8000/back?x=1', 'https://app.example:8443/back'],
    });
    const isAsked = async (redirect_uri: string) => (await ask({ redirect_uri }, program)).status === 200;
    for (const good of ['http://127.0.0.1:5000/back', 'http://127.0.0.1/back', 'http://[::1]:9/back?x=1'])
      expect([good, await isAsked(good)]).toEqual([good, true]);
    for (const bad of [
      'http://localhost:5000/back',
      'http://127.0.0.2:5000/back',
      'http://127.0.0.1:5000/back?x=1',
      'http://127.0.0.1:5000/other',
      'http://127.0.0.1:99999/back',
      'http://127.0.0.1:5000@evil.example/back',
      'http://127.0.0.1.evil.example:5000/back',
      'https://127.0.0.1:5000/back',
      'https://app.example:9443/back',
    ])
      expect([bad, await isAsked(bad)]).toEqual([bad, false]);
  });

  it.each<Record<string, string | null>>([
    { code_challenge: null, code_challenge_method: null },
    { code_challenge: null },
    { code_challenge_method: null },
    { code_challenge_method: 'plain' },
    { code_challenge_method: 's256' },
    { code_challenge: 'short' },
    { code_challenge: `${'a'.repeat(42)}=` },
  ])('is not given without a code challenge by SHA-256: %p', async (over) => {
    expect(sentTo(await ask(over)).searchParams.get('error')).toBe('invalid_request');
  });

  it('does not guess which of two values is meant, nor read hundreds', async () => {
    const asked = authorizeQuery(app, pkce().challenge);
    const many = Array.from({ length: limits.formNames }, (_, n) => `&a${n}=1`).join('');
    for (const more of ['&redirect_uri=https%3A%2F%2Fevil.example%2F', many])
      expect(await user.get(asked + more)).toMatchObject({ status: 400, code: 'OAUTH_REQUEST_BAD' });
  });

  it('names its issuer beside the code, so that answers of two servers cannot be mixed up', async () => {
    const back = await agree(user, authorizeQuery(app, pkce().challenge));
    expect(back.searchParams.get('iss')).toBe('http://localhost');
    expect(back.searchParams.get('state')).toBe('the state');
  });

  it('is not begun by a page of another site, whose visitor has agreed before', async () => {
    await agree(user, authorizeQuery(app, pkce().challenge));
    const address = authorizeQuery(app, pkce().challenge);
    const sites: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' },
    ];
    for (const headers of sites) {
      const answer = await user.call('GET', address, undefined, { 'new-api-user': null, ...headers });
      expect(answer).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    }
  });
});

describe('a phished consent', () => {
  const form = 'application/x-www-form-urlencoded';
  const posted = (ticket: string) => new URLSearchParams({ ticket, decision: 'approve' }).toString();

  it('is refused when another site posts it, and the right answer is still taken', async () => {
    const asked = await registerApp(root);
    const ticket = ticketIn(await user.get(authorizeQuery(asked, pkce().challenge)));
    const sites: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of sites) {
      const answer = await user.call('POST', '/api/oauth/authorize', posted(ticket), {
        'content-type': form,
        'new-api-user': null,
        ...headers,
      });
      expect(answer).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    }
    expect((await answerConsent(user, ticket)).status).toBe(303);
  });

  it('is refused without its ticket, with another’s, with a used one and in another session', async () => {
    const asked = await registerApp(root);
    const attacker = await api.as(await api.createUser());
    const his = ticketIn(await attacker.get(authorizeQuery(asked, pkce().challenge)));
    const over = { status: 403, code: 'OAUTH_REQUEST_OVER' };
    expect(await answerConsent(user, '')).toMatchObject(over);
    expect(await answerConsent(user, 'guessed')).toMatchObject(over);
    expect(await answerConsent(user, his)).toMatchObject(over);
    const page = await user.get(authorizeQuery(asked, pkce().challenge));
    const elsewhere = await api.as({ id: user.userId ?? 0, username: '', role: 1 });
    expect(await answerConsent(elsewhere, ticketIn(page))).toMatchObject(over);
    const again = ticketIn(await user.get(authorizeQuery(asked, pkce().challenge)));
    expect((await answerConsent(user, again)).status).toBe(303);
    expect(await answerConsent(user, again)).toMatchObject(over);
  });

  it('gives nothing that root has taken away meanwhile', async () => {
    const asked = await registerApp(root);
    const page = await user.get(authorizeQuery(asked, pkce().challenge, { scope: 'relay' }));
    await root.put(`/api/oauth_app/admin/${asked.id}`, { scopes: ['profile'] });
    expect(await answerConsent(user, ticketIn(page))).toMatchObject({ code: 'OAUTH_REQUEST_OVER' });
  });

  it('of one thing and of another is none of both together, of which no page ever told', async () => {
    const asked = await registerApp(root);
    const address = (scope: string) => authorizeQuery(asked, pkce().challenge, { scope });
    const shown = async (scope: string) => (await user.get(address(scope))).status === 200;
    await agree(user, address('embed'));
    await agree(user, address('tokens:create profile'));
    for (const scope of ['embed', 'tokens:create', 'profile', 'profile tokens:create'])
      expect([scope, await shown(scope)]).toEqual([scope, false]);
    for (const scope of ['embed tokens:create', 'embed profile'])
      expect([scope, await shown(scope)]).toEqual([scope, true]);
    const silent = authorizeQuery(asked, pkce().challenge, { scope: 'embed tokens:create', prompt: 'none' });
    expect(sentTo(await user.get(silent)).searchParams.get('error')).toBe('consent_required');
    // Nor do they add up where he is told what he lets it do.
    const allowed = (await user.get('/api/oauth/grants')).data.find(
      ({ id }: { id: number }) => id === asked.id,
    );
    expect(allowed.scopes).toEqual(['profile', 'tokens:create', 'embed']);
    expect(allowed.may).toHaveLength(3);
    await agree(user, address('embed tokens:create profile'));
    for (const scope of ['embed tokens:create', 'embed profile', 'embed'])
      expect([scope, await shown(scope)]).toEqual([scope, false]);
    const [row] = await api.deps.db.query<{ scopes: string[] }>(
      `select scopes from oauth_consents where app_id = ${asked.id}`,
    );
    expect(row?.scopes).toEqual(['embed profile tokens:create']);
  });

  it('is no way for a program with an access token to agree in its owner’s name', async () => {
    const token = await api.deps.sessions.issueAccessToken(user.userId ?? 0);
    const answer = await bearer(api, token).get(authorizeQuery(app, pkce().challenge));
    expect(answer).toMatchObject({ status: 401, code: 'AUTH_REQUIRED' });
  });
});
