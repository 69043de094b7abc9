/**
 * The process is killed at every step between a callback's claim of an order, its commit and its answer. The gateway that
 * calls never hears that a payment is taken before it is, and once it does the quota is there, once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { engines, freshPostgresUrl } from '../support/database.ts';
import { ConsoleClient, copyOf, type Gateway, ROOT, setUp, startGateway } from '../support/gateway.ts';
import { type EpayServer, epayOptions, startEpay } from '../support/payment/epay-server.ts';

/** In the order in which a callback passes them. */
const POINTS = ['topup_claimed', 'in_topup_commit', 'topup_committed'] as const;
const DOLLAR = 500_000;
const AT_ONCE = 5;

let epay: EpayServer;
beforeAll(async () => {
  epay = await startEpay();
});
afterAll(() => epay.close());

const signIn = ({ base }: Gateway) => new ConsoleClient(base).login(ROOT.username, ROOT.password);
const quotaOf = async (client: ConsoleClient): Promise<number> => (await client.get('/api/user/self')).quota;

for (const engine of engines) {
  describe(`a gateway on ${engine} that is killed while it is paid`, () => {
    let model: Gateway;
    beforeAll(async () => {
      model = await startGateway({ databaseUrl: engine === 'postgres' ? await freshPostgresUrl() : '' });
      const root = await setUp(model);
      for (const [key, value] of Object.entries(epayOptions(epay))) await root.setOption(key, value);
      await model.stop();
    }, 180_000);

    it.each(POINTS)(
      'at %s credits once',
      async (point) => {
        const doomed = await startGateway({ ...(await copyOf(model)), env: { TOLLGATE_KILL_AT: point } });
        const payer = await signIn(doomed);
        const before = await quotaOf(payer);
        const fields: Record<string, string> = await payer.post('/api/user/pay', { amount: 1 });
        await epay.submit(`${epay.base}/submit.php`, fields);
        const tradeNo = fields.out_trade_no ?? '';
        const told = await epay.tell(tradeNo, { times: AT_ONCE });
        expect(await doomed.exited).toBe(128 + 9);
        const heard = told.filter(({ text }) => text === 'success').length;

        const again = await doomed.restart({ TOLLGATE_KILL_AT: '' });
        const client = await signIn(again);
        const after = await quotaOf(client);
        expect([0, DOLLAR]).toContain(after - before);
        if (point === 'topup_claimed') expect([heard, after - before]).toEqual([0, 0]);
        if (point === 'topup_committed') expect(after - before).toBe(DOLLAR);
        // Who was told that it is taken was told the truth.
        if (heard > 0) expect(after - before).toBe(DOLLAR);
        const [order] = (await client.get(`/api/user/topup/self?trade_no=${tradeNo}`)).items;
        expect(order.status).toBe(after === before ? 'pending' : 'success');

        const repeated = await epay.tell(tradeNo, { times: AT_ONCE });
        expect(new Set(repeated.map(({ text }) => text))).toEqual(new Set(['success']));
        expect(await quotaOf(client)).toBe(before + DOLLAR);
        await again.stop();
        expect((await again.audit()).findings).toEqual([]);
      },
      180_000,
    );
  });
}
