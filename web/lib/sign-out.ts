import type { Api } from './api.ts';
import { keep } from './storage.ts';

/** Ends the session and leaves for the sign-in page. Throws ApiError when it could not be ended. */
export async function signOut(api: Api): Promise<void> {
  await api.get('/api/user/logout');
  keep.signedOut();
  window.location.assign('/login?left=true');
}
