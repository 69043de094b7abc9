/**
 * Browsers that somebody signed in with before: what another guesses at his account does not count against them. A
 * browser keeps a signed mark for each of its last accounts. A new password makes it void, and so does a second factor
 * that is turned on: who has known an old one, or the password alone, has no counters of his own.
 */
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { sameSecret } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { UserRow } from '../user/service.ts';
import { factorSince } from './second-factor/factor.ts';

type Marked = Pick<UserRow, 'id' | 'password_hash'>;
type MarkDeps = Pick<Deps, 'db' | 'secrets'>;
type Signer = Pick<Deps['secrets'], 'lookup'>;

const BETWEEN = '~';
const SHAPE = /^(\d{1,16})\.([\w-]{22})\.([\w-]{43})$/;

/** Signs what the account is proved by now. */
async function signerOf(
  { db, secrets }: MarkDeps,
  { id, password_hash }: Marked,
): Promise<(browser: string) => string> {
  const since = await factorSince(db.orm, id);
  const proofs = `${password_hash ?? ''}${since === null ? '' : `:${since}`}`;
  return (browser) => secrets.lookup(`known-browser:${id}:${browser}:${proofs}`);
}

const marksOf = (kept: string | null): string[] =>
  (kept ?? '')
    .split(BETWEEN)
    .slice(0, limits.knownAccounts)
    .filter((mark) => SHAPE.test(mark));

/** Half of a browser's id; the other half proves that we made it. */
const HALF_ID = 11;

const withProof = (secrets: Signer, account: string, half: string): string =>
  half + secrets.lookup(`browser:${account}:${half}`).slice(0, HALF_ID);

const isOurs = (secrets: Signer, account: string, browser: string): boolean =>
  sameSecret(browser, withProof(secrets, account, browser.slice(0, HALF_ID)));

/**
 * Whether a browser brought a mark of ours: whose it is, and whether it is good still, an account tells. Asked before the
 * database is, so that marks which somebody made up open no way to it.
 */
export const bringsMarks = (secrets: Signer, kept: string | null): boolean =>
  marksOf(kept).some((mark) => {
    const [, account = '', browser = ''] = SHAPE.exec(mark) ?? [];
    return isOurs(secrets, account, browser);
  });

/** The random id of the browser that has signed in to the account, or null; `kept` is what the browser brought. */
export async function knownBrowser(
  deps: MarkDeps,
  kept: string | null,
  account: Marked,
): Promise<string | null> {
  return markOf(kept, account) && browserOf(kept, account, await signerOf(deps, account));
}

/** What the browser keeps from now on. Its id stays, so that signing in again makes no new counter. */
export async function rememberBrowser(deps: MarkDeps, kept: string | null, account: Marked): Promise<string> {
  const sign = await signerOf(deps, account);
  const owner = String(account.id);
  const before = browserOf(kept, account, sign);
  // Ids of former days prove nothing by themselves.
  const isKept = before !== null && isOurs(deps.secrets, owner, before);
  const browser = isKept ? before : withProof(deps.secrets, owner, secretText(64));
  const others = marksOf(kept).filter((mark) => !mark.startsWith(`${account.id}.`));
  const mark = `${account.id}.${browser}.${sign(browser)}`;
  return [mark, ...others].slice(0, limits.knownAccounts).join(BETWEEN);
}

/** The id in the mark that a browser brought for the account, if the mark is good. */
function browserOf(kept: string | null, account: Marked, sign: (browser: string) => string): string | null {
  const [, , browser = '', signature = ''] = markOf(kept, account) ?? [];
  return browser !== '' && sameSecret(signature, sign(browser)) ? browser : null;
}

/** The parts of the mark that a browser brought for the account. */
const markOf = (kept: string | null, { id }: Marked): RegExpExecArray | null =>
  marksOf(kept)
    .map((mark) => SHAPE.exec(mark))
    .find((parts) => Number(parts?.[1]) === id) ?? null;
