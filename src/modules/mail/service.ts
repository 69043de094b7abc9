/** The site's mail: where it is sent from is settings, so that a change of them counts with the next message. */
import type { Env } from '../../env.ts';
import { IMPLICIT_TLS_PORT } from '../../options/destination.ts';
import type { Options } from '../../options/store.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Mail, MailError, type MailServer, sendMail } from '../../platform/mail.ts';

/** A message before it is known to whom it goes. */
export type Letter = Omit<Mail, 'to'>;

export interface Mailer {
  /** Whether there is a server to send through. */
  isSet(): boolean;
  /** Resolves when the server has taken the message. Throws MailError. */
  send(mail: Mail): Promise<void>;
  /** Returns at once and tries three times; what cannot be delivered is logged, without whom it was for. */
  post(mail: Mail): void;
}

interface MailerDeps {
  env: Pick<Env, 'SMTP_URL'>;
  options: Options;
  log: Logger;
}

/** Milliseconds before each try. */
const TRIES = [0, 5_000, 60_000];
const SUBMISSION_PORT = 587;

export function createMailer({ env, options, log }: MailerDeps, tries: readonly number[] = TRIES): Mailer {
  const server = () => (env.SMTP_URL === '' ? serverOfOptions(options) : serverOfUrl(env.SMTP_URL, options));
  const send = async (mail: Mail) => {
    const through = server();
    if (!through) throw new MailError('no SMTP server is set');
    await sendMail(through, mail);
  };
  return {
    isSet: () => server() !== null,
    send,
    post(mail) {
      deliver(() => send(mail), tries).catch((error: unknown) => log.warn('mail', { error }));
    },
  };
}

async function deliver(send: () => Promise<void>, tries: readonly number[]): Promise<void> {
  let reason: unknown;
  for (const waitMs of tries) {
    await Bun.sleep(waitMs);
    try {
      return await send();
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

function serverOfOptions(options: Options): MailServer | null {
  const host = options.get('SMTPServer');
  if (host === '') return null;
  const port = options.get('SMTPPort');
  const account = options.get('SMTPAccount');
  return {
    host,
    port,
    secure: options.get('SMTPSSLEnabled') || port === IMPLICIT_TLS_PORT,
    account,
    password: options.get('SMTPToken'),
    from: { name: options.get('SystemName'), address: options.get('SMTPFrom') || senderOf(account, host) },
  };
}

/** `smtp://account:password@host:587`, `smtps://…`; `?from=` where the sender is not the account. */
function serverOfUrl(text: string, options: Options): MailServer {
  const url = new URL(text);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const account = decodeURIComponent(url.username);
  return {
    host,
    port: Number(url.port) || (secure ? IMPLICIT_TLS_PORT : SUBMISSION_PORT),
    secure: secure || url.port === String(IMPLICIT_TLS_PORT),
    account,
    password: decodeURIComponent(url.password),
    from: {
      name: options.get('SystemName'),
      address: url.searchParams.get('from') ?? senderOf(account, host),
    },
  };
}

const senderOf = (account: string, host: string): string =>
  account.includes('@') ? account : `noreply@${host}`;
