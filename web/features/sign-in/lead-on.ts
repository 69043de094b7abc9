/** Where a sign-in leads, whichever way somebody came. */
import { safeNext } from '@core/next-path.ts';
import { withQuery } from '@/lib/api.ts';
import { approvePath } from '@/lib/approve-code.ts';
import type { DataOf } from '@/lib/calls.ts';
import { keep } from '@/lib/storage.ts';

/** What every call answers that signs somebody in: who he is now, or that a second factor is asked for first. */
export type SignInAnswer = DataOf<'post', '/api/user/login'>;

/**
 * Leads to `next`, or to the second step before it. `replace` leaves no way back
 * to this page. Never resolves: a button stays busy until the new page stands.
 */
export async function leadOn(
  answer: SignInAnswer,
  next: string | undefined,
  { replace = false }: { replace?: boolean } = {},
): Promise<void> {
  const go = (path: string) => (replace ? window.location.replace(path) : window.location.assign(path));
  if ('require_2fa' in answer) {
    const { passkey, code = true } = answer;
    go(withQuery('/login', { second: code ? 'code' : 'passkey', passkey: code && passkey && 'true', next }));
  } else {
    keep.user(answer);
    keep.arrived();
    if (answer.default_password) keep.defaultPassword();
    // A way that has lost where somebody came from still leads back to the application that waits for him.
    go(safeNext(next, approvePath() ?? undefined));
  }
  await new Promise(() => {});
}
