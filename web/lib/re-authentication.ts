/**
 * Re-authentication: some calls want to be sure that it is the owner of the account who asks, and not somebody at his
 * open browser. What asks him stands in the shell; the API's client repeats the call when he has shown it.
 */
import { ApiError } from './api-error.ts';

/** The call that takes the proof; its own refusal leads to no further question. */
export const CONFIRM = '/api/user/confirm';

/** Tells whether he has proved himself. */
type Asker = () => Promise<boolean>;

let asker: Asker | undefined;

/** From now on this one asks; until the answer is called. */
export function reauthenticateBy(next: Asker): () => void {
  asker = next;
  return () => {
    asker = undefined;
  };
}

export const reauthenticate = async (): Promise<boolean> => (asker ? asker() : false);

export const needsReauthentication = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'REAUTH_REQUIRED';
