/** Codes that an authenticator shows: TOTP (RFC 6238), a new one of six digits every 30 seconds. */
import { Secret, TOTP } from 'otpauth';

const PERIOD_SEC = 30;
/** Clocks differ, and typing takes time: the code before and the one after count too. */
const STEPS_BESIDE = 1;
const SECRET_BYTES = 20;

const generator = (secret: string, of: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...of,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SEC,
    secret: Secret.fromBase32(secret),
  });

/** A new secret, in the letters that people can type into an authenticator. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** What the QR code holds: the secret, and under which names an authenticator lists it. */
export const totpAddress = (secret: string, of: { issuer: string; label: string }): string =>
  generator(secret, of).toString();

/** The step (30 seconds since 1970) of which this is the code, or null when it is a code of none near `nowMs`. */
export function totpStep(secret: string, code: string, nowMs: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const totp = generator(secret);
  const beside = totp.validate({ token: code, timestamp: nowMs, window: STEPS_BESIDE });
  return beside === null ? null : totp.counter({ timestamp: nowMs }) + beside;
}
