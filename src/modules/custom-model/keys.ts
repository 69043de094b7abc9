/** Users' own keys at suppliers: how they are read, and how they rest. */
import { fail } from '../../core/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { keyHint, splitKeys } from '../channel/service.ts';

/** Of whom and for what a key is: one that is copied to another row opens no more. */
interface Place {
  user_id: number;
  supplier_id: number;
}

const ownerOf = ({ user_id, supplier_id }: Place): string => `custom-model:${user_id}:${supplier_id}`;

/** Throws CUSTOM_MODEL_KEY, and what a key of this wire may not be. */
export function readKey(type: number, given: string): string {
  const [key, ...others] = splitKeys(type, given);
  if (key === undefined) throw fail('CUSTOM_MODEL_KEY');
  if (others.length > 0) throw fail('CHANNEL_KEY_INVALID');
  return key;
}

export const sealedKey = (
  secrets: Secrets,
  place: Place,
  key: string,
): { key_sealed: string; key_hint: string } => ({
  key_sealed: secrets.seal(key, ownerOf(place)),
  key_hint: keyHint(key),
});

export const openKey = (secrets: Secrets, row: Place & { key_sealed: string }): string =>
  secrets.open(row.key_sealed, ownerOf(row));
