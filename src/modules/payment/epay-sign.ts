/**
 * The signature of epay gateways: all fields but `sign`, `sign_type` and empty ones, ordered by name, joined as `k=v` with
 * `&` without any encoding, the merchant's key behind it, MD5 as lower-case hex.
 */
import { createHash } from 'node:crypto';
import { sameSecret } from '../../platform/secrets.ts';
import { PaymentFault } from './provider.ts';

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

/**
 * What is signed here goes to the payer, and nothing but an `&` parts one field from the next: one that holds such a sign
 * could be cut in two, and what was asked for be sent back as what was paid. Throws PaymentFault then, and without a key.
 */
export function withSignature(fields: Fields, key: string): Record<string, string> {
  if (key === '') throw new PaymentFault('no key');
  const twofold = Object.keys(fields).find((name) => `${name}${fields[name]}`.includes('&'));
  if (twofold !== undefined) throw new PaymentFault(`${twofold} holds an &`);
  return { ...fields, sign: signatureOf(fields, key), sign_type: 'MD5' };
}

/** A key that is not set signs nothing: whoever knows that it is empty could sign anything. */
export const isSigned = (fields: Fields, key: string): boolean =>
  key !== '' && sameSecret(signatureOf(fields, key), (fields.sign ?? '').toLowerCase());
