import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import fc from 'fast-check';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase, freshPostgresUrl } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { DAY_SEC, nowSec } from '../core/time.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { settleAtOnce } from './at-once.ts';
import { audit } from './audit.ts';
import type { MonthTier } from './billing.ts';
import { beginMonth, forgetMonths } from './months.ts';
import { reserveAll, settleAll } from './statements.ts';

const FUNDS = 1_000_000_000;

/** A thousand tokens cost so much in each tier. */
interface Tier {
  upTo: number | null;
  price: number;
}

const tiersArbitrary: fc.Arbitrary<Tier[]> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 3 }),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
  )
  .map(([ends, prices]) =>
    [...ends.sort((a, b) => a - b), null].map((upTo, i) => ({ upTo, price: prices[i] ?? 1 })),
  );

/** The reference: the tier of the tokens that came before, found by hand. */
const priceAfter = (tiers: readonly Tier[], before: number): number => {
  for (const { upTo, price } of tiers) if (upTo === null || before <= upTo) return price;
  throw new Error('the last tier has no end');
};

const monthTiers = (tiers: readonly Tier[], tokens: number): MonthTier[] =>
  tiers.map(({ upTo, price }, i) => ({
    up_to: upTo,
    charge: price * tokens,
    other: {
      model_ratio: price,
      price_tier: { by: 'month', from: tiers[i - 1]?.upTo ?? 0, up_to: upTo, count: 0 },
    },
  }));

interface Row {
  quota: number;
  tokens: number;
  /** Null where its price is by no month. */
  count: number | null;
  ratio: number;
}

const rowsOf = (db: Database, userId: number): Promise<Row[]> =>
  db.query<Row>(
    `select quota, prompt_tokens + completion_tokens as tokens, (other -> 'price_tier' ->> 'count')::bigint as count,
       (other ->> 'model_ratio')::bigint as ratio
     from logs where user_id = $1 order by 3, 2`,
    [userId],
  );

/** Each call was charged by the tokens of all that were charged before it: their counts are one chain without a gap. */
function expectChain(rows: readonly Row[], tiers: readonly Tier[]): void {
  let before = 0;
  for (const { quota, tokens, count, ratio } of rows) {
    const price = priceAfter(tiers, before);
    expect({ quota, count, ratio }).toEqual({ quota: price * tokens, count: before, ratio: price });
    before += tokens;
  }
}

const call =
  (db: Database, userId: number, tokenId: number) => async (tokens: number, tiers: readonly Tier[]) => {
    const hold = holdOf(userId, tokenId, 9 * tokens);
    await reserveAll(db, [{ ...hold, extends: false }], 'test');
    return settlementOf(hold.id, 9 * tokens, {
      promptTokens: tokens - 1,
      completionTokens: 1,
      monthTiers: monthTiers(tiers, tokens),
      other: { kept: true },
    });
  };

describe.each(engines)('prices by the month, on %s', (engine) => {
  let db: Database;
  beforeAll(async () => {
    db = await freshDatabase(engine);
  });
  afterAll(() => db.close());

  test(
    'are of the tier of everything charged before, within a batch and from batch to batch',
    async () => {
      const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 6 }), {
        minLength: 1,
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(tiersArbitrary, sizes, async (tiers, batches) => {
          const userId = await makeUser(db, FUNDS);
          const begin = call(db, userId, await makeToken(db, userId));
          for (const batch of batches) {
            const settlements = [];
            for (const tokens of batch) settlements.push(await begin(tokens, tiers));
            await settleAll(db, settlements);
            // Sent again it charges nothing more.
            expect((await settleAll(db, settlements)).size).toBe(0);
          }
          const rows = await rowsOf(db, userId);
          expect(rows).toHaveLength(batches.flat().length);
          expectChain(rows, tiers);
        }),
        { numRuns: 12 },
      );
      expect((await audit(db)).findings).toEqual([]);
    },
    patience(120_000),
  );

  test('are of one chain for all names of what is sold, whichever statement charges what stands between', async () => {
    const tiers: Tier[] = [
      { upTo: 100, price: 5 },
      { upTo: null, price: 2 },
    ];
    const userId = await makeUser(db, FUNDS);
    const begin = call(db, userId, await makeToken(db, userId));
    const channelId = await makeChannel(db);
    const named = async (modelName: string, tokens: number, sold = 'gpt-5') => ({
      ...(await begin(tokens, tiers)),
      channelId,
      modelName,
      sold,
    });
    // Within a batch, and from batch to batch.
    await settleAll(db, [
      await named('gpt-5-low', 60),
      await named('gpt-5', 30),
      await named('gpt-5-high', 20),
    ]);
    await settleAll(db, [await named('gpt-5-minimal', 10), await named('gpt-5-pro-low', 70, 'gpt-5-pro')]);
    // One that has another price for a while is charged by the other statement, and counts as well.
    const hold = holdOf(userId, 0, 50);
    await reserveAll(db, [{ ...hold, extends: false }], 'test');
    const settlement = settlementOf(hold.id, 50, { channelId, modelName: 'gpt-5-medium', sold: 'gpt-5' });
    expect(await settleAtOnce(db, [{ settlement, held: hold }], true)).toBe(true);
    // Carried with his own key it counts for none.
    await settleAll(db, [{ ...(await named('gpt-5', 900, '')), channelId: 0, monthTiers: undefined }]);
    await settleAll(db, [await named('gpt-5', 1), await named('gpt-5-pro', 40, 'gpt-5-pro')]);
    const rows = (await rowsOf(db, userId)).filter(({ count }) => count !== null);
    expect(rows.map(({ tokens, count }) => [count, tokens])).toEqual([
      [0, 60],
      [0, 70],
      [60, 30],
      [70, 40],
      [90, 20],
      [110, 10],
      [157, 1],
    ]);
    expectChain(
      rows.filter(({ tokens }) => tokens === 70 || tokens === 40),
      tiers,
    );
    expect((await audit(db)).findings).toEqual([]);
  });

  test('begin anew with the month, for each user and model alone, and not for other prices', async () => {
    const tiers: Tier[] = [
      { upTo: 100, price: 5 },
      { upTo: null, price: 2 },
    ];
    const userId = await makeUser(db, FUNDS);
    const begin = call(db, userId, await makeToken(db, userId));
    const lastMonth = nowSec() - 40 * 86_400;
    await settleAll(db, [{ ...(await begin(500, tiers)), at: lastMonth }]);
    await settleAll(db, [{ ...(await begin(500, tiers)), at: lastMonth }]);
    await settleAll(db, [{ ...(await begin(700, tiers)), modelName: 'another', sold: 'another' }]);
    await settleAll(db, [await begin(60, tiers)]);
    // One whose price is no matter of tiers counts for those that come after.
    await settleAll(db, [{ ...(await begin(50, tiers)), monthTiers: undefined, charge: 7 }]);
    await settleAll(db, [await begin(10, tiers)]);
    const paid = await db.query<{ quota: number }>('select quota from logs where user_id = $1 order by id', [
      userId,
    ]);
    expect(paid.map(({ quota }) => quota)).toEqual([2_500, 1_000, 3_500, 300, 7, 20]);
    const [last] = await db.query<{ other: unknown }>(
      'select other from logs where user_id = $1 order by id desc limit 1',
      [userId],
    );
    expect(last?.other).toEqual({
      kept: true,
      model_ratio: 2,
      price_tier: { by: 'month', from: 100, up_to: null, count: 110 },
    });
  });

  const TIERS: Tier[] = [
    { upTo: 100, price: 5 },
    { upTo: null, price: 2 },
  ];
  const monthsOf = async (userId: number) => [
    ...(await db.query('select sold_name, tokens from usage_months where user_id = $1 order by 1, month', [
      userId,
    ])),
  ];
  const countsOf = async (userId: number) => (await rowsOf(db, userId)).map(({ count }) => count);

  test('add up the figures of a month once, however many there are', async () => {
    const userId = await makeUser(db, FUNDS);
    const begin = call(db, userId, await makeToken(db, userId));
    await settleAll(db, [{ ...(await begin(30, TIERS)), monthTiers: undefined }]);
    expect(await monthsOf(userId)).toEqual([]);
    await settleAll(db, [await begin(20, TIERS)]);
    const figures = (more: number) =>
      db.query('update usage_hourly set prompt_tokens = prompt_tokens + $2::bigint where user_id = $1', [
        userId,
        more,
      ]);
    await figures(7_000);
    await settleAll(db, [await begin(10, TIERS)]);
    await figures(-7_000);
    expect(await countsOf(userId)).toEqual([30, 50, null]);
    expect((await monthsOf(userId)).map(({ tokens }) => tokens)).toEqual([60]);
    expect((await audit(db)).findings).toEqual([]);
  });

  test('begin with what their month came to when that was added up before, and with nothing twice', async () => {
    const userId = await makeUser(db, FUNDS);
    const begin = call(db, userId, await makeToken(db, userId));
    await settleAll(db, [{ ...(await begin(30, TIERS)), monthTiers: undefined }]);
    const next = await begin(20, TIERS);
    for (let n = 0; n < 2; n++) await beginMonth(db, next);
    await settleAll(db, [{ ...(await begin(5, TIERS)), monthTiers: undefined }]);
    await settleAll(db, [next]);
    // Of a call that is settled nothing is added up.
    await beginMonth(db, { ...next, sold: 'another' });
    expect(await countsOf(userId)).toEqual([35, null, null]);
    expect(await monthsOf(userId)).toMatchObject([{ sold_name: 'gpt-4o', tokens: 55 }]);
    expect((await audit(db)).findings).toEqual([]);
  });

  test('tell apart what a name was sold as within an hour, in a batch and from batch to batch', async () => {
    const userId = await makeUser(db, FUNDS);
    const tokenId = await makeToken(db, userId);
    const begin = call(db, userId, tokenId);
    const channelId = await makeChannel(db);
    const named = async (tokens: number, sold: string) => ({
      ...(await begin(tokens, TIERS)),
      modelName: 'gpt-5-low',
      channelId,
      sold,
    });
    await settleAll(db, [await named(40, 'gpt-5')]);
    await settleAll(db, [await named(30, 'gpt-5-low'), await named(20, 'gpt-5')]);
    // Those of one price, too, are not written at once where they are sold as two.
    const holds = [holdOf(userId, tokenId, 50), holdOf(userId, tokenId, 50)];
    await reserveAll(
      db,
      holds.map((hold) => ({ ...hold, extends: false })),
      'test',
    );
    const items = holds.map((held, n) => ({
      held,
      settlement: settlementOf(held.id, 5, {
        channelId,
        modelName: 'gpt-5-low',
        sold: n === 0 ? 'gpt-5' : 'gpt-5-low',
      }),
    }));
    expect(await settleAtOnce(db, items, true)).toBe(false);
    await settleAll(
      db,
      items.map(({ settlement }) => settlement),
    );
    await settleAll(db, [await named(10, 'gpt-5-low')]);
    expect(await monthsOf(userId)).toMatchObject([
      { sold_name: 'gpt-5', tokens: 97 },
      { sold_name: 'gpt-5-low', tokens: 77 },
    ]);
    expect((await audit(db)).findings).toEqual([]);
    await db.query('update usage_months set tokens = tokens + 78 where user_id = $1', [userId]);
    expect((await audit(db)).findings).toMatchObject([{ check: 'usage_months = usage_hourly' }]);
    await db.query('update usage_months set tokens = tokens - 78 where user_id = $1', [userId]);
  });

  test('keep this month and the last, and add up an older one anew where it is settled later still', async () => {
    const userId = await makeUser(db, FUNDS);
    const begin = call(db, userId, await makeToken(db, userId));
    const at = nowSec();
    for (const ago of [0, 27, 65, 200])
      await settleAll(db, [{ ...(await begin(500, TIERS)), at: at - ago * DAY_SEC }]);
    expect(await monthsOf(userId)).toHaveLength(new Date(at * 1000).getUTCDate() > 27 ? 3 : 4);
    await forgetMonths(db, new AbortController().signal);
    const [kept] = await db.query('select count(*) as n from usage_months where month < $1', [
      at - 62 * DAY_SEC,
    ]);
    expect(kept).toEqual({ n: 0 });
    expect(await monthsOf(userId)).not.toHaveLength(0);
    await settleAll(db, [{ ...(await begin(10, TIERS)), at: at - 200 * DAY_SEC }]);
    expect(await countsOf(userId)).toContain(500);
    expect(await monthsOf(userId)).toContainEqual(expect.objectContaining({ tokens: 510 }));
    expect((await audit(db)).findings).toEqual([]);
  });
});

test('who waits for the first that asks for a month adds to it, also by the statement that knows of no tiers', async () => {
  const url = await freshPostgresUrl();
  const [db, sql] = [await openPostgres(url), new SQL(url, { max: 1, bigint: true })];
  const tiers: Tier[] = [{ upTo: null, price: 5 }];
  const userId = await makeUser(db, FUNDS);
  const tokenId = await makeToken(db, userId);
  const begin = call(db, userId, tokenId);
  const [first, second] = [await begin(40, tiers), await begin(20, tiers)];
  const hold = holdOf(userId, tokenId, 50);
  await reserveAll(db, [{ ...hold, extends: false }], 'test');
  const late = settlementOf(hold.id, 50);
  let waiting: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    const within: Database = { ...db, queryByKey: async (text, params = []) => tx.unsafe(text, [...params]) };
    await settleAll(within, [first]);
    waiting = Promise.all([
      settleAtOnce(db, [{ settlement: late, held: hold }], true),
      settleAll(db, [{ ...second, monthTiers: undefined }]),
    ]);
    for (let held = 0; held < 2; ) {
      const [row] = await db.query<{ n: number }>(
        `select count(*) as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      held = row?.n ?? 0;
    }
  });
  await waiting;
  expect(await db.query('select tokens from usage_months')).toEqual([{ tokens: 97 }]);
  expect((await audit(db)).findings).toEqual([]);
  await Promise.all([db.close(), sql.close()]);
});

test(
  'two processes that charge one user at once leave no gap and no call twice in the chain',
  async () => {
    const url = await freshPostgresUrl();
    const [one, two] = [await openPostgres(url), await openPostgres(url)];
    const tiers: Tier[] = [
      { upTo: 500, price: 7 },
      { upTo: 2_000, price: 3 },
      { upTo: 5_000, price: 8 },
      { upTo: null, price: 1 },
    ];
    const userId = await makeUser(one, FUNDS);
    const begin = call(one, userId, await makeToken(one, userId));
    const all = [];
    for (let n = 0; n < 120; n++) all.push(await begin(40 + ((n * 37) % 90), tiers));
    const shares = [all.filter((_, n) => n % 2 === 0), all.filter((_, n) => n % 2 === 1)];
    await Promise.all(
      [one, two].map(async (db, at) => {
        const mine = shares[at] ?? [];
        for (let n = 0; n < mine.length; n += 3) await settleAll(db, mine.slice(n, n + 3));
      }),
    );
    const rows = await rowsOf(one, userId);
    expect(rows).toHaveLength(120);
    expectChain(rows, tiers);
    expect((await audit(one)).findings).toEqual([]);
    await Promise.all([one.close(), two.close()]);
  },
  patience(120_000),
);
