/**
 * Folds the hourly figures, and those of calls that came to nothing, into parts of days, by one dimension at a time: a chart
 * of months reads some thousand rows instead of millions. A part is written when it is over, by a server in one transaction,
 * embedded by slices, and again when a settlement comes late, which the settlement itself notes; so what is folded, and not
 * late, is always the sum of its hours. Everybody's parts are summed up once more by spans of days, of which a part that is
 * folded takes back that they are whole.
 */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { OneByOne } from '../../core/one-by-one.ts';
import { DAY_PART_SEC, nowSec, SPAN_SEC } from '../../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS, FOLDED_MIXED, FOLDED_PARTS } from '../../core/usage-folds.ts';
import { takeTime } from '../../db/brief.ts';
import type { Database, Tx } from '../../db/client.ts';
import { inOrderOfIndex } from '../../db/looks.ts';
import { inSlices } from '../../db/slices.ts';
import { numberList, type Row, rowsOf, textList } from '../../db/statement.ts';
import { DIMENSIONS, type Dimension } from './facts.ts';

/** In the place of a user: everybody. */
export const EVERYBODY = -1;

/** The order in which a value of the mixed fold has them, one a line. */
const MIXED: readonly Dimension[] = ['token', 'group', 'model'];

/** What a mixed value says of one of them; null for what it does not tell. */
export function ofMixed(dimension: Dimension): SQL | null {
  const at = MIXED.indexOf(dimension);
  return at === -1 ? null : sql.raw(`split_part(value, E'\\n', ${at + 1})`);
}

/** Dimensions that have few values, so that everybody's calls of an hour are far fewer rows by them. */
export const FOLDED_BY_HOUR: readonly Dimension[] = ['model', 'group', 'channel', 'code'];

/**
 * A user with so many hourly figures in a part has its hours folded too, by each of his dimensions: they are a few of many.
 * Never to be raised: the hours of who had fewer would stay as they are when their part is folded again.
 */
export const BUSY_FIGURES = 64;

/** Columns that the hourly figures and the log call alike, but for codes, which failed calls alone have. */
export const COLUMN_OF: Record<Dimension, string> = {
  model: 'model_name',
  token: 'token_id',
  group: 'group_name',
  channel: 'channel_id',
  user: 'user_id',
  code: 'code',
};

/** Columns that add up, of charged calls. */
export const CHARGED = [
  'calls',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'cached_tokens',
  'first_ms',
  'first_calls',
] as const;

/** With those that came to nothing. */
export const SUMMED = [...CHARGED, 'failed'] as const;

const sums = sql.raw(SUMMED.map((name) => `sum(${name})::bigint as ${name}`).join(', '));
const summed = sql.raw(SUMMED.join(', '));
/**
 * The hourly figures that a condition asks for: charged calls, and those that came to nothing, which are told by their hour
 * alone. `columns` are some that both tables have; the code of charged calls is empty.
 */
export const hourlyFigures = (columns: SQL, where: SQL): SQL => sql`
  select ${columns}, ${sql.raw(CHARGED.join(', '))}, 0 as failed from (select *, '' as code from usage_hourly) charged
  where ${where}
  union all
  select ${columns}, ${sql.raw(CHARGED.map(() => '0').join(', '))}, calls from failures_hourly where ${where}`;

const onConflict = (value: (name: string) => string): SQL =>
  sql.raw(
    `on conflict (user_id, dimension, hours, part, value) do update set ${SUMMED.map((name) => `${name} = ${value(name)}`).join(', ')}`,
  );
/** Sums only grow: what is there is replaced. */
const replaced = onConflict((name) => `excluded.${name}`);
const added = onConflict((name) => `usage_folded.${name} + excluded.${name}`);

/** The first part with any figures at or after a second. */
const firstPartFrom = (second: string): string => `least(
    (select min(hour) from usage_hourly where hour >= ${second}),
    (select min(hour) from failures_hourly where hour >= ${second})
  ) / ${DAY_PART_SEC} * ${DAY_PART_SEC}`;

/** Folds every part that is over and not folded; ends early when the signal aborts. */
export async function foldUsage(db: Database, signal?: AbortSignal): Promise<number> {
  const last = nowSec() - limits.foldUsageAfterSec - DAY_PART_SEC;
  // From part to part that has something, by the index.
  const due = await db.query<{ part: number }>(
    `with recursive used(part) as (
       select ${firstPartFrom('0')}
       union all
       select (select ${firstPartFrom(`used.part + ${DAY_PART_SEC}`)}) from used where used.part <= $1::bigint
     )
     select part from used
     where part <= $1::bigint and part not in (${FOLDED_PARTS})
     order by part`,
    [last],
  );
  let folded = 0;
  for (const { part } of due) {
    if (signal?.aborted) return folded;
    if (await foldPart(db, part, signal)) folded++;
  }
  const spans = await db.query<{ span: number }>(
    'select span from usage_spans where not is_whole and span <= $1::bigint order by span',
    [last + DAY_PART_SEC - SPAN_SEC],
  );
  for (const { span } of spans) {
    if (signal?.aborted) break;
    await foldSpan(db, span, signal);
  }
  return folded;
}

/**
 * One part. A server does it by one statement, beside which others have their turns. An embedded database would serve
 * nobody meanwhile, and nobody but this process folds in it: there it goes by slices.
 */
const foldPart = (db: Database, part: number, signal?: AbortSignal): Promise<boolean> =>
  db.engine === 'pglite'
    ? foldBySlices(db, part, signal)
    : db.orm.transaction(async (tx) => {
        if (!(await claimPart(tx, part))) return false;
        await tx.execute(
          folding(
            sql`select *, count(*) filter (where calls > 0) over (partition by user_id) >= ${BUSY_FIGURES} as is_busy
              from (${hourlyFigures(sql.raw(FAILED_KEY.join()), sql`hour >= ${part}::bigint and hour < ${part + DAY_PART_SEC}::bigint`)}) figures`,
            replaced,
          ),
        );
        return true;
      });

/**
 * Claims a part, once, whoever else is at it: whoever folds it holds its row. What says that it is late is removed before its
 * hours are read, by a statement of its own: a settlement has either said so by then, and its hours are read, or what it
 * says stays. So none has to wait.
 */
async function claimPart(tx: Tx, part: number): Promise<boolean> {
  await takeTime(tx);
  const claimed = rowsOf(
    await tx.execute(sql`
      insert into usage_parts (part) values (${part}::bigint) on conflict do nothing returning part`),
  );
  if (claimed.length === 0)
    await tx.execute(sql`select 1 from usage_parts where part = ${part}::bigint for update`);
  const late = rowsOf(await tx.execute(sql`delete from usage_late where part = ${part}::bigint returning 1`));
  if (claimed.length + late.length === 0) return false;
  await openSpan(tx, part);
  return true;
}

/** Whoever sums the span up waits for this part, or is asked to do so again. */
const openSpan = (tx: Tx, part: number): Promise<unknown> =>
  tx.execute(sql`
    insert into usage_spans (span, is_whole) values (${part - (part % SPAN_SEC)}::bigint, false)
    on conflict (span) do update set is_whole = false`);

/** Folds figures, which are told with whether they are a busy user's. */
const folding = (figures: SQL, conflict: SQL): SQL => sql`
  insert into usage_folded (user_id, dimension, hours, part, value, ${summed})
  select owner, dimension, hours, beginning, value, ${sums}
  from (${figures}) h
    cross join lateral (values ${sql.raw(VALUES)}) v(owner, dimension, hours, beginning, value, counts)
  where counts
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  ${conflict}`;

const KEY = ['hour', 'user_id', 'token_id', 'channel_id', 'model_name', 'group_name'] as const;
const FAILED_KEY = [...KEY, 'code'] as const;

/** Where the figures are, by what they are told apart, and what a slice takes of them. */
const SOURCES = [
  { table: 'usage_hourly', key: KEY, told: `'' as code, ${CHARGED.join(', ')}, 0 as failed` },
  {
    table: 'failures_hourly',
    key: FAILED_KEY,
    told: `code, ${CHARGED.map((name) => `0 as ${name}`).join(', ')}, calls as failed`,
  },
];

const folds = new OneByOne<Database>();

/**
 * The part is not folded while it goes on, and what a stop in the middle leaves of it is removed before it begins anew: each
 * slice adds its figures to what is there. What said before that it is late says so until it is folded: as long as it never
 * was, and nothing says so, its figures of hours that are over are what they were. A settlement that comes late meanwhile says
 * so, and the part stays late. One after the other, also where two are asked to.
 */
const foldBySlices = (db: Database, part: number, signal?: AbortSignal): Promise<boolean> =>
  folds.do(db, async () => {
    const late = await db.orm.transaction((tx) => beginPart(tx, part));
    if (!late) return false;
    await unfold(db, part, signal);
    for (const source of SOURCES) {
      let after: Row | undefined;
      do {
        if (signal?.aborted) return false;
        after = await db.orm.transaction((tx) => foldSlice(tx, source, part, after));
      } while (after);
    }
    await db.orm.execute(sql`
      with gone as (delete from usage_late where ctid = any(${textList(late)}::tid[]))
      insert into usage_parts (part) values (${part}::bigint)`);
    return true;
  });

/** Where it stands that the part is late; null where it is folded and not late. */
async function beginPart(tx: Tx, part: number): Promise<string[] | null> {
  await takeTime(tx);
  const late = rowsOf<{ at: string }>(
    await tx.execute(sql`select ctid::text as at from usage_late where part = ${part}::bigint`),
  );
  const folded = rowsOf(await tx.execute(sql`select 1 from usage_parts where part = ${part}::bigint`));
  if (folded.length > 0 && late.length === 0) return null;
  await openSpan(tx, part);
  await tx.execute(sql`delete from usage_parts where part = ${part}::bigint`);
  return late.map(({ at }) => at);
}

/** Folds so many figures behind the last one; answers the last of them, if there was any. */
async function foldSlice(
  tx: Tx,
  { table, key, told }: (typeof SOURCES)[number],
  part: number,
  after: Row | undefined,
): Promise<Row | undefined> {
  const names = sql.raw(key.join(', '));
  const values = key.map((name) => sql`${after?.[name]}::${sql.raw(IS_TEXT.has(name) ? 'text' : 'bigint')}`);
  const within = (hour: SQL) => sql`${hour} >= ${part}::bigint and ${hour} < ${part + DAY_PART_SEC}::bigint`;
  const slice = await inOrderOfIndex(tx, () =>
    tx.execute(sql`
    with slice as materialized (
      select ${sql.raw(KEY.join(', '))}, ${sql.raw(told)} from ${sql.raw(table)}
      where ${within(sql`hour`)} ${after ? sql`and (${names}) > (${sql.join(values, sql`, `)})` : sql``}
      order by ${names} limit ${limits.foldFigures}
    ), busy as materialized (
      select user_id, exists (
        select from usage_hourly u where u.user_id = s.user_id and ${within(sql`u.hour`)} offset ${BUSY_FIGURES - 1}
      ) as is_busy
      from (select distinct user_id from slice) s
    ), folded as (${folding(sql`select * from slice join busy using (user_id)`, added)})
    select ${names} from slice order by ${sql.raw(key.map((name) => `${name} desc`).join(', '))} limit 1`),
  );
  const [last] = rowsOf(slice);
  return last;
}

const IS_TEXT: ReadonlySet<string> = new Set(['model_name', 'group_name', 'code']);

/**
 * Removes what was folded of a part. Each of its figures counts for a user among everybody's, which tells whose rows there are,
 * and goes last. What is left when the signal aborts is removed the next time.
 */
async function unfold(db: Database, part: number, signal?: AbortSignal): Promise<void> {
  const ofUsers = FOLDED_DIMENSIONS.user;
  const owners = await db.query<{ id: number }>(
    `select value::bigint as id from usage_folded
     where user_id = ${EVERYBODY} and dimension = ${ofUsers} and hours = ${FOLDED_HOURS.part} and part = $1`,
    [part],
  );
  if (owners.length === 0) return;
  const others = [...Object.values(FOLDED_DIMENSIONS), FOLDED_MIXED].filter((number) => number !== ofUsers);
  const most = limits.foldedAtOnce;
  const remove = (owner: number, dimensions: readonly number[]) =>
    inSlices(most, () => db.query(REMOVE, [owner, numberList(dimensions), part, most]), signal);
  for (const { id } of owners) {
    if (signal?.aborted) return;
    await remove(id, others);
  }
  await remove(EVERYBODY, others);
  await remove(EVERYBODY, [ofUsers]);
}

const REMOVE = `
  with gone as (
    delete from usage_folded where ctid = any(array(
      select ctid from usage_folded
      where user_id = $1 and dimension = any($2::smallint[]) and hours = any('{${FOLDED_HOURS.hour},${FOLDED_HOURS.part}}')
        and part >= $3::bigint and part < $3::bigint + ${DAY_PART_SEC}
      limit $4
    )) returning 1
  )
  select count(*)::int as n from gone`;

/**
 * What a row of the hourly figures counts for: its user's and everybody's sums of the part, by each dimension, of the
 * hour where everybody has few values, or the user many figures, and its user's sums of the part by all that he asks for.
 */
const VALUES = [
  ...DIMENSIONS.flatMap((dimension) => {
    const { ofPart, ofHour } = countedFor(
      FOLDED_DIMENSIONS[dimension],
      `h.${COLUMN_OF[dimension]}::text`,
      dimension === 'code' ? 'h.failed > 0' : 'true',
    );
    const everybody = `${EVERYBODY}::bigint`;
    return [
      ofPart(everybody),
      ...(dimension === 'user' ? [] : [ofPart('h.user_id'), ofHour('h.user_id', 'h.is_busy')]),
      ...(FOLDED_BY_HOUR.includes(dimension) ? [ofHour(everybody, 'true')] : []),
    ];
  }),
  countedFor(
    FOLDED_MIXED,
    `concat_ws(E'\\n', ${MIXED.map((dimension) => `h.${COLUMN_OF[dimension]}`)})`,
  ).ofPart('h.user_id'),
].join(', ');

/** `has`: whether a figure has such a value. */
function countedFor(dimension: number, value: string, has = 'true') {
  const number = `${dimension}::smallint`;
  return {
    ofPart: (owner: string) =>
      `(${owner}, ${number}, ${FOLDED_HOURS.part}::smallint, h.hour / ${DAY_PART_SEC} * ${DAY_PART_SEC}, ${value}, ${has})`,
    ofHour: (owner: string, counts: string) =>
      `(${owner}, ${number}, ${FOLDED_HOURS.hour}::smallint, h.hour, ${value}, ${counts} and ${has})`,
  };
}

const EVERYBODYS = sql`user_id = ${EVERYBODY}::bigint and dimension = any(${sql.raw(`'{${Object.values(FOLDED_DIMENSIONS).join()}}'`)}::smallint[])`;

const isWhole = (span: number): SQL =>
  sql`update usage_spans set is_whole = true where span = ${span}::bigint`;

/** One span, from everybody's parts in it: in the same ways as a part. */
const foldSpan = (db: Database, span: number, signal?: AbortSignal): Promise<unknown> =>
  db.engine === 'pglite'
    ? foldSpanBySlices(db, span, signal)
    : db.orm.transaction(async (tx) => {
        if (!(await claimSpan(tx, span))) return;
        await tx.execute(sql`
          insert into usage_folded (user_id, dimension, hours, part, value, ${summed})
          select user_id, dimension, ${FOLDED_HOURS.span}::smallint, ${span}::bigint, value, ${sums} from usage_folded
          where ${EVERYBODYS} and hours = ${FOLDED_HOURS.part}::smallint
            and part >= ${span}::bigint and part < ${span + SPAN_SEC}::bigint
          group by user_id, dimension, value order by dimension, value
          ${replaced}`);
        await tx.execute(isWhole(span));
      });

/**
 * Whether it is to be summed up. Whoever folds one of its parts meanwhile holds the row of the span, or waits for it
 * and takes back that it is whole. A part that has hours and was not folded yet leaves it for the next time.
 */
async function claimSpan(tx: Tx, span: number): Promise<boolean> {
  await takeTime(tx);
  const due = rowsOf(
    await tx.execute(sql`select 1 from usage_spans where span = ${span}::bigint and not is_whole for update`),
  );
  if (due.length === 0) return false;
  const open = rowsOf(
    await tx.execute(sql`
      select 1 from generate_series(${span}::bigint, ${span + SPAN_SEC - DAY_PART_SEC}::bigint, ${DAY_PART_SEC}::bigint) as p(part)
      where part not in (select part from usage_parts)
        and exists (${hourlyFigures(sql`hour`, sql`hour >= p.part and hour < p.part + ${DAY_PART_SEC}::bigint`)})`),
  );
  return open.length === 0;
}

/** It is not whole while it goes on, and no part of it is folded. */
const foldSpanBySlices = (db: Database, span: number, signal?: AbortSignal): Promise<void> =>
  folds.do(db, async () => {
    if (!(await db.orm.transaction((tx) => claimSpan(tx, span)))) return;
    for (const dimension of Object.values(FOLDED_DIMENSIONS)) {
      let after: string | null = null;
      do {
        if (signal?.aborted) return;
        after = await foldValues(db, { span, dimension, after });
      } while (after !== null);
    }
    await db.orm.execute(isWhole(span));
  });

/**
 * The next values of one dimension, of which all parts are read: of each so many, and as far as those go that have more.
 * Answers the last value then.
 */
async function foldValues(
  db: Database,
  { span, dimension, after }: { span: number; dimension: number; after: string | null },
): Promise<string | null> {
  const ofEach = Math.ceil((limits.foldedAtOnce * DAY_PART_SEC) / SPAN_SEC);
  const slice = await db.orm.transaction((tx) =>
    inOrderOfIndex(tx, () =>
      tx.execute(sql`
        with slice as materialized (
          select p.part, h.* from generate_series(${span}::bigint, ${span + SPAN_SEC - DAY_PART_SEC}::bigint, ${DAY_PART_SEC}::bigint) as p(part)
            cross join lateral (
              select value, ${summed} from usage_folded f
              where user_id = ${EVERYBODY}::bigint and dimension = ${dimension}::smallint
                and hours = ${FOLDED_HOURS.part}::smallint and f.part = p.part
                ${after === null ? sql`` : sql`and value > ${after}::text`}
              order by value limit ${ofEach}
            ) h
        ), reached as materialized (
          select min(last) as value
          from (select max(value) as last from slice group by part having count(*) = ${ofEach}::int) ends
        ), folded as (
          insert into usage_folded (user_id, dimension, hours, part, value, ${summed})
          select ${EVERYBODY}::bigint, ${dimension}::smallint, ${FOLDED_HOURS.span}::smallint, ${span}::bigint, slice.value, ${sums}
          from slice, reached where reached.value is null or slice.value <= reached.value
          group by slice.value
          ${replaced}
        )
        select value from reached`),
    ),
  );
  const [reached] = rowsOf<{ value: string | null }>(slice);
  return reached?.value ?? null;
}
