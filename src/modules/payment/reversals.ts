/**
 * Payments that are taken back. Providers tell how much was refunded in all, which refunds failed in the end, and how much
 * each dispute holds, twice, late and out of order, and an administrator may say so by hand. Each of them is kept as it was told, also where it takes
 * nothing now; what is gone of the payment, what is taken of its quota and the order's state follow from all of them, so
 * that no order of events makes a difference.
 */
import { and, eq } from 'drizzle-orm';
import type { TakenBack } from '../../billing/ledger.ts';
import { AppError, fail } from '../../core/errors.ts';
import { nowSec } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { topupReversals, topups } from '../../db/schema/index.ts';
import { reinstateTopUp, takeBackTopUp } from '../invitation/service.ts';
import { isCredited, REVERSAL_KINDS, type ReversalKind, type TopupStatus } from './facts.ts';
import { isPaid, type OrderRow } from './order.ts';

interface ReversalDeps {
  db: Database;
}

export interface Reversal {
  kind: ReversalKind;
  /** What the provider calls the dispute, for an order may have several; empty of refunds. */
  cause: string;
  /** All refunds so far, or all of this dispute, in the smallest unit of the order's currency. */
  money: bigint;
  /** When it was so, in unix seconds; now when absent. Of refunds it says which failed ones they count no more. */
  at?: number;
  /** The administrator who did it, and why; absent where the provider did. */
  byHand?: { by: number; reason: string };
}

/** Quota units. */
export type Reversed = TakenBack;

const NOTHING: Reversed = { taken: 0, writtenOff: 0 };

/**
 * Keeps what was told of a refund or a dispute, and takes back what of the quota that comes to. What counts is how much
 * there is of this cause in all, so that a message that comes twice takes nothing more. Of an order whose quota was not
 * added it is kept alone. Null when nothing more was told than before, or the dispute was won already. Throws
 * NOT_FOUND, and by hand TOPUP_NOT_PAID.
 */
export function reverseOrder(
  { db }: ReversalDeps,
  id: number,
  { kind, cause, money, at = nowSec(), byHand }: Reversal,
  also: (tx: Tx, row: OrderRow, reversed: Reversed) => Promise<void> = async () => undefined,
): Promise<Reversed | null> {
  return db.orm.transaction(async (tx) => {
    const { row, reversals } = await hold(tx, id, cause);
    if (byHand && !isPaid(row)) throw fail('TOPUP_NOT_PAID');
    const next = { kind, cause, told: Number(money), created_at: at };
    if (isWon(reversals, cause) || isOwed(reversals, cause)) return null;
    if (!isMore(reversals, next)) {
      // It counts once a refund is heard of that had failed by then.
      if (!byHand && isLater(reversals, next)) await settle(tx, row, reversals, next);
      return null;
    }
    const settled = await settle(tx, row, reversals, next, { byHand });
    await also(tx, settled.row, settled.moved);
    return settled.moved;
  });
}

/**
 * Gives back, once, what a dispute that was won had taken, but for what refunds and other disputes have of it: what was
 * written off is so no longer, the rest goes to the account. One that is heard of before it took anything takes nothing
 * afterwards. Where the account has no room the order owes it, until it is heard of again or an administrator gives it
 * back; `owed` is the first to hear that. Null when there is nothing new. Throws NOT_FOUND.
 */
export const winDispute = (
  deps: ReversalDeps,
  id: number,
  cause: string,
): Promise<Reversed | 'owed' | null> => giveBack(deps, id, cause, { cause, told: 0, created_at: nowSec() });

/** A refund that did not reach the payer, by the name that the provider has for it. */
export interface FailedRefund {
  cause: string;
  /** In the smallest unit of the order's currency. */
  money: bigint;
  /** Unix seconds. */
  at: number;
}

/** The same of a refund that failed after it was told: the payment is not gone by so much. */
export const failRefund = (
  deps: ReversalDeps,
  id: number,
  { cause, money, at }: FailedRefund,
): Promise<Reversed | 'owed' | null> =>
  giveBack(deps, id, '', { cause, told: Number(money), created_at: at });

async function giveBack(
  { db }: ReversalDeps,
  id: number,
  dispute: string,
  undone: Omit<Told, 'kind'>,
): Promise<Reversed | 'owed' | null> {
  const { cause } = undone;
  const won = db.orm.transaction(async (tx) => {
    const { row, reversals } = await hold(tx, id, dispute);
    if (isWon(reversals, cause)) return null;
    return (await settle(tx, row, reversals, { kind: 'won', ...undone })).moved;
  });
  try {
    return await won;
  } catch (error) {
    // Nothing of it was done.
    if (!(error instanceof AppError) || error.code !== 'QUOTA_RANGE') throw error;
  }
  return db.orm.transaction(async (tx) => {
    const { row, reversals } = await hold(tx, id, dispute);
    if (isWon(reversals, cause) || isOwed(reversals, cause)) return null;
    await settle(tx, row, reversals, { kind: 'owed', ...undone });
    return 'owed';
  });
}

/**
 * An administrator gives back what an order owes for disputes that were won. Null when it owes nothing, or no more.
 * Throws NOT_FOUND, and QUOTA_RANGE while the account has no room for it: nothing is done then.
 */
export function giveOwed(
  { db }: ReversalDeps,
  id: number,
  byHand: NonNullable<Reversal['byHand']>,
  also: (tx: Tx, row: OrderRow, given: Reversed) => Promise<void>,
): Promise<Reversed | null> {
  return db.orm.transaction(async (tx) => {
    const held = await hold(tx, id, '');
    const owed = held.reversals.filter(({ kind, cause }) => kind === 'owed' && isOwed(held.reversals, cause));
    if (owed.length === 0) return null;
    let { row } = held;
    const given = { taken: 0, writtenOff: 0 };
    for (const { cause, told, created_at } of owed) {
      const reversals = await reversalsOf(tx, id);
      const settled = await settle(tx, row, reversals, { kind: 'won', cause, told, created_at }, { byHand });
      row = settled.row;
      given.taken += settled.moved.taken;
      given.writtenOff += settled.moved.writtenOff;
    }
    await also(tx, row, given);
    return given;
  });
}

/**
 * Takes at once what was told of an order's payment before its quota was added. To be called with that, of an order that
 * is held; answers it as it stands then.
 */
export async function takeWhatWasTold(tx: Tx, row: OrderRow): Promise<OrderRow> {
  const reversals = await reversalsOf(tx, row.id);
  const standing = reversals.findLast(({ kind, cause }) => isLoss(kind) && !isWon(reversals, cause));
  // Nothing is gone of it; but a dispute that was won before the payment was heard of is told all the same.
  if (!standing || coveredOf(row, reversals) === 0n) return withState(tx, row, reversals);
  return (await settle(tx, row, reversals, standing, { isFirst: true })).row;
}

/** Whether nothing is left of a payment, by what was told of it. */
export const isAllTold = async (tx: Tx, row: OrderRow): Promise<boolean> =>
  coveredOf(row, await reversalsOf(tx, row.id)) === BigInt(row.money);

type ReversalRow = typeof topupReversals.$inferSelect;
export type Told = Pick<ReversalRow, 'kind' | 'cause' | 'told' | 'created_at'>;

/** The order, held until the transaction ends, and what was told of it. */
async function hold(tx: Tx, id: number, cause: string): Promise<{ row: OrderRow; reversals: ReversalRow[] }> {
  const [row] = await tx.select().from(topups).where(eq(topups.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  const reversals = await reversalsOf(tx, id);
  if (cause === '' || reversals.some((each) => each.cause === cause)) return { row, reversals };
  // Older disputes were kept without their names: it is the one that is spoken of now.
  const unnamed = and(
    eq(topupReversals.topup_id, id),
    eq(topupReversals.kind, 'dispute'),
    eq(topupReversals.cause, ''),
  );
  const named = await tx.update(topupReversals).set({ cause }).where(unnamed).returning();
  return { row, reversals: named.length > 0 ? await reversalsOf(tx, id) : reversals };
}

const reversalsOf = (tx: Tx, id: number): Promise<ReversalRow[]> =>
  tx.select().from(topupReversals).where(eq(topupReversals.topup_id, id)).orderBy(topupReversals.id);

/** Notes one more, and moves the quota to where all of them together leave it. */
async function settle(
  tx: Tx,
  row: OrderRow,
  reversals: readonly ReversalRow[],
  { kind, cause, told, created_at }: Told,
  { byHand, isFirst = false }: { byHand?: Reversal['byHand']; isFirst?: boolean } = {},
): Promise<{ row: OrderRow; moved: Reversed }> {
  const next = { kind, cause, told, created_at };
  const all = [...reversals, next];
  const before = netOf(reversals);
  const covered = coveredOf(row, all);
  const paid = BigInt(row.money);
  const credited = isCredited(row) ? BigInt(row.quota) : 0n;
  // Older rows were rounded each by itself, and may come to a unit more than their share. What is owed moves nothing.
  const sign = next.kind === 'owed' ? 0n : next.kind === 'won' ? -1n : 1n;
  const onward = (change: bigint) => Math.max(0, Number(sign * change));
  const money = onward(covered - before.money);
  const quota = onward((credited * covered) / paid - before.quota);
  // Beside its credit, and behind it, in the one second of both.
  const ref = isFirst ? row.ref : crypto.randomUUID();
  await tx.insert(topupReversals).values({
    ...next,
    ref,
    topup_id: row.id,
    money,
    quota,
    created_by: byHand?.by ?? 0,
    reason: byHand?.reason ?? '',
  });
  const settled = await withState(tx, row, all);
  if (!isCredited(row) || (money === 0 && quota === 0)) return { row: settled, moved: NOTHING };
  const of = { userId: row.user_id, topUpRef: row.ref, ref, note: `topup:${row.id}`, amount: quota };
  const part = { before: isFirst ? 0n : before.money, total: covered, paid };
  const moved =
    next.kind === 'won'
      ? await reinstateTopUp(tx, { ...of, part, undone: reversals.map((each) => each.ref) })
      : await takeBackTopUp(tx, { ...of, part });
  return { row: settled, moved };
}

/** The order, in the state that follows from all that was told of it. */
async function withState(tx: Tx, row: OrderRow, told: readonly Told[]): Promise<OrderRow> {
  const status = statusOf(row, told);
  if (status !== row.status) await tx.update(topups).set({ status }).where(eq(topups.id, row.id));
  return { ...row, status };
}

const isWon = (reversals: readonly Told[], cause: string): boolean =>
  reversals.some((each) => each.kind === 'won' && each.cause === cause);

/** It was won, and what it took is not given back yet. */
const isOwed = (reversals: readonly Told[], cause: string): boolean =>
  reversals.some((each) => each.kind === 'owed' && each.cause === cause) && !isWon(reversals, cause);

const isLoss = (kind: string): boolean => REVERSAL_KINDS.some((known) => known === kind);

const sumOf = (told: readonly Told[]): number => told.reduce((sum, each) => sum + each.told, 0);

const mostOf = (told: readonly Told[]): bigint => BigInt(Math.max(0, ...told.map((each) => each.told)));

/** Whether it tells of more than was told of its cause before. */
function isMore(reversals: readonly Told[], next: Told): boolean {
  if (next.kind === 'refund') return refundedOf([...reversals, next]) > refundedOf(reversals);
  const same = reversals.filter((each) => each.kind === next.kind && each.cause === next.cause);
  return BigInt(next.told) > mostOf(same);
}

/** Whether it is of a later time than what was told of as much. */
const isLater = (reversals: readonly Told[], { kind, told, created_at }: Told): boolean =>
  kind === 'refund' &&
  !reversals.some((each) => each.kind === kind && each.told >= told && each.created_at >= created_at);

/**
 * What refunds came to in all. The provider's sum does not count those any more that failed before it was told, which are
 * put back in so that every sum is of all refunds there ever were; then those that failed are taken off, once they have
 * been given back.
 */
export function refundedOf(reversals: readonly Told[]): bigint {
  const isFailed = ({ kind, told }: Told) => (kind === 'won' || kind === 'owed') && told > 0;
  const failed = new Map(reversals.filter(isFailed).map((each) => [each.cause, each]));
  const ever = reversals
    .filter(({ kind }) => kind === 'refund')
    .map(
      ({ told, created_at: at }) => told + sumOf([...failed.values()].filter((each) => each.created_at < at)),
    );
  const givenBack = sumOf([...failed.values()].filter(({ cause }) => isWon(reversals, cause)));
  return BigInt(Math.max(0, Math.max(0, ...ever) - givenBack));
}

/** What refunds came to in all, and each dispute by its name. */
function toldIn(reversals: readonly Told[]): { refunded: bigint; disputes: Map<string, bigint> } {
  const of = (kind: ReversalKind) => reversals.filter((each) => each.kind === kind);
  const names = new Set(of('dispute').map(({ cause }) => cause));
  const mostOfDispute = (name: string) => mostOf(of('dispute').filter(({ cause }) => cause === name));
  return {
    refunded: refundedOf(reversals),
    disputes: new Map([...names].map((name) => [name, mostOfDispute(name)])),
  };
}

/** How much of the payment is gone, in the smallest unit of its currency: what was refunded, and what is in dispute. */
function coveredOf({ money }: Pick<OrderRow, 'money'>, reversals: readonly Told[]): bigint {
  const { refunded, disputes } = toldIn(reversals);
  let sum = refunded;
  for (const [name, told] of disputes) if (!isWon(reversals, name)) sum += told;
  return sum < BigInt(money) ? sum : BigInt(money);
}

/** An open dispute, or a lost one, stands before what is owed, that before refunds, and all before a dispute that was won. */
function statusOf(row: Pick<OrderRow, 'status'>, reversals: readonly Told[]): string {
  if (!isCredited(row)) return row.status;
  const { refunded, disputes } = toldIn(reversals);
  const standing = [...disputes.keys()].filter((name) => !isWon(reversals, name));
  const states: [TopupStatus, boolean][] = [
    ['disputed', standing.some((name) => !isOwed(reversals, name))],
    ['owed', reversals.some(({ cause }) => isOwed(reversals, cause))],
    ['refunded', refunded > 0n],
    ['reinstated', disputes.size > 0],
  ];
  return states.find(([, is]) => is)?.[0] ?? 'success';
}

/** What they have taken in all; what was given back does not count. */
function netOf(reversals: readonly ReversalRow[]): { money: bigint; quota: bigint } {
  const net = { money: 0n, quota: 0n };
  for (const { kind, money, quota } of reversals) {
    const sign = kind === 'won' ? -1n : 1n;
    net.money += sign * BigInt(money);
    net.quota += sign * BigInt(quota);
  }
  return net;
}
