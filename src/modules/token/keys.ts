/** Relay keys: how they are found, how they rest, and in which form their owner sees them. */
import { eq, like, or, type SQL } from 'drizzle-orm';
import { HINT_HEAD, HINT_TAIL, isRelayKey } from '../../core/key-text.ts';
import { endingWith, startingWith } from '../../db/like.ts';
import { tokens } from '../../db/schema/user.ts';
import type { Options } from '../../options/store.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** A sealed key opens only in its own row. */
const owner = (tokenId: number): string => `token:${tokenId}`;

export const sealKey = (secrets: Secrets, tokenId: number, key: string): string =>
  secrets.seal(key, owner(tokenId));

/** True when keys may be shown again after they were made. */
export const mayReveal = (options: Pick<Options, 'get'>): boolean =>
  options.get('TokenKeyReveal') === 'always';

type KeyRow = Pick<typeof tokens.$inferSelect, 'id' | 'key_sealed'>;

/** The whole key; null where it was made to be shown only once. */
export const openKey = (secrets: Secrets, row: KeyRow): string | null =>
  row.key_sealed === '' ? null : secrets.open(row.key_sealed, owner(row.id));

/** Finds tokens by a whole key, with or without `sk-`, or by what a piece has in common with the masked form. */
export function keyCondition(secrets: Secrets, given: string): SQL | undefined {
  const text = given.trim().replace(/^sk-/, '');
  if (isRelayKey(text)) return eq(tokens.key_lookup, secrets.lookup(text));
  if (text.includes('…')) return eq(tokens.key_hint, text);
  const head = like(tokens.key_hint, startingWith(text.slice(0, HINT_HEAD)));
  if (text.length < HINT_TAIL) return head;
  return or(head, like(tokens.key_hint, endingWith(`…${text.slice(-HINT_TAIL)}`)));
}
