import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { MAIL_ACCOUNT, type MailServer, startMailServer } from '../../support/mail-server.ts';

describe('POST /api/mail/test', () => {
  let api: TestApi;
  let root: Client;
  let server: MailServer;
  beforeAll(async () => {
    [api, server] = await Promise.all([openApi('postgres'), startMailServer()]);
    root = await api.root();
  });
  afterAll(async () => {
    await api.close();
    await server.close();
  });
  const trying = (to: string, locale = 'en') =>
    root.call('POST', '/api/mail/test', { to }, { 'accept-language': locale });

  it('says that no server is set', async () => {
    const { success, message } = await trying('ann@example.com');
    expect({ success, message }).toEqual({
      success: false,
      message: 'The mail could not be sent: no SMTP server is set',
    });
  });

  it('sends a letter in the caller’s language to the address that was typed', async () => {
    await api.deps.options.set({
      SMTPServer: '127.0.0.1',
      SMTPPort: String(server.port),
      SMTPAccount: MAIL_ACCOUNT.user,
      SMTPToken: MAIL_ACCOUNT.password,
    });
    expect((await trying(' ann@example.com ')).message).toBe('');
    expect((await trying('ann@example.com', 'zh')).success).toBe(true);
    expect(server.mails.map(({ recipients, subject }) => [recipients, subject])).toEqual([
      [['ann@example.com'], 'Test mail of Tollgate'],
      [['ann@example.com'], 'Tollgate 测试邮件'],
    ]);
  });

  it('says why the server refused, and not with which password', async () => {
    await api.deps.options.set({ SMTPToken: 'not-the-password' });
    const { success, message } = await trying('ann@example.com');
    expect(success).toBe(false);
    expect(message).toContain('no entry for');
    expect(message).not.toContain('not-the-password');
  });

  it('refuses what is no address', async () => {
    for (const to of [
      '',
      'ann',
      'ann@',
      'ann@example.com, bob@example.com',
      'ann@example.com\r\nBcc: b@example.com',
    ]) {
      expect((await trying(to)).message).toBe('The email address is not valid');
    }
  });
});
