/** Random identifiers and keys, all from the system's secure source. */

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Letters and digits that cannot be mistaken for one another when read aloud or typed. */
const PLAIN = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Time-ordered id of a request; the same value is its reservation, its ledger reference and its log row. */
export const requestId = (): string => Bun.randomUUIDv7();

const randomText = (alphabet: string, length: number): string => {
  // Bytes at or above the largest multiple of the alphabet's size are thrown away, so that no letter is likelier.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length * 2))) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
};

/** A relay key without its `sk-`: 48 letters and digits, about 285 bits. */
export const relayKey = (): string => randomText(BASE62, 48);

/** Random letters and digits that cannot be mistaken for one another. */
export const plainText = (length: number): string => randomText(PLAIN, length);

/** Random hexadecimal digits. */
export const hexText = (length: number): string => randomText('0123456789abcdef', length);

/** An invitation code of 8 unambiguous characters. */
export const affCode = (): string => plainText(8);

/** A password of 12 letters and digits, some of each, as the rule for passwords wants. */
export function passwordText(): string {
  const text = randomText(BASE62, 12);
  return /[A-Za-z]/.test(text) && /\d/.test(text) ? text : passwordText();
}

/** `bits` of randomness as base64url, for sessions, access tokens and one-time codes. */
export const secretText = (bits = 256): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bits / 8))).toString('base64url');
