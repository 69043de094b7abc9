/** The language that somebody chose: it comes with him into his account, and letters follow it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

describe('the chosen language', () => {
  let api: TestApi;
  let mails: MailServer;
  beforeAll(async () => {
    [api, mails] = await Promise.all([openApi('postgres'), startMailServer()]);
    await api.deps.options.set({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(mails.port),
      ServerAddress: 'https://gate.example',
    });
  });
  afterAll(async () => {
    await api.close();
    await mails.close();
  });

  const languageOf = async ({ id }: TestUser) => {
    const [row] = await api.deps.db.query<{ language: string }>(
      `select language from users where id = ${id}`,
    );
    return row?.language;
  };
  const signIn = async (user: TestUser, chosen?: 'zh' | 'en') => {
    const client = api.guest();
    if (chosen) client.cookies.set('lang', chosen);
    await client.login(user.username, PASSWORD);
    return client;
  };

  it('of a guest comes with him when he signs in', async () => {
    const user = await api.createUser();
    await signIn(user);
    expect(await languageOf(user)).toBe('');
    await signIn(user, 'en');
    expect(await languageOf(user)).toBe('en');
    await signIn(user, 'zh');
    expect(await languageOf(user)).toBe('zh');
  });

  it('of the account comes to a browser that knows of none', async () => {
    const user = await api.createUser();
    await signIn(user, 'en');
    expect((await signIn(user)).cookies.get('lang')).toBe('en');
    expect(await languageOf(user)).toBe('en');
  });

  it.each([
    ['reset_password', 'en', 'zh'],
    ['reset_password', 'zh', 'en'],
    ['verification', 'en', 'zh'],
    ['verification', 'zh', 'en'],
  ] as const)('of the account is that of letters: %s in %s, asked for in %s', async (call, mine, asking) => {
    const user = await api.createUser();
    const email = `mine-${user.id}@example.com`;
    await api.deps.db.query(`update users set email = '${email}' where id = ${user.id}`);
    await signIn(user, mine);
    const at = mails.mails.length;
    await api.guest({ locale: asking, ip: `198.51.100.${user.id}` }).get(`/api/${call}?email=${email}`);
    const { subject, text } = await mails.nth(at + 1);
    expect(/[\u4e00-\u9fff]/.test(`${subject} ${text}`)).toBe(mine === 'zh');
  });
});
