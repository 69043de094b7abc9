/**
 * A sign-in under way at a third party. What is known of it stays here; the browser takes only a random state along,
 * which works once, for ten minutes, at this provider, and in the browser that began.
 */
import { calculatePKCECodeChallenge, generateRandomCodeVerifier } from 'oauth4webapi';
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { secretText } from '../../../core/ids.ts';
import { parseJson } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import type { Shelf } from '../../../platform/one-time.ts';
import type { Deps } from '../../deps.ts';
import { OAUTH_PROVIDERS, type OAuthProviderName } from '../facts.ts';
import type { OAuthProvider } from './providers.ts';

const flow = z.object({
  /** Of the browser that began. */
  flowId: z.string(),
  /** Null for clients that go to the provider by themselves. */
  provider: z.enum(OAUTH_PROVIDERS).nullable(),
  /** Who binds an account of the third party to his own; null for who signs in. */
  userId: z.number().nullable(),
  /** The session in which he had shown, before he left, that it is he. */
  reauthenticatedIn: z.string().nullable(),
  /** The invitation code that he came with. */
  aff: z.string(),
  /** The query of an external application that waits for his sign-in; handed back as it came. */
  loginParams: z.string(),
  next: z.string(),
  redirectUri: z.string().nullable(),
  verifier: z.string().nullable(),
  nonce: z.string().nullable(),
});

export type Flow = z.infer<typeof flow>;

/** What is known of a flow as it begins. */
export interface FlowStart
  extends Pick<Flow, 'flowId' | 'userId' | 'reauthenticatedIn' | 'aff' | 'loginParams' | 'next'> {
  /** Where it is kept. */
  shelves: readonly Shelf[];
}

type FlowDeps = Pick<Deps, 'oneTime' | 'options'>;

const keyOf = (state: string): string => `oauth:${state}`;

async function keepFlow(
  { oneTime }: FlowDeps,
  { shelves, ...kept }: Flow & Pick<FlowStart, 'shelves'>,
): Promise<string> {
  const state = secretText(256);
  await oneTime.put(keyOf(state), JSON.stringify(kept), limits.signInFlowSec, shelves);
  return state;
}

/** The state for a client that goes to the provider by itself. */
export const beginPlain = (deps: FlowDeps, start: FlowStart): Promise<string> =>
  keepFlow(deps, { ...start, provider: null, redirectUri: null, verifier: null, nonce: null });

/** The provider's address to go to, with a code challenge and, where the provider signs its answer, a nonce. */
export async function beginAt(
  deps: FlowDeps,
  provider: OAuthProvider,
  { redirectUri, ...start }: FlowStart & { redirectUri: string },
): Promise<string> {
  const verifier = generateRandomCodeVerifier();
  const nonce = provider.identity === 'none' ? null : secretText(256);
  const state = await keepFlow(deps, { ...start, provider: provider.name, redirectUri, verifier, nonce });
  const address = new URL(provider.addresses(deps.options).authorize);
  const query = {
    response_type: 'code',
    client_id: provider.settings(deps.options).clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(provider.scope && { scope: provider.scope }),
    ...(nonce && { nonce }),
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}

/**
 * Uses a state up and answers what it stands for. Throws OAUTH_STATE unless this very browser began it, for this
 * provider, as who it is now.
 */
export async function takeFlow(
  { oneTime }: FlowDeps,
  given: { state: string; flowId: string | null; provider: OAuthProviderName; userId: number | null },
): Promise<Flow> {
  const kept = given.state === '' ? null : await oneTime.take(keyOf(given.state));
  const read = flow.safeParse(kept === null ? null : parseJson(kept));
  if (!read.success) throw fail('OAUTH_STATE');
  const { flowId, provider, userId } = read.data;
  const isHis = flowId === given.flowId && userId === given.userId;
  if (!isHis || (provider !== null && provider !== given.provider)) throw fail('OAUTH_STATE');
  return read.data;
}
