/**
 * Browsers that somebody signed in with before: what another guesses at his account does not count against them. A
 * browser keeps a signed mark for each of its last accounts, which a new password makes void, so that who has known an
 * old one has no counters of his own.
 */
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { sameSecret } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { UserRow } from '../user/service.ts';

type Marked = Pick<UserRow, 'id' | 'password_hash'>;
type MarkDeps = Pick<Deps, 'secrets'>;

const BETWEEN = '~';
const SHAPE = /^(\d{1,16})\.([\w-]{22})\.([\w-]{43})$/;

const signatureOf = ({ secrets }: MarkDeps, { id, password_hash }: Marked, browser: string): string =>
  secrets.lookup(`known-browser:${id}:${browser}:${password_hash ?? ''}`);

const marksOf = (kept: string | null): string[] =>
  (kept ?? '')
    .split(BETWEEN)
    .slice(0, limits.knownAccounts)
    .filter((mark) => SHAPE.test(mark));

/** The random id of the browser that has signed in to the account, or null; `kept` is what the browser brought. */
export function knownBrowser(deps: MarkDeps, kept: string | null, account: Marked): string | null {
  for (const mark of marksOf(kept)) {
    const [, userId, browser = '', signature = ''] = SHAPE.exec(mark) ?? [];
    if (Number(userId) === account.id && sameSecret(signature, signatureOf(deps, account, browser))) {
      return browser;
    }
  }
  return null;
}

/** What the browser keeps from now on. Its id stays, so that signing in again makes no new counter. */
export function rememberBrowser(deps: MarkDeps, kept: string | null, account: Marked): string {
  const browser = knownBrowser(deps, kept, account) ?? secretText(128);
  const others = marksOf(kept).filter((mark) => !mark.startsWith(`${account.id}.`));
  const mark = `${account.id}.${browser}.${signatureOf(deps, account, browser)}`;
  return [mark, ...others].slice(0, limits.knownAccounts).join(BETWEEN);
}
