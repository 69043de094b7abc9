/**
 * Credentials that prove by themselves that this site made them, and for whom: their last letters are made of the others
 * with its secret. What somebody makes up proves nothing, and is no reason to keep those waiting that do; and what proves
 * itself and is gone counts for its holder alone. Credentials of before prove nothing, and are as good.
 */
import { type Secrets, sameSecret } from './secrets.ts';

type Signer = Pick<Secrets, 'lookup'>;

/** What is made; a proof of one kind is none of another. */
export type CredentialKind = 'relay-key' | 'app-token' | 'frame' | 'access-token';

/** Letters that stand for the holder, to us alone, in all that is his: nobody opens accounts until one has another's. */
const HOLDER = 6;
/** 72 bits, which nobody guesses by asking. At least 25 letters are left to chance, of which each is worth nearly 6 bits. */
const PROOF = 12;

/** Some credentials are made of letters and digits alone. */
const lettersOf = (secrets: Signer, text: string, count: number): string =>
  secrets.lookup(text).slice(0, count).replaceAll('-', 'A').replaceAll('_', 'B');

const proved = (secrets: Signer, kind: CredentialKind, text: string): string =>
  text + lettersOf(secrets, `${kind}:${text}`, PROOF);

/** A credential of the form of `random`, which it takes its chance from; `share` is its holder's, as in `core/share.ts`. */
export const ownCredential = (secrets: Signer, kind: CredentialKind, share: string, random: string): string =>
  proved(
    secrets,
    kind,
    random.slice(0, -HOLDER - PROOF) + lettersOf(secrets, `credentials-of:${share}`, HOLDER),
  );

/** Who holds a credential, of whatever time, by the letters that stand for him; null for what proves nothing. */
export function holderOf(secrets: Signer, kind: CredentialKind, credential: string): string | null {
  const text = credential.slice(0, -PROOF);
  return sameSecret(credential, proved(secrets, kind, text)) ? text.slice(-HOLDER) : null;
}
