/** Signing in by third parties, against a real identity server; and the attacks on it. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import {
  type Answer,
  type Client,
  openApi,
  PASSWORD,
  type TestApi,
  type TestUser,
} from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import {
  CLIENT,
  type IdentityServer,
  optionsFor,
  startIdentityServer,
} from '../../support/identity-server.ts';
import { totpCode } from '../../support/totp.ts';

const HERE = 'http://localhost';
const LOOPBACK = { PRIVATE_EGRESS: '127.0.0.0/8,::1/128' };

const SWITCHES = {
  RegisterEnabled: 'true',
  SelfUseModeEnabled: 'false',
  PasswordLoginEnabled: 'true',
  PhoneLoginEnabled: 'false',
  EmailDomainRestrictionEnabled: 'false',
  'oauth.link_by_email': 'false',
  LinuxDOMinimumTrustLevel: '0',
  QuotaForNewUser: '0',
  DemoSiteEnabled: 'false',
};

let servers: Record<'oidc' | 'github' | 'linuxdo', IdentityServer>;
let api: TestApi;
beforeAll(async () => {
  const [oidc, github, linuxdo] = await Promise.all([
    startIdentityServer('oidc', [HERE]),
    startIdentityServer('github', [HERE]),
    startIdentityServer('linuxdo', [HERE]),
  ]);
  servers = { oidc, github, linuxdo };
  api = await openApi('postgres', LOOPBACK);
});
afterAll(async () => {
  await api.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
});
beforeEach(() =>
  api.deps.options.set({
    ...SWITCHES,
    ...optionsFor('oidc', servers.oidc),
    ...optionsFor('github', servers.github),
    ...optionsFor('linuxdo', servers.linuxdo),
  }),
);

let people = 0;
/** Somebody at an address of his own, so that tests share no budgets. */
const stranger = (locale: 'zh' | 'en' = 'en'): Client => {
  const number = ++people;
  return api.guest({ ip: `198.51.${100 + Math.floor(number / 250)}.${number % 250}`, locale });
};
const newName = () => `person${++people}`;

const start = async (client: Client, provider: string, body: object = {}): Promise<string> => {
  const answer = await client.post(`/api/oauth/${provider}/start`, body);
  if (!answer.success) throw new Error(`${provider}: ${answer.message}`);
  return answer.data.address;
};

/** The call that the page at the callback address makes. */
const land = (client: Client, provider: string, { searchParams }: URL, more = ''): Promise<Answer> =>
  client.get(`/api/oauth/${provider}?${searchParams}${more}`);

/** Goes to the provider, signs in there as `account`, and comes back. */
async function go(client: Client, provider: 'oidc' | 'github' | 'linuxdo', account: string, body = {}) {
  const address = await start(client, provider, body);
  return land(client, provider, await servers[provider].authorize(address, account));
}

const plainState = async (client: Client): Promise<string> => (await client.get('/api/oauth/state')).data;

/** What comes back to a client that goes to the provider by itself, without a challenge; it hands on these two alone. */
async function plainReturn(client: Client, account: string): Promise<URLSearchParams> {
  const state = await plainState(client);
  const address = new URL(`${servers.oidc.base}/authorize`);
  address.search = new URLSearchParams({
    client_id: CLIENT.id,
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: `${HERE}/oauth/oidc`,
    state,
  }).toString();
  const back = await servers.oidc.authorize(address.href, account);
  return new URLSearchParams({ code: back.searchParams.get('code') ?? '', state });
}

const codeOf = ({ success, code, status }: Answer) => ({ success, code, status });
const STATE_REFUSED = { success: false, code: 'OAUTH_STATE', status: 403 };

async function known(user: TestUser): Promise<Client> {
  const client = await api.as(user, { locale: 'en' });
  return client;
}

interface Identity {
  provider: string;
  subject: string;
  login_name: string;
  issuer: string;
}
/** As plain objects: a row of Postgres has more to it. */
const rowsOf = async <Column extends keyof Identity>(userId: number, ...columns: Column[]) => {
  const rows = await api.deps.db.query<Pick<Identity, Column>>(
    `select ${columns} from identities where user_id = $1 order by provider`,
    [userId],
  );
  return rows.map((row) => ({ ...row }));
};
const identitiesOf = (userId: number) => rowsOf(userId, 'provider', 'subject', 'login_name');

describe('signing in with OIDC', () => {
  it('makes an account at the first time, and opens the same one afterwards', async () => {
    await api.deps.options.set({ QuotaForNewUser: '700' });
    const account = newName();
    servers.oidc.accounts.set(account, {
      name: 'Wéi 威廉 the Long-Winded of Somewhere',
      preferred_username: 'wei',
      email: `${account}@Example.com`,
      email_verified: true,
    });
    const first = await go(stranger(), 'oidc', account);
    expect(first).toMatchObject({
      success: true,
      message: '',
      data: { role: 1, status: 1, group: 'default' },
    });
    const client = stranger();
    const again = await go(client, 'oidc', account);
    expect(again.data).toEqual(first.data);
    client.userId = again.data.id;
    expect((await client.get('/api/user/self')).data).toMatchObject({
      username: expect.stringMatching(/^oidc_[a-z0-9]{7}$/),
      display_name: 'Wéi 威廉 the Long-Wind',
      email: `${account}@example.com`,
      oidc_id: account,
      quota: 700,
    });
    expect(await identitiesOf(again.data.id)).toMatchObject([{ provider: 'oidc', login_name: 'wei' }]);
  });

  it('keeps who invited him and what he came for', async () => {
    const inviter = await known(await api.createUser());
    const { aff_code } = (await inviter.get('/api/user/self')).data;
    const client = stranger();
    const answer = await go(client, 'oidc', newName(), {
      aff: aff_code,
      next: '/log?p=2',
      oauth_login_params: 'client_id=app&scope=profile',
    });
    expect(JSON.parse(answer.text)).toMatchObject({
      oauth_login_params: 'client_id=app&scope=profile',
      next: '/log?p=2',
    });
    client.userId = answer.data.id;
    expect((await client.get('/api/user/self')).data.inviter_id).toBe(inviter.userId);
  });

  it('works for a client that goes to the provider by itself, with the state alone', async () => {
    const client = stranger();
    expect(await plainState(client)).toMatch(/^[\w-]{32,}$/);
    const query = await plainReturn(client, newName());
    expect(await client.get(`/api/oauth/oidc?${query}`)).toMatchObject({ success: true, data: { role: 1 } });
  });

  it('asks for the second factor of who has one, and lets nobody in before', async () => {
    const account = newName();
    const client = stranger();
    client.userId = (await go(client, 'oidc', account)).data.id;
    const { secret } = (await client.post('/api/user/2fa/setup')).data;
    expect(await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) })).toMatchObject({
      success: true,
    });
    const again = stranger();
    const answer = await go(again, 'oidc', account, { next: '/log' });
    expect(JSON.parse(answer.text)).toMatchObject({ data: { require_2fa: true }, next: '/log' });
    again.userId = client.userId;
    expect((await again.get('/api/user/self')).status).toBe(401);
    expect(await again.post('/api/user/login/2fa', { code: totpCode(secret) })).toMatchObject({
      success: true,
      data: { id: client.userId },
    });
  });

  it('takes names that no row can hold', async () => {
    const account = newName();
    servers.oidc.accounts.set(account, { name: 'A\u0000d\u0007a', preferred_username: 'x'.repeat(5_000) });
    const { data } = await go(stranger(), 'oidc', account);
    expect(data.display_name).toBe('Ada');
    expect((await identitiesOf(data.id))[0]?.login_name).toBe('x'.repeat(255));
  });

  it('believes the given addresses where there is no document', async () => {
    await api.deps.options.set({ 'oidc.well_known': '' });
    expect(await go(stranger(), 'oidc', newName())).toMatchObject({ success: true });
  });

  it('sends the client secret only where the operator said, and repeats it nowhere', async () => {
    await api.deps.options.set({ 'oidc.client_secret': 'a-secret-that-is-wrong' });
    const answer = await go(stranger(), 'oidc', newName());
    expect(codeOf(answer)).toEqual({ success: false, code: 'OAUTH_ANSWER', status: 200 });
    expect(answer.message).toContain('invalid_client');
    expect(answer.text).not.toContain('a-secret');
    const { data } = await (await api.root()).get('/api/status');
    expect(JSON.stringify(data)).not.toContain('secret');
  });
});

describe('GitHub', () => {
  it('knows its users by number: a name that somebody else takes over opens nothing', async () => {
    servers.github.accounts.set('owner', { id: 4711, login: 'octo', name: 'Octo Cat' });
    const owner = await go(stranger(), 'github', 'owner');
    expect(owner).toMatchObject({
      success: true,
      data: { username: expect.stringMatching(/^github_\w{5}$/) },
    });
    expect(await identitiesOf(owner.data.id)).toEqual([
      { provider: 'github', subject: '4711', login_name: 'octo' },
    ]);
    // He takes another name, and somebody else the old one.
    servers.github.accounts.set('owner', { id: 4711, login: 'octo-new', name: null });
    servers.github.accounts.set('other', { id: 815, login: 'octo', name: 'Octo Cat' });
    expect((await go(stranger(), 'github', 'owner')).data.id).toBe(owner.data.id);
    expect((await go(stranger(), 'github', 'other')).data.id).not.toBe(owner.data.id);
    expect(await identitiesOf(owner.data.id)).toMatchObject([{ subject: '4711', login_name: 'octo-new' }]);
  });

  it('refuses what is no user', async () => {
    servers.github.accounts.set('broken', { id: 'octo', login: 'octo' });
    expect(codeOf(await go(stranger(), 'github', 'broken'))).toMatchObject({ code: 'OAUTH_ANSWER' });
  });
});

describe('where one is sent', () => {
  it('is the provider’s own address, with what it asks of a client', async () => {
    await api.deps.options.set({
      GitHubServerAddress: '',
      LinuxDOServerAddress: '',
      GoogleClientId: 'id.apps.example',
      GoogleClientSecret: 'x',
      GoogleOAuthEnabled: 'true',
      ServerAddress: 'https://gate.example/',
    });
    const client = stranger();
    const addressOf = async (provider: string) => new URL(await start(client, provider));
    const google = await addressOf('google');
    const [github, linuxdo] = [await addressOf('github'), await addressOf('linuxdo')];
    await api.deps.options.reset(['GoogleOAuthEnabled', 'ServerAddress']);
    expect(google.origin + google.pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    expect(Object.fromEntries(google.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id.apps.example',
      redirect_uri: 'https://gate.example/oauth/google',
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(github.origin + github.pathname).toBe('https://github.com/login/oauth/authorize');
    expect(linuxdo.origin + linuxdo.pathname).toBe('https://connect.linux.do/oauth2/authorize');
    expect([...github.searchParams.keys(), ...linuxdo.searchParams.keys()]).not.toContain('scope');
  });

  it.each([
    ['as much as is kept of one', { next: `/${'x'.repeat(1_990)}` }, undefined],
    ['more', { next: '/token', oauth_login_params: 'x'.repeat(1_990), aff: 'x'.repeat(60) }, 'BAD_PARAM'],
    ['what is written as more', { next: '\u0001'.repeat(400) }, 'BAD_PARAM'],
  ])('carries no more than a little: %s', async (_what, given, code) => {
    expect((await stranger().get(`/api/oauth/state?${new URLSearchParams(given)}`)).code).toBe(code);
    expect((await stranger().post('/api/oauth/github/start', given)).code).toBe(code);
  });

  it('gives way when its address has begun as many after it', async () => {
    const ip = '192.0.2.81';
    const client = api.guest({ ip });
    const { data: state } = await client.get('/api/oauth/state');
    const shelf = { key: `oauth:${ip}`, limit: limits.begunOfNetwork };
    for (let n = 0; n < limits.begunOfNetwork; n++)
      await api.deps.oneTime.put(`${ip}-${n}`, '', limits.signInFlowSec, [shelf]);
    const { code } = await client.get(`/api/oauth/github?code=x&state=${state}&error=x`);
    expect(code).toBe('OAUTH_STATE');
  });
});

describe('Linux DO', () => {
  const person = { username: 'neo', name: '', active: true, silenced: false, trust_level: 2 };

  it('signs in whom it trusts', async () => {
    servers.linuxdo.accounts.set('neo', { id: 7, ...person });
    const answer = await go(stranger(), 'linuxdo', 'neo');
    expect(answer).toMatchObject({
      success: true,
      data: { username: expect.stringMatching(/^linux_\w{6}$/) },
    });
    expect(await identitiesOf(answer.data.id)).toEqual([
      { provider: 'linuxdo', subject: '7', login_name: 'neo' },
    ]);
  });

  it.each([
    [
      { active: false },
      'The Linux DO account is not active, or is silenced',
      'Linux DO 账户未激活或已被禁言',
    ],
    [
      { silenced: true },
      'The Linux DO account is not active, or is silenced',
      'Linux DO 账户未激活或已被禁言',
    ],
    [
      { trust_level: 1 },
      'The trust level at Linux DO is below 2, which the administrator asks for',
      'Linux DO 信任等级未达到管理员要求的 2 级',
    ],
  ])('refuses %p in both languages', async (fields, en, zh) => {
    await api.deps.options.set({ LinuxDOMinimumTrustLevel: '2' });
    servers.linuxdo.accounts.set('trinity', { id: 8, ...person, ...fields });
    expect((await go(stranger(), 'linuxdo', 'trinity')).message).toBe(en);
    expect((await go(stranger('zh'), 'linuxdo', 'trinity')).message).toBe(zh);
  });
});

describe('the state', () => {
  /** Somebody who has signed in at the provider and is about to come back. */
  async function returning(client: Client, account = newName()) {
    return servers.oidc.authorize(await start(client, 'oidc'), account);
  }

  it.each(['', 'x'.repeat(43)])(
    'is refused when it is missing or made up (%p), in both languages',
    async (state) => {
      const client = stranger();
      const back = await returning(client);
      back.searchParams.set('state', state);
      const answer = await land(client, 'oidc', back);
      expect(codeOf(answer)).toEqual(STATE_REFUSED);
      expect(answer.message).toBe('This sign-in is not valid or has expired, please sign in again');
      const zh = await stranger('zh').get(`/api/oauth/oidc?code=x&state=${state}`);
      expect(zh.message).toBe('登录请求无效或已过期，请重新登录');
    },
  );

  it('works in no other browser, with or without a visit of its own', async () => {
    const client = stranger();
    const other = stranger();
    await start(other, 'oidc');
    expect(codeOf(await land(other, 'oidc', await returning(client)))).toEqual(STATE_REFUSED);
    expect(codeOf(await land(stranger(), 'oidc', await returning(client)))).toEqual(STATE_REFUSED);
    expect(await land(client, 'oidc', await returning(client))).toMatchObject({ success: true });
  });

  it('works once, also when it comes many times at once', async () => {
    const client = stranger();
    const back = await returning(client);
    const answers = await Promise.all(Array.from({ length: 8 }, () => land(client, 'oidc', back)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'OAUTH_STATE')).toHaveLength(7);
  });

  it('works for ten minutes', async () => {
    const client = stranger();
    const back = await returning(client);
    // What the store would have dropped by then.
    expect(await api.deps.oneTime.take(`oauth:${back.searchParams.get('state')}`)).toContain(
      '"provider":"oidc"',
    );
    expect(codeOf(await land(client, 'oidc', back))).toEqual(STATE_REFUSED);
    const kept: number[] = [];
    const { put } = api.deps.oneTime;
    api.deps.oneTime.put = (key, value, ttlSec) => {
      kept.push(ttlSec);
      return put(key, value, ttlSec);
    };
    await start(client, 'oidc');
    await client.get('/api/oauth/state');
    api.deps.oneTime.put = put;
    expect(kept).toEqual([600, 600]);
  });

  it('belongs to its provider: nobody is led from one to another', async () => {
    const client = stranger();
    servers.github.accounts.set('mixed', { id: 99, login: 'mixed' });
    const back = await servers.github.authorize(await start(client, 'github'), 'mixed');
    expect(codeOf(await land(client, 'oidc', back))).toEqual(STATE_REFUSED);
  });

  it('does not make up for an answer of another issuer', async () => {
    const client = stranger();
    const back = await returning(client);
    expect(back.searchParams.get('iss')).toBe(servers.oidc.base);
    back.searchParams.set('iss', 'https://evil.example');
    const calls = servers.oidc.tokenCalls();
    expect(codeOf(await land(client, 'oidc', back))).toMatchObject({ success: false, code: 'OAUTH_ANSWER' });
    const silent = await returning(client);
    silent.searchParams.delete('iss');
    expect(codeOf(await land(client, 'oidc', silent))).toMatchObject({
      success: false,
      code: 'OAUTH_ANSWER',
    });
    // The code went nowhere.
    expect(servers.oidc.tokenCalls()).toBe(calls);
  });
});

describe('a code', () => {
  it('works once', async () => {
    const [client, other] = [stranger(), stranger()];
    const code = (await plainReturn(client, newName())).get('code') ?? '';
    const query = await plainReturn(other, newName());
    const landed = await client.get(`/api/oauth/oidc?code=${code}&state=${await plainState(client)}`);
    expect(landed.success).toBe(true);
    query.set('code', code);
    const answer = await other.get(`/api/oauth/oidc?${query}`);
    expect(codeOf(answer)).toEqual({ success: false, code: 'OAUTH_CODE', status: 200 });
    expect(answer.message).toBe('The code of OIDC is not valid or has expired, please sign in again');
  });

  it('of somebody else opens nothing, whichever flow it is put into', async () => {
    const victim = newName();
    const stolen = async () =>
      (await servers.oidc.authorize(await start(stranger(), 'oidc'), victim)).searchParams;
    const thief = stranger();
    const own = await servers.oidc.authorize(await start(thief, 'oidc'), newName());
    own.searchParams.set('code', (await stolen()).get('code') ?? '');
    expect(codeOf(await land(thief, 'oidc', own))).toMatchObject({ success: false, code: 'OAUTH_CODE' });
    // Nor by a state without a challenge.
    const state = await plainState(thief);
    const query = new URLSearchParams({ code: (await stolen()).get('code') ?? '', state });
    expect(codeOf(await thief.get(`/api/oauth/oidc?${query}`))).toMatchObject({
      success: false,
      code: 'OAUTH_CODE',
    });
  });

  it('with another nonce is refused, though its challenge is right', async () => {
    const client = stranger();
    const address = new URL(await start(client, 'oidc'));
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    address.searchParams.set('nonce', 'of-another-sign-in');
    const back = await servers.oidc.authorize(address.href, newName());
    expect(codeOf(await land(client, 'oidc', back))).toEqual({
      success: false,
      code: 'OAUTH_ANSWER',
      status: 200,
    });
    // A flow that asked for no nonce takes none.
    address.searchParams.set('state', await plainState(client));
    address.searchParams.delete('code_challenge');
    address.searchParams.delete('code_challenge_method');
    const plain = await servers.oidc.authorize(address.href, newName());
    expect(codeOf(await land(client, 'oidc', plain))).toMatchObject({ success: false, code: 'OAUTH_ANSWER' });
  });

  it('that was refused at the provider says so', async () => {
    const client = stranger();
    const state = new URL(await start(client, 'oidc')).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'access_denied', state, iss: servers.oidc.base });
    const answer = await client.get(`/api/oauth/oidc?${query}`);
    expect({ code: answer.code, message: answer.message }).toEqual({
      code: 'OAUTH_DENIED',
      message: 'You did not allow the sign-in at OIDC',
    });
    expect(codeOf(await client.get(`/api/oauth/oidc?${query}`))).toEqual(STATE_REFUSED);
  });
});

describe('the identity that a provider signs', () => {
  it('is refused when the user call speaks of somebody else', async () => {
    servers.oidc.speakOf('somebody-else');
    const answer = await go(stranger(), 'oidc', newName());
    servers.oidc.speakOf(null);
    expect(codeOf(answer)).toEqual({ success: false, code: 'OAUTH_ANSWER', status: 200 });
  });

  it('is refused when the signature is of another key', async () => {
    const server = await startIdentityServer('oidc', [HERE]);
    await api.deps.options.set(optionsFor('oidc', server));
    server.showWrongKey();
    const client = stranger();
    const back = await server.authorize(await start(client, 'oidc'), newName());
    expect(codeOf(await land(client, 'oidc', back))).toEqual({
      success: false,
      code: 'OAUTH_ANSWER',
      status: 200,
    });
    await server.close();
  });

  it('is refused when it is meant for another issuer than the document says', async () => {
    // The document of one server, the addresses of the other.
    const other = await startIdentityServer('oidc', [HERE]);
    await api.deps.options.set({ 'oidc.well_known': `${other.base}/.well-known/openid-configuration` });
    const client = stranger();
    const back = await servers.oidc.authorize(await start(client, 'oidc'), newName());
    back.searchParams.set('iss', other.base);
    expect(codeOf(await land(client, 'oidc', back))).toEqual({
      success: false,
      code: 'OAUTH_ANSWER',
      status: 200,
    });
    await other.close();
  });
});

describe('a provider that cannot be asked', () => {
  it.each([
    ['http://93.184.216.34/token', 'address must begin with https://', 'bad-address'],
    ['https://10.1.2.3/token', 'private network', 'private-address'],
    ['https://169.254.169.254/token', 'private network', 'private-address'],
    ['http://localhost:9/token', 'no connection', 'unreachable'],
  ])('%s is not called or does not answer, and is told why', async (address, reason) => {
    await api.deps.options.set({ 'oidc.token_endpoint': address });
    const answer = await go(stranger(), 'oidc', newName());
    expect(codeOf(answer)).toEqual({ success: false, code: 'OAUTH_UNREACHABLE', status: 200 });
    expect(answer.message).toContain(reason);
  });

  it('is refused when it is switched off, or lacks what it needs, in both languages', async () => {
    const client = stranger();
    const back = await servers.oidc.authorize(await start(client, 'oidc'), newName());
    await api.deps.options.set({ 'oidc.enabled': 'false' });
    const answer = await land(client, 'oidc', back);
    expect(answer).toMatchObject({
      status: 200,
      code: 'OAUTH_OFF',
      message: 'The administrator has not turned on signing in with OIDC',
    });
    const zh = await stranger('zh').post('/api/oauth/oidc/start');
    expect(zh).toMatchObject({ code: 'OAUTH_OFF', message: '管理员未开启通过 OIDC 登录以及注册' });
    await api.deps.options.reset(['GitHubClientSecret']);
    expect(await stranger().post('/api/oauth/github/start')).toMatchObject({ code: 'OAUTH_OFF' });
    const { data } = await stranger().get('/api/status');
    expect(data).toMatchObject({
      github_oauth: false,
      oidc_enabled: false,
      google_oauth: false,
      linuxdo_oauth: true,
      linuxdo_client_id: CLIENT.id,
    });
    expect(codeOf(await stranger().post('/api/oauth/myspace/start'))).toMatchObject({
      code: 'UNKNOWN_ROUTE',
    });
  });
});

describe('who may come in', () => {
  it('makes nobody an account where registration is closed, in both languages', async () => {
    const account = newName();
    const { data } = await go(stranger(), 'oidc', account);
    await api.deps.options.set({ RegisterEnabled: 'false' });
    const answer = await go(stranger(), 'oidc', newName());
    expect(answer).toMatchObject({
      code: 'REGISTER_CLOSED',
      message: 'The administrator has turned off registration',
    });
    expect(await go(stranger('zh'), 'oidc', newName())).toMatchObject({ message: '管理员关闭了新用户注册' });
    // Who has one comes in.
    expect((await go(stranger(), 'oidc', account)).data.id).toBe(data.id);
  });

  it('lets no banned and no cancelled owner in', async () => {
    const account = newName();
    const { id } = (await go(stranger(), 'oidc', account)).data;
    await api.deps.db.query('update users set status = 2 where id = $1', [id]);
    expect(await go(stranger(), 'oidc', account)).toMatchObject({ code: 'USER_DISABLED' });
    await api.deps.db.query('update users set status = 1, deleted_at = 1 where id = $1', [id]);
    expect(await go(stranger(), 'oidc', account)).toMatchObject({
      success: false,
      code: 'ACCOUNT_CANCELLED',
      message: 'The account was cancelled',
    });
    expect(await go(stranger('zh'), 'oidc', account)).toMatchObject({ message: '该用户已注销' });
  });

  it('makes one account of two tabs that come back at once', async () => {
    const account = newName();
    const clients = [stranger(), stranger(), stranger()];
    const backs = await Promise.all(
      clients.map(async (client) => servers.oidc.authorize(await start(client, 'oidc'), account)),
    );
    const answers = await Promise.all(backs.map((back, at) => land(clients[at] ?? stranger(), 'oidc', back)));
    expect(new Set(answers.map(({ data }) => data?.id)).size).toBe(1);
  });

  it('gives the session a new id at the sign-in, and ends the one that was planted', async () => {
    const planted = await api.as(await api.createUser());
    const [name = '', value = ''] = [...planted.cookies].at(0) ?? [];
    await api.deps.db.query('update sessions set seen_at = 1');
    const client = stranger();
    client.cookies.set(name, value);
    const answer = await go(client, 'oidc', newName());
    expect(answer.success).toBe(true);
    expect(client.cookies.get(name)).not.toBe(value);
    client.userId = answer.data.id;
    expect((await client.get('/api/user/self')).data.id).toBe(answer.data.id);
  });
});

describe('a mailbox that a provider tells of', () => {
  const withMailbox = async (email: string, role = 1) => {
    const user = await api.createUser({ role });
    await api.deps.db.query('update users set email = $1 where id = $2', [email, user.id]);
    return user;
  };
  const accountWith = (email: string, verified: unknown) => {
    const account = newName();
    servers.oidc.accounts.set(account, { email, email_verified: verified as boolean });
    return account;
  };
  const emailOf = async (id: number) =>
    (await api.deps.db.query<{ email: string }>('select email from users where id = $1', [id]))[0]?.email;

  it('opens nobody else’s account, and is left out where it is taken', async () => {
    const victim = await withMailbox('victim@example.com');
    const answer = await go(stranger(), 'oidc', accountWith('Victim@example.com', true));
    expect(answer.success).toBe(true);
    expect(answer.data.id).not.toBe(victim.id);
    expect(await emailOf(answer.data.id)).toBe('');
    expect(await identitiesOf(victim.id)).toEqual([]);
  });

  it.each([false, 'true', undefined])('is not taken over when it is not verified (%p)', async (verified) => {
    const { data } = await go(stranger(), 'oidc', accountWith(`${newName()}@example.com`, verified));
    expect(await emailOf(data.id)).toBe('');
  });

  it('is left out where the site takes no such mailboxes', async () => {
    await api.deps.options.set({
      EmailDomainWhitelist: 'good.example',
      EmailDomainRestrictionEnabled: 'true',
    });
    const { data } = await go(stranger(), 'oidc', accountWith(`${newName()}@example.com`, true));
    expect(await emailOf(data.id)).toBe('');
  });

  it('links to its account where the operator wants that, but only when verified, and never to an administrator or past a second factor', async () => {
    await api.deps.options.set({ 'oauth.link_by_email': 'true' });
    const victim = await withMailbox('linked@example.com');
    const boss = await withMailbox('boss@example.com', 10);
    expect((await go(stranger(), 'oidc', accountWith('linked@example.com', false))).data.id).not.toBe(
      victim.id,
    );
    expect((await go(stranger(), 'oidc', accountWith('boss@example.com', true))).data.id).not.toBe(boss.id);
    const careful = await withMailbox('careful@example.com');
    await api.deps.db.query(
      `insert into second_factors (user_id, secret_sealed, enabled_at) values (${careful.id}, 'sealed', 1)`,
    );
    const other = await go(stranger(), 'oidc', accountWith('careful@example.com', true));
    expect(other.data.id).toBeGreaterThan(careful.id);
    expect(await identitiesOf(careful.id)).toEqual([]);
    const account = accountWith('Linked@example.com', true);
    expect((await go(stranger(), 'oidc', account)).data.id).toBe(victim.id);
    expect(await identitiesOf(victim.id)).toMatchObject([{ provider: 'oidc', subject: account }]);
  });
});

describe('an account that was bound before a recovery', () => {
  const RENEWED = 'Renewed77x';
  const codeIn = async (provider: 'oidc' | 'github', account: string) =>
    codeOf(await go(stranger(), provider, account)).code;
  const pausedOf = async (client: Client) => (await client.get('/api/user/self')).data.bound_paused;

  it.each<[string, (owner: Client, user: TestUser) => Promise<Answer>]>([
    ['he', (owner) => owner.put('/api/user/self', { password: RENEWED, original_password: PASSWORD })],
    [
      'an administrator',
      async (_, { id }) => (await api.root()).put('/api/user/', { id, password: RENEWED }),
    ],
  ])('lets nobody in, once %s set a new password, until its owner keeps it', async (_who, recover) => {
    const user = await api.createUser();
    const owner = await known(user);
    const [mine, planted] = [newName(), newName()];
    servers.github.accounts.set(planted, { id: ++people, login: planted, name: '' });
    await go(owner, 'oidc', mine);
    // In his open browser.
    await go(owner, 'github', planted);
    expect(await codeIn('github', planted)).toBeUndefined();
    expect((await recover(owner, user)).success).toBe(true);
    for (const [locale, words] of [
      ['en', 'GitHub account that was bound before is paused'],
      ['zh', '此前绑定的 GitHub 账户已暂停登录'],
    ] as const) {
      const refused = await go(stranger(locale), 'github', planted);
      expect(refused).toMatchObject({ success: false, code: 'IDENTITY_PAUSED' });
      expect(refused.message).toContain(words);
    }
    const again = stranger();
    const login = { username: user.username, password: RENEWED };
    again.userId = (await again.post('/api/user/login', login)).data.id;
    expect(await pausedOf(again)).toEqual(['github', 'oidc']);
    const keep = (provider: string) => again.post(`/api/oauth/${provider}/keep`);
    await api.deps.db.query(`update sessions set confirmed_at = 0 where user_id = ${user.id}`);
    expect((await keep('oidc')).code).toBe('REAUTH_REQUIRED');
    await again.post('/api/user/confirm', { password: RENEWED });
    expect((await keep('oidc')).success).toBe(true);
    expect([(await keep('oidc')).code, (await keep('wechat')).code]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await codeIn('oidc', mine)).toBeUndefined();
    expect(await codeIn('github', planted)).toBe('IDENTITY_PAUSED');
    // Where a password lets nobody in, he would be left without a way.
    await api.deps.options.set({ PasswordLoginEnabled: 'false' });
    expect(await codeIn('github', planted)).toBeUndefined();
    await api.deps.options.set({ PasswordLoginEnabled: 'true' });
    expect((await go(again, 'github', planted)).success).toBe(true);
    expect(await pausedOf(again)).toEqual([]);
    expect(await codeIn('github', planted)).toBeUndefined();
  });
});

describe('an account at an issuer', () => {
  /** Of the options that `server` is set by, without its document where that is so. */
  const setTo = (server: IdentityServer, more: Record<string, string> = {}) =>
    api.deps.options.set({ ...optionsFor('oidc', server), ...more });
  const goTo = async (server: IdentityServer, account: string, client = stranger()) =>
    land(client, 'oidc', await server.authorize(await start(client, 'oidc'), account));
  let other: IdentityServer;
  beforeAll(async () => {
    other = await startIdentityServer('oidc', [HERE]);
  });
  afterAll(() => other.close());
  const issuersOf = (userId: number) =>
    api.deps.db.query<{ issuer: string }>('select issuer from identities where user_id = $1', [userId]);

  it('is nobody’s at another issuer, who may call anybody what he likes', async () => {
    const account = newName();
    const own = (await go(stranger(), 'oidc', account)).data.id;
    expect(await issuersOf(own)).toEqual([{ issuer: servers.oidc.base }]);
    await setTo(other);
    const foreign = await goTo(other, account);
    expect(foreign.success).toBe(true);
    expect(foreign.data.id).not.toBe(own);
    // Nor where it is told by its token address alone.
    await setTo(other, { 'oidc.well_known': '' });
    expect((await goTo(other, account)).data.id).not.toBe(own);
    await setTo(servers.oidc);
    expect((await go(stranger(), 'oidc', account)).data.id).toBe(own);
  });

  it.each(['github', 'linuxdo'] as const)('is nobody’s at another server, of %s', async (kind) => {
    const second = await startIdentityServer(kind, [HERE]);
    const goThere = async (client = stranger()) =>
      land(client, kind, await second.authorize(await start(client, kind), account));
    const account = newName();
    const told = {
      id: 90_001,
      login: account,
      username: account,
      name: account,
      active: true,
      trust_level: 4,
    };
    for (const { accounts } of [servers[kind], second]) accounts.set(account, told);
    try {
      const own = (await go(stranger(), kind, account)).data.id;
      expect(await issuersOf(own)).toEqual([{ issuer: servers[kind].base }]);
      await api.deps.options.set(optionsFor(kind, second));
      const foreign = await goThere();
      expect(foreign.success).toBe(true);
      expect(foreign.data.id).not.toBe(own);
      // Another spelling of an address is the same server.
      const spelt = `${second.base}/.`;
      await api.deps.options.set(optionsFor(kind, { base: spelt }));
      await api.deps.db.query('update identities set issuer = $1 where user_id = $2', [
        spelt,
        foreign.data.id,
      ]);
      const again = await goThere();
      expect(again).toMatchObject({ success: true });
      expect(again.data.id).toBe(foreign.data.id);
      expect(await issuersOf(foreign.data.id)).toEqual([{ issuer: second.base }]);
    } finally {
      await second.close();
    }
  });

  it('that was bound at a server of the operator’s own before is of that one; at the usual one of the usual', async () => {
    const { id } = await api.createUser();
    const folder = new URL('../../../drizzle/', import.meta.url).pathname;
    const [name = ''] = [...new Bun.Glob('*_server_issuers.sql').scanSync(folder)];
    const update = await Bun.file(folder + name).text();
    await api.deps.db.query("delete from identities where provider in ('github', 'linuxdo')");
    await api.deps.db.query(
      "insert into identities (user_id, provider, subject) values ($1, 'github', 'a'), ($1, 'linuxdo', 'a')",
      [id],
    );
    const bound = () => rowsOf(id, 'provider', 'issuer');
    await api.deps.options.set({ GitHubServerAddress: 'https://GitHub.com/', LinuxDOServerAddress: '' });
    await api.deps.db.script(update);
    expect(await bound()).toMatchObject([{ issuer: '' }, { issuer: '' }]);
    await api.deps.options.set({ GitHubServerAddress: 'https://ghe.example/' });
    await api.deps.db.script(update);
    expect(await bound()).toMatchObject([{ issuer: 'https://ghe.example' }, { issuer: '' }]);
  });

  it('stays the same when the issuer’s document is set, and is called by it from then on', async () => {
    const account = newName();
    const bare = { 'oidc.well_known': '' };
    await setTo(other, bare);
    const { id } = (await goTo(other, account)).data;
    expect(await issuersOf(id)).toEqual([{ issuer: `${other.base}/token` }]);
    await setTo(other);
    expect((await goTo(other, account)).data.id).toBe(id);
    expect(await issuersOf(id)).toEqual([{ issuer: other.base }]);
    expect((await goTo(other, account)).data.id).toBe(id);
  });

  it('is bound by one of both, and cannot be bound by another user under the other name', async () => {
    const account = newName();
    const [first, second] = [await known(await api.createUser()), await known(await api.createUser())];
    await setTo(other, { 'oidc.well_known': '' });
    expect((await goTo(other, account, first)).message).toBe('bind');
    await setTo(other);
    expect((await goTo(other, account, second)).code).toBe('IDENTITY_TAKEN');
    expect((await goTo(other, account, first)).message).toBe('bind');
  });

  it.each<[string, (base: string) => Record<string, string>, (base: string) => string]>([
    ['its document', () => ({}), (base) => base],
    ['where it gives tokens', () => ({ 'oidc.well_known': '' }), (base) => `${base}/token`],
  ])('that was bound before is of the one that is set now, by %s', async (_how, more, issuer) => {
    await setTo(other, more(other.base));
    const account = newName();
    const { id } = await api.createUser();
    const github = await api.createUser();
    await api.deps.db.query("delete from identities where provider = 'oidc'");
    await api.deps.db.query(
      "insert into identities (user_id, provider, subject) values ($1, 'oidc', $2), ($3, 'github', $2)",
      [id, account, github.id],
    );
    const folder = new URL('../../../drizzle/', import.meta.url).pathname;
    const [name = ''] = [...new Bun.Glob('????_issuers.sql').scanSync(folder)];
    const [, update = ''] = (await Bun.file(folder + name).text()).split(/(?=UPDATE "identities")/);
    await api.deps.db.script(update);
    expect(await issuersOf(id)).toEqual([{ issuer: issuer(other.base) }]);
    expect(await issuersOf(github.id)).toEqual([{ issuer: '' }]);
    expect((await goTo(other, account)).data.id).toBe(id);
  });
});

describe('binding', () => {
  const stale = (user: TestUser) =>
    api.deps.db.query('update sessions set confirmed_at = 1 where user_id = $1', [user.id]);

  it('makes a third party a way in, and says so', async () => {
    const user = await api.createUser();
    const account = newName();
    const answer = await go(await known(user), 'oidc', account);
    expect({ ...JSON.parse(answer.text) }).toEqual({
      success: true,
      message: 'bind',
      oauth_login_params: '',
      next: '/setting',
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await go(stranger(), 'oidc', account)).data.id).toBe(user.id);
    // Once more is the same.
    expect((await go(await known(user), 'oidc', account)).message).toBe('bind');
  });

  it('refuses what is bound elsewhere, and a second of the same kind, in both languages', async () => {
    const [user, other] = [await api.createUser(), await api.createUser()];
    const account = newName();
    await go(await known(user), 'oidc', account);
    expect(await go(await known(other), 'oidc', account)).toMatchObject({
      code: 'IDENTITY_TAKEN',
      message: 'That third-party account is bound to another user',
    });
    expect(await go(await known(user), 'oidc', newName())).toMatchObject({
      code: 'IDENTITY_OTHER',
      message: 'You have bound another OIDC account, please unbind it first',
    });
    const zh = await api.as(user, { locale: 'zh' });
    expect(await go(zh, 'oidc', newName())).toMatchObject({ message: '您已绑定另一个 OIDC 账户，请先解绑' });
    expect(await identitiesOf(other.id)).toEqual([]);
  });

  it('wants a fresh proof before one leaves', async () => {
    const user = await api.createUser();
    const client = await known(user);
    await stale(user);
    expect(await client.post('/api/oauth/oidc/start')).toMatchObject({
      success: false,
      code: 'REAUTH_REQUIRED',
    });
    expect((await client.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
    const back = await servers.oidc.authorize(await start(client, 'oidc'), newName());
    // He was at the provider for long: the proof that he gave before counts.
    await stale(user);
    expect(await land(client, 'oidc', back)).toMatchObject({ message: 'bind' });
  });

  it('wants it of clients that go by themselves when they come back', async () => {
    const user = await api.createUser();
    const client = await known(user);
    await stale(user);
    const query = await plainReturn(client, newName());
    const answer = await client.get(`/api/oauth/oidc?${query}`);
    expect(answer).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
    expect(await identitiesOf(user.id)).toEqual([]);
  });

  it('binds nobody who began it as somebody else or as nobody', async () => {
    const user = await api.createUser();
    const client = await known(user);
    const guest = stranger();
    const back = await servers.oidc.authorize(await start(guest, 'oidc'), newName());
    // The same browser signs in meanwhile.
    for (const [name, value] of guest.cookies) client.cookies.set(name, value);
    expect(codeOf(await land(client, 'oidc', back))).toEqual(STATE_REFUSED);
    expect(await identitiesOf(user.id)).toEqual([]);
  });

  it('does nothing for a page of another site', async () => {
    const user = await api.createUser();
    const client = await known(user);
    const back = await servers.oidc.authorize(await start(client, 'oidc'), newName());
    client.userId = null;
    const path = `/api/oauth/oidc?${back.searchParams}`;
    const crossSite = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(codeOf(await client.call('GET', path, undefined, crossSite))).toEqual({
      success: false,
      code: 'CROSS_SITE',
      status: 403,
    });
    expect(codeOf(await client.call('POST', '/api/oauth/oidc/start', {}, crossSite))).toMatchObject({
      code: 'CROSS_SITE',
    });
    expect(await identitiesOf(user.id)).toEqual([]);
    // The page at the callback address is of this site.
    expect(await client.call('GET', path, undefined, { 'sec-fetch-site': 'same-origin' })).toMatchObject({
      message: 'bind',
    });
  });
});

describe('unbinding', () => {
  it('takes a way in away, with a fresh proof', async () => {
    const user = await api.createUser();
    const client = await known(user);
    const account = newName();
    await go(client, 'oidc', account);
    await api.deps.db.query('update sessions set confirmed_at = 1 where user_id = $1', [user.id]);
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
    await client.post('/api/user/confirm', { password: PASSWORD });
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ success: true, message: '' });
    expect((await client.get('/api/user/self')).data.oidc_id).toBe('');
    expect((await go(stranger(), 'oidc', account)).data.id).not.toBe(user.id);
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ code: 'NOT_FOUND' });
    expect(codeOf(await client.del('/api/oauth/myspace'))).toMatchObject({ code: 'UNKNOWN_ROUTE' });
    expect((await stranger().del('/api/oauth/oidc')).status).toBe(401);
  });

  /** A user who came by OIDC alone. */
  async function nameless() {
    const client = stranger();
    const { data } = await go(client, 'oidc', newName());
    client.userId = data.id;
    const set = (fields: string) => api.deps.db.query(`update users set ${fields} where id = $1`, [data.id]);
    return { client, id: data.id as number, set };
  }

  it('is refused for the last way in, in both languages', async () => {
    const { client, id, set } = await nameless();
    const refused = await client.del('/api/oauth/oidc');
    expect(refused).toMatchObject({
      success: false,
      code: 'IDENTITY_LAST',
      message:
        'This is your only way to sign in; set a password or bind an email address or another account first',
    });
    const zh = await client.call('DELETE', '/api/oauth/oidc', undefined, { 'accept-language': 'zh' });
    expect(zh.message).toBe('这是您唯一的登录方式，请先设置密码、绑定邮箱或其他账户');
    // A number is a way in only where one signs in by it.
    await set(`phone = '138${String(id).padStart(8, '0')}'`);
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ code: 'IDENTITY_LAST' });
    expect(await identitiesOf(id)).toHaveLength(1);
  });

  it.each([
    ['a mailbox', (id: number) => `email = 'last${id}@example.com'`, {}],
    ['a password', () => `password_hash = 'x'`, {}],
    [
      'a phone number',
      (id: number) => `phone = '139${String(id).padStart(8, '0')}'`,
      { PhoneLoginEnabled: 'true' },
    ],
  ])('is allowed to who has %s', async (_, fields, options) => {
    const { client, id, set } = await nameless();
    await set(fields(id));
    await api.deps.options.set(options);
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ success: true });
  });

  it('counts a password or another provider only while one can sign in by it', async () => {
    const { client, id, set } = await nameless();
    await set(`password_hash = 'x'`);
    servers.github.accounts.set(`gh${id}`, { id: 1_000_000 + id, login: 'gh' });
    await go(client, 'github', `gh${id}`);
    await api.deps.options.set({ PasswordLoginEnabled: 'false', GitHubOAuthEnabled: 'false' });
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ code: 'IDENTITY_LAST' });
    await api.deps.options.set({ GitHubOAuthEnabled: 'true' });
    expect(await client.del('/api/oauth/oidc')).toMatchObject({ success: true });
    expect(await client.del('/api/oauth/github')).toMatchObject({ code: 'IDENTITY_LAST' });
  });
});

describe.each(callEngines)('two ways in that are taken away at once on %s', (engine) => {
  it('leave one', async () => {
    const own = await openApi(engine);
    await own.deps.options.set({
      ...optionsFor('oidc', servers.oidc),
      ...optionsFor('github', servers.github),
    });
    for (let round = 0; round < 10; round++) {
      const user = await own.createUser();
      await own.deps.db.query('update users set password_hash = null where id = $1', [user.id]);
      await own.deps.db.query(
        "insert into identities (user_id, provider, subject) values ($1, 'oidc', $2), ($1, 'github', $2)",
        [user.id, String(user.id)],
      );
      const client = await own.as(user);
      const answers = await Promise.all([client.del('/api/oauth/oidc'), client.del('/api/oauth/github')]);
      expect(answers.map(({ code }) => code).filter(Boolean)).toEqual(['IDENTITY_LAST']);
    }
    await own.close();
  });
});

describe('where a sign-in leads', () => {
  it.each([
    '//evil.example',
    '/\\evil.example',
    '/%5Cevil.example/..//evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'evil',
  ])('is never another site: %p', async (next) => {
    const client = stranger();
    const answer = await go(client, 'oidc', newName(), { next });
    expect(new URL(JSON.parse(answer.text).next, HERE).origin).toBe(HERE);
    expect(JSON.parse(answer.text).next).not.toMatch(/^\/[\\/]/);
    const other = stranger();
    const back = await servers.oidc.authorize(await start(other, 'oidc'), newName());
    const redirected = await land(other, 'oidc', back, `&redirect=${encodeURIComponent(next)}`);
    expect(redirected.success).toBe(true);
    expect(new URL(JSON.parse(redirected.text).next, HERE).origin).toBe(HERE);
  });

  it('is what the call asks for, else what was asked for at the start', async () => {
    const client = stranger();
    const back = await servers.oidc.authorize(await start(client, 'oidc', { next: '/log' }), newName());
    const answer = await land(client, 'oidc', back, '&redirect=%2Fsetting%3Ftab%3Dpersonal');
    expect(JSON.parse(answer.text).next).toBe('/setting?tab=personal');
  });
});

describe('POST /api/option/oidc_discovery', () => {
  const discover = async (wellKnown: string, locale: 'zh' | 'en' = 'en') => {
    const root = await api.root();
    root.headers['accept-language'] = locale;
    return root.post('/api/option/oidc_discovery', { well_known: wellKnown });
  };

  it('reads the addresses and the issuer', async () => {
    const { base } = servers.oidc;
    expect((await discover(`${base}/.well-known/openid-configuration`)).data).toEqual({
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      userinfo_endpoint: `${base}/me`,
    });
  });

  it.each([
    ['', 'the address must begin with https://', '地址必须以 https:// 开头'],
    ['ftp://x', 'the address must begin with https://', '地址必须以 https:// 开头'],
    ['https://10.0.0.1/.well-known/openid-configuration', 'private network', '地址在内网中'],
    ['http://localhost:9/', 'no connection', '无法连接'],
  ])('says of %p what is wrong, in both languages', async (address, en, zh) => {
    const answer = await discover(address);
    expect(answer).toMatchObject({ success: false, code: 'OIDC_DISCOVERY' });
    expect(answer.message).toContain(`The OIDC configuration could not be read: `);
    expect(answer.message).toContain(en);
    expect((await discover(address, 'zh')).message).toContain(zh);
  });

  it('says of a page that is no such document what is missing', async () => {
    expect((await discover(`${servers.oidc.base}/nowhere`)).message).toContain('status 404');
    expect((await discover(`${servers.oidc.base}/jwks`)).message).toContain(
      'issuer, authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri',
    );
  });
});
