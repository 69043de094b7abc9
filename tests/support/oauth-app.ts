/** Applications that sign in with accounts of a site under test, and the browsers of their users. */
import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Client, TestApi } from './api.ts';

export const REDIRECT = 'https://app.example/back';

export interface TestApp {
  id: number;
  clientId: string;
  /** Null of a public application. */
  secret: string | null;
}

/** Registers one, by root. */
export async function registerApp(root: Client, over: object = {}): Promise<TestApp> {
  const { data, message } = await root.post('/api/oauth_app/admin/', {
    name: 'Notebook',
    redirect_uris: [REDIRECT],
    scopes: ['profile', 'balance', 'tokens:create', 'relay', 'embed'],
    confidential: true,
    ...over,
  });
  if (!data) throw new Error(message);
  return { id: data.id, clientId: data.client_id, secret: data.client_secret };
}

/** A code verifier with its challenge. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** What an application sends its user's browser with; null leaves a field out. */
export function authorizeQuery(
  app: TestApp,
  challenge: string,
  over: Record<string, string | null> = {},
): string {
  const fields: Record<string, string | null> = {
    client_id: app.clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'profile',
    state: 'the state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...over,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== null) query.set(name, value);
  return `/api/oauth/authorize?${query}`;
}

export const ticketIn = ({ text }: Answer): string => /name="ticket" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** What a browser sends along with a form of our own page. */
const OWN_FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

export const answerConsent = (user: Client, ticket: string, decision = 'approve'): Promise<Answer> =>
  user.call('POST', '/api/oauth/authorize', new URLSearchParams({ ticket, decision }).toString(), OWN_FORM);

/** Where a browser is sent to; throws when it is sent nowhere. */
export function sentTo({ status, headers, text }: Answer): URL {
  const location = headers.get('location');
  if (status !== 303 || location === null) throw new Error(`sent nowhere: ${status} ${text.slice(0, 300)}`);
  return new URL(location);
}

/** Goes through the authorization as a user who agrees; answers where he is sent back to. */
export async function agree(user: Client, address: string): Promise<URL> {
  const page = await user.get(address);
  return page.status === 303 ? sentTo(page) : sentTo(await answerConsent(user, ticketIn(page)));
}

/** A call of an application itself; the form as the standards have it. */
export async function appCall(
  api: TestApi,
  path: '/api/oauth/token' | '/api/oauth/revoke',
  app: TestApp,
  fields: Record<string, string>,
): Promise<{ status: number; body: Record<string, string> }> {
  const proof = { client_id: app.clientId, ...(app.secret !== null && { client_secret: app.secret }) };
  const answer = await api
    .guest()
    .call('POST', path, new URLSearchParams({ ...proof, ...fields }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  return { status: answer.status, body: JSON.parse(answer.text) };
}

export const exchange = (
  api: TestApi,
  app: TestApp,
  code: string,
  verifier: string,
  over: Record<string, string> = {},
) =>
  appCall(api, '/api/oauth/token', app, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...over,
  });

export const refresh = (api: TestApi, app: TestApp, token: string, over: Record<string, string> = {}) =>
  appCall(api, '/api/oauth/token', app, { grant_type: 'refresh_token', refresh_token: token, ...over });

/** The tokens of a user who signs in at an application. */
export async function signInAt(
  api: TestApi,
  app: TestApp,
  user: Client,
  scope = 'profile',
): Promise<{ access: string; refresh: string }> {
  const { verifier, challenge } = pkce();
  const back = await agree(user, authorizeQuery(app, challenge, { scope }));
  const { status, body } = await exchange(api, app, back.searchParams.get('code') ?? '', verifier);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { access: body.access_token ?? '', refresh: body.refresh_token ?? '' };
}

/** Somebody who calls with a bearer alone. */
export function bearer(api: TestApi, token: string): Client {
  const client = api.guest();
  client.headers.authorization = `Bearer ${token}`;
  return client;
}
