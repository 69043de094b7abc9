/** Tasks as their owners and administrators read them, newest first. */
import { type SQL, sql } from 'drizzle-orm';
import { fail, type Locale } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Order } from '../../core/order.ts';
import { failText } from '../../core/tasks.ts';
import { secOf } from '../../core/time.ts';
import { publicIdOf } from '../../core/video-object.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Tx } from '../../db/client.ts';
import { lastWhere, newestOrdered, type Part } from '../../db/order.ts';
import { rowsOf } from '../../db/statement.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import type { DrawingItem, DrawingPage, TaskItem, TaskPage } from './contract.ts';
import { drawingFacts, filmAddresses, type PicturePlace, pictureAddress } from './drawing.ts';
import type { ALL_TASK_ORDERS } from './facts.ts';
import { expiresAt } from './files.ts';
import { INPUT_BYTES, PUBLIC_ID, type RawTask, TASK_BYTES, TASK_COLUMNS, taskOf } from './rows.ts';

export interface TaskFilter {
  /** Drawings have a list of their own. */
  isDrawing: boolean;
  /** Set for a user's own list; nothing that he asks for widens it. */
  ownerId?: number;
  username?: string | undefined;
  channelId?: number | undefined;
  taskId?: string | undefined;
  platform?: string | undefined;
  action?: string | undefined;
  status?: string | undefined;
  /** Unix milliseconds, both inclusive. */
  fromMs?: number | undefined;
  toMs?: number | undefined;
  sort?: Order<(typeof ALL_TASK_ORDERS)[number]> | undefined;
}

export interface TaskReader {
  id: number;
  locale: Locale;
  /** Leaves out what came out of them. */
  isBrief: boolean;
}

interface Page<Item> {
  items: Item[];
  page: number;
  page_size: number;
  total: number;
  total_is_capped: boolean;
}

/** Throws LOG_TIMEOUT, TASKS_LARGE. */
export const listTasks = (
  deps: Pick<Deps, 'db'>,
  reader: TaskReader,
  filter: Omit<TaskFilter, 'isDrawing'>,
  paging: Paging,
): Promise<TaskPage> =>
  listRows(deps, reader, { ...filter, isDrawing: false }, paging, (row, isOwn) =>
    itemOf(row, reader.locale, isOwn),
  );

/** Throws LOG_TIMEOUT, TASKS_LARGE. */
export const listDrawings = (
  deps: Pick<Deps, 'db' | 'env' | 'options'>,
  reader: Omit<TaskReader, 'isBrief'>,
  filter: Omit<TaskFilter, 'isDrawing'>,
  paging: Paging,
): Promise<DrawingPage> => {
  const place = { forwards: deps.options.get('MjForwardUrlEnabled'), address: publicAddress(deps) };
  return listRows(deps, { ...reader, isBrief: false }, { ...filter, isDrawing: true }, paging, (row, isOwn) =>
    drawingItemOf(row, { locale: reader.locale, place, isOwn }),
  );
};

async function listRows<Item>(
  { db }: Pick<Deps, 'db'>,
  { id, isBrief }: TaskReader,
  filter: TaskFilter,
  { page, pageSize, limit, offset }: Paging,
  render: (row: ListedTask, isOwn: boolean) => Item,
): Promise<Page<Item>> {
  const where = conditionOf(filter);
  const part: Part = { ...orderedTasks(filter.sort, where), page: sql`limit ${limit} offset ${offset}` };
  const { rows, total } = await boundedRead(db, { reader: id, ms: limits.logReadMs }, async (tx) => {
    // One by itself can always be read.
    if (limit > 1) await requireFit(tx, part, isBrief);
    return { rows: await readRows(tx, part, isBrief), total: await countRows(tx, where) };
  });
  return {
    items: rows.map((row) => render(row, filter.ownerId !== undefined)),
    page,
    page_size: pageSize,
    total: Math.min(total, limits.countCap),
    total_is_capped: total > limits.countCap,
  };
}

function conditionOf(filter: TaskFilter): SQL {
  const { ownerId, username, channelId, taskId, platform, action, status, fromMs, toMs } = filter;
  const wanted: SQL[] = [filter.isDrawing ? sql`t.platform = 'mj'` : sql`t.platform <> 'mj'`];
  if (ownerId !== undefined) wanted.push(sql`t.user_id = ${ownerId}::bigint`);
  if (username) {
    wanted.push(sql`t.user_id = (select u.id from users u where lower(u.username) = lower(${username}))`);
  }
  if (channelId !== undefined) wanted.push(sql`t.channel_id = ${channelId}::bigint`);
  if (taskId) {
    const id = publicIdOf(taskId);
    wanted.push(PUBLIC_ID.test(id) ? sql`t.public_id = ${id}` : sql`false`);
  }
  if (platform) wanted.push(sql`t.platform = ${platform}`);
  if (action) wanted.push(sql`t.action = upper(${action})`);
  if (status) wanted.push(sql`t.status = upper(${status})`);
  if (fromMs !== undefined) wanted.push(sql`t.submit_time >= ${fromMs}::bigint`);
  if (toMs !== undefined) wanted.push(sql`t.submit_time <= ${toMs}::bigint`);
  return sql.join(wanted, sql` and `);
}

const orderColumns = {
  submitted: sql`t.submit_time`,
  finished: lastWhere(sql`t.finish_time`, 0),
  channel: sql`t.channel_id`,
  platform: sql`t.platform`,
  action: sql`t.action`,
  state: sql`t.status`,
  progress: sql`t.progress`,
  cost: sql`t.quota - t.refunded`,
};

const orderedTasks = (sort: TaskFilter['sort'], where: SQL): Pick<Part, 'from' | 'order'> =>
  newestOrdered(sort, orderColumns, {
    table: sql`tasks t`,
    alias: sql`t`,
    where,
    newest: sql`t.submit_time desc, t.id desc`,
  });

type ListedTask = RawTask & { username: string };

/** Throws TASKS_LARGE for rows that are too large together, of which nothing is read. */
async function requireFit(tx: Tx, { from, order, page }: Part, isBrief: boolean): Promise<void> {
  const [sum] = rowsOf<{ bytes: number }>(
    await tx.execute(sql`
      select coalesce(sum(${sql.raw(isBrief ? INPUT_BYTES : TASK_BYTES)}), 0)::int8 as bytes
      from (select input, data from ${from} order by ${order} ${page}) r`),
  );
  if (sum && sum.bytes > limits.tasksListedBytes) throw fail('TASKS_LARGE');
}

/** Names are those of today: of an account that was erased its pseudonym. */
const readRows = async (tx: Tx, { from, order, page }: Part, isBrief: boolean): Promise<ListedTask[]> =>
  rowsOf<ListedTask>(
    await tx.execute(sql`
      select t.*, coalesce(u.username, '') as username from (
        select ${sql.raw(isBrief ? TASK_COLUMNS.replace('data::text as data', 'null::text as data') : TASK_COLUMNS)}
        from ${from} order by ${order} ${page}
      ) t left join users u on u.id = t.user_id order by ${order}`),
  );

async function countRows(tx: Tx, where: SQL): Promise<number> {
  const [row] = rowsOf<{ n: number }>(
    await tx.execute(
      sql`select count(*)::int as n from (select 1 from tasks t where ${where} limit ${limits.countCap + 1}) as counted`,
    ),
  );
  return row?.n ?? 0;
}

function itemOf(raw: ListedTask, locale: Locale, isOwn: boolean): TaskItem {
  const row = taskOf(raw);
  return {
    id: row.id,
    task_id: row.public_id,
    platform: row.platform,
    action: row.action,
    model_name: row.model_name,
    status: row.status,
    progress: `${row.progress}%`,
    fail_reason: failText(row, locale),
    submit_time: secOf(row.submit_time),
    start_time: secOf(row.start_time),
    finish_time: secOf(row.finish_time),
    created_at: secOf(row.submit_time),
    updated_at: row.updated_at,
    quota: row.quota,
    refunded: row.refunded,
    request_id: row.request_id,
    user_id: row.user_id,
    username: raw.username,
    channel_id: isOwn ? 0 : row.channel_id,
    properties: row.input,
    // Where a film lies is between us and its upstream; a song's wire tells its callers where it lies.
    data: row.platform === 'video' ? null : row.data,
    expires_at: row.platform === 'video' ? expiresAt(row) : 0,
  };
}

function drawingItemOf(
  raw: ListedTask,
  { locale, place, isOwn }: { locale: Locale; place: PicturePlace; isOwn: boolean },
): DrawingItem {
  const row = taskOf(raw);
  const { prompt, promptEn, description, state, buttons, properties, code } = drawingFacts(row);
  return {
    id: row.id,
    mj_id: row.public_id,
    code,
    action: row.action,
    status: row.status,
    progress: `${row.progress}%`,
    fail_reason: failText(row, locale),
    prompt,
    prompt_en: promptEn,
    description,
    state,
    image_url: pictureAddress(row, place),
    video_url: filmAddresses(row, place)[0] ?? '',
    video_urls: JSON.stringify(filmAddresses(row, place)),
    submit_time: row.submit_time,
    start_time: row.start_time,
    finish_time: row.finish_time,
    created_at: secOf(row.submit_time),
    buttons: JSON.stringify(buttons),
    properties: JSON.stringify(properties),
    quota: row.quota,
    refunded: row.refunded,
    request_id: row.request_id,
    user_id: row.user_id,
    username: raw.username,
    channel_id: isOwn ? 0 : row.channel_id,
  };
}
