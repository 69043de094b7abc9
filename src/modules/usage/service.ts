/** What was called and what it cost, over time: for charts, and for clients that draw their own. */
import { sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC, nowSec } from '../../core/time.ts';
import { knownZone } from '../../core/time-text.ts';
import { readTime } from '../../core/wire/query.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Database, Tx } from '../../db/client.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { RowsQuery, UsageQuery, UsageReport, UsageRow, UsageSums } from './contract.ts';
import { type Dimension, measured } from './facts.ts';
import { asLookedUp, type Time, type UsageFilter } from './hours.ts';
import { stepsOf } from './steps.ts';
import {
  firstCalled,
  firstKnownHour,
  firstSpread,
  logKeptFrom,
  NOTHING,
  type StepSums,
  type Summed,
  sumAll,
  sumsByStep,
} from './sums.ts';

/** For the sums of the log, which are made of the same figures. */
export { EVERYBODY, ofMixed } from './fold.ts';
export { type Figures, knownSince, mostFigures } from './hours.ts';
export { type Cut, cutAtParts, EACH } from './parts.ts';
export { logKeptFrom } from './sums.ts';

type Reads = Pick<Deps, 'db' | 'options'>;

/** Who reads, and whose usage it is; everybody's without an owner, or that of who has the name. */
export interface Reader {
  id: number;
  ownerId?: number;
}

/**
 * As old consoles draw it: the models with most quota by hour, or by a longer step where the time is long; `cutAt` is null, or
 * from when on they are told where that is not all of the time. Throws USAGE_OFF, USAGE_SPAN for more than a month of one's
 * own, LOG_TIMEOUT.
 */
export async function usageRows(
  deps: Reads,
  reader: Reader,
  query: RowsQuery,
): Promise<{ rows: UsageRow[]; cutAt: number | null }> {
  const { to: end = nowSec(), from: begin = end - WEEK_SEC } = readTime(query);
  if (reader.ownerId !== undefined && end - begin > MONTH_SEC) throw fail('USAGE_SPAN');
  return read(deps, reader, async (tx) => {
    const user = await userOf(tx, reader, query.username);
    const filter: UsageFilter = { userId: user?.id };
    const asked = timeOf({ from: begin, to: end }, await firstKnownHour(tx, filter));
    const steps = stepsOf(asked.from, asked.to, 'hour', 'UTC');
    const dimension = 'model';
    const { time, starts, isCut } = await asLookedUp(
      tx,
      filter,
      { time: asked, starts: steps.starts },
      { dimension },
    );
    const sums = await sumsByStep(tx, {
      starts,
      time,
      filter,
      dimension,
      metric: 'quota',
      most: limits.usageSeries,
    });
    // Of what failed alone there is nothing to draw.
    const rows = sums.rows
      .filter(({ calls }) => calls !== 0)
      .map((row, n) => ({
        id: n + 1,
        user_id: user?.id ?? 0,
        username: user?.username ?? '',
        model_name: row.value ?? OTHERS,
        created_at: starts[row.step] ?? time.from,
        count: row.calls,
        quota: row.quota,
        token_used: row.prompt_tokens + row.completion_tokens,
      }));
    return { rows, cutAt: isCut ? time.from : null };
  });
}

const WEEK_SEC = 7 * DAY_SEC;
const MONTH_SEC = 30 * DAY_SEC;
const OTHERS = 'others';

/**
 * The figures of a time. For a page (`isWhole`) they are told with those of the time before and with how the times to the
 * first content are spread; sheets and the overview need neither. Throws USAGE_OFF, LOG_TIMEOUT.
 */
export async function usageReport(
  deps: Reads,
  reader: Reader,
  query: UsageQuery,
  { isWhole = true }: { isWhole?: boolean } = {},
): Promise<UsageReport> {
  const { dimension = 'model', step: asked = deps.options.get('DataExportDefaultTime') } = query;
  const metric = dimension === 'code' ? 'failed' : (query.metric ?? 'quota');
  const timeZone = knownZone(query.time_zone);
  return read(deps, reader, async (tx) => {
    const user = await userOf(tx, reader, query.username);
    const filter: UsageFilter = { userId: user?.id };
    const first = await firstKnownHour(tx, filter);
    const exact = timeOf(readTime(query), first);
    const { step, ...steps } = stepsOf(exact.from, exact.to, asked, timeZone);
    const { time, starts, since, isCut } = await asLookedUp(
      tx,
      filter,
      { time: exact, starts: steps.starts },
      { dimension, also: isWhole ? [before(exact)] : [] },
    );
    const { rows, values } = await sumsByStep(tx, {
      starts,
      time,
      filter,
      dimension,
      metric,
      most: limits.usageSeries,
    });
    const earlier = before(time);
    const isKnown = isWhole && first !== undefined && Math.max(first, since) <= earlier.from;
    const failedFrom = await logKeptFrom(tx);
    const drawn = await seriesOf(tx, rows, { starts, dimension, metric, values, failedFrom });
    return {
      from: time.from,
      // The hour that it is has not come to its end.
      to: Math.min(time.to, nowSec()),
      is_cut: isCut,
      time_zone: timeZone,
      dimension,
      metric,
      step,
      starts,
      ...drawn,
      first_spread: isWhole ? await firstSpread(tx, { starts, time, filter }, drawn.by_step.calls) : null,
      before: isKnown ? tell(await sumAll(tx, earlier, filter), earlier.from >= failedFrom) : null,
      refresh_sec: deps.options.get('DataExportInterval') * 60,
    };
  });
}

/** The time of the same length before it. */
const before = ({ from, to }: Time): Time => ({ from: from - (to - from + 1), to: from - 1 });

/** The models that were called most since then, by whole hours, most first. */
export async function mostCalledModels(tx: Tx, since: number, most: number): Promise<string[]> {
  const now = nowSec();
  const asked = { from: since - (since % HOUR_SEC), to: now - (now % HOUR_SEC) + HOUR_SEC - 1 };
  const dimension = 'model';
  const { time } = await asLookedUp(tx, {}, { time: asked, starts: [asked.from] }, { dimension });
  return firstCalled(tx, { time, filter: {}, dimension, most });
}

/** A time without a beginning, or of years, begins where something is known; none goes beyond now. */
function timeOf(
  { from = 0, to: end = nowSec() }: { from?: number; to?: number },
  first: number | undefined,
): { from: number; to: number } {
  const now = nowSec();
  const to = Math.max(Math.min(end, now), 0);
  const known = Math.min(first ?? to - WEEK_SEC, to);
  return { from: Math.min(to - from > limits.usageSpanSec ? Math.max(from, known) : from, to), to };
}

const plus = (a: Summed, b: Summed): Summed => ({
  calls: a.calls + b.calls,
  quota: a.quota + b.quota,
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  first_ms: a.first_ms + b.first_ms,
  first_calls: a.first_calls + b.first_calls,
  failed: a.failed + b.failed,
});

/** Sums as they are told: unknown is not nothing. */
const tell = ({ first_ms, first_calls, failed, ...sums }: Summed, isFailedKnown: boolean): UsageSums => ({
  ...sums,
  first_ms: first_calls > 0 ? Math.round(first_ms / first_calls) : null,
  failed: isFailedKnown ? failed : null,
});

type Drawn = Pick<UsageReport, 'all' | 'by_step' | 'series' | 'others'>;

async function seriesOf(
  tx: Tx,
  rows: readonly StepSums[],
  {
    starts,
    dimension,
    metric,
    values,
    failedFrom,
  }: Pick<UsageReport, 'starts' | 'dimension' | 'metric'> & { values: number; failedFrom: number },
): Promise<Drawn> {
  const isKnown = starts.map((start) => start >= failedFrom);
  const inSteps = (own: readonly StepSums[]): UsageSums[] => {
    const steps = starts.map(() => NOTHING);
    for (const row of own) steps[row.step] = plus(steps[row.step] ?? NOTHING, row);
    return steps.map((sums, n) => tell(sums, isKnown[n] ?? false));
  };
  const whole = (own: readonly StepSums[]): UsageSums =>
    tell(own.reduce<Summed>(plus, NOTHING), isKnown[0] ?? true);
  const drawn = [...Map.groupBy(rows, ({ value }) => value)].map(([value, own]) => ({
    value,
    ...whole(own),
    points: inSteps(own).map((sums) => measured(sums, metric)),
  }));
  const named = drawn.flatMap(({ value, ...series }) => (value === null ? [] : [{ key: value, ...series }]));
  const rest = drawn.find(({ value }) => value === null);
  const names = await namesOf(
    tx,
    dimension,
    named.map(({ key }) => key),
  );
  const byStep = inSteps(rows);
  const column = <K extends keyof UsageSums>(name: K): UsageSums[K][] => byStep.map((sums) => sums[name]);
  const most = (sums: UsageSums): number => measured(sums, metric) ?? -1;
  return {
    all: whole(rows),
    by_step: {
      calls: column('calls'),
      quota: column('quota'),
      prompt_tokens: column('prompt_tokens'),
      completion_tokens: column('completion_tokens'),
      cached_tokens: column('cached_tokens'),
      first_ms: column('first_ms'),
      failed: column('failed'),
    },
    series: named
      .map((series) => ({ ...series, name: names.get(series.key) ?? '' }))
      .sort((a, b) => most(b) - most(a) || (a.key < b.key ? -1 : 1)),
    // By codes what is left may be charged calls alone, which have none.
    others: rest && values > named.length ? { ...others(rest), count: values - named.length } : null,
  };
}

const others = ({
  value: _value,
  ...sums
}: UsageSums & { value: null | string; points: (number | null)[] }) => sums;

const NAMES: { readonly [D in Dimension]?: (ids: string) => ReturnType<typeof sql> } = {
  token: (ids) => sql`select id, name from tokens where id = any(${ids}::bigint[])`,
  user: (ids) => sql`select id, username as name from users where id = any(${ids}::bigint[])`,
  channel: (ids) => sql`select id, name from channels where id = any(${ids}::bigint[])`,
};

/** What people call the values of a dimension; those that name themselves are their own names. */
async function namesOf(tx: Tx, dimension: Dimension, keys: readonly string[]): Promise<Map<string, string>> {
  const query = NAMES[dimension];
  if (!query) return new Map(keys.map((key) => [key, key]));
  const found = rowsOf<{ id: number; name: string }>(await tx.execute(query(numberList(keys.map(Number)))));
  return new Map(found.map(({ id, name }) => [String(id), name]));
}

/** Whose usage is asked for; undefined for everybody's. A name that nobody has is that of nobody's. */
async function userOf(
  tx: Tx,
  { ownerId }: Reader,
  username: string | undefined,
): Promise<{ id: number; username: string } | undefined> {
  if (ownerId === undefined && !username) return undefined;
  const whose =
    ownerId === undefined ? sql`lower(username) = lower(${username})` : sql`id = ${ownerId}::bigint`;
  const [user] = rowsOf<{ id: number; username: string }>(
    await tx.execute(sql`select id, username from users where ${whose}`),
  );
  return user ?? { id: NOBODY, username: username ?? '' };
}

const NOBODY = 0;

async function read<T>({ db, options }: Reads, { id }: Reader, ask: (tx: Tx) => Promise<T>): Promise<T> {
  if (!options.get('DataExportEnabled')) throw fail('USAGE_OFF');
  return boundedRead(db, { reader: id, ms: limits.logReadMs }, ask);
}

/** Whether anybody’s call was ever charged, be it nothing. */
export async function hasCalls({ orm }: Pick<Database, 'orm'>): Promise<boolean> {
  const [row] = rowsOf<{ some: boolean }>(
    await orm.execute(sql`select exists (select 1 from usage_hourly) as "some"`),
  );
  return row?.some ?? false;
}
