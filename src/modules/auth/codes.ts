/**
 * Codes of six digits that prove a mailbox or a phone: good for three minutes and one use, in the flow that asked for
 * them, which has five tries, or two where many were told. Who has not asked cannot guess, and nobody uses up the tries of
 * another: who guesses has no more of them than messages sent.
 */
import { randomInt } from 'node:crypto';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC, nowSec } from '../../core/time.ts';
import { allFit, type LimitRule } from '../../platform/limiter.ts';
import { sameSecret, sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';

export type CodeDeps = Pick<Deps, 'limiter' | 'oneTime'>;

/** How a code travels. */
export type CodeChannel = 'mail' | 'phone';

export interface CodeFor {
  channel: CodeChannel;
  /** The mailbox or the number, in the one form in which it is compared. */
  subject: string;
  /** Of the browser that asks, which alone can use the code. */
  flowId: string;
}

/** Who brings a code. */
export interface CodeBrought extends Omit<CodeFor, 'flowId'> {
  /** Null for a browser that has asked for nothing. */
  flowId: string | null;
}

/** Names the code that is told to whoever asks for the subject next. */
const newestKey = ({ channel, subject }: Pick<CodeFor, 'channel' | 'subject'>): string =>
  `code:newest:${channel}:${sha256(subject)}`;

/** Names the code that the flow was sent, and how many tries it has of it. */
const flowKey = ({ channel, subject, flowId }: CodeFor): string =>
  `code:flow:${channel}:${sha256(`${flowId}:${subject}`)}`;

/** Keeps a code that is good. */
const codeKey = (id: string): string => `code:${id}`;

/**
 * A code for the subject: the young one that lives, so that the messages of who asks twice, or in another's name, all
 * hold what that one can use. It is told again and not written again: one that is used meanwhile stays used, and none
 * lives longer than it was made for. Throws UNAVAILABLE while codes cannot be kept.
 */
export async function issueCode(deps: CodeDeps, given: CodeFor): Promise<string> {
  const tries = await triesNow(deps, given);
  const newest = await findCode(deps, await deps.oneTime.get(newestKey(given)));
  const isGood = newest !== null && isYoung(newest) && (await mayTry(deps, newest, given.flowId, tries));
  const { id, code } = isGood ? newest : await makeCode(deps, given);
  await deps.oneTime.put(flowKey(given), `${id}:${tries}`, limits.codeSec);
  return code;
}

/** How many tries a flow has that is told a code now: fewer where somebody has many told, and his victim's as many. */
async function triesNow({ limiter }: CodeDeps, { channel, subject }: CodeFor): Promise<number> {
  const told = await limiter.takeAll([
    { key: `codes-told:${channel}:${sha256(subject)}`, limit: limits.codesOfSubject, windowSec: DAY_SEC },
    { key: `codes-told:${channel}`, limit: limits.codesOfSite, windowSec: HOUR_SEC },
  ]);
  return allFit(told).ok ? limits.codeTries : limits.codeTriesOfMany;
}

interface KeptCode {
  id: string;
  code: string;
  /** Unix seconds. */
  madeAt: number;
}

async function makeCode({ oneTime }: CodeDeps, given: CodeFor): Promise<KeptCode> {
  const made = {
    id: crypto.randomUUID(),
    code: String(randomInt(1_000_000)).padStart(6, '0'),
    madeAt: nowSec(),
  };
  await oneTime.put(codeKey(made.id), `${made.code}:${made.madeAt}`, limits.codeSec);
  await oneTime.put(newestKey(given), made.id, limits.codeSec);
  return made;
}

async function findCode({ oneTime }: CodeDeps, id: string | null): Promise<KeptCode | null> {
  const [code, madeAt] = (id && (await oneTime.get(codeKey(id))))?.split(':') ?? [];
  return id && code ? { id, code, madeAt: Number(madeAt) } : null;
}

/** More than half of its time is left, which is enough to read a message and type. */
const isYoung = ({ madeAt }: KeptCode): boolean => nowSec() < madeAt + limits.codeSec / 2;

/** A flow that has used up its tries of a code needs another one. */
const mayTry = async (
  { limiter }: CodeDeps,
  { id }: KeptCode,
  flowId: string,
  tries: number,
): Promise<boolean> => (await limiter.counted(triesOf(id, flowId, tries).key)) < tries;

/** The tries that a flow has of a code. */
const triesOf = (id: string, flowId: string, limit: number): LimitRule => ({
  key: `code-tries:${id}:${sha256(flowId)}`,
  limit,
  windowSec: limits.codeSec,
});

/** Uses the code up. Throws CODE_WRONG for one that is wrong, outworn, used, of another flow or tried too often. */
export const redeemCode = (deps: CodeDeps, given: CodeBrought, code: string): Promise<void> =>
  redeemCodeAfter(deps, given, code, async () => undefined);

/**
 * The same, and answers what `first` does while a right one is still good: what may be refused for a moment, such as a
 * place in the line for hashing, must not cost its owner the code. Throws what `first` throws too.
 */
export async function redeemCodeAfter<T>(
  deps: CodeDeps,
  given: CodeBrought,
  code: string,
  first: () => Promise<T>,
): Promise<T> {
  const id = await findIfRight(deps, given, code.trim());
  if (id === null) throw fail('CODE_WRONG');
  const value = await first();
  // Of two who bring the right one at once, one takes it.
  if ((await deps.oneTime.take(codeKey(id))) === null) throw fail('CODE_WRONG');
  return value;
}

/** The id of the code that the flow was sent, when `given` is right; tries that were not right count. */
async function findIfRight(
  deps: CodeDeps,
  { flowId, ...brought }: CodeBrought,
  given: string,
): Promise<string | null> {
  const told = flowId === null ? null : await deps.oneTime.get(flowKey({ ...brought, flowId }));
  if (flowId === null || told === null) return null;
  const [id = '', most = limits.codeTries] = told.split(':');
  // Counted before the code is looked at: tries sent at once are no more than these either.
  const tries = triesOf(id, flowId, Number(most));
  if (!(await deps.limiter.take(tries)).ok) return null;
  const kept = await findCode(deps, id);
  if (kept === null || !sameSecret(given, kept.code)) return null;
  await deps.limiter.add(tries, -1);
  return id;
}
