/**
 * Browsers that somebody signed in with before: what another guesses at his account does not count against them. A
 * browser keeps a signed mark for each of its last accounts. A new password makes it void, and so does a second factor
 * that is turned on: who has known an old one, or the password alone, has no counters of his own.
 */
import { secretText } from '../../core/ids.ts';
import { type BrowserMark, browserId, isOurs, marksIn, textOfMarks } from '../../platform/browser-marks.ts';
import { sameSecret } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { UserRow } from '../user/service.ts';
import { factorSince } from './second-factor/factor.ts';

type Marked = Pick<UserRow, 'id' | 'password_hash'>;
type MarkDeps = Pick<Deps, 'db' | 'secrets'>;

/** Signs what the account is proved by now. */
async function signerOf(
  { db, secrets }: MarkDeps,
  { id, password_hash }: Marked,
): Promise<(browser: string) => string> {
  const since = await factorSince(db.orm, id);
  const proofs = `${password_hash ?? ''}${since === null ? '' : `:${since}`}`;
  return (browser) => secrets.lookup(`known-browser:${id}:${browser}:${proofs}`);
}

/** The random id of the browser that has signed in to the account, or null; `kept` is what the browser brought. */
export async function knownBrowser(
  deps: MarkDeps,
  kept: string | null,
  account: Marked,
): Promise<string | null> {
  return markOf(kept, account) && browserOf(kept, account, await signerOf(deps, account));
}

/** What the browser keeps from now on. Its id stays, so that signing in again makes no new counter. */
export async function rememberBrowser(deps: MarkDeps, kept: string | null, owner: Marked): Promise<string> {
  const sign = await signerOf(deps, owner);
  const account = String(owner.id);
  const before = browserOf(kept, owner, sign);
  // Ids of former days prove nothing by themselves.
  const isKept = before !== null && isOurs(deps.secrets, { account, browser: before });
  const browser = isKept ? before : browserId(deps.secrets, account, secretText(64));
  const others = marksIn(kept).filter((mark) => mark.account !== account);
  return textOfMarks([{ account, browser, signature: sign(browser) }, ...others]);
}

/** The id in the mark that a browser brought for the account, if the mark is good. */
function browserOf(kept: string | null, account: Marked, sign: (browser: string) => string): string | null {
  const mark = markOf(kept, account);
  return mark && sameSecret(mark.signature, sign(mark.browser)) ? mark.browser : null;
}

/** The mark that a browser brought for the account. */
const markOf = (kept: string | null, { id }: Marked): BrowserMark | null =>
  marksIn(kept).find(({ account }) => Number(account) === id) ?? null;
