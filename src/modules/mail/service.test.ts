import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { freshDatabase } from '../../../tests/support/database.ts';
import { MAIL_ACCOUNT, type MailServer, startMailServer } from '../../../tests/support/mail-server.ts';
import { openChanges } from '../../db/changes.ts';
import type { Database } from '../../db/client.ts';
import type { OptionKey } from '../../options/registry.ts';
import { type Options, openOptions } from '../../options/store.ts';
import { createLogger } from '../../platform/logger.ts';
import { createSecrets } from '../../platform/secrets.ts';
import { createMailer } from './service.ts';

let db: Database;
let server: MailServer;
let options: Options;
const lines: string[] = [];
const log = createLogger('warn', (line) => lines.push(line));

const set = (given: Partial<Record<OptionKey, string>>) => options.set(given);
const mail = { to: 'ann@example.com', subject: '验证码 · Ihr Code', text: 'Der Code lautet 123456。' };
const mailer = (SMTP_URL = '', tries?: number[]) => createMailer({ env: { SMTP_URL }, options, log }, tries);

beforeAll(async () => {
  [db, server] = await Promise.all([freshDatabase('pglite'), startMailServer()]);
  const changes = await openChanges(db, log);
  options = await openOptions(db, changes, createSecrets(Buffer.alloc(32, 1).toString('base64')), log);
});
afterEach(async () => {
  server.mails.length = 0;
  lines.length = 0;
  server.refuse(0);
});
afterAll(async () => {
  await server.close();
  await db.close();
});

describe('the site’s mail', () => {
  it('is not sent, and says why, before a server is set', async () => {
    expect(mailer().isSet()).toBe(false);
    await expect(mailer().send(mail)).rejects.toThrow('no SMTP server is set');
  });

  it('goes through the server of the options, in any script, from the site by its name', async () => {
    await set({
      SystemName: '闸口',
      SMTPServer: '127.0.0.1',
      SMTPPort: String(server.port),
      SMTPAccount: MAIL_ACCOUNT.user,
      SMTPToken: MAIL_ACCOUNT.password,
    });
    expect(mailer().isSet()).toBe(true);
    await mailer().send(mail);
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({
      account: MAIL_ACCOUNT.user,
      recipients: ['ann@example.com'],
      from: { name: '闸口', address: 'gate@example.com' },
      subject: mail.subject,
    });
    expect(server.mails[0]?.text?.trim()).toBe(mail.text);
    await set({ SMTPFrom: 'hello@example.org' });
    await mailer().send(mail);
    expect(server.mails[1]?.from?.address).toBe('hello@example.org');
  });

  it('goes through the server of the environment where there is one', async () => {
    await mailer(`smtp://127.0.0.1:${server.port}?from=env@example.net`).send(mail);
    expect(server.mails[0]).toMatchObject({ account: undefined, from: { address: 'env@example.net' } });
  });

  it('says what the server said, without the password', async () => {
    await set({ SMTPToken: 'wröng-secret' });
    const reason = await mailer()
      .send(mail)
      .catch((error: Error) => error.message);
    expect(reason).toContain('no entry for gate@example.com ***');
    expect(reason).not.toContain('wröng-secret');
    await set({ SMTPToken: MAIL_ACCOUNT.password });
  });

  it('goes to one reader, whatever his address says', async () => {
    const many = { ...mail, to: 'ann@example.com, bob@example.com', subject: 'one\r\nBcc: bob@example.com' };
    await mailer()
      .send(many)
      .catch(() => {});
    expect(server.mails.flatMap(({ recipients }) => recipients)).not.toContain('bob@example.com');
  });

  it('is tried three times, and then given up with a line that names nobody', async () => {
    server.refuse(2);
    mailer('', [0, 5, 5]).post(mail);
    expect((await server.nth(1)).recipients).toEqual(['ann@example.com']);
    expect(lines).toEqual([]);

    server.refuse(3);
    const logged = Promise.withResolvers<string>();
    const impatient = createMailer(
      { env: { SMTP_URL: '' }, options, log: createLogger('warn', logged.resolve) },
      [0, 5, 5],
    );
    impatient.post(mail);
    const line = await logged.promise;
    expect(line).toContain('come back later');
    expect(line).not.toContain('ann@example.com');
    expect(server.mails).toHaveLength(1);
  });
});
