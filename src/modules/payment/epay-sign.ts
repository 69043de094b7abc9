/**
 * The signature of epay gateways: all fields but `sign`, `sign_type` and empty ones, ordered by name, joined as `k=v` with
 * `&` without any encoding, the merchant's key behind it, MD5 as lower-case hex.
 */
import { createHash } from 'node:crypto';
import { sameSecret } from '../../platform/secrets.ts';

type Fields = Readonly<Record<string, string>>;

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : a > b ? 1 : 0);

export function signatureOf(fields: Fields, key: string): string {
  const signed = Object.entries(fields)
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5')
    .update(signed + key)
    .digest('hex');
}

export const withSignature = (fields: Fields, key: string): Record<string, string> => ({
  ...fields,
  sign: signatureOf(fields, key),
  sign_type: 'MD5',
});

/** A key that is not set signs nothing: whoever knows that it is empty could sign anything. */
export const isSigned = (fields: Fields, key: string): boolean =>
  key !== '' && sameSecret(signatureOf(fields, key), (fields.sign ?? '').toLowerCase());
