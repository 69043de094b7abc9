/** Orders as they are shown: one's own, and everyone's to administrators. */
import { and, count, eq, gt, gte, ilike, lte, or, type SQL, sql } from 'drizzle-orm';
import { COLUMN_MAX } from '../../core/bounds.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { readTime } from '../../core/wire/query.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { containing } from '../../db/like.ts';
import { lastWhere, orderBy } from '../../db/order.ts';
import { topupReversals, topups, users } from '../../db/schema/index.ts';
import { moneyText } from './amount.ts';
import type { AdminTopupItem, OwnQuery, SearchQuery, TopupItem } from './contract.ts';
import { TOPUP_STATUSES, type TopupStatus } from './facts.ts';
import type { OrderRow } from './order.ts';
import { refundedOf, type Told } from './reversals.ts';

interface ListDeps {
  db: Database;
}

interface Listed {
  order: OrderRow;
  username: string | null;
  reversedQuota: number;
  reversedMoney: number;
  told: Told[];
  reversedReason: string;
}

const ofOrder = sql`from ${topupReversals} where ${topupReversals.topup_id} = ${topups.id}`;

/** What is taken back now: what a won dispute gave back is not. */
const sumOf = (column: 'quota' | 'money') =>
  sql<number>`coalesce((select sum(case when ${topupReversals.kind} = 'won' then -1 else 1 end
    * ${topupReversals[column]}) ${ofOrder}), 0)::bigint`.mapWith(Number);

/** All that was told of it. */
const told = sql<Told[]>`coalesce((select json_agg(json_build_object('kind', ${topupReversals.kind},
    'cause', ${topupReversals.cause}, 'told', ${topupReversals.told}, 'created_at', ${topupReversals.created_at})
    order by ${topupReversals.id}) ${ofOrder}), '[]')`;

/** Why an administrator took it back, the last time; why one gave it back is not the payer's to read. */
const lastReason = sql<string>`coalesce((select ${topupReversals.reason} ${ofOrder}
  and ${topupReversals.kind} <> 'won' and ${topupReversals.reason} <> '' order by ${topupReversals.id} desc limit 1), '')`;

const select = (executor: Executor) =>
  executor
    .select({
      order: topups,
      username: users.username,
      reversedQuota: sumOf('quota'),
      reversedMoney: sumOf('money'),
      told,
      reversedReason: lastReason,
    })
    .from(topups)
    .leftJoin(users, eq(users.id, topups.user_id));

const orderColumns = {
  created: topups.created_at,
  user: users.username,
  way: topups.method,
  quota: topups.quota,
  money: { groups: topups.currency, column: topups.money },
  state: topups.status,
  completed: lastWhere(topups.completed_at, 0),
};

interface Asked extends Pick<OwnQuery, 'sort'> {
  where: SQL | undefined;
}

/** Throws LOG_TIMEOUT, RATE_LIMIT when too much of this reader's waits already, OVERLOADED. */
async function page(
  { db }: ListDeps,
  reader: number,
  { where, sort }: Asked,
  { limit, offset }: Paging,
): Promise<{ rows: Listed[]; total: number }> {
  const read = async (tx: Tx) => {
    const rows = await select(tx)
      .where(where)
      .orderBy(...orderBy(sort, orderColumns, topups.id))
      .limit(limit)
      .offset(offset);
    const [total] = await tx
      .select({ n: count() })
      .from(topups)
      .leftJoin(users, eq(users.id, topups.user_id))
      .where(where);
    return { rows, total: total?.n ?? 0 };
  };
  return boundedRead(db, { reader, ms: limits.logReadMs }, read);
}

export async function listOwn(
  deps: ListDeps,
  userId: number,
  query: OwnQuery,
  paging: Paging,
): Promise<{ items: TopupItem[]; total: number }> {
  const { rows, total } = await page(
    deps,
    userId,
    {
      where: and(
        eq(topups.user_id, userId),
        query.id ? eq(topups.id, query.id) : undefined,
        inTimeAndState(query),
        query.trade_no ? eq(topups.trade_no, query.trade_no) : undefined,
      ),
      sort: query.sort,
    },
    paging,
  );
  return { items: rows.map(itemOf), total };
}

export async function listAll(
  deps: ListDeps,
  readerId: number,
  query: SearchQuery,
  paging: Paging,
): Promise<{ items: AdminTopupItem[]; total: number }> {
  const { rows, total } = await page(
    deps,
    readerId,
    {
      where: and(
        inTimeAndState(query),
        query.provider ? eq(topups.provider, query.provider) : undefined,
        bySearch(query.keyword?.trim() ?? ''),
      ),
      sort: query.sort,
    },
    paging,
  );
  return { items: rows.map(adminItemOf), total };
}

/** Throws NOT_FOUND. */
export async function getItem(deps: ListDeps, id: number): Promise<AdminTopupItem> {
  const [row] = await select(deps.db.orm).where(eq(topups.id, id));
  if (!row) throw fail('NOT_FOUND');
  return adminItemOf(row);
}

function inTimeAndState(query: OwnQuery | SearchQuery): SQL | undefined {
  const { from, to } = readTime(query);
  return and(
    query.status && inState(query.status),
    from === undefined ? undefined : gte(topups.created_at, from),
    to === undefined ? undefined : lte(topups.created_at, to),
  );
}

/** The job that marks what has expired comes round every two minutes; a list knows it at once. */
function inState(status: TopupStatus): SQL | undefined {
  if (status === 'pending') return and(eq(topups.status, 'pending'), gt(topups.expires_at, nowSec()));
  if (status !== 'expired') return eq(topups.status, status);
  return or(
    eq(topups.status, 'expired'),
    and(eq(topups.status, 'pending'), lte(topups.expires_at, nowSec())),
  );
}

function bySearch(keyword: string): SQL | undefined {
  if (keyword === '') return undefined;
  const [, number] = /^#(\d{1,16})$/.exec(keyword) ?? [];
  if (number) return Number(number) <= COLUMN_MAX.bigint ? eq(topups.id, Number(number)) : sql`false`;
  const id = /^\d{1,16}$/.test(keyword) ? Number(keyword) : null;
  return or(
    eq(topups.trade_no, keyword),
    eq(topups.provider_ref, keyword),
    ilike(users.username, containing(keyword)),
    id !== null && id <= COLUMN_MAX.bigint ? eq(topups.user_id, id) : undefined,
  );
}

function stateOf({ status, expires_at }: OrderRow): TopupStatus {
  if (status === 'pending' && expires_at <= nowSec()) return 'expired';
  return TOPUP_STATUSES.find((known) => known === status) ?? 'failed';
}

/** More than was paid cannot be gone. */
function refundedMoney({ money }: OrderRow, reversals: readonly Told[]): bigint {
  const refunded = refundedOf(reversals);
  return refunded < BigInt(money) ? refunded : BigInt(money);
}

const itemOf = ({
  order,
  reversedQuota,
  reversedMoney,
  told: reversals,
  reversedReason,
}: Listed): TopupItem => ({
  id: order.id,
  trade_no: order.trade_no,
  provider: order.provider,
  method: order.method,
  quota: order.quota,
  money: moneyText(BigInt(order.money), order.places),
  currency: order.currency,
  status: stateOf(order),
  code: order.code,
  code_lapsed: order.code_lapsed,
  price_lapsed: order.price_lapsed,
  created_at: order.created_at,
  expires_at: order.expires_at,
  paid_at: order.paid_at,
  completed_at: order.completed_at,
  reversed_quota: reversedQuota,
  reversed_money: moneyText(BigInt(reversedMoney), order.places),
  refunded_money: moneyText(refundedMoney(order, reversals), order.places),
  reversed_reason: reversedReason,
  void_reason: order.void_reason,
});

const adminItemOf = (row: Listed): AdminTopupItem => ({
  ...itemOf(row),
  user_id: row.order.user_id,
  username: row.username ?? '',
  provider_ref: row.order.provider_ref,
  completed_by: row.order.completed_by,
  reason: row.order.reason,
  voided_by: row.order.voided_by,
});
