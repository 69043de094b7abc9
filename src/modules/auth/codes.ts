/** Codes of six digits that prove a mailbox or a phone: good for three minutes, five tries of a network and one use. */
import { randomInt } from 'node:crypto';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { allFit, type LimitRule, networkRules } from '../../platform/limiter.ts';
import { sameSecret, sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { attempt, byAccount, byNetwork } from '../failed-attempts/service.ts';

export type CodeDeps = Pick<Deps, 'limiter' | 'oneTime' | 'options'>;

/** How a code travels. */
export type CodeChannel = 'mail' | 'phone';

export interface CodeFor {
  channel: CodeChannel;
  /** The mailbox or the number, in the one form in which it is compared. */
  subject: string;
  ip: string;
}

const keyOf = ({ channel, subject }: Pick<CodeFor, 'channel' | 'subject'>): string =>
  `code:${channel}:${sha256(subject)}`;

/**
 * A code for the subject: the young one that lives, so that who asks in another's name does not make void what that one
 * was just sent. It is told again and not written again: one that is used meanwhile stays used, and none lives longer
 * than it was made for. Throws UNAVAILABLE while codes cannot be kept.
 */
export async function issueCode(deps: CodeDeps, given: CodeFor): Promise<string> {
  const known = readKept(await deps.oneTime.get(keyOf(given)));
  if (known && isYoung(known) && (await mayTry(deps, given.ip, known))) return known.code;
  const made = newCode();
  await deps.oneTime.put(keyOf(given), writeKept(made), limits.codeSec);
  return made.code;
}

interface KeptCode {
  /** Counts the tries of this code and no other. */
  id: string;
  code: string;
  /** Unix seconds. */
  madeAt: number;
}

const newCode = (): KeptCode => ({
  id: crypto.randomUUID(),
  code: String(randomInt(1_000_000)).padStart(6, '0'),
  madeAt: nowSec(),
});

/** More than half of its time is left, which is enough to read a message and type. */
const isYoung = ({ madeAt }: KeptCode): boolean => nowSec() < madeAt + limits.codeSec / 2;

/** Who has used up his tries of a code needs another one. */
async function mayTry({ limiter }: Pick<CodeDeps, 'limiter'>, ip: string, code: KeptCode): Promise<boolean> {
  const rules = triesOf(code, ip);
  const counts = await Promise.all(rules.map(({ key }) => limiter.counted(key)));
  return rules.every(({ limit }, n) => (counts[n] ?? 0) < limit);
}

/** The tries of a code from a network. */
const triesOf = ({ id }: KeptCode, ip: string): LimitRule[] =>
  networkRules(`code-tries:${id}`, limits.codeTries, limits.codeSec, ip);

const writeKept = ({ id, code, madeAt }: KeptCode): string => [id, code, madeAt].join(':');

function readKept(kept: string | null): KeptCode | null {
  const [id, code, madeAt] = kept?.split(':') ?? [];
  return id && code ? { id, code, madeAt: Number(madeAt) } : null;
}

/**
 * Uses the code up. Throws CODE_WRONG for one that is wrong, outworn, used or tried too often, and RATE_LIMIT for who
 * was wrong too often.
 */
export const redeemCode = (deps: CodeDeps, given: CodeFor, code: string): Promise<void> =>
  redeemCodeAfter(deps, given, code, async () => undefined);

/**
 * The same, and answers what `first` does while a right one is still good: what may be refused for a moment, such as a
 * place in the line for hashing, must not cost its owner the code. Throws what `first` throws too.
 */
export async function redeemCodeAfter<T>(
  deps: CodeDeps,
  given: CodeFor,
  code: string,
  first: () => Promise<T>,
): Promise<T> {
  const { channel, subject, ip } = given;
  const rules = [
    ...byNetwork(deps, 'code', ip),
    ...(await byAccount(deps, 'code', `${channel}:${subject}`, ip)),
  ];
  const used = await attempt(deps, rules, async () => {
    const kept = await findIfRight(deps, given, code.trim());
    if (kept === null) return null;
    const value = await first();
    // Of two who bring the right one at once, one takes it.
    return (await deps.oneTime.take(keyOf(given))) === kept ? { value } : null;
  });
  if (used === null) throw fail('CODE_WRONG');
  return used.value;
}

/** What is kept of the code, when `given` is right; tries that were not right count. */
async function findIfRight(
  { limiter, oneTime }: CodeDeps,
  owner: CodeFor,
  given: string,
): Promise<string | null> {
  const key = keyOf(owner);
  const text = await oneTime.get(key);
  const kept = readKept(text);
  if (kept === null) return null;
  const ofNetwork = triesOf(kept, owner.ip);
  if (!allFit(await limiter.takeAll(ofNetwork)).ok) return null;
  const ofAll = { key: `code-tries:${kept.id}`, limit: limits.codeTriesOfAll, windowSec: limits.codeSec };
  if (!(await limiter.take(ofAll)).ok) {
    await oneTime.take(key);
    return null;
  }
  if (!sameSecret(given, kept.code)) return null;
  await Promise.all([...ofNetwork, ofAll].map((rule) => limiter.add(rule, -1)));
  return text;
}
