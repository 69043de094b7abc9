/** Which application calls, and whether it is that one (RFC 6749, 2.3). */
import { fail } from '../../core/errors.ts';
import { isStorable } from '../../core/wire/text.ts';
import { sameSecret, sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { findApp, type OAuthApp } from './apps.ts';

/** How an application may prove itself; a public one has nothing to prove itself by, and its codes their verifier. */
export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const;

interface Claim {
  id: string;
  secret: string | null;
}

/** The application of a call's header or form. Throws OAUTH_CLIENT. */
export async function authenticateClient(
  deps: Pick<Deps, 'db'>,
  { authorization, form }: { authorization: string | null; form: ReadonlyMap<string, string> },
): Promise<OAuthApp> {
  const claim = claimOf(authorization, form);
  if (!claim) throw fail('OAUTH_CLIENT');
  return verified(deps, claim);
}

/** Null for none, and for two: a client must not use more than one way (RFC 6749, 2.3). */
function claimOf(authorization: string | null, form: ReadonlyMap<string, string>): Claim | null {
  const secret = form.get('client_secret') ?? null;
  if (authorization === null) {
    const id = form.get('client_id');
    return id === undefined ? null : { id, secret };
  }
  const basic = basicOf(authorization);
  const isSame = !form.has('client_id') || form.get('client_id') === basic?.id;
  return basic && isSame && secret === null ? basic : null;
}

/** Both parts are written as in a form before they are joined (RFC 6749, 2.3.1). */
function basicOf(authorization: string): Claim | null {
  const packed = /^Basic\s+([\w+/=-]+)$/i.exec(authorization)?.[1];
  const text = packed ? Buffer.from(packed, 'base64').toString() : '';
  const colon = text.indexOf(':');
  if (colon < 1) return null;
  try {
    const [id = '', secret = ''] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
      decodeURIComponent(part.replaceAll('+', ' ')),
    );
    return isStorable(id) ? { id, secret } : null;
  } catch {
    return null;
  }
}

async function verified(deps: Pick<Deps, 'db'>, { id, secret }: Claim): Promise<OAuthApp> {
  const app = await findApp(deps, id);
  if (!app) throw fail('OAUTH_CLIENT');
  const isRight =
    app.secret_hash === null
      ? secret === null || secret === ''
      : secret !== null && sameSecret(sha256(secret), app.secret_hash);
  if (!isRight) throw fail('OAUTH_CLIENT');
  return app;
}
