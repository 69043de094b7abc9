/**
 * The authorization request of an application (RFC 6749, 4.1, with the demands of OAuth 2.1): read, judged, agreed to by
 * its user, answered with a code.
 */
import { and, desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import { isStorable } from '../../core/wire/text.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { requireWayIn } from '../../db/hold-way-in.ts';
import { oauthApps, oauthConsents, oauthGrants, oauthTokens } from '../../db/schema/index.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { findApp, type OAuthApp } from './apps.ts';
import { holdConsent, ofBoth, wasTold } from './consent.ts';
import { type Consenter, remember } from './consents.ts';
import { isRegistered, OPENID } from './facts.ts';

type AuthorizeDeps = Pick<Deps, 'db' | 'oneTime' | 'changes'>;

/** What a browser brought, once it is known that it may be answered at the application's address. */
export interface Destination {
  app: OAuthApp;
  redirectUri: string;
  state: string | null;
}

/** A request that holds in all its parts. */
export interface AuthorizationRequest extends Destination {
  scopes: string[];
  challenge: string;
  nonce: string;
  /** `none`: no page may be shown; `consent`: the question is asked again. */
  prompt: '' | 'none' | 'consent';
}

/** An error that the application is told at its address, in the words of RFC 6749, 4.1.2.1. */
export type RefusedTo =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'login_required'
  | 'consent_required';

const VALUE_MAX = 2_000;
/** What the application is sent back as it came: RFC 6749, appendix A.5, of a length that can be kept for everybody. */
const ECHO = new RegExp(`^[\\x20-\\x7e]{0,${limits.oauthEchoChars}}$`);
/** SHA-256 as base64url. */
const S256 = /^[\w-]{43}$/;

/** Every parameter once at most (RFC 6749, 3.1); of two, nobody knows which the other side means. Throws OAUTH_REQUEST_BAD. */
export function onceEach(params: URLSearchParams): Map<string, string> {
  if (params.size > limits.formNames) throw bad({ zh: '参数过多', en: 'there are too many parameters' });
  const once = new Map<string, string>();
  for (const [name, value] of params) {
    if (once.has(name)) throw bad({ zh: '参数重复', en: 'a parameter stands there twice' });
    if (value.length > VALUE_MAX || !isStorable(value))
      throw bad({ zh: '参数过长', en: 'a parameter is too long' });
    if (value !== '') once.set(name, value);
  }
  return once;
}

const bad = (reason: Text) => fail('OAUTH_REQUEST_BAD', { params: { reason } });

/** Where an answer may go. Until that is certain, nothing is sent anywhere. Throws OAUTH_APP_UNKNOWN, OAUTH_REDIRECT_UNKNOWN. */
export async function readDestination(
  deps: Pick<Deps, 'db'>,
  given: ReadonlyMap<string, string>,
): Promise<Destination> {
  const app = await findApp(deps, given.get('client_id') ?? '');
  if (!app) throw fail('OAUTH_APP_UNKNOWN');
  const redirectUri = given.get('redirect_uri') ?? '';
  if (!isRegistered(app.redirect_uris, redirectUri)) throw fail('OAUTH_REDIRECT_UNKNOWN');
  const state = given.get('state') ?? null;
  return { app, redirectUri, state: state !== null && ECHO.test(state) ? state : null };
}

/** The rest of it, or what is wrong with it. */
export function readRequest(
  destination: Destination,
  given: ReadonlyMap<string, string>,
): AuthorizationRequest | RefusedTo {
  if (given.get('response_type') !== 'code') return 'unsupported_response_type';
  const nonce = given.get('nonce') ?? '';
  if (!ECHO.test(nonce) || !ECHO.test(given.get('state') ?? '')) return 'invalid_request';
  const challenge = given.get('code_challenge') ?? '';
  // Without a method the challenge would be the verifier itself, which is what OAuth 2.1 has done away with.
  if (given.get('code_challenge_method') !== 'S256' || !S256.test(challenge)) return 'invalid_request';
  const mode = given.get('response_mode') ?? 'query';
  if (mode !== 'query' || given.has('request') || given.has('request_uri')) return 'invalid_request';
  const prompt = given.get('prompt') ?? '';
  if (prompt !== '' && prompt !== 'none' && prompt !== 'consent') return 'invalid_request';
  const scopes = scopesOf(destination.app, given.get('scope'));
  if (!scopes) return 'invalid_scope';
  return { ...destination, scopes, challenge, nonce, prompt };
}

/** Who the user is, where nothing is asked for; null for what is beyond the registration. */
function scopesOf(app: OAuthApp, text = 'profile'): string[] | null {
  const asked = [...new Set(text.split(' ').filter(Boolean))];
  const allowed = [...app.scopes, OPENID];
  return asked.length > 0 && asked.every((scope) => allowed.includes(scope)) ? asked.sort() : null;
}

/**
 * Whether its user has agreed to all of it before, as one page told it. A public application at an address that any program of a machine can
 * take is asked about each time, because nothing shows that it is the one he agreed to (RFC 8252, 8.6).
 */
export async function hasConsented(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  { app, scopes, redirectUri, prompt }: AuthorizationRequest,
): Promise<boolean> {
  const isAnybodys = app.secret_hash === null && !redirectUri.startsWith('https:');
  if (prompt === 'consent' || isAnybodys) return false;
  const [row] = await db.orm
    .select({ pages: oauthConsents.scopes })
    .from(oauthConsents)
    .where(ofBoth(userId, app.id));
  return row !== undefined && wasTold(row.pages, scopes);
}

/** Where the answer goes: what it says, the state as it came, and who answers (RFC 9207), against mix-ups. */
export function answerAddress(
  { redirectUri, state }: Pick<Destination, 'redirectUri' | 'state'>,
  issuer: string,
  said: { code: string } | { error: RefusedTo },
): string {
  const query = new URLSearchParams({ ...said, ...(state !== null && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
}

// ---- The question ------------------------------------------------------------------------------------------------

const question = z.object({
  userId: z.number(),
  /** SHA-256 of it. */
  ticket: z.string(),
  appId: z.number(),
  redirectUri: z.string(),
  state: z.string().nullable(),
  scopes: z.array(z.string()),
  challenge: z.string(),
  nonce: z.string(),
});
type Question = z.infer<typeof question>;

/** Who is asked, and in which session: nobody else can answer, and he in no other. */
export interface Asked extends Consenter {
  sessionId: string;
}

/** One of each session, so that no account keeps more of them than it has sessions. */
const keyOf = ({ sessionId }: Asked): string => `oauth-consent:${sessionId}`;

/**
 * Keeps what is asked of the user and answers the ticket by which his answer finds it, once. It takes the place of what
 * he was asked before in this session.
 */
export async function ask(
  { oneTime }: AuthorizeDeps,
  asked: Asked,
  request: AuthorizationRequest,
): Promise<string> {
  const ticket = secretText(256);
  const { app, redirectUri, state, scopes, challenge, nonce } = request;
  const kept: Question = {
    userId: asked.id,
    ticket: sha256(ticket),
    appId: app.id,
    redirectUri,
    state,
    scopes,
    challenge,
    nonce,
  };
  await oneTime.put(keyOf(asked), JSON.stringify(kept), limits.signInFlowSec);
  return ticket;
}

/** A question that stands, with the application as root has it now. */
export interface Standing extends Omit<AuthorizationRequest, 'prompt'> {}

/** Throws OAUTH_REQUEST_OVER for a ticket that is not his, was used, or is of a question before the last. */
export async function readQuestion(deps: AuthorizeDeps, asked: Asked, ticket: string): Promise<Standing> {
  const kept = held(await deps.oneTime.get(keyOf(asked)), asked, ticket);
  // Root may have changed it, or switched it off, meanwhile.
  const [app] = await deps.db.orm
    .select()
    .from(oauthApps)
    .where(and(eq(oauthApps.id, kept.appId), oauthApps.enabled));
  const still = [...(app?.scopes ?? []), OPENID];
  const isStill = app && isRegistered(app.redirect_uris, kept.redirectUri);
  if (!isStill || !kept.scopes.every((scope) => still.includes(scope))) throw fail('OAUTH_REQUEST_OVER');
  return { ...kept, app };
}

/** Of two answers at once one has it; an answer to a question before the last leaves the last one open. */
const takeQuestion = async ({ oneTime }: AuthorizeDeps, asked: Asked, ticket: string): Promise<Question> => {
  held(await oneTime.get(keyOf(asked)), asked, ticket);
  return held(await oneTime.take(keyOf(asked)), asked, ticket);
};

function held(kept: string | null, asked: Asked, ticket: string): Question {
  const { data } = question.safeParse(kept === null ? null : parseJson(kept));
  if (data?.userId !== asked.id || data.ticket !== sha256(ticket)) throw fail('OAUTH_REQUEST_OVER');
  return data;
}

/** He refuses: where that is told. Throws OAUTH_REQUEST_OVER. */
export async function refuse(
  deps: AuthorizeDeps,
  asked: Asked,
  ticket: string,
): Promise<Pick<Destination, 'redirectUri' | 'state'>> {
  return takeQuestion(deps, asked, ticket);
}

/** He agrees to a question that was read just now: the code for it. Throws OAUTH_REQUEST_OVER, SESSION_EXPIRED. */
export async function approve(
  deps: AuthorizeDeps,
  asked: Asked,
  ticket: string,
  standing: Standing,
): Promise<string> {
  await takeQuestion(deps, asked, ticket);
  return deps.db.orm.transaction(async (tx) => {
    // What he agrees to does not outlive the end of the session in which he does, also when both happen at once.
    await requireWayIn(tx, asked);
    await remember(tx, asked, standing.app, standing.scopes);
    return insertCode(tx, asked.id, standing);
  });
}

/** The query by which its application asked. */
export const queryOf = ({ app, redirectUri, scopes, state, challenge, nonce }: Standing): string =>
  new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(state !== null && { state }),
    ...(nonce !== '' && { nonce }),
  }).toString();

/** A code for what he has agreed to before. Throws OAUTH_REQUEST_OVER, SESSION_EXPIRED. */
export const issueCode = ({ db }: AuthorizeDeps, asked: Asked, request: CodeRequest): Promise<string> =>
  db.orm.transaction(async (tx) => {
    await requireWayIn(tx, asked);
    return insertCode(tx, asked.id, request);
  });

type CodeRequest = Pick<AuthorizationRequest, 'app' | 'redirectUri' | 'scopes' | 'challenge' | 'nonce'>;

/**
 * A code for all that was asked, good for a minute and one use; only its hash is kept. Throws OAUTH_REQUEST_OVER where what
 * he has agreed to was withdrawn meanwhile.
 */
async function insertCode(tx: Tx, userId: number, request: CodeRequest): Promise<string> {
  const code = `oac_${secretText(256)}`;
  const id = crypto.randomUUID();
  const expires_at = nowSec() + limits.oauthCodeSec;
  const { app, redirectUri, scopes, challenge, nonce } = request;
  if (!(await holdConsent(tx, userId, app.id))) throw fail('OAUTH_REQUEST_OVER');
  await tx.insert(oauthGrants).values({ id, app_id: app.id, user_id: userId, scopes, expires_at });
  await tx.insert(oauthTokens).values({
    hash: sha256(code),
    grant_id: id,
    kind: 'code',
    expires_at,
    redirect_uri: redirectUri,
    challenge,
    nonce,
  });
  const his = and(eq(oauthGrants.user_id, userId), eq(oauthGrants.app_id, app.id));
  const surplus = tx
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .where(his)
    .orderBy(desc(oauthGrants.created_at), desc(oauthGrants.expires_at))
    .offset(limits.oauthGrantsOfApp)
    .for('update', { skipLocked: true });
  await tx.delete(oauthGrants).where(among(oauthGrants.id, surplus));
  return code;
}
