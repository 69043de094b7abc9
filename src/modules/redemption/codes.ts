/** Redemption codes: how they are made, how they are found, and how they rest. */
import { hexText } from '../../core/ids.ts';
import { maskKey } from '../../core/key-text.ts';
import type { Secrets } from '../../platform/secrets.ts';

const CODE_LENGTH = 32;

/** 32 hexadecimal digits, 128 bits. */
export const newCode = (): string => hexText(CODE_LENGTH);

/** Our own codes are read aloud and typed in capitals too; others are taken letter by letter. */
const spelled = (given: string): string => {
  const text = given.trim();
  return /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : text;
};

/** What the table is searched by. The purpose keeps a code from ever being the hash of a relay key. */
export const lookupOf = (secrets: Secrets, code: string): string =>
  secrets.lookup(`redemption:${spelled(code)}`);

export const hintOf = maskKey;

/** A sealed code opens only in its own row. */
const owner = (ref: string): string => `redemption:${ref}`;

export const sealCode = (secrets: Secrets, ref: string, code: string): string =>
  secrets.seal(code, owner(ref));

export const openCode = (secrets: Secrets, row: { ref: string; code_sealed: string }): string =>
  secrets.open(row.code_sealed, owner(row.ref));
