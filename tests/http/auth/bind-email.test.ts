/** A signed-in user gives his account a mailbox, or another one. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { bind } from '../../../src/modules/auth/oauth/service.ts';
import { asDemo, type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

describe.each(callEngines)('binding a mailbox on %s', (engine) => {
  let api: TestApi;
  let server: MailServer;
  beforeAll(async () => {
    [api, server] = await Promise.all([openApi(engine), startMailServer()]);
    await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(server.port) });
  });
  afterAll(async () => {
    await api.close();
    await server.close();
  });

  let people = 0;
  const newMailbox = () => `bind${++people}@example.com`;
  const someone = async (locale: 'zh' | 'en' = 'en'): Promise<[Client, TestUser]> => {
    const user = await api.createUser();
    return [await api.as(user, { ip: `198.51.100.${++people}`, locale }), user];
  };
  const forgetProof = (user: TestUser) =>
    api.deps.db.query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`);
  const emailOf = async (client: Client): Promise<string> => (await client.get('/api/user/self')).data.email;

  async function codeFor(client: Client, email: string): Promise<string> {
    const at = server.mails.length;
    expect((await client.get(`/api/verification?email=${encodeURIComponent(email)}`)).message).toBe('');
    // Notices of what was bound before may still be on their way.
    for (let n = at + 1; ; n++) {
      const mail = await server.nth(n);
      if (mail.recipients[0] === email.toLowerCase()) return /\b\d{6}\b/.exec(mail.text ?? '')?.[0] ?? '';
    }
  }
  const address = (email: string, code: string) =>
    `/api/oauth/email/bind?${new URLSearchParams({ email, code })}`;

  it('takes the code that went there, by POST and by GET, and signs in by it from then on', async () => {
    const [client, user] = await someone();
    const first = newMailbox();
    const code = await codeFor(client, first);
    expect(
      await client.post('/api/oauth/email/bind', { email: ` ${first.toUpperCase()} `, code }),
    ).toMatchObject({
      status: 200,
      success: true,
    });
    expect(await emailOf(client)).toBe(first);
    const second = newMailbox();
    expect((await client.get(address(second, await codeFor(client, second)))).success).toBe(true);
    expect(await emailOf(client)).toBe(second);
    const login = { username: second, password: PASSWORD };
    expect((await api.guest().post('/api/user/login', login)).data.id).toBe(user.id);
  });

  it('refuses a wrong code, that of another mailbox and a used one', async () => {
    const [client] = await someone('zh');
    const [email, other] = [newMailbox(), newMailbox()];
    const code = await codeFor(client, email);
    const wrong = code === '000000' ? '000001' : '000000';
    for (const given of [
      { email, code: wrong },
      { email: other, code },
    ]) {
      expect(await client.post('/api/oauth/email/bind', given)).toMatchObject({
        status: 200,
        code: 'CODE_WRONG',
        message: '验证码错误或已过期',
      });
    }
    expect((await client.post('/api/oauth/email/bind', { email, code })).success).toBe(true);
    const [late] = await someone('en');
    expect(await late.post('/api/oauth/email/bind', { email, code })).toMatchObject({
      code: 'CODE_WRONG',
      message: 'The verification code is wrong or has expired',
    });
  });

  it('judges the address by the rules of registration', async () => {
    await api.deps.options.set({
      EmailDomainWhitelist: 'corp.example',
      EmailDomainRestrictionEnabled: 'true',
    });
    try {
      const [zh] = await someone('zh');
      const [en] = await someone('en');
      const bind = (client: Client, email: string) =>
        client.post('/api/oauth/email/bind', { email, code: '123456' });
      expect((await bind(zh, 'no address')).message).toBe('邮箱格式不正确');
      expect((await bind(en, 'a@b')).message).toBe('The email address is not valid');
      expect((await bind(zh, 'a@example.com')).message).toBe(
        '管理员启用了邮箱域名白名单，您的邮箱地址不在其中',
      );
      expect((await bind(en, 'a@example.com')).message).toBe(
        'Email addresses of this domain are not accepted here',
      );
    } finally {
      await api.deps.options.reset(['EmailDomainRestrictionEnabled', 'EmailDomainWhitelist']);
    }
  });

  it('asks who has a password to prove himself again, and leaves the code good for it', async () => {
    const [client, user] = await someone();
    const email = newMailbox();
    const code = await codeFor(client, email);
    await forgetProof(user);
    const bind = (more = {}) => client.post('/api/oauth/email/bind', { email, code, ...more });
    expect(await bind()).toMatchObject({ status: 200, code: 'REAUTH_REQUIRED' });
    expect(await client.get(address(email, code))).toMatchObject({ code: 'REAUTH_REQUIRED' });
    expect(await bind({ password: 'Passw0rd2' })).toMatchObject({ code: 'PASSWORD_WRONG' });
    expect(await emailOf(client)).toBe('');
    expect((await bind({ password: PASSWORD })).success).toBe(true);
    expect(await emailOf(client)).toBe(email);
  });

  it('asks who has no password for a proof as well, and a script with an access token', async () => {
    const [client, user] = await someone();
    await api.deps.db.query(`update users set password_hash = null where id = ${user.id}`);
    const script = api.guest({ ip: '198.51.101.1' });
    script.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(user.id)}`;
    const email = newMailbox();
    const code = await codeFor(client, email);
    const bind = (who: Client) => who.post('/api/oauth/email/bind', { email, code });
    expect(await bind(script)).toMatchObject({ code: 'REAUTH_REQUIRED' });
    await forgetProof(user);
    expect(await bind(client)).toMatchObject({ code: 'REAUTH_REQUIRED' });
    expect(await emailOf(client)).toBe('');
    // In the browser that asked, where he has signed in again.
    const again = await api.as(user, { ip: '198.51.101.2' });
    again.cookies.set('visit', client.cookies.get('visit') ?? '');
    expect((await bind(again)).success).toBe(true);
    expect(await emailOf(client)).toBe(email);
  });

  it('takes the code of a script without cookies from the same account’s access token alone', async () => {
    const [, user] = await someone();
    const [, other] = await someone();
    const scriptOf = async ({ id }: TestUser) => {
      const script = api.guest({ ip: `198.51.102.${++people}` });
      script.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(id)}`;
      return script;
    };
    // One token at a time: the second voids the first.
    const asks = await scriptOf(user);
    const elses = await scriptOf(other);
    const email = newMailbox();
    const bind = (who: Client) => who.post('/api/oauth/email/bind', { email, code, password: PASSWORD });
    const code = await codeFor(asks, email);
    expect(asks.cookies.size).toBe(0);
    expect(await bind(elses)).toMatchObject({ code: 'CODE_WRONG' });
    const brings = await scriptOf(user);
    expect((await bind(brings)).success).toBe(true);
    expect(await emailOf(brings)).toBe(email);
  });

  it('tells the mailbox that the account leaves, in the language of its owner, and not where it went', async () => {
    const [client, user] = await someone('en');
    const [first, second] = [newMailbox(), newMailbox()];
    for (const [email, language] of [
      [first, ''],
      [second, 'zh'],
    ] as const) {
      await api.deps.db.query('update users set language = $2 where id = $1', [user.id, language]);
      const code = await codeFor(client, email);
      expect((await client.post('/api/oauth/email/bind', { email, code })).success).toBe(true);
    }
    // The code went there before.
    const notice = await server.that(
      ({ recipients, text }) => recipients[0] === first && !/\b\d{6}\b/.test(text ?? ''),
    );
    expect(notice.recipients).toEqual([first]);
    expect(notice.subject).toContain('邮箱已更换');
    expect(notice.text).toContain(user.username);
    expect(notice.text).not.toContain(second);
  });

  it('tells the mailbox of a third party that is bound beside it, and again when it is bound anew', async () => {
    const [client, user] = await someone('en');
    const email = newMailbox();
    await client.post('/api/oauth/email/bind', { email, code: await codeFor(client, email) });
    const [session] = await api.deps.db.query<{ id: string }>(
      `select id from sessions where user_id = ${user.id}`,
    );
    const owner = { id: user.id, sessionId: session?.id ?? '' };
    const party = {
      provider: 'wechat',
      title: { zh: '微信', en: 'WeChat' },
      issuers: [''],
      prefix: 'wechat',
      subject: email,
      loginName: '',
      displayName: '',
      email: '',
    } as const;
    const bound = () =>
      server.mails.filter(
        ({ recipients, subject }) => recipients[0] === email && /WeChat|微信/.test(subject ?? ''),
      );
    for (const [language, count] of [
      ['', 1],
      ['', 1],
      ['zh', 2],
    ] as const) {
      await api.deps.db.query('update users set language = $2 where id = $1', [user.id, language]);
      if (language === 'zh') {
        await api.deps.db.query('update identities set paused = true where user_id = $1', [user.id]);
      }
      await bind(api.deps, owner, party, 'en');
      await server.that(() => bound().length === count);
    }
    expect(bound().map(({ text }) => text)).toEqual([
      expect.stringContaining(`sign in to your account ${user.username}`),
      expect.stringContaining(`登录您的账号 ${user.username}`),
    ]);
  });

  it('never shares a mailbox: of two who prove it, one has it, and the other learns nothing before the code', async () => {
    const [client] = await someone('zh');
    const [rival, rivalUser] = await someone();
    const email = newMailbox();
    const code = await codeFor(client, email);
    await api.deps.db.query('update users set email = $2 where id = $1', [rivalUser.id, email]);
    expect(await client.post('/api/oauth/email/bind', { email, code: 'nocode' })).toMatchObject({
      code: 'CODE_WRONG',
    });
    expect(await client.post('/api/oauth/email/bind', { email, code })).toMatchObject({
      status: 200,
      code: 'EMAIL_TAKEN',
      message: '邮箱地址已被占用',
    });
    expect(await emailOf(client)).toBe('');
    expect(await emailOf(rival)).toBe(email);
  });

  it('is no thing that a page of another site can cause', async () => {
    const [client] = await someone();
    const email = newMailbox();
    const code = await codeFor(client, email);
    const foreign = { 'new-api-user': null, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await client.call('GET', address(email, code), undefined, foreign)).toMatchObject({
      status: 403,
      code: 'CROSS_SITE',
    });
    expect(
      await client.call(
        'POST',
        '/api/oauth/email/bind',
        { email, code },
        { ...foreign, origin: 'https://evil.example' },
      ),
    ).toMatchObject({ status: 403, code: 'CROSS_SITE' });
    expect(await emailOf(client)).toBe('');
    // The code was not used up: it was the origin that was refused.
    expect((await client.get(address(email, code))).success).toBe(true);
  });

  it('is closed to guests, and to visitors of a demo', async () => {
    const email = newMailbox();
    expect(await api.guest().get(address(email, '123456'))).toMatchObject({ status: 401 });
    const [client] = await someone();
    await asDemo(api, async () => {
      expect(await client.get(address(email, '123456'))).toMatchObject({ status: 405 });
    });
  });
});
