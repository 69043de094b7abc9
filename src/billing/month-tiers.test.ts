import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase, freshPostgresUrl } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { nowSec } from '../core/time.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { settleAtOnce } from './at-once.ts';
import { audit } from './audit.ts';
import type { MonthTier } from './billing.ts';
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
  count: number;
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
    expect(await settleAtOnce(db, [{ settlement, held: hold }])).toBe(true);
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
