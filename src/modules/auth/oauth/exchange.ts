/**
 * The code that somebody brings from a third party → who he is there. The library checks what standards demand: state of
 * the answer, code verifier, the signed identity with its issuer, audience, times, nonce and signature, and that the user
 * call speaks of the same subject.
 */

import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { AppError, type ErrorParams, fail } from '../../../core/errors.ts';
import { isObject, parseJson, parseObject } from '../../../core/json.ts';
import { type AsIs, asIs, fill, type Text } from '../../../core/text.ts';
import { type Outgoing, OutgoingError } from '../../../platform/outgoing.ts';
import type { Deps } from '../../deps.ts';
import { type Discovered, faultText, PROVIDER_CALL, statusText } from './discovery.ts';
import type { Flow } from './flow.ts';
import type { OAuthProvider, Profile } from './providers.ts';

export type ExchangeDeps = Pick<Deps, 'options' | 'outgoing' | 'log'> & {
  discovered(wellKnown: string): Promise<Discovered>;
};

/** What the provider's redirect brought along. */
export interface Callback {
  code: string;
  state: string;
  /** The issuer that answered, where it says so. */
  iss: string;
}

/** The library's calls, made by the guarded dialer, which judges addresses in its stead. */
const dialerOf = (outgoing: Outgoing) => ({
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: async (
    url: string,
    { method, headers, body }: oauth.CustomFetchOptions<string, oauth.ProtectedResourceRequestBody>,
  ): Promise<Response> => {
    const reply = await outgoing.call(url, {
      ...PROVIDER_CALL,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
    });
    const kept = ['content-type', 'www-authenticate'].flatMap((name): [string, string][] => {
      const value = reply.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return new Response(reply.text() || null, {
      status: reply.status,
      headers: kept,
    });
  },
});

/** Throws OAUTH_CODE for a code that the provider refused, OAUTH_UNREACHABLE, OAUTH_ANSWER, LINUXDO_ACCOUNT, LINUXDO_TRUST. */
export async function exchange(
  deps: ExchangeDeps,
  provider: OAuthProvider,
  flow: Pick<Flow, 'verifier' | 'nonce' | 'provider'> & { redirectUri: string },
  callback: Callback,
): Promise<Profile> {
  try {
    return provider.profile(await userAnswer(deps, provider, flow, callback), deps.options);
  } catch (error) {
    throw refusalOf(error, { provider: asIs(provider.title) });
  }
}

async function userAnswer(
  { options, outgoing, discovered }: ExchangeDeps,
  provider: OAuthProvider,
  flow: Pick<Flow, 'verifier' | 'nonce' | 'provider'> & { redirectUri: string },
  { code, state, iss }: Callback,
): Promise<unknown> {
  const dialer = dialerOf(outgoing);
  const { clientId, clientSecret } = provider.settings(options);
  const { token, user } = provider.addresses(options);
  const wellKnown = provider.identity === 'none' ? '' : provider.identity(options).wellKnown;
  const known = wellKnown === '' ? null : await discovered(wellKnown);
  const server: oauth.AuthorizationServer = {
    issuer: new URL(token).origin,
    ...known?.metadata,
    token_endpoint: token,
    userinfo_endpoint: user,
    // Clients that go to the provider by themselves hand on the code and the state alone.
    authorization_response_iss_parameter_supported:
      flow.provider !== null && known?.metadata.authorization_response_iss_parameter_supported,
  };
  const client: oauth.Client = { client_id: clientId };

  const given = new URLSearchParams({ code, state, ...(known && iss && { iss }) });
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuth(provider, known, clientSecret),
    oauth.validateAuthResponse(server, client, given, state),
    flow.redirectUri,
    flow.verifier ?? oauth.nopkce,
    dialer,
  );
  const said = await answerOf(response);
  if (provider.identity === 'none') {
    const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, response);
    return userCall(dialer, access_token, user);
  }
  const signer = known ? server : { ...server, issuer: issuerNamedIn(said.id_token) };
  const granted = await oauth.processAuthorizationCodeResponse(signer, client, response, {
    expectedNonce: flow.nonce ?? undefined,
    requireIdToken: true,
  });
  if (known) await oauth.validateApplicationLevelSignature(server, response, { ...dialer, ...known.keys });
  const subject = oauth.getValidatedIdTokenClaims(granted)?.sub ?? '';
  const told = await oauth.userInfoRequest(server, client, granted.access_token, dialer);
  return oauth.processUserInfoResponse(server, client, subject, told);
}

/** As the provider's document says; where there is none, as the record does. */
function clientAuth(provider: OAuthProvider, known: Discovered | null, secret: string): oauth.ClientAuth {
  const methods = known?.metadata.token_endpoint_auth_methods_supported;
  const inBody = methods ? methods.includes('client_secret_post') : provider.clientAuth === 'body';
  return inBody ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** GitHub refuses a code with status 200. */
const CODE_REFUSED = ['invalid_grant', 'bad_verification_code'];

/** The token call's answer. Throws OAUTH_CODE when it refuses the code. */
async function answerOf(response: Response): Promise<Record<string, unknown>> {
  const said = parseJson(await response.clone().text());
  if (!isObject(said)) return {};
  if (typeof said.error === 'string' && CODE_REFUSED.includes(said.error)) throw fail('OAUTH_CODE');
  return said;
}

/** Without a document of the provider, who signed is taken from what came over TLS from the operator's own address. */
function issuerNamedIn(idToken: unknown): string {
  const [, payload = ''] = typeof idToken === 'string' ? idToken.split('.') : [];
  const claims = parseObject(Buffer.from(payload, 'base64url').toString());
  return typeof claims?.iss === 'string' && claims.iss !== '' ? claims.iss : 'none';
}

async function userCall(
  dialer: ReturnType<typeof dialerOf>,
  accessToken: string,
  address: string,
): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json' });
  const response = await oauth.protectedResourceRequest(
    accessToken,
    'GET',
    new URL(address),
    headers,
    null,
    dialer,
  );
  return response.status === 200 ? parseJson(await response.text()) : undefined;
}

/**
 * What the visitor is told. The log gets the kind of fault alone: messages of a provider may repeat what it was given,
 * and that is a secret.
 */
function refusalOf(error: unknown, params: ErrorParams): unknown {
  if (error instanceof AppError)
    return fail(error.code, { ...error.detail, params: { ...params, ...error.detail.params } });
  if (error instanceof OutgoingError) {
    return fail('OAUTH_UNREACHABLE', {
      params: { ...params, reason: faultText(error) },
      internal: error.fault,
    });
  }
  const reason = faultOf(error);
  return reason === null
    ? error
    : fail('OAUTH_ANSWER', { params: { ...params, reason }, internal: fill(REASON, { reason }, 'en') });
}

const REASON: Text = { zh: '{reason}', en: '{reason}' };
const UNREADABLE: Text = { zh: '无法识别用户信息', en: 'unexpected user answer' };
const PLAIN_CODE = /^[\w.-]{1,60}$/;

/** A word for what was wrong with a provider's answer; null for errors that are not about one. */
function faultOf(error: unknown): Text | AsIs | null {
  if (error instanceof oauth.ResponseBodyError)
    return asIs(PLAIN_CODE.test(error.error) ? error.error : String(error.code));
  if (error instanceof oauth.WWWAuthenticateChallengeError) return statusText(error.status);
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return asIs(error.code ?? error.name);
  }
  return error instanceof z.ZodError ? UNREADABLE : null;
}
