/** Coming back from a third party: the one call that finishes what was begun there. */
import { withQuery } from '@/lib/api.ts';
import { ApiError } from '@/lib/api-error.ts';
import { showAsAsked } from '@/lib/message-modal.ts';
import { unwrapWhole } from '@/lib/unwrap.ts';
import type { SignInAnswer } from './lead-on.ts';

export const oauthProviders = ['github', 'google', 'oidc', 'linuxdo'] as const;
export type OAuthProvider = (typeof oauthProviders)[number];

export const isOAuthProvider = (name: string): name is OAuthProvider =>
  oauthProviders.some((known) => known === name);

/** What the third party's redirect says. */
export interface Callback {
  code?: string;
  state?: string;
  redirect?: string;
  iss?: string;
  error?: string;
}

interface Finished {
  /** `bind` when the account of the third party was bound to the one that is signed in. */
  message: string;
  data?: SignInAnswer;
  /** A path of this site. */
  next: string;
}

/** Throws ApiError. `userId` is who is signed in, if anybody. */
export async function finishOAuth(
  provider: OAuthProvider,
  callback: Callback,
  userId: number | null,
): Promise<Finished> {
  const headers = userId === null ? undefined : { 'new-api-user': String(userId) };
  const path = withQuery(`/api/oauth/${provider}`, { ...callback });
  try {
    return await unwrapWhole<Finished>(await fetch(path, { headers, cache: 'no-store' }));
  } catch (error) {
    if (error instanceof ApiError) showAsAsked(error);
    throw error;
  }
}
