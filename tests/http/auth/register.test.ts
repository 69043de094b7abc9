import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { fail } from '../../../src/core/errors.ts';
import { type Answer, type Client, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines, type Engine } from '../../support/database.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

const DEFAULTS = {
  RegisterEnabled: 'true',
  PasswordRegisterEnabled: 'true',
  SelfUseModeEnabled: 'false',
  EmailVerificationEnabled: 'false',
  EmailDomainRestrictionEnabled: 'false',
  EmailAliasRestrictionEnabled: 'false',
  QuotaForNewUser: '0',
};

let people = 0;

/** A site that sends its mail to `server`. */
async function openSite(engine: Engine): Promise<TestApi> {
  const api = await openApi(engine);
  await api.deps.options.set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    ServerAddress: 'https://gate.example',
  });
  return api;
}
/** Someone at an address of his own, so that tests do not share their budgets. */
const strangerOf = (api: TestApi, locale: 'zh' | 'en' = 'en') =>
  api.guest({ ip: `198.51.${100 + Math.floor(++people / 250)}.${people % 250}`, locale });
const newName = () => `reg${++people}`;
const newMailbox = () => `user${++people}@example.com`;

/** While `work` runs every hash is refused, as by a line that is full. */
async function withoutHashes(api: TestApi, work: () => Promise<void>): Promise<void> {
  const { hash } = api.deps.passwords;
  api.deps.passwords.hash = () => Promise.reject(fail('RATE_LIMIT', { retryAfterSec: 2 }));
  try {
    await work();
  } finally {
    api.deps.passwords.hash = hash;
  }
}

/** The same browser somewhere else. */
function elsewhere(api: TestApi, client: Client): Client {
  const moved = strangerOf(api);
  for (const [name, value] of client.cookies) moved.cookies.set(name, value);
  return moved;
}

async function codeFor(email: string, client: Client): Promise<string> {
  const at = server.mails.length;
  expect((await client.get(`/api/verification?email=${encodeURIComponent(email)}`)).message).toBe('');
  const mail = await server.nth(at + 1);
  expect(mail.recipients).toEqual([email.toLowerCase()]);
  return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
}

const refused = ({ success, code, status }: Answer) => ({ success, code, status });

describe.each(callEngines)('POST /api/user/register on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openSite(engine);
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.options.set(DEFAULTS));

  const register = (fields: Record<string, unknown> = {}, client = strangerOf(api)) =>
    client.post('/api/user/register', {
      username: newName(),
      password: PASSWORD,
      password2: PASSWORD,
      ...fields,
    });

  it('makes an ordinary account with the gift, which signs in', async () => {
    await api.deps.options.set({ QuotaForNewUser: '700' });
    const username = newName();
    const answer = await register({ username, role: 100, quota: 9e9, status: 2, group: 'vip' });
    expect({ success: answer.success, message: answer.message }).toEqual({ success: true, message: '' });
    expect(answer.headers.getSetCookie()).toEqual([]);
    const client = await api.guest().login(username);
    expect((await client.get('/api/user/self')).data).toMatchObject({
      username,
      display_name: username,
      role: 1,
      status: 1,
      group: 'default',
      quota: 700,
      inviter_id: 0,
    });
    const { data } = await client.get('/api/log/self/');
    expect(data.items).toMatchObject([{ type: 4, quota: 700, content: expect.stringContaining('700') }]);
  });

  it.each([
    [{ username: ' ' }, 'Please enter username and password', '请输入用户名和密码'],
    [{ password: '' }, 'Please enter username and password', '请输入用户名和密码'],
    [
      { username: 'thirteenchars' },
      'The username may have at most 12 characters',
      '用户名长度不能超过12个字符',
    ],
    [{ password: 'short12' }, 'Password length must not be less than 8', '密码长度不得小于8位'],
    [{ password: 'x'.repeat(21) }, 'The password must have 8 to 20 characters', '密码长度必须在8-20之间'],
    [
      { password: 'Password1' },
      'This password is one of the most common ones and easily guessed, please choose another',
      '该密码过于常见，容易被猜到，请换一个',
    ],
    [{ password2: 'Passw0rd2' }, 'The two passwords do not match', '两次输入的密码不一致'],
    [{ email: 'nobody', verification_code: '1' }, 'The email address is not valid', '邮箱格式不正确'],
  ])('refuses %p in both languages', async (fields, en, zh) => {
    expect((await register(fields)).message).toBe(en);
    expect((await register(fields, strangerOf(api, 'zh'))).message).toBe(zh);
  });

  it('refuses a name that is taken in any case, also by a cancelled account', async () => {
    const { username, id } = await api.createUser();
    expect(refused(await register({ username: username.toUpperCase() }))).toMatchObject({
      code: 'USERNAME_TAKEN',
    });
    await api.deps.db.query(`update users set deleted_at = 1 where id = ${id}`);
    expect(refused(await register({ username }))).toMatchObject({ code: 'USERNAME_TAKEN' });
  });

  it('makes one account of many that race for a name', async () => {
    const username = newName();
    const answers = await Promise.all(Array.from({ length: 10 }, () => register({ username })));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'USERNAME_TAKEN')).toHaveLength(9);
  });

  it.each([
    { RegisterEnabled: 'false' },
    { PasswordRegisterEnabled: 'false' },
    { SelfUseModeEnabled: 'true' },
  ])('is closed under %p', async (options) => {
    await api.deps.options.set(options);
    const answer = await register();
    expect(answer.message).toBe('The administrator has turned off registration');
  });

  it('asks for a mailbox and its code where the option says so', async () => {
    await api.deps.options.set({ EmailVerificationEnabled: 'true' });
    expect((await register()).code).toBe('EMAIL_NEEDED');
    const email = newMailbox();
    expect((await register({ email })).code).toBe('EMAIL_NEEDED');
    expect((await register({ email, verification_code: '000000' })).code).toBe('CODE_WRONG');
    const username = newName();
    const browser = strangerOf(api);
    const code = await codeFor(email.toUpperCase(), browser);
    expect((await register({ username, email, verification_code: code }, browser)).message).toBe('');
    const client = await api.guest().login(email);
    expect((await client.get('/api/user/self')).data).toMatchObject({ username, email });
  });

  it('gives nobody a mailbox without its code, though none is asked for', async () => {
    const email = newMailbox();
    expect((await register({ email })).code).toBe('CODE_WRONG');
    const client = strangerOf(api);
    const code = await codeFor(email, client);
    const other = newMailbox();
    expect((await register({ email: other, verification_code: code }, client)).code).toBe('CODE_WRONG');
    expect((await register({ email, verification_code: code })).code).toBe('CODE_WRONG');
    expect((await register({ email, verification_code: ` ${code} ` }, client)).success).toBe(true);
  });

  it('keeps the code while the name is refused, and takes it once', async () => {
    const { username } = await api.createUser();
    const email = newMailbox();
    const client = strangerOf(api);
    const given = { email, verification_code: await codeFor(email, client) };
    expect((await register({ ...given, username }, client)).code).toBe('USERNAME_TAKEN');
    const answers = await Promise.all([
      register(given, elsewhere(api, client)),
      register(given, elsewhere(api, client)),
    ]);
    expect(answers.map(({ success }) => success).sort()).toEqual([false, true]);
    expect((await register(given, client)).code).toBe('CODE_WRONG');
  });

  it('keeps the code when there is no place for the hash', async () => {
    const email = newMailbox();
    const client = strangerOf(api);
    const given = { email, verification_code: await codeFor(email, client) };
    await withoutHashes(api, async () => {
      for (let i = 0; i < 6; i++) expect((await register(given, client)).status).toBe(429);
    });
    expect((await register(given, client)).success).toBe(true);
  });

  it('keeps the code when the address has made too many accounts', async () => {
    const email = newMailbox();
    const client = strangerOf(api);
    const given = { email, verification_code: await codeFor(email, client) };
    for (let i = 0; i < 20; i++) await register({}, client);
    expect((await register(given, client)).status).toBe(429);
    expect((await register(given, elsewhere(api, client))).success).toBe(true);
  });

  it('takes no code from who was wrong with it five times', async () => {
    const email = newMailbox();
    const client = strangerOf(api);
    const code = await codeFor(email, client);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let i = 0; i < 5; i++) {
      expect((await register({ email, verification_code: wrong }, client)).code).toBe('CODE_WRONG');
    }
    expect((await register({ email, verification_code: code }, client)).code).toBe('CODE_WRONG');
  });

  it('remembers who invited, and counts the guest', async () => {
    const inviter = await api.createUser();
    const client = await api.as(inviter);
    const { aff_code } = (await client.get('/api/user/self')).data;
    const username = newName();
    expect((await register({ username, aff_code })).success).toBe(true);
    expect((await (await api.guest().login(username)).get('/api/user/self')).data.inviter_id).toBe(
      inviter.id,
    );
    expect((await client.get('/api/user/self')).data.aff_count).toBe(1);
    expect((await register({ aff_code: 'no-such-code' })).success).toBe(true);
  });

  it('lets one address make only so many accounts an hour', async () => {
    const client = strangerOf(api);
    const answers = [];
    for (let i = 0; i < 21; i++) answers.push(await register({}, client));
    expect(answers.slice(0, 20).every(({ success }) => success)).toBe(true);
    expect(answers[20]?.status).toBe(429);
    expect(Number(answers[20]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('GET /api/verification', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openSite('postgres');
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.options.set(DEFAULTS));
  const ask = (email: string, client = strangerOf(api)) =>
    client.get(`/api/verification?email=${encodeURIComponent(email)}`);

  it('writes in the caller’s language', async () => {
    const at = server.mails.length;
    await ask(newMailbox(), strangerOf(api, 'zh'));
    const mail = await server.nth(at + 1);
    expect(mail.subject).toBe('Tollgate 邮箱验证码');
    expect(mail.text).toMatch(/您的验证码为：\d{6}/);
  });

  it('refuses addresses that the options do not allow', async () => {
    await api.deps.options.set({
      EmailDomainRestrictionEnabled: 'true',
      EmailDomainWhitelist: 'Example.com\nexample.org',
      EmailAliasRestrictionEnabled: 'true',
    });
    expect((await ask('ann@example.net')).code).toBe('EMAIL_DOMAIN');
    expect((await ask('ann@sub.example.com')).code).toBe('EMAIL_DOMAIN');
    expect((await ask('ann+x@example.com')).code).toBe('EMAIL_ALIAS');
    expect((await ask('a.nn@example.com')).code).toBe('EMAIL_ALIAS');
    expect((await ask(newMailbox())).success).toBe(true);
    expect((await ask('ann@example.com, eve@example.com')).code).toBe('MAIL_ADDRESS');
  });

  it('tells the owner of a known mailbox, and not the caller, that it is known', async () => {
    const email = newMailbox();
    const { id } = await api.createUser();
    await api.deps.db.query(`update users set email = '${email}' where id = ${id}`);
    const at = server.mails.length;
    const answer = await ask(email);
    expect({ ...answer, headers: null }).toEqual({ ...(await ask(newMailbox())), headers: null });
    const letters = [await server.nth(at + 1), await server.nth(at + 2)];
    const own = letters.find(({ recipients }) => recipients.includes(email));
    expect(own?.subject).toBe('You already have an account at Tollgate');
    expect(own?.text).not.toMatch(/\d{6}/);
  });

  it('sends one code a minute to a mailbox for one network', async () => {
    const email = newMailbox();
    const client = strangerOf(api);
    expect((await ask(email, client)).success).toBe(true);
    const again = await ask(email.toUpperCase(), client);
    expect(again.status).toBe(429);
    expect(Number(again.headers.get('retry-after'))).toBeWithin(1, 61);
  });

  it('sends its owner a code when strangers have asked for theirs, and no stranger makes his void', async () => {
    const email = newMailbox();
    const at = server.mails.length;
    for (let i = 0; i < 3; i++) expect((await ask(email)).success).toBe(true);
    await server.nth(at + 3);
    const client = strangerOf(api);
    const code = await codeFor(email, client);
    expect((await ask(email)).success).toBe(true);
    const fields = { username: newName(), password: PASSWORD, password2: PASSWORD };
    const made = { ...fields, email, verification_code: code };
    expect((await client.post('/api/user/register', made)).success).toBe(true);
  });

  it('bounds what a mailbox is sent, however many networks ask', async () => {
    const email = newMailbox();
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await ask(email)).status);
    // Five a minute.
    expect(statuses).toEqual([...Array(5).fill(200), 429, 429, 429]);
  });

  it('counts all networks of one subscriber as one', async () => {
    const email = newMailbox();
    const of = (n: number) => api.guest({ ip: `2001:db8:55:${n.toString(16)}::1`, locale: 'en' });
    expect((await ask(email, of(1))).success).toBe(true);
    expect((await ask(email, of(2))).status).toBe(429);
  });

  it('sends ten codes an hour for one address', async () => {
    const client = strangerOf(api);
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await ask(newMailbox(), client)).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
  });

  it('says that mail is not set up', async () => {
    const bare = await openApi('postgres');
    expect((await bare.guest().get('/api/verification?email=a@example.com')).code).toBe('MAIL_UNSET');
    await bare.close();
  });
});

describe.each(callEngines)('a forgotten password on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openSite(engine);
  });
  afterAll(() => api.close());

  const ask = (email: string, client = strangerOf(api)) =>
    client.get(`/api/reset_password?email=${encodeURIComponent(email)}`);
  const reset = (email: string, token: string, client = strangerOf(api)) =>
    client.post('/api/user/reset', { email, token });

  async function owner() {
    const email = newMailbox();
    const user = await api.createUser();
    await api.deps.db.query(`update users set email = '${email}' where id = ${user.id}`);
    return { email, user };
  }
  async function linkFor(email: string): Promise<URL> {
    const at = server.mails.length;
    expect((await ask(email)).success).toBe(true);
    const mail = await server.nth(at + 1);
    return new URL(/https:\S+/.exec(mail.text ?? '')?.[0] ?? '');
  }

  it('is set anew by the link in the mail, once, and every way in that was open is closed', async () => {
    const { email, user } = await owner();
    const client = await api.as(user);
    const { data: accessToken } = await client.post('/api/user/token');
    const link = await linkFor(email);
    expect(`${link.origin}${link.pathname}`).toBe('https://gate.example/user/reset');
    expect(link.searchParams.get('email')).toBe(email);
    const token = link.searchParams.get('token') ?? '';
    const answer = await reset(email.toUpperCase(), token);
    expect(answer.headers.get('cache-control')).toBe('no-store, no-transform');
    expect(answer.data).toMatch(/^(?=.*[A-Za-z])(?=.*\d)[A-Za-z\d]{12}$/);
    expect((await client.get('/api/user/self')).status).toBe(401);
    const byToken = await api.guest().call('GET', '/api/user/self', undefined, {
      authorization: `Bearer ${accessToken}`,
    });
    expect(byToken.status).toBe(401);
    await api.guest().login(user.username, answer.data);
    expect((await reset(email, token)).code).toBe('RESET_LINK');
  });

  it('stays when the link is wrong, of another mailbox, or its owner is banned', async () => {
    const { email, user } = await owner();
    expect((await reset(email, 'x'.repeat(43))).message).toBe('The reset link is invalid or has expired');
    const token = (await linkFor(email)).searchParams.get('token') ?? '';
    expect((await reset('eve@example.com', token)).code).toBe('RESET_LINK');
    const { email: other, user: banned } = await owner();
    const late = (await linkFor(other)).searchParams.get('token') ?? '';
    await api.deps.db.query(`update users set status = 2 where id = ${banned.id}`);
    expect((await reset(other, late)).code).toBe('RESET_LINK');
    await api.guest().login(user.username, PASSWORD);
  });

  it('is not set by links that were sent before the password changed', async () => {
    const { email, user } = await owner();
    const early = (await linkFor(email)).searchParams.get('token') ?? '';
    const client = await api.as(user);
    expect((await client.put('/api/user/self', { password: 'Passw0rd2' })).success).toBe(true);
    expect((await reset(email, early)).code).toBe('RESET_LINK');
    await api.guest().login(user.username, 'Passw0rd2');
  });

  it('keeps its link good while too many wait for a hash', async () => {
    const { email } = await owner();
    const token = (await linkFor(email)).searchParams.get('token') ?? '';
    await withoutHashes(api, async () => {
      for (let i = 0; i < 3; i++) expect((await reset(email, token)).status).toBe(429);
    });
    expect((await reset(email, token)).success).toBe(true);
  });

  it('keeps it good when the database was away', async () => {
    const { email, user } = await owner();
    const token = (await linkFor(email)).searchParams.get('token') ?? '';
    const { commit } = api.deps.changes;
    api.deps.changes.commit = () => Promise.reject(fail('UNAVAILABLE'));
    try {
      expect((await reset(email, token)).status).toBe(503);
    } finally {
      api.deps.changes.commit = commit;
    }
    const { data } = await reset(email, token);
    await api.guest().login(user.username, data);
  });

  it('sets one password of two who bring the link at once', async () => {
    const { email, user } = await owner();
    const token = (await linkFor(email)).searchParams.get('token') ?? '';
    const answers = await Promise.all([reset(email, token), reset(email, token), reset(email, token)]);
    const [set, ...others] = answers.filter(({ success }) => success);
    expect(others).toEqual([]);
    await api.guest().login(user.username, set?.data);
  });

  it('costs no hash without a link', async () => {
    await withoutHashes(api, async () => {
      expect((await reset(newMailbox(), 'x'.repeat(43))).code).toBe('RESET_LINK');
    });
  });

  it('is answered alike for a mailbox that nobody has, without a mail', async () => {
    const { email } = await owner();
    const at = server.mails.length;
    const known = await ask(email);
    const unknown = await ask(newMailbox());
    expect({ ...unknown, headers: null }).toEqual({ ...known, headers: null });
    await server.nth(at + 1);
    await linkFor((await owner()).email);
    expect(server.mails).toHaveLength(at + 2);
  });

  it('never sends a link to the host that the caller names', async () => {
    const { email } = await owner();
    const at = server.mails.length;
    const answer = await strangerOf(api).call('GET', `/api/reset_password?email=${email}`, undefined, {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    });
    expect(answer.success).toBe(true);
    expect((await server.nth(at + 1)).text).not.toContain('evil.example');
    await api.deps.options.reset(['ServerAddress']);
    expect((await ask(email)).code).toBe('RESET_NO_ADDRESS');
    await api.deps.options.set({ ServerAddress: 'https://gate.example' });
  });

  it('needs a mailbox', async () => {
    expect((await ask(' ')).message).toBe('The field cannot be empty');
    expect((await ask(' ', strangerOf(api, 'zh'))).message).toBe('该字段不能为空');
  });
});
