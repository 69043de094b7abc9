/**
 * Keys that prove by themselves that this site made them: their last letters are made of the others with its secret. What
 * somebody makes up proves nothing, and is no reason to keep those waiting that do. Keys of before prove nothing either.
 */
import { relayKey } from '../../core/ids.ts';
import { type Secrets, sameSecret } from '../../platform/secrets.ts';

type Signer = Pick<Secrets, 'lookup'>;

/** Of 48 letters these are by chance, which is 190 bits; nobody guesses the others. */
const CHANCE = 32;
const PROOF = 16;

const withProof = (secrets: Signer, key: string): string => {
  const chance = key.slice(0, CHANCE);
  const proof = secrets.lookup(`relay-key:${chance}`).slice(0, PROOF);
  // A key is made of letters and digits alone.
  return chance + proof.replaceAll('-', 'A').replaceAll('_', 'B');
};

/** A new key, without its `sk-`. */
export const newKey = (secrets: Signer): string => withProof(secrets, relayKey());

/** Whether a text that looks like a relay key is one of ours, of whatever time and token. */
export const isOurs = (secrets: Signer, key: string): boolean => sameSecret(key, withProof(secrets, key));
