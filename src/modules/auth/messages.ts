/**
 * Messages that anybody can have sent to a mailbox or a phone. How often is bounded by whom they go to, by who asks, and
 * for the whole site, because each costs somebody attention and some cost money. What strangers ask for in another's
 * name never uses up what is his: a browser that knows his account, and his account as such, have shares of their own.
 * No provider's network uses up what the site has: each has a part of it, and the last is for those that have had none.
 */
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC, MINUTE_SEC } from '../../core/time.ts';
import { ownMark } from '../../platform/browser-marks.ts';
import {
  allFit,
  type LimitRule,
  type LimitState,
  networkRules,
  providerSubject,
  turnSubject,
} from '../../platform/limiter.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { UserRow } from '../user/service.ts';
import { knownBrowser } from './known-browser.ts';
import { isHome } from './standing.ts';

type MessageDeps = Pick<Deps, 'db' | 'limiter' | 'log' | 'secrets'>;

/** What is sent. Each kind has a budget of its own: codes to register with leave links for a new password alone. */
export type MessageKind = 'mail' | 'reset' | 'phone';

/** What a budget needs of the account that a mailbox or a number has. */
export type Addressee = Pick<UserRow, 'id' | 'password_hash' | 'login_ip'>;

export interface MessageFor {
  kind: MessageKind;
  /** The mailbox or the number, in the one form in which it is compared. */
  subject: string;
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
}

/** So many in so many seconds. */
type Bound = readonly [limit: number, windowSec: number];

interface Budget {
  /** To one mailbox or number for who asks from one network. */
  pair: readonly Bound[];
  /**
   * To one from all networks. It is larger, so that what a stranger asks for in another's name leaves that one a code
   * of his own; and a bound all the same, because a flood of messages is an attack on him too.
   */
  subject: readonly Bound[];
  address: Bound;
  site: Bound;
}

const MAIL: Budget = {
  pair: [
    [1, limits.codeAgainSec],
    [5, HOUR_SEC],
    [10, DAY_SEC],
  ],
  subject: [
    [5, MINUTE_SEC],
    [20, HOUR_SEC],
    [40, DAY_SEC],
  ],
  address: [10, HOUR_SEC],
  site: [500, HOUR_SEC],
};

const BUDGETS: Readonly<Record<MessageKind, Budget>> = {
  mail: MAIL,
  reset: MAIL,
  phone: {
    pair: [
      [1, limits.codeAgainSec],
      [5, DAY_SEC],
    ],
    subject: [
      [3, MINUTE_SEC],
      [20, DAY_SEC],
    ],
    address: [20, DAY_SEC],
    site: [200, HOUR_SEC],
  },
};

/**
 * Up to how many times the site's budget, and a network's part of it, each may raise their one count: beyond what
 * strangers can use up there is some for those who have an account, and beyond that for who is near to his own. The last
 * is all that an hour can cost.
 */
const SITE_TIMES = { stranger: 1, account: 1.25, near: 1.5 } as const;

/**
 * Sends a message within its budgets, or throws RATE_LIMIT with the seconds to wait.
 *
 * What strangers may have sent to a subject or from the site can be used up by strangers. Then all are refused alike, and
 * the message to who has an account goes all the same, by its share: he is told to wait, and it comes. Who asks for
 * somebody else cannot tell an account by it, neither by the answer nor by its time.
 */
export async function sendWithin(
  deps: MessageDeps,
  asked: MessageFor,
  findAccount: () => Promise<Addressee | null | undefined>,
  send: () => Promise<void>,
): Promise<void> {
  if (ownMark(deps.secrets, asked.known)) {
    const account = (await findAccount()) ?? null;
    const browser = account && (await knownBrowser(deps, asked.known, account));
    if (account && browser !== null) {
      await take(deps, asked, knownRules(asked, account, browser));
      return send();
    }
  }
  const { ofSubject, ofCaller } = strangersRules(asked);
  const states = await takeAsStranger(deps, asked, [...ofCaller, ...ofSubject]);
  if (allFit(states).ok) return send();
  if (!allFit(states.slice(0, ofCaller.length)).ok) throw await refusal(deps, asked, states);
  // It counts for the caller, who cannot know whether it goes.
  await deps.limiter.takeAll(ofCaller);
  const account = (await findAccount()) ?? null;
  const isNear = await isHome(deps, account, asked.ip);
  const ofSubjectToo = states.slice(ofCaller.length, ofCaller.length + ofSubject.length);
  const isSubjectsTurn = isNear || allFit(ofSubjectToo).ok;
  const share = shareRules(asked, { isNear, isOpen: account !== null && isSubjectsTurn });
  // Not waited for: the time that it takes would tell.
  if (allFit(await deps.limiter.takeAll(share)).ok) void send().catch(() => undefined);
  throw await refusal(deps, asked, states);
}

const keyOf = ({ kind }: MessageFor, name: string): string => `message:${kind}:${name}`;

const rulesOf = (asked: MessageFor, name: string, bounds: readonly Bound[]): LimitRule[] =>
  bounds.map(([limit, windowSec]) => ({ key: keyOf(asked, `${name}:${windowSec}`), limit, windowSec }));

/** One count of all that the site sends; how far it may go depends on who asks. */
function siteRule(asked: MessageFor, times: number): LimitRule {
  const [limit, windowSec] = BUDGETS[asked.kind].site;
  return { key: keyOf(asked, `site:${windowSec}`), limit: Math.floor(limit * times), windowSec };
}

/** One of what it sends for the network of one provider: the same, for a part of it. */
const providerRule = (asked: MessageFor, times: number): LimitRule => ({
  ...siteRule(asked, times * limits.messagesOfProvider),
  key: keyOf(asked, `provider:${providerSubject(asked.ip)}`),
});

/**
 * Counts a message for a stranger by these rules, and of the site's: all but the last part of the budget is for every
 * network, the last for those that have asked for nothing in its window.
 */
async function takeAsStranger(
  { limiter }: MessageDeps,
  asked: MessageFor,
  rules: readonly LimitRule[],
): Promise<LimitState[]> {
  const ofAll = siteRule(asked, SITE_TIMES.stranger - limits.messagesLastPart);
  const ofProvider = providerRule(asked, SITE_TIMES.stranger);
  const states = await limiter.takeAll([...rules, ofProvider, ofAll]);
  const isForNewcomers = states.at(-1)?.ok === false && allFit(states.slice(0, -1)).ok;
  if (!isForNewcomers) return states;
  return limiter.takeAll([...rules, { ...ofProvider, limit: 1 }, siteRule(asked, SITE_TIMES.stranger)]);
}

/** What every stranger is counted by beside the site's budget. */
function strangersRules(asked: MessageFor) {
  const budget = BUDGETS[asked.kind];
  const who = sha256(asked.subject);
  return {
    ofSubject: rulesOf(asked, who, budget.subject),
    ofCaller: [
      ...networkRules(keyOf(asked, 'network'), ...budget.address, asked.ip),
      // Of all networks of one subscriber together: many small ones would use up the larger budget.
      ...rulesOf(asked, `${who}:${turnSubject(asked.ip)}`, budget.pair),
    ],
  };
}

/** A browser that was signed in to the account has counters of its own; all of them together have the account's. */
function knownRules(asked: MessageFor, { id }: Addressee, browser: string): LimitRule[] {
  const budget = BUDGETS[asked.kind];
  return [
    siteRule(asked, SITE_TIMES.near),
    providerRule(asked, SITE_TIMES.near),
    ...rulesOf(asked, `account:${id}`, budget.subject),
    ...rulesOf(asked, `known:${sha256(browser)}`, budget.pair),
  ];
}

/**
 * What a subject that has an account is left when strangers have used up the rest: from where he is at home, and from
 * elsewhere. As many rules whether or not it is open to anybody, which none is where there is no account.
 */
function shareRules(
  asked: MessageFor,
  { isNear, isOpen }: { isNear: boolean; isOpen: boolean },
): LimitRule[] {
  const times = isNear ? SITE_TIMES.near : SITE_TIMES.account;
  const rules = [
    siteRule(asked, times),
    providerRule(asked, times),
    ...rulesOf(asked, `${isNear ? 'home' : 'share'}:${sha256(asked.subject)}`, BUDGETS[asked.kind].subject),
  ];
  return isOpen ? rules : rules.map((rule) => ({ ...rule, limit: 0 }));
}

async function take(deps: MessageDeps, asked: MessageFor, rules: readonly LimitRule[]): Promise<void> {
  const states = await deps.limiter.takeAll(rules);
  if (!allFit(states).ok) throw await refusal(deps, asked, states);
}

/** The refusal by these states; that the site's budget is used up but for newcomers is logged once in its window. */
async function refusal(
  { limiter, log }: MessageDeps,
  asked: MessageFor,
  states: readonly LimitState[],
): Promise<Error> {
  const { key, limit, windowSec } = siteRule(asked, SITE_TIMES.stranger - limits.messagesLastPart);
  if ((await limiter.counted(key)) >= limit) {
    const isNews = await limiter.take({ key: `${key}:told`, limit: 1, windowSec });
    if (isNews.ok) log.error('message.budget', { channel: asked.kind });
  }
  return fail('RATE_LIMIT', { retryAfterSec: allFit(states).retryAfterSec });
}
