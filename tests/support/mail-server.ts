/** A real SMTP server on the loopback, for what the product sends. */
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export const MAIL_ACCOUNT = { user: 'gate@example.com', password: 'pass-wörd' };

export interface ReceivedMail extends Email {
  /** Of the envelope. */
  recipients: string[];
  /** Who signed in; undefined where nobody did. */
  account: string | undefined;
}

export interface MailServer {
  port: number;
  mails: ReceivedMail[];
  /** The next so many messages are refused. */
  refuse(count: number): void;
  /** Resolves with the message that comes as the nth, from 1. */
  nth(n: number): Promise<ReceivedMail>;
  /** Resolves with the first of which that is true, whenever and between whatever others it comes. */
  that(isIt: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusals = 0;
  let changed = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      const isRight = username === MAIL_ACCOUNT.user && password === MAIL_ACCOUNT.password;
      // Some servers do repeat what they were given.
      if (isRight) done(null, { user: username });
      else done(new Error(`no entry for ${username} ${password}`));
    },
    async onData(stream, { envelope, user }, done) {
      const parts: Buffer[] = [];
      for await (const part of stream) parts.push(Buffer.from(part));
      if (refusals > 0) {
        refusals--;
        return done(new Error('come back later'));
      }
      const recipients = envelope.rcptTo.map(({ address }) => address);
      mails.push({ ...(await PostalMime.parse(Buffer.concat(parts))), recipients, account: user });
      changed.resolve();
      changed = Promise.withResolvers();
      done();
    },
  });
  // Callers who break off are part of the tests.
  server.on('error', () => {});
  const port = await new Promise<number>((resolve) => {
    const { server: listening } = server;
    server.listen(0, '127.0.0.1', () => {
      const address = listening.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
  return {
    port,
    mails,
    refuse(count) {
      refusals = count;
    },
    async nth(n) {
      for (;;) {
        const mail = mails[n - 1];
        if (mail) return mail;
        await changed.promise;
      }
    },
    async that(isIt) {
      for (;;) {
        const mail = mails.find(isIt);
        if (mail) return mail;
        await changed.promise;
      }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
