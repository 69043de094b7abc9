import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { engines, freshDatabase } from '../../../tests/support/database.ts';
import { DAY_SEC, HOUR_SEC } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { DIMENSIONS, METRICS, STEPS } from './facts.ts';
import { stepsOf } from './steps.ts';
import { type StepSums, sumAll, sumsByStep } from './sums.ts';

/** A weekend at whose end the clocks of Berlin go back. */
const START = 1_792_800_000;
const SPAN = 5 * DAY_SEC;

interface Row {
  created_at: number;
  user: string;
  token: string;
  channel: string;
  model: string;
  group: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** Calls at odd seconds, among failed ones, and their hourly figures. */
async function fill(db: Database): Promise<Row[]> {
  await db.query(`insert into logs (created_at, user_id, token_id, channel_id, type, model_name, group_name, quota, prompt_tokens, completion_tokens)
    select ${START} + (i * 7919 + i * i) % ${SPAN}, i % 3, i % 7, i % 2, case when i % 5 = 0 then 4 else 2 end,
      'm' || (i % 4), case when i % 2 = 0 then 'default' else 'vip' end, (i * 31) % 100, i % 11, i % 7
    from generate_series(1, 800) i`);
  await db.query(`insert into usage_hourly
    select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
      sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint
    from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
  return db.query<Row>(`select created_at, user_id::text as "user", token_id::text as token, channel_id::text as channel,
      model_name as model, group_name as "group", quota, prompt_tokens, completion_tokens from logs where type = 2`);
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

const measure = {
  quota: (row: Row) => row.quota,
  calls: () => 1,
  tokens: (row: Row) => row.prompt_tokens + row.completion_tokens,
};

const sum = (rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((all, row) => all + of(row), 0);

const sumsOf = (rows: readonly Row[]) => ({
  calls: rows.length,
  quota: sum(rows, measure.quota),
  prompt_tokens: sum(rows, (row) => row.prompt_tokens),
  completion_tokens: sum(rows, (row) => row.completion_tokens),
});

describe.each(engines)('usage by step, on %s', (engine) => {
  let db: Database;
  let rows: Row[];
  beforeAll(async () => {
    db = await freshDatabase(engine);
    rows = await fill(db);
  });
  afterAll(() => db.close());

  test('is what the rows of the log add up to, wherever a step begins', async () => {
    await fc.assert(
      fc.asyncProperty(question, async ({ from, length, zone, step, dimension, metric, most, userId }) => {
        const time = { from, to: from + length };
        const { starts } = stepsOf(time.from, time.to, step, zone);
        const found = await db.orm.transaction((tx) =>
          sumsByStep(tx, { starts, time, filter: { userId }, dimension, metric, most }),
        );
        const own = rows.filter(
          (row) =>
            row.created_at >= time.from &&
            row.created_at <= time.to &&
            (userId === undefined || row.user === String(userId)),
        );
        const byValue = [...Map.groupBy(own, (row) => row[dimension])]
          .map(([value, all]) => ({ value, most: sum(all, measure[metric]) }))
          .sort((a, b) => b.most - a.most);
        expect(found.values).toBe(byValue.length);
        const named = new Set(found.rows.flatMap(({ value }) => value ?? []));
        // Of equals any may be named.
        expect([...named].map((value) => byValue.find((one) => one.value === value)?.most).sort()).toEqual(
          byValue
            .slice(0, most)
            .map((one) => one.most)
            .sort(),
        );
        const wanted = Map.groupBy(
          own,
          (row) =>
            `${starts.findLastIndex((start) => start <= row.created_at)} ${named.has(row[dimension]) ? row[dimension] : null}`,
        );
        const isSomething = ({ calls }: StepSums) => calls !== 0;
        expect(
          new Map(
            found.rows
              .filter(isSomething)
              .map(({ step: at, value, calls, quota, prompt_tokens, completion_tokens }) => [
                `${at} ${value}`,
                { calls, quota, prompt_tokens, completion_tokens },
              ]),
          ),
        ).toEqual(new Map([...wanted].map(([key, all]) => [key, sumsOf(all)])));
        expect(await db.orm.transaction((tx) => sumAll(tx, time, { userId }))).toEqual(sumsOf(own));
      }),
      { numRuns: 150 },
    );
  });
});
