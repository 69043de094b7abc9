/** Codes with a limit: whatever the order in which their orders expire, fail and are paid, no more are cheap than may be. */
import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import fc from 'fast-check';
import { openApi, type TestApi } from '../../../tests/support/api.ts';
import { callEngines } from '../../../tests/support/database.ts';
import { audit } from '../../billing/audit.ts';
import { AppError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { closeOrder, createOrder, creditOrder, expireOrders } from './orders.ts';

const FULL = 1_000n;
const PAID = 100n;
const QUOTA = 5_000;
/** At which they cost so, at a hundredth of a dollar. */
const Price = '1000';

type Step = { deed: 'order' | 'pay' | 'fail' | 'wait' | 'mark' | 'payAll'; at: number };
const steps = fc.array(
  fc.record({
    deed: fc.constantFrom('order', 'order', 'pay', 'fail', 'wait', 'mark', 'payAll'),
    at: fc.nat(20),
  }) satisfies fc.Arbitrary<Step>,
  { maxLength: 25 },
);

describe.each(callEngines)('late payments of cheap orders, on %s', (engine) => {
  let api: TestApi;
  let userId = 0;
  beforeAll(async () => {
    api = await openApi(engine);
    userId = (await api.createUser()).id;
  });
  afterAll(() => api.close());
  afterEach(() => void setSystemTime());

  it('never come to more than the uses of their code', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (limit, taken) => {
        const code = `${engine}${run++}`;
        const { deps } = api;
        await deps.options.set({ Price, TopupCodes: JSON.stringify({ [code]: { ratio: 0.1, limit } }) });
        const quote = {
          quota: QUOTA,
          money: PAID,
          fullMoney: FULL,
          currency: 'CNY',
          places: 2,
          code,
          codeLimit: limit,
        };
        let clock = Date.now() + run * 10 * limits.topupOpenSec * 1000;
        const ids: number[] = [];
        const pay = (id: number | undefined) => id && creditOrder(deps, id, { providerRef: '' });
        const deeds: Record<Step['deed'], (id: number | undefined) => Promise<unknown> | unknown> = {
          async order() {
            const made = await createOrder(deps, { userId, provider: 'epay', method: 'alipay', quote }).catch(
              (error: unknown) => {
                if (!(error instanceof AppError)) throw error;
                return null;
              },
            );
            if (made) ids.push(made.id);
          },
          pay,
          payAll: () => Promise.all(ids.map(pay)),
          fail: (id) => id && closeOrder(deps, id, 'failed'),
          wait: () => {
            clock += limits.topupOpenSec * 1000;
          },
          mark: () => expireOrders(deps),
        };
        for (const { deed, at } of [...taken, { deed: 'payAll', at: 0 } as const]) {
          setSystemTime(new Date(clock));
          await deeds[deed](ids[at % Math.max(ids.length, 1)]);
        }
        const rows = await deps.db.query<{ quota: number; code_lapsed: boolean; status: string }>(
          'select quota, code_lapsed, status from topups where code = $1',
          [code],
        );
        expect(rows.map(({ status }) => status)).toEqual(ids.map(() => 'success'));
        const cheap = rows.filter(({ code_lapsed }) => !code_lapsed);
        expect(cheap.length).toBe(Math.min(limit, ids.length));
        for (const { quota, code_lapsed } of rows) expect(quota).toBe(code_lapsed ? QUOTA / 10 : QUOTA);
      }),
      { numRuns: 40 },
    );
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  it('never come to more when orders are made and paid at once', async () => {
    const { deps } = api;
    const code = `race${engine}`;
    await deps.options.set({ Price, TopupCodes: JSON.stringify({ [code]: { ratio: 0.1, limit: 2 } }) });
    const quote = {
      quota: QUOTA,
      money: PAID,
      fullMoney: FULL,
      currency: 'CNY',
      places: 2,
      code,
      codeLimit: 2,
    };
    for (let round = 0; round < 5; round++) {
      await deps.db.query(`update topups set expires_at = 1, code = code || 'x' where code = $1`, [code]);
      const make = async () => {
        const { id } = await api.createUser();
        return createOrder(deps, { userId: id, provider: 'epay', method: 'alipay', quote }).catch(() => null);
      };
      const late = [await make(), await make()];
      expect(late).not.toContain(null);
      await deps.db.query('update topups set expires_at = 1 where code = $1', [code]);
      const made = await Promise.all([
        ...late.map((order) => creditOrder(deps, order?.id ?? 0, { providerRef: '' })),
        expireOrders(deps),
        ...Array.from({ length: 4 }, make),
      ]);
      for (const order of made) {
        if (order !== null && typeof order === 'object')
          await creditOrder(deps, order.id, { providerRef: '' });
      }
      const [row] = await deps.db.query<{ cheap: number }>(
        `select count(*)::int as cheap from topups where code = $1 and status = 'success' and not code_lapsed`,
        [code],
      );
      expect(row?.cheap).toBe(2);
    }
    expect((await audit(deps.db)).findings).toEqual([]);
  });
});
