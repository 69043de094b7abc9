/** What a service that sends text messages is asked for. */

export interface CodeMessage {
  /** Eleven digits of mainland China, without a country code. */
  phone: string;
  code: string;
}

export interface SmsProvider {
  /** Resolves when the service has taken the message. Throws SmsError, or OutgoingError when it was not reached. */
  send(message: CodeMessage): Promise<void>;
}

/** A message that the service refused. The reason is the service's own, shortened; it never holds number or code. */
class SmsError extends Error {
  override readonly name = 'SmsError';
}

const REASON_MAX = 200;

/** The service's words, without what was sent, however it was quoted. */
export function refusalOf(reason: string, { phone, code }: CodeMessage): SmsError {
  const clean = reason.replaceAll(phone, '***').replaceAll(code, '***');
  return new SmsError(clean.slice(0, REASON_MAX));
}
