/** Where a sign-in leads, whichever way somebody came. */
import { safeNext } from '@core/next-path.ts';
import { withQuery } from '@/lib/api.ts';
import { keep } from '@/lib/storage.ts';

export interface SignedIn {
  id: number;
  username: string;
  role: number;
}

/** What every call answers that signs somebody in: who he is now, or that a second factor is asked for first. */
export type SignInAnswer = SignedIn | { require_2fa: true };

/** Leads to `next`, or to the second step before it. Never resolves: a button stays busy until the new page stands. */
export async function leadOn(answer: SignInAnswer, next: string | undefined): Promise<void> {
  if ('require_2fa' in answer) {
    window.location.assign(withQuery('/login', { second: 'code', next }));
  } else {
    keep.user(answer);
    window.location.assign(safeNext(next));
  }
  await new Promise(() => {});
}
