import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import fc from 'fast-check';
import { callEngines, freshDatabase } from '../../../tests/support/database.ts';
import { DAY_PART_SEC, DAY_SEC, HOUR_SEC } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { DIMENSIONS, METRICS, type Metric, STEPS } from './facts.ts';
import { foldUsage } from './fold.ts';
import { stepsOf } from './steps.ts';
import { type StepSums, sumAll, sumsByStep } from './sums.ts';

/** A weekend at whose end the clocks of Berlin go back. */
const START = 1_792_800_000;
const SPAN = 5 * DAY_SEC;
const FIRST_HOUR = START - (START % HOUR_SEC);

interface Row {
  created_at: number;
  user: string;
  token: string;
  channel: string;
  model: string;
  group: string;
  /** Of calls that came to nothing. */
  code: string | null;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  /** -1 for none. */
  first: number;
}

/** A part of a day in which one user makes so many calls that its hours are folded for him. */
const BUSY_PART = START - (START % DAY_PART_SEC) + 4 * DAY_PART_SEC;

/** Calls at odd seconds, among failed ones, and their hourly figures. */
async function fill(db: Database): Promise<Row[]> {
  await db.query(`insert into logs (created_at, user_id, token_id, channel_id, type, model_name, group_name, quota, prompt_tokens, completion_tokens, other)
    select case when i > 800 then ${BUSY_PART} + (i * 97) % ${DAY_PART_SEC} else ${START} + (i * 7919 + i * i) % ${SPAN} end,
      case when i > 800 then 1 else i % 3 end, i % 7, i % 2, case when i % 5 = 0 then 4 else 2 end,
      'm' || (i % 4), case when i % 2 = 0 then 'default' else 'vip' end, (i * 31) % 100, i % 11, i % 7,
      jsonb_build_object('cache_tokens', i % 5, 'frt', case when i % 3 = 0 then -1000 else i % 100 end)
    from generate_series(1, 1100) i`);
  await db.query(`insert into usage_hourly
    select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
      sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint,
      sum((other ->> 'cache_tokens')::bigint)::bigint, sum(greatest((other ->> 'frt')::bigint, 0))::bigint,
      count(*) filter (where (other ->> 'frt')::bigint >= 0)
    from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
  await db.query(`insert into failures_hourly select ${FIRST_HOUR} + ${HOUR_SEC} * (i % ${SPAN / HOUR_SEC}), i % 3, i % 7, i % 2,
      'm' || (i % 4), case when i % 2 = 0 then 'default' else 'vip' end, 'code ' || i % 5, i % 9 from generate_series(1, 300) i`);
  return db.query<Row>(`select created_at, user_id::text as "user", token_id::text as token, channel_id::text as channel,
      model_name as model, group_name as "group", null as code, quota, prompt_tokens, completion_tokens, (other ->> 'cache_tokens')::bigint as cached_tokens, (other ->> 'frt')::bigint as first
      from logs where type = 2`);
}

interface Failure {
  hour: number;
  user: string;
  token: string;
  channel: string;
  model: string;
  group: string;
  code: string;
  calls: number;
}

const question = fc.record({
  from: fc.integer({ min: START - HOUR_SEC, max: START + SPAN }),
  length: fc.oneof(fc.integer({ min: 0, max: 2 * HOUR_SEC }), fc.integer({ min: 0, max: SPAN })),
  zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'Europe/Berlin', 'Asia/Kathmandu'),
  step: fc.constantFrom(...STEPS),
  dimension: fc.constantFrom(...DIMENSIONS),
  metric: fc.constantFrom(...METRICS),
  most: fc.integer({ min: 1, max: 4 }),
  userId: fc.constantFrom(undefined, 0, 1, 9),
});

const measure: Record<Metric, (row: Row) => number> = {
  quota: (row) => row.quota,
  calls: () => 1,
  tokens: (row) => row.prompt_tokens + row.completion_tokens,
  input: (row) => row.prompt_tokens,
  output: (row) => row.completion_tokens,
  cached: (row) => row.cached_tokens,
  first: (row) => (row.first >= 0 ? 1 : 0),
  failed: () => 0,
};

const sum = (rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((all, row) => all + of(row), 0);

const sumsOf = (rows: readonly Row[], failures: readonly Failure[]) => ({
  failed: failures.reduce((all, { calls }) => all + calls, 0),
  cached_tokens: sum(rows, measure.cached),
  first_ms: sum(rows, (row) => Math.max(row.first, 0)),
  first_calls: sum(rows, measure.first),
  calls: rows.length,
  quota: sum(rows, measure.quota),
  prompt_tokens: sum(rows, (row) => row.prompt_tokens),
  completion_tokens: sum(rows, (row) => row.completion_tokens),
});

describe.each(callEngines)('usage by step, on %s', (engine) => {
  let db: Database;
  let rows: Row[];
  let failures: Failure[];
  beforeAll(async () => {
    db = await freshDatabase(engine);
    rows = await fill(db);
    failures = await db.query<Failure & Record<string, unknown>>(
      `select hour, user_id::text as "user", token_id::text as token, channel_id::text as channel, model_name as model,
         group_name as "group", code, calls from failures_hourly where calls > 0`,
    );
  });
  afterAll(() => db.close());

  const asked = fc.asyncProperty(
    question,
    async ({ from, length, zone, step, dimension, metric, most, userId }) => {
      const time = { from, to: from + length };
      const { starts } = stepsOf(time.from, time.to, step, zone);
      const found = await db.orm.transaction((tx) =>
        sumsByStep(tx, { starts, time, filter: { userId }, dimension, metric, most }),
      );
      const isOwn = (row: { user: string }) => userId === undefined || row.user === String(userId);
      const own = rows.filter(
        (row) => row.created_at >= time.from && row.created_at <= time.to && isOwn(row),
      );
      // Hours that begin in the time, and the one that it begins in.
      const failed = failures.filter(
        (row) =>
          row.hour > time.from - HOUR_SEC &&
          row.hour >= time.from - (time.from % HOUR_SEC) &&
          row.hour <= time.to &&
          isOwn(row),
      );
      const valuesOf = (row: Row | Failure) => row[dimension];
      const byValue = [...new Set([...own, ...failed].map(valuesOf))]
        .filter((value) => value !== null)
        .map((value) => ({
          value,
          most:
            metric === 'failed'
              ? failed.reduce((all, row) => all + (valuesOf(row) === value ? row.calls : 0), 0)
              : sum(
                  own.filter((row) => valuesOf(row) === value),
                  measure[metric],
                ),
        }))
        .sort((a, b) => b.most - a.most);
      if (found.rows.length > 0) expect(found.values).toBe(byValue.length);
      const named = new Set(found.rows.flatMap(({ value }) => value ?? []));
      // Of equals any may be named.
      const numbers = (list: (number | undefined)[]) => list.map(Number).sort((a, b) => a - b);
      expect(numbers([...named].map((value) => byValue.find((one) => one.value === value)?.most))).toEqual(
        numbers(byValue.slice(0, most).map((one) => one.most)),
      );
      const keyOf = (at: number, row: Row | Failure) =>
        `${Math.max(
          starts.findLastIndex((start) => start <= at),
          0,
        )} ${named.has(valuesOf(row) ?? '') ? valuesOf(row) : null}`;
      const calls = Map.groupBy(own, (row) => keyOf(row.created_at, row));
      const fails = Map.groupBy(failed, (row) => keyOf(row.hour, row));
      const isSomething = ({ calls, failed }: StepSums) => calls !== 0 || failed !== 0;
      expect(
        new Map(
          found.rows
            .filter(isSomething)
            .map(({ step: at, value, values: _, ...sums }: StepSums & { values?: number }) => [
              `${at} ${value}`,
              sums,
            ]),
        ),
      ).toEqual(
        new Map(
          [...new Set([...calls.keys(), ...fails.keys()])].map((key) => [
            key,
            sumsOf(calls.get(key) ?? [], fails.get(key) ?? []),
          ]),
        ),
      );
      expect(await db.orm.transaction((tx) => sumAll(tx, time, { userId }))).toEqual(sumsOf(own, failed));
    },
  );

  test('is what the rows of the log add up to, wherever a step begins', () =>
    fc.assert(asked, { numRuns: 100 }));

  test('is the same once parts of days are folded', async () => {
    setSystemTime(START * 1000);
    expect(await foldUsage(db)).toBe(0);
    setSystemTime((START + 20 * DAY_SEC) * 1000);
    expect(await foldUsage(db)).toBeGreaterThan(14);
    expect(await foldUsage(db)).toBe(0);
    const busy = await db.query('select from usage_folded where user_id = 1 and hours = 1 and dimension = 3');
    expect(busy.length).toBeGreaterThanOrEqual(DAY_PART_SEC / HOUR_SEC);
    // What is read of a folded part is what was folded: the hours behind it may be away.
    await db.query(
      `update usage_hourly h set quota = quota + 1 from usage_parts p where h.hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} = p.part`,
    );
    const time = { from: FIRST_HOUR - 8 * DAY_PART_SEC, to: FIRST_HOUR + 30 * DAY_PART_SEC };
    const { quota } = await db.orm.transaction((tx) => sumAll(tx, time, {}));
    expect(quota).toBe(sum(rows, measure.quota));
    await db.query('update usage_hourly set quota = quota - 1');
    setSystemTime();
    await fc.assert(asked, { numRuns: 100 });
  });
});
