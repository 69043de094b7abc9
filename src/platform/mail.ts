/** Mail over SMTP. One message a connection: what is sent here is codes and warnings, not newsletters. */
import { isPublicAddress, parseAddress } from './networks.ts';

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise it begins when the server offers it. */
  secure: boolean;
  /** Empty where the server takes mail from anybody who reaches it. */
  account: string;
  password: string;
  from: { name: string; address: string };
}

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** A message that was not taken. The message is the server's or the connection's, and names no secret. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** Who asks for a code waits for its mail to be taken. */
const CONNECT_MS = 10_000;
/** Servers that look at a message before they take it are silent for some seconds. */
const SILENCE_MS = 20_000;
const REASON_MAX = 300;

/** Resolves when the server has taken the message. Throws MailError. */
export async function sendMail(server: MailServer, { to, subject, text }: Mail): Promise<void> {
  const { host, port, secure, account, password, from } = server;
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure,
    // A password never goes out in the clear, but to a server next door.
    requireTLS: account !== '' && !isNextDoor(host),
    auth: account === '' ? undefined : { user: account, pass: password },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MailError(withoutSecrets(reason, [password]).slice(0, REASON_MAX), { cause: error });
  } finally {
    transport.close();
  }
}

function isNextDoor(host: string): boolean {
  const address = parseAddress(host);
  return host === 'localhost' || (address !== null && !isPublicAddress(address));
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
