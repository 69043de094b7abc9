/** The key that signs who somebody is, and what it signs (OpenID Connect Core, 2). Made once, sealed in the database. */
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { z } from 'zod';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { madeOnce } from '../../core/made-once.ts';
import type { Deps } from '../deps.ts';

/** The one algorithm that every client of OpenID Connect must know. */
export const SIGNING_ALG = 'RS256';
const NAME = 'oauth_signing_key';

const privateKey = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  n: z.string(),
  e: z.string(),
  d: z.string(),
});

export type Signing = ReturnType<typeof createSigning>;

export function createSigning({ db, secrets }: Pick<Deps, 'db' | 'secrets'>) {
  const stored = async (): Promise<string | undefined> => {
    const rows = await db.query<{ value: string }>('select value from meta where name = $1', [NAME]);
    return rows[0]?.value;
  };
  const make = async (): Promise<string | undefined> => {
    const { privateKey: fresh } = await generateKeyPair(SIGNING_ALG, {
      modulusLength: 2_048,
      extractable: true,
    });
    const jwk = await exportJWK(fresh);
    const text = JSON.stringify({ ...jwk, kid: await calculateJwkThumbprint(jwk) });
    // Of two processes that make one the first has it.
    await db.query('insert into meta (name, value) values ($1, $2) on conflict (name) do nothing', [
      NAME,
      secrets.seal(text, NAME),
    ]);
    return stored();
  };
  const open = async () => {
    const sealed = (await stored()) ?? (await make());
    if (sealed === undefined) throw new Error('the signing key is not there');
    const jwk = privateKey.parse(parseJson(secrets.open(sealed, NAME)));
    const { kty, kid, n, e } = jwk;
    const shown: JWK = { kty, kid, n, e, use: 'sig', alg: SIGNING_ALG };
    return { kid, shown, key: await importJWK(jwk, SIGNING_ALG) };
  };
  const key = madeOnce(open);
  return {
    /** What everybody may check signatures by. */
    keys: async (): Promise<{ keys: JWK[] }> => ({ keys: [(await key()).shown] }),
    /** Who signed in, for the application that asked. */
    async idToken(claims: JWTPayload & { iss: string; sub: string; aud: string }): Promise<string> {
      const { kid, key: signer } = await key();
      return new SignJWT(claims)
        .setProtectedHeader({ alg: SIGNING_ALG, kid, typ: 'JWT' })
        .setIssuedAt()
        .setExpirationTime(`${limits.oauthAccessSec}s`)
        .sign(signer);
    },
  };
}
