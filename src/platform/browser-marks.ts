/**
 * The marks that a browser keeps of accounts which were signed in to with it, as far as they prove by themselves that this
 * site made them, and for which account. Whether one is good still only its account tells; this much is known before
 * anybody asks the database, and is enough to count what a browser does for itself.
 */
import { limits } from '../core/limits.ts';
import { type Secrets, sameSecret } from './secrets.ts';

type Signer = Pick<Secrets, 'lookup'>;

export interface BrowserMark {
  /** Id of the account. */
  account: string;
  /** Id of the browser, one for each account. */
  browser: string;
  /** Of what the account was proved by. */
  signature: string;
}

const BETWEEN = '~';
const SHAPE = /^(\d{1,16})\.([\w-]{22})\.([\w-]{43})$/;

/** The marks in what a browser brought, the last account's first. */
export const marksIn = (kept: string | null): BrowserMark[] =>
  (kept ?? '')
    .split(BETWEEN)
    .slice(0, limits.knownAccounts)
    .flatMap((text) => {
      const [, account = '', browser = '', signature = ''] = SHAPE.exec(text) ?? [];
      return signature === '' ? [] : [{ account, browser, signature }];
    });

/** What a browser keeps. */
export const textOfMarks = (marks: readonly BrowserMark[]): string =>
  marks
    .slice(0, limits.knownAccounts)
    .map(({ account, browser, signature }) => `${account}.${browser}.${signature}`)
    .join(BETWEEN);

/** Half of a browser's id; the other half proves that we made it. */
const HALF_ID = 11;

/** The id of a browser, of this half. */
export const browserId = (secrets: Signer, account: string, half: string): string => {
  const chance = half.slice(0, HALF_ID);
  return chance + secrets.lookup(`browser:${account}:${chance}`).slice(0, HALF_ID);
};

export const isOurs = (
  secrets: Signer,
  { account, browser }: Pick<BrowserMark, 'account' | 'browser'>,
): boolean => sameSecret(browser, browserId(secrets, account, browser));

/** The first of the marks which a browser brought that is ours; null where somebody made all of them up. */
export const ownMark = (secrets: Signer, kept: string | null): BrowserMark | null =>
  marksIn(kept).find((mark) => isOurs(secrets, mark)) ?? null;
