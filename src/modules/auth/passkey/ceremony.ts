/**
 * The two ceremonies of WebAuthn: a device makes a key, and a device proves that it has one. Each answers a challenge that
 * is good once and for minutes, in the session or the sign-in flow that asked for it.
 */
import { and, eq, lt } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { nowSec } from '../../../core/time.ts';
import { passkeys } from '../../../db/schema/index.ts';
import type { Shelf } from '../../../platform/one-time.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import type { Assertion, Registration } from './contract.ts';
import type { PasskeyRow } from './rows.ts';
import type { PasskeySite } from './site.ts';

type CeremonyDeps = Pick<Deps, 'db' | 'oneTime' | 'secrets'>;

/** It brings a library of certificates along, which a site without passkeys never needs. */
const webauthn = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** Who asks, and what for: a challenge of one ceremony is none of another. */
export interface Asker {
  ceremony: 'register' | 'sign-in' | 'second';
  /** Of the session, or of the sign-in flow. */
  id: string;
  /** Where its challenge is kept, of what anybody may ask for. */
  shelves?: readonly Shelf[];
}

const challengeKey = ({ ceremony, id }: Asker): string => `passkey:${ceremony}:${sha256(id)}`;

const keepChallenge = ({ oneTime }: CeremonyDeps, asker: Asker, challenge: string): Promise<void> =>
  oneTime.put(challengeKey(asker), challenge, limits.passkeyChallengeSec, asker.shelves);

/** Throws PASSKEY_SITE where no passkey can be used. */
export function requireSite(site: PasskeySite): void {
  if (site.obstacle !== null) throw fail('PASSKEY_SITE');
}

/** What a device knows its user by: nothing that tells who he is. */
const userHandle = ({ secrets }: CeremonyDeps, userId: number): string =>
  secrets.lookup(`passkey-user:${userId}`);

interface NewKeyFor {
  id: number;
  username: string;
  displayName: string;
  siteName: string;
  /** Those that he has: a device that holds one makes no second. */
  known: readonly PasskeyRow[];
}

/** What a browser is given to have a key made. */
export async function askForKey(deps: CeremonyDeps, site: PasskeySite, asker: Asker, user: NewKeyFor) {
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: user.siteName,
    rpID: site.rpId,
    userName: user.username,
    userDisplayName: user.displayName,
    userID: new Uint8Array(Buffer.from(userHandle(deps, user.id), 'base64url')),
    attestationType: 'none',
    excludeCredentials: user.known.map(asDescriptor),
    // One that can neither be found by itself nor tell its owner is still a second factor.
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  });
  await keepChallenge(deps, asker, options.challenge);
  return options;
}

const asDescriptor = ({ credential_id, transports }: PasskeyRow) => ({ id: credential_id, transports });

/** The columns that the made key fills. Throws PASSKEY_FAILED. */
export async function readKey(
  deps: CeremonyDeps,
  site: PasskeySite,
  asker: Asker,
  given: Registration,
): Promise<Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'rp_id'>> {
  const challenge = await deps.oneTime.take(challengeKey(asker));
  if (challenge === null || !(await isPlain(given))) throw fail('PASSKEY_FAILED');
  const { verifyRegistrationResponse } = await webauthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...given, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: false,
  }).catch((cause: unknown) => {
    throw fail('PASSKEY_FAILED', { cause });
  });
  if (!verified) throw fail('PASSKEY_FAILED');
  const { id, publicKey, counter } = registrationInfo.credential;
  return {
    credential_id: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: given.response.transports ?? [],
    rp_id: site.rpId,
  };
}

/**
 * Whether it comes without certificates. We ask for none, and to judge one means to call the addresses that stand in it.
 */
async function isPlain({ response }: Registration): Promise<boolean> {
  const { decodeAttestationObject } = await helpers();
  try {
    const told = decodeAttestationObject(
      new Uint8Array(Buffer.from(response.attestationObject, 'base64url')),
    );
    const format = told.get('fmt');
    return (format === 'none' || format === 'packed') && told.get('attStmt').get('x5c') === undefined;
  } catch {
    return false;
  }
}

/** What a browser is given to have a key proved; `known` names those that will do, none any that the device finds. */
export async function askForProof(
  deps: CeremonyDeps,
  site: PasskeySite,
  asker: Asker,
  known: readonly PasskeyRow[] = [],
) {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({
    rpID: site.rpId,
    allowCredentials: known.map(asDescriptor),
    userVerification: asker.ceremony === 'sign-in' ? 'required' : 'preferred',
  });
  await keepChallenge(deps, asker, options.challenge);
  return options;
}

/** The passkey that was proved, or null. By itself it is a sign-in only when the device has asked who holds it. */
export async function readProof(
  deps: CeremonyDeps,
  site: PasskeySite,
  asker: Asker,
  given: Assertion,
): Promise<PasskeyRow | null> {
  const challenge = await deps.oneTime.take(challengeKey(asker));
  if (challenge === null) return null;
  const [row] = await deps.db.orm
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.credential_id, given.id), eq(passkeys.rp_id, site.rpId)));
  if (!row) return null;
  const told = given.response.userHandle;
  if (told && told !== userHandle(deps, row.user_id)) return null;
  const { verifyAuthenticationResponse } = await webauthn();
  const proof = await verifyAuthenticationResponse({
    response: {
      ...given,
      response: { ...given.response, userHandle: told ?? undefined },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    credential: {
      id: row.credential_id,
      publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
      counter: row.counter,
    },
    requireUserVerification: asker.ceremony === 'sign-in',
  }).catch(() => null);
  if (!proof?.verified) return null;
  const { newCounter } = proof.authenticationInfo;
  return (await countUse(deps, row, newCounter)) ? row : null;
}

/** Of two copies of a key that count alike, one is let in; keys that do not count stay at 0. */
async function countUse({ db }: CeremonyDeps, { id }: PasskeyRow, counter: number): Promise<boolean> {
  const isAhead = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter);
  const used = await db.orm
    .update(passkeys)
    .set({ counter, used_at: nowSec() })
    .where(and(eq(passkeys.id, id), isAhead))
    .returning({ id: passkeys.id });
  return used.length === 1;
}
