/** The record of actions as root reads it, newest first: in pages, one by one, and whole as a sheet. */

import { stringify } from 'csv-stringify/sync';
import { type SQL, sql } from 'drizzle-orm';
import { type Difference, isAdminAction, readDetail } from '../../core/admin-actions.ts';
import { fail } from '../../core/errors.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Order } from '../../core/order.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Tx } from '../../db/client.ts';
import { containing, startingWith } from '../../db/like.ts';
import { newestOrdered, type Part } from '../../db/order.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { ACTION_ORDERS } from './facts.ts';

export interface ActionFilter {
  /** Id or user name of who acted. */
  actor?: string;
  /** An action, or the part before its dot for all of a kind. */
  action?: string;
  /** `user:7`; without a colon it may stand anywhere. */
  target?: string;
  /** Anywhere in target or details. */
  keyword?: string;
  /** Unix seconds, both inclusive. */
  from?: number;
  to?: number;
}

interface Row {
  id: number;
  created_at: number;
  actor_id: number;
  actor_name: string;
  action: string;
  target: string;
  target_name: string;
  ip: string;
  /** JSON text. */
  detail: string;
}

/** A row of the list: its first changes, so that one sees what it is about. */
export interface ActionItem extends Omit<Row, 'detail'> {
  changes: Difference[];
  change_count: number;
}

export interface ActionPage {
  items: ActionItem[];
  page: number;
  page_size: number;
  total: number;
  total_is_capped: boolean;
}

type Reads = Pick<Deps, 'db'>;

const CHANGES_SHOWN = 3;
const SIDE_MAX = 120;

/** Throws LOG_TIMEOUT. */
export async function listActions(
  { db }: Reads,
  reader: number,
  { sort, ...filter }: ActionFilter & { sort?: Order<(typeof ACTION_ORDERS)[number]> | undefined },
  { page, pageSize, limit, offset }: Paging,
): Promise<ActionPage> {
  const where = conditionOf(filter);
  const { rows, n } = await boundedRead(db, { reader, ms: limits.logReadMs }, async (tx) => ({
    rows: await readRows(tx, { ...orderedActions(sort, where), page: sql`limit ${limit} offset ${offset}` }),
    n: await countRows(tx, where),
  }));
  return {
    items: rows.map(itemOf),
    page,
    page_size: pageSize,
    total: Math.min(n, limits.countCap),
    total_is_capped: n > limits.countCap,
  };
}

/** Throws NOT_FOUND. */
export async function getAction(
  { db }: Reads,
  reader: number,
  id: number,
): Promise<Omit<Row, 'detail'> & { detail: JsonObject }> {
  const [row] = await boundedRead(db, { reader, ms: limits.logReadMs }, (tx) =>
    readRows(tx, { ...orderedActions(undefined, sql`a.id = ${id}::bigint`), page: sql`limit 1` }),
  );
  if (!row) throw fail('NOT_FOUND');
  return { ...row, detail: parseObject(row.detail) ?? {} };
}

const COLUMNS = [
  'id',
  'time',
  'actor_id',
  'actor',
  'action',
  'target',
  'target_name',
  'ip',
  'detail',
] as const;

/**
 * The filtered record as CSV, page by page: each is read when the one before has been taken, so that a long record costs
 * no memory. What a sheet would take for a formula is marked as text. Throws LOG_TIMEOUT.
 */
export async function* exportActions(
  { db }: Reads,
  reader: number,
  filter: ActionFilter,
): AsyncGenerator<string> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let written = 0; written < limits.exportRows; written += limits.exportPage) {
    const where = sql`${conditionOf(filter)} and a.id < ${before}::bigint`;
    const rows = await boundedRead(db, { reader, ms: limits.logReadMs }, (tx) =>
      readRows(tx, { ...orderedActions(undefined, where), page: sql`limit ${limits.exportPage}` }),
    );
    const isFirst = written === 0;
    yield stringify(rows.map(cellsOf), {
      bom: isFirst,
      header: isFirst,
      columns: [...COLUMNS],
      record_delimiter: 'windows',
      escape_formulas: true,
    });
    const last = rows.at(-1);
    if (!last || rows.length < limits.exportPage) return;
    before = last.id;
  }
}

const cellsOf = (row: Row) => [
  row.id,
  new Date(row.created_at * 1000).toISOString(),
  row.actor_id,
  row.actor_name,
  row.action,
  row.target,
  row.target_name,
  row.ip,
  row.detail,
];

const DIGITS = /^\d{1,15}$/;

function conditionOf({ actor, action, target, keyword, from, to }: ActionFilter): SQL {
  const wanted: SQL[] = [sql`true`];
  if (actor) {
    const byName = sql`a.actor_id = (select u.id from users u where lower(u.username) = lower(${actor}))`;
    wanted.push(DIGITS.test(actor) ? sql`(a.actor_id = ${Number(actor)}::bigint or ${byName})` : byName);
  }
  if (action) {
    wanted.push(
      isAdminAction(action) ? sql`a.action = ${action}` : sql`a.action like ${startingWith(`${action}.`)}`,
    );
  }
  if (target) {
    wanted.push(target.includes(':') ? sql`a.target = ${target}` : sql`a.target ilike ${containing(target)}`);
  }
  if (keyword) {
    const pattern = containing(keyword);
    wanted.push(sql`(a.target ilike ${pattern} or a.detail::text ilike ${pattern})`);
  }
  if (from !== undefined) wanted.push(sql`a.created_at >= ${from}::bigint`);
  if (to !== undefined) wanted.push(sql`a.created_at <= ${to}::bigint`);
  return sql.join(wanted, sql` and `);
}

const orderColumns = { time: sql`a.created_at`, action: sql`a.action`, target: sql`a.target` };

const orderedActions = (
  sort: Order<(typeof ACTION_ORDERS)[number]> | undefined,
  where: SQL,
): Pick<Part, 'from' | 'order'> =>
  newestOrdered(sort, orderColumns, {
    table: sql`admin_actions a`,
    alias: sql`a`,
    where,
    newest: sql`a.id desc`,
  });

/** Names are those of today: of an account that was erased its pseudonym, of a channel that is gone its last. */
const readRows = async (tx: Tx, { from, order, page }: Part): Promise<Row[]> =>
  rowsOf<Row>(
    await tx.execute(sql`
      select a.id, a.created_at, a.actor_id, coalesce(u.username, '') as actor_name, a.action, a.target,
        coalesce(t.username, c.name, (
          select coalesce(g.detail #>> '{name,after}', g.detail #>> '{name,before}') from admin_actions g
          where a.target like 'channel:%' and g.target = a.target and g.detail->'name' is not null
          order by g.id desc limit 1
        ), '') as target_name, a.ip, a.detail::text as detail
      from (
        select *, case when target ~ '^(user|channel):[0-9]{1,18}$' then split_part(target, ':', 2)::bigint end as on_id
        from ${from} order by ${order} ${page}
      ) a
      left join users u on u.id = a.actor_id
      left join users t on a.target like 'user:%' and t.id = a.on_id
      left join channels c on a.target like 'channel:%' and c.id = a.on_id
      order by ${order}`),
  );

async function countRows(tx: Tx, where: SQL): Promise<number> {
  const [row] = rowsOf<{ n: number }>(
    await tx.execute(sql`
      select count(*)::int as n
      from (select 1 from admin_actions a where ${where} limit ${limits.countCap + 1}) as counted`),
  );
  return row?.n ?? 0;
}

function itemOf({ detail, ...row }: Row): ActionItem {
  const { differences } = readDetail(parseObject(detail) ?? {});
  return {
    ...row,
    changes: differences.slice(0, CHANGES_SHOWN).map(({ before, after, ...rest }) => ({
      ...rest,
      before: before?.slice(0, SIDE_MAX) ?? null,
      after: after?.slice(0, SIDE_MAX) ?? null,
    })),
    change_count: differences.length,
  };
}
