/** What clients read to find everything else (RFC 8414, OpenID Connect Discovery). */

import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import { CLIENT_AUTH_METHODS } from './client.ts';
import { OAUTH_SCOPES, OPENID } from './facts.ts';
import { SIGNING_ALG } from './signing.ts';

/** Who signs and answers: the public address; `origin` is what the caller's browser shows. */
export const issuerOf = (deps: Pick<Deps, 'env' | 'options'>, { origin }: { origin: string }): string =>
  (publicAddress(deps) || origin).replace(/\/+$/, '');

export const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/login`,
  token_endpoint: `${issuer}/api/oauth/token`,
  revocation_endpoint: `${issuer}/api/oauth/revoke`,
  userinfo_endpoint: `${issuer}/api/oauth/userinfo`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: [OPENID, ...OAUTH_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTH_METHODS,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [SIGNING_ALG],
  claims_supported: ['sub', 'name', 'preferred_username', 'quota', 'used_quota', 'request_count'],
  prompt_values_supported: ['none', 'consent'],
  authorization_response_iss_parameter_supported: true,
});
