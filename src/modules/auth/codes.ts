/**
 * Codes of six digits that prove a mailbox or a phone: good for three minutes, five tries of a network and one use. How often one
 * may be asked for is bounded by whom it goes to, by who asks, and for the whole site, because each costs somebody
 * attention and some cost money.
 */
import { randomInt } from 'node:crypto';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { addressSubject, allFit, type LimitRule, networksOf } from '../../platform/limiter.ts';
import { sameSecret, sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { attempt, byAccount, byNetwork } from './wrong-tries.ts';

export type CodeDeps = Pick<Deps, 'limiter' | 'oneTime' | 'options' | 'log'>;

/** How a code travels. */
export type CodeChannel = 'mail' | 'phone';

export interface CodeFor {
  channel: CodeChannel;
  /** The mailbox or the number, in the one form in which it is compared. */
  subject: string;
  ip: string;
}

interface Budget {
  /** To one mailbox or number, by window in seconds. */
  subject: readonly (readonly [limit: number, windowSec: number])[];
  address: readonly [limit: number, windowSec: number];
  site: readonly [limit: number, windowSec: number];
}

const HOUR_SEC = 3_600;
const DAY_SEC = 86_400;

const BUDGETS: Readonly<Record<CodeChannel, Budget>> = {
  mail: {
    subject: [
      [1, limits.codeAgainSec],
      [5, HOUR_SEC],
      [10, DAY_SEC],
    ],
    address: [10, HOUR_SEC],
    site: [500, HOUR_SEC],
  },
  phone: {
    subject: [
      [1, limits.codeAgainSec],
      [5, DAY_SEC],
    ],
    address: [20, DAY_SEC],
    site: [200, HOUR_SEC],
  },
};

/**
 * Counts one message to the subject, and refuses it when it is one too many. Throws RATE_LIMIT with the seconds to
 * wait. Other messages that anybody can cause count here too.
 */
export async function spendMessage(
  { limiter, log }: Pick<CodeDeps, 'limiter' | 'log'>,
  { channel, subject, ip }: CodeFor,
): Promise<void> {
  const { subject: own, address, site } = BUDGETS[channel];
  const rule = (name: string, [limit, windowSec]: readonly [number, number]): LimitRule => ({
    key: `message:${channel}:${name}:${windowSec}`,
    limit,
    windowSec,
  });
  const who = sha256(subject);
  const rules = [
    rule('site', site),
    rule(addressSubject(ip), address),
    ...own.map((bound) => rule(who, bound)),
  ];
  const states = await limiter.takeAll(rules);
  if (states.every(({ ok }) => ok)) return;
  if (!states[0]?.ok) log.error('message.budget', { channel });
  throw fail('RATE_LIMIT', { retryAfterSec: Math.max(...states.map((state) => state.retryAfterSec)) });
}

const keyOf = ({ channel, subject }: Pick<CodeFor, 'channel' | 'subject'>): string =>
  `code:${channel}:${sha256(subject)}`;

/** A new code for the subject; an earlier one is void. Throws RATE_LIMIT, and UNAVAILABLE while codes cannot be kept. */
export async function issueCode(deps: CodeDeps, given: CodeFor): Promise<string> {
  await spendMessage(deps, given);
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  // The id counts the tries of this code and no other.
  await deps.oneTime.put(keyOf(given), `${crypto.randomUUID()}:${code}`, limits.codeSec);
  return code;
}

/**
 * Uses the code up. Throws CODE_WRONG for one that is wrong, outworn, used or tried too often, and RATE_LIMIT for who
 * was wrong too often.
 */
export async function redeemCode(deps: CodeDeps, given: CodeFor, code: string): Promise<void> {
  const { channel, subject, ip } = given;
  const rules = [
    ...byNetwork(deps, 'code', ip),
    ...(await byAccount(deps, 'code', `${channel}:${subject}`, ip)),
  ];
  const isRight = await attempt(deps, rules, () => takeIfRight(deps, given, code.trim()));
  if (!isRight) throw fail('CODE_WRONG');
}

async function takeIfRight({ limiter, oneTime }: CodeDeps, owner: CodeFor, given: string): Promise<boolean> {
  const key = keyOf(owner);
  const kept = await oneTime.get(key);
  const [id = '', code = ''] = kept?.split(':') ?? [];
  if (kept === null) return false;
  const ofNetwork = networksOf(owner.ip).map(({ subject, times }) => ({
    key: `code-tries:${id}:${subject}`,
    limit: limits.codeTries * times,
    windowSec: limits.codeSec,
  }));
  if (!allFit(await limiter.takeAll(ofNetwork)).ok) return false;
  const ofAll = { key: `code-tries:${id}`, limit: limits.codeTriesOfAll, windowSec: limits.codeSec };
  if (!(await limiter.take(ofAll)).ok) {
    await oneTime.take(key);
    return false;
  }
  // Of two who bring the right one at once, one takes it.
  return sameSecret(given, code) && (await oneTime.take(key)) === kept;
}
