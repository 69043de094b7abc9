/** Paying through an epay gateway: what is asked for, and that what is paid is credited once, whatever comes and how often. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createApi } from '../../../src/api.ts';
import { audit } from '../../../src/billing/audit.ts';
import { limits } from '../../../src/core/limits.ts';
import { startPaymentChecks } from '../../../src/modules/payment/checks.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type EpayServer, epayOptions, startEpay } from '../../support/payment/epay-server.ts';
import { EPAY, epayPaid, epaySigned } from '../../support/payment/epay-wire.ts';

const DOLLAR = 500_000;

let gateway: EpayServer;
beforeAll(async () => {
  gateway = await startEpay();
});
afterAll(() => gateway.close());

describe.each(callEngines)('paying by epay, on %s', (engine) => {
  let api: TestApi;
  /** Lines of the log of the calls that go through `logged`. */
  let lines: string[] = [];
  let handle: TestApi['handle'];
  beforeAll(async () => {
    api = await openApi(engine);
    const log = createLogger('info', (line) => void lines.push(line));
    const app = createApi({ ...api.deps, log });
    handle = async (request) => app.handle(request);
  });
  afterAll(() => api.close());
  const USUAL = {
    ...epayOptions({ base: 'http://127.0.0.1:1' }),
    Price: '7.3',
    MinTopUp: '1',
    TopupGroupRatio: '{}',
    TopupCodes: '{}',
    EpayMethods: 'alipay\nwxpay',
    ServerAddress: 'https://site.example/',
    CustomCallbackAddress: '',
    DisplayInCurrencyEnabled: 'true',
  };
  beforeEach(async () => {
    lines = [];
    await api.deps.options.set({ ...USUAL, ...epayOptions(gateway) });
  });
  afterEach(async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  let addresses = 0;
  const someone = async (user: { quota?: number; group?: string } = {}): Promise<Client> => {
    addresses++;
    return api.as(await api.createUser(user), { ip: `10.${addresses >> 8}.${addresses & 255}.1` });
  };
  const quotaOf = async (client: Client): Promise<number> => (await client.get('/api/user/self')).data.quota;
  const order = async (client: Client, amount = 1, more: object = {}) => {
    const answer = await client.post('/api/user/pay/alipay', { amount, payment_method: 'zfb', ...more });
    if (!answer.success) throw new Error(answer.message);
    const fields: Record<string, string> = answer.data;
    return { tradeNo: fields.out_trade_no ?? '', money: fields.money ?? '', fields, answer };
  };
  const notify = async (
    fields: Record<string, string>,
    how: { method?: 'GET' | 'POST'; key?: string } = {},
  ): Promise<string> => {
    const sent = new URLSearchParams(epaySigned(fields, how.key));
    const url = 'http://localhost/api/user/epay/notify';
    const answer = await handle(
      how.method === 'POST'
        ? new Request(url, { method: 'POST', body: sent })
        : // As some gateways call themselves.
          new Request(`${url}?${sent}`, {
            headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)' },
          }),
    );
    return answer.text();
  };
  const ownOrder = async (client: Client, tradeNo: string) =>
    (await client.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0];

  it('takes who has guessed codes for a while without one', async () => {
    const una = await someone();
    const ask = (top_up_code: string) =>
      una.post('/api/user/amount', { amount: 1, payment_method: 'alipay', top_up_code });
    for (let n = 0; n < 20; n++) expect((await ask(`guess${n}`)).code).toBe('TOPUP_CODE');
    expect((await ask('guess')).code).toBe('RATE_LIMIT');
    expect(await ask('')).toMatchObject({ success: true, data: '7.30' });
  });

  it('signs nothing for a buyer that he could cut into a payment, wherever he says that the site is', async () => {
    await api.deps.options.set({ ServerAddress: '' });
    const una = await someone();
    const host = 'a&trade_status=TRADE_SUCCESS&type=alipay&u=';
    const made = await una.call('POST', '/api/user/pay', { amount: 1, payment_method: 'alipay' }, { host });
    // The front lets no such name in; this is about what is signed behind it.
    const cut = {
      return_url: 'http://a',
      trade_status: 'TRADE_SUCCESS',
      type: 'alipay',
      u: '/topup&type=alipay',
    };
    const forged = new URLSearchParams({ ...made.data, ...cut });
    await handle(new Request(`http://localhost/api/user/epay/notify?${forged}`));
    expect(await quotaOf(una)).toBe(0);
    expect(made).toMatchObject({ success: false, code: 'PAY_FAILED' });
  });

  describe('what it costs', () => {
    const cost = async (client: Client, body: object) => {
      const { success, message, data, code } = await client.post('/api/user/amount', body);
      return success ? [message, data] : [code, data];
    };

    it('is price, group and code in exact decimals, half a cent going up', async () => {
      await api.deps.options.set({
        TopupGroupRatio: '{"default": 1, "vip": 0.95}',
        TopupCodes: '{"SPRING": {"ratio": 0.9}, "OLD": {"ratio": 0.5, "expires": 1000}}',
      });
      const [una, vip] = [await someone(), await someone({ group: 'vip' })];
      expect(await cost(una, { amount: 1 })).toEqual(['success', '7.30']);
      expect(await cost(una, { amount: '3' })).toEqual(['success', '21.90']);
      expect(await cost(vip, { amount: 100 })).toEqual(['success', '693.50']);
      expect(await cost(vip, { amount: 100, top_up_code: ' SPRING ' })).toEqual(['success', '624.15']);
      for (const top_up_code of ['OLD', 'spring', 'none', '__proto__'])
        expect(await cost(una, { amount: 1, top_up_code })).toEqual(['TOPUP_CODE', '优惠码无效']);
      await api.deps.options.set({ Price: '0.125' });
      expect(await cost(una, { amount: 1 })).toEqual(['success', '0.13']);
      await api.deps.options.set({ Price: '0.0001' });
      expect(await cost(una, { amount: 1 })).toEqual(['success', '0.01']);
    });

    it('is refused below the least, in part, and beyond reason, with the reason in data too', async () => {
      await api.deps.options.set({ MinTopUp: '5' });
      const una = await someone();
      expect(await cost(una, { amount: 4 })).toEqual(['TOPUP_AMOUNT', '充值数量不能小于 5']);
      expect(await cost(una, {})).toEqual(['TOPUP_AMOUNT', '充值数量不能小于 5']);
      expect((await cost(una, { amount: 5.5 }))[0]).toBe('TOPUP_AMOUNT_WHOLE');
      expect((await cost(una, { amount: 1_000_001 }))[0]).toBe('TOPUP_AMOUNT_MAX');
      expect((await una.post('/api/user/amount', { amount: 'many' })).status).toBe(400);
      una.headers['accept-language'] = 'en';
      const { message, data } = await una.post('/api/user/amount', { amount: 1 });
      expect([message, data]).toEqual(Array(2).fill('Top-up amount cannot be less than 5'));
    });

    it('counts quota units where amounts are shown as quota, and credits just these', async () => {
      await api.deps.options.set({ DisplayInCurrencyEnabled: 'false' });
      const una = await someone();
      expect(await cost(una, { amount: 1 })).toEqual(['TOPUP_AMOUNT', '充值数量不能小于 500000']);
      expect(await cost(una, { amount: 750_001 })).toEqual(['success', '10.95']);
      const { tradeNo, money, fields } = await order(una, 750_001);
      expect(fields.name).toBe('TOPUP1.500002USD');
      expect(await notify(epayPaid({ tradeNo, money }))).toBe('success');
      expect(await quotaOf(una)).toBe(750_001);
    });

    it('lets a code be used as often as it may, whoever races for it', async () => {
      await api.deps.options.set({ TopupCodes: '{"FEW": {"ratio": 0.5, "limit": 3}}' });
      const racers = await Promise.all(Array.from({ length: 12 }, () => someone()));
      const answers = await Promise.all(
        racers.map((racer) => racer.post('/api/user/pay', { amount: 1, top_up_code: 'FEW' })),
      );
      const made = answers.filter(({ success }) => success);
      expect(made.map(({ data }) => data.money)).toEqual(['3.65', '3.65', '3.65']);
      expect(new Set(answers.filter(({ success }) => !success).map(({ code }) => code))).toEqual(
        new Set(['TOPUP_CODE']),
      );
      // One that nobody paid in time is free again; one that is paid is not.
      await notify(epayPaid({ tradeNo: made[0]?.data.out_trade_no, money: '3.65' }));
      await api.deps.db.query(`update topups set expires_at = 1 where code = 'FEW'`);
      const una = await someone();
      expect(await cost(una, { amount: 1, top_up_code: 'FEW' })).toEqual(['success', '3.65']);
      const again = await Promise.all(
        [1, 2, 3].map(() => una.post('/api/user/pay', { amount: 1, top_up_code: 'FEW' })),
      );
      expect(again.filter(({ success }) => success)).toHaveLength(2);
      // Its price is told as long as it is had.
      expect(await cost(una, { amount: 1, top_up_code: 'FEW' })).toEqual(['TOPUP_CODE', '优惠码无效']);
    });

    it('holds a few uses of a code for one user until they are paid, and leaves the others the rest', async () => {
      await api.deps.options.set({ TopupCodes: '{"SALE": {"ratio": 0.5, "limit": 10}}' });
      const [una, otto] = [await someone(), await someone()];
      const buy = (client: Client) => client.post('/api/user/pay', { amount: 1, top_up_code: 'SALE' });
      const answers = await Promise.all(Array.from({ length: 5 }, () => buy(una)));
      const made = answers.filter(({ success }) => success);
      expect(made).toHaveLength(limits.topupsOpenOfCode);
      expect(answers.filter(({ success }) => !success).map(({ code }) => code)).toEqual(
        Array(5 - made.length).fill('TOPUP_MANY'),
      );
      expect((await cost(una, { amount: 1, top_up_code: 'SALE' }))[0]).toBe('TOPUP_MANY');
      expect((await cost(una, { amount: 1 }))[0]).toBe('success');
      expect((await buy(otto)).success).toBe(true);
      // One that is paid is one that waits no more.
      await notify(epayPaid({ tradeNo: made[0]?.data.out_trade_no, money: '3.65' }));
      expect([(await buy(una)).success, (await buy(una)).code]).toEqual([true, 'TOPUP_MANY']);
    });

    it('is cut by a code as often as the code may be used, however late the orders are paid', async () => {
      await api.deps.options.set({ TopupCodes: '{"ONCE": {"ratio": 0.1, "limit": 1}}' });
      const una = await someone();
      const made: Awaited<ReturnType<typeof order>>[] = [];
      for (let n = 0; n < 4; n++) {
        made.push(await order(una, 10, { top_up_code: 'ONCE' }));
        await api.deps.db.query(`update topups set expires_at = 1 where user_id = ${una.userId}`);
      }
      expect(made.map(({ money }) => money)).toEqual(Array(4).fill('7.30'));
      const credits = made.reverse().map(({ tradeNo, money }) => notify(epayPaid({ tradeNo, money })));
      expect(await Promise.all(credits)).toEqual(Array(4).fill('success'));
      // One at a tenth of the price; 7.30 buys one dollar without the code.
      expect(await quotaOf(una)).toBe((10 + 3) * DOLLAR);
      const { items } = (await una.get('/api/user/topup/self')).data;
      const told = items.map((item: { quota: number; code_lapsed: boolean }) => [
        item.quota / DOLLAR,
        item.code_lapsed,
      ]);
      expect(told.sort()).toEqual([
        [1, true],
        [1, true],
        [1, true],
        [10, false],
      ]);
      const log = (await una.get('/api/log/self/?type=1')).data.items;
      expect(log.map(({ content }: { content: string }) => content).sort()).toEqual([
        '在线充值 5,000,000 单位，支付金额 7.30 CNY',
        ...Array(3).fill('在线充值 500,000 单位，支付金额 7.30 CNY；逾期支付时优惠码已不可用，按原价计入'),
      ]);
      // What was credited without the code has used none of it.
      await api.deps.options.set({ TopupCodes: '{"ONCE": {"ratio": 0.1, "limit": 2}}' });
      expect((await order(una, 10, { top_up_code: 'ONCE' })).money).toBe('7.30');
    });

    it('is cut by a code of a failed order, and of one completed by hand, only while the code has a use', async () => {
      await api.deps.options.set({ TopupCodes: '{"SOLO": {"ratio": 0.5, "limit": 1}}' });
      const una = await someone();
      const lost = await order(una, 2, { top_up_code: 'SOLO' });
      await api.deps.db.query(`update topups set status = 'failed' where trade_no = '${lost.tradeNo}'`);
      await order(una, 2, { top_up_code: 'SOLO' });
      const root = await api.root();
      const [{ id }] = (await root.get(`/api/topup/?keyword=${lost.tradeNo}`)).data.items;
      const completed = await root.post(`/api/topup/${id}/complete`, { reason: 'seen' });
      expect(completed.data).toMatchObject({ status: 'success', quota: DOLLAR, code_lapsed: true });
      expect(await quotaOf(una)).toBe(DOLLAR);
    });

    it('stays what was asked for where a late order’s code has no limit, and not where it was taken away', async () => {
      await api.deps.options.set({ TopupCodes: '{"MANY": {"ratio": 0.5}}' });
      const una = await someone();
      const made = [
        await order(una, 2, { top_up_code: 'MANY' }),
        await order(una, 2, { top_up_code: 'MANY' }),
        await order(una, 2, { top_up_code: 'MANY' }),
      ] as const;
      const expire = (tradeNo: string) =>
        api.deps.db.query(
          `update topups set status = 'expired', expires_at = 1 where trade_no = '${tradeNo}'`,
        );
      await expire(made[0].tradeNo);
      expect(await notify(epayPaid(made[0]))).toBe('success');
      expect(await quotaOf(una)).toBe(2 * DOLLAR);
      await expire(made[1].tradeNo);
      await api.deps.options.set({ TopupCodes: '{}' });
      expect(await notify(epayPaid(made[1]))).toBe('success');
      expect(await quotaOf(una)).toBe(3 * DOLLAR);
      // One that is paid in time was promised its price.
      expect(await notify(epayPaid(made[2]))).toBe('success');
      expect(await quotaOf(una)).toBe(5 * DOLLAR);
    });

    const late = (tradeNo: string, seconds: number) =>
      api.deps.db.query(
        `update topups set status = 'expired', expires_at = extract(epoch from now())::bigint - ${seconds}
         where trade_no = '${tradeNo}'`,
      );

    it.each([
      ['a price that was low', { Price: '0.073' }, { Price: '7.3' }, 100],
      ['a group’s ratio that was low', { TopupGroupRatio: '{"default": 0.5}' }, { TopupGroupRatio: '{}' }, 2],
    ])(
      'holds as long as the order is open, of %s; paid later it buys by the terms of that day',
      async (_, low, high, times) => {
        const una = await someone();
        await api.deps.options.set(low);
        const made = [await order(una, 100), await order(una, 100), await order(una, 100)] as const;
        await api.deps.options.set(high);
        // Its callback was under way.
        await late(made[0].tradeNo, 600);
        expect(await notify(epayPaid(made[0]))).toBe('success');
        expect(await quotaOf(una)).toBe(100 * DOLLAR);
        await late(made[1].tradeNo, 3_600);
        expect(await notify(epayPaid(made[1]))).toBe('success');
        expect(await quotaOf(una)).toBe(100 * DOLLAR + (100 / times) * DOLLAR);
        // By whom it is told makes no difference.
        await late(made[2].tradeNo, 3_600);
        const root = await api.root();
        const [{ id }] = (await root.get(`/api/topup/?keyword=${made[2].tradeNo}`)).data.items;
        expect((await root.post(`/api/topup/${id}/complete`, { reason: 'seen' })).data).toMatchObject({
          quota: (100 / times) * DOLLAR,
          price_lapsed: true,
          code_lapsed: false,
        });
        const { items } = (await una.get('/api/user/topup/self')).data;
        expect(items.map((item: { price_lapsed: boolean }) => item.price_lapsed)).toEqual([
          true,
          true,
          false,
        ]);
        const log = (await una.get('/api/log/self/?type=1')).data.items;
        expect(log.map(({ content }: { content: string }) => content.includes('按支付时的价格计入'))).toEqual(
          [true, true, false],
        );
      },
    );

    it('buys never more than was promised, and less of what a lapsed code and a new price are short of', async () => {
      const una = await someone();
      await api.deps.options.set({ TopupCodes: '{"GONE": {"ratio": 0.5}}' });
      const made = [
        await order(una, 10),
        await order(una, 750),
        await order(una, 10, { top_up_code: 'GONE' }),
      ] as const;
      for (const { tradeNo } of made) await late(tradeNo, 3_600);
      await api.deps.options.set({ Price: '3.65' });
      expect(await notify(epayPaid(made[0]))).toBe('success');
      expect(await quotaOf(una)).toBe(10 * DOLLAR);
      await api.deps.options.set({ Price: '14.6', TopupCodes: '{}' });
      expect(await notify(epayPaid(made[1]))).toBe('success');
      expect(await quotaOf(una)).toBe((10 + 375) * DOLLAR);
      expect(await notify(epayPaid(made[2]))).toBe('success');
      expect(await quotaOf(una)).toBe((10 + 375 + 2.5) * DOLLAR);
      const [newest] = (await una.get('/api/user/topup/self')).data.items;
      expect(newest).toMatchObject({ price_lapsed: true, code_lapsed: true });
    });

    it('is asked for as often as one likes, but wrong codes are counted', async () => {
      const una = await someone();
      const limit = api.deps.options.get('CriticalRateLimitCount');
      const codes = [];
      for (let wrong = 0; wrong <= limit; wrong++) {
        codes.push((await cost(una, { amount: 1, top_up_code: `guess-${wrong}` }))[0]);
      }
      expect(codes).toEqual([...Array<string>(limit).fill('TOPUP_CODE'), 'RATE_LIMIT']);
    });
  });

  describe('the form', () => {
    it('is what the gateway takes, and an order that waits', async () => {
      const una = await someone();
      const { tradeNo, fields, answer } = await order(una, 2);
      expect(JSON.parse(answer.text)).toMatchObject({
        success: true,
        message: 'success',
        url: `${gateway.base}/submit.php`,
        method: 'POST',
        trade_no: tradeNo,
      });
      expect(Object.keys(fields).sort()).toEqual(
        'device money name notify_url out_trade_no pid return_url sign sign_type type'.split(' '),
      );
      expect(fields).toMatchObject({
        pid: EPAY.pid,
        type: 'alipay',
        money: '14.60',
        notify_url: 'https://site.example/api/user/epay/notify',
        return_url: 'https://site.example/topup',
        sign_type: 'MD5',
      });
      expect(tradeNo).toMatch(/^[0-9a-f]{32}$/);
      expect(await gateway.submit(`${gateway.base}/submit.php`, fields)).toContain('14.60');
      expect(await ownOrder(una, tradeNo)).toMatchObject({
        trade_no: tradeNo,
        provider: 'epay',
        method: 'alipay',
        quota: 2 * DOLLAR,
        money: '14.60',
        currency: 'CNY',
        status: 'pending',
        paid_at: 0,
      });
      expect(await quotaOf(una)).toBe(0);
      expect(JSON.stringify(fields)).not.toContain(EPAY.key);
    });

    it('calls back where the operator says, and takes only ways that are open', async () => {
      await api.deps.options.set({ CustomCallbackAddress: 'https://calls.example/', EpayMethods: 'wxpay' });
      const una = await someone();
      const { data } = await una.post('/api/user/pay', { amount: 1, payment_method: 'wx' });
      expect([data.type, data.notify_url]).toEqual(['wxpay', 'https://calls.example/api/user/epay/notify']);
      for (const payment_method of ['zfb', 'qqpay', 'stripe'])
        expect((await una.post('/api/user/pay', { amount: 1, payment_method })).code).toBe('PAY_METHOD');
      expect((await una.post('/api/user/pay/alipay', { amount: 1 })).code).toBe('PAY_METHOD');
      expect((await una.get('/api/user/topup/methods')).data).toEqual({
        methods: [{ method: 'wxpay', provider: 'epay', currency: 'CNY' }],
        unit: 'usd',
        min: 1,
        max: 1_000_000,
        group_ratio: 1,
      });
    });

    it('is made for so many unpaid orders and no more, until they expire', async () => {
      const una = await someone();
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => una.post('/api/user/pay', { amount: 1 })),
      );
      expect(answers.filter(({ success }) => success)).toHaveLength(20);
      expect((await una.post('/api/user/pay', { amount: 1 })).code).toBe('TOPUP_MANY');
      // One that failed at once asked its provider all the same.
      await api.deps.db.query(`update topups set status = 'failed' where user_id = ${una.userId}`);
      expect((await una.post('/api/user/pay', { amount: 1 })).code).toBe('TOPUP_MANY');
      await api.deps.db.query(
        `update topups set expires_at = 1, created_at = created_at - 1800 where user_id = ${una.userId}`,
      );
      expect((await una.post('/api/user/pay', { amount: 1 })).success).toBe(true);
    });
  });

  describe('while it is off', () => {
    it.each(['PayAddress', 'EpayId', 'EpayKey'] as const)(
      'for want of %s, says so and hears nobody',
      async (key) => {
        const una = await someone();
        const { tradeNo, money } = await order(una);
        await api.deps.options.reset([key]);
        expect((await api.guest().get('/api/status')).data.enable_online_topup).toBe(false);
        for (const path of ['/api/user/amount', '/api/user/pay', '/api/user/pay/alipay']) {
          const { code, message, data } = await una.post(path, { amount: 1 });
          expect([code, message, data]).toEqual(['TOPUP_OFF', ...Array(2).fill('管理员未开启在线充值！')]);
        }
        expect((await una.get('/api/user/topup/methods')).data.methods).toEqual([]);
        for (const key of ['', EPAY.key]) {
          const signed = new URLSearchParams(epaySigned(epayPaid({ tradeNo, money }), key));
          const url = 'http://localhost/api/user/epay/notify';
          expect((await handle(new Request(`${url}?${signed}`))).status).toBe(404);
          expect((await handle(new Request(url, { method: 'POST', body: signed }))).status).toBe(404);
        }
        expect(await quotaOf(una)).toBe(0);
        await api.deps.options.set(epayOptions(gateway));
        expect((await api.guest().get('/api/status')).data.enable_online_topup).toBe(true);
      },
    );
  });

  describe('what is paid', () => {
    it('is credited, and told to the account, the ledger and the log', async () => {
      const una = await someone({ quota: 100 });
      const { tradeNo, money } = await order(una);
      expect(await notify(epayPaid({ tradeNo, money }))).toBe('success');
      expect(await quotaOf(una)).toBe(DOLLAR + 100);
      const paid = await ownOrder(una, tradeNo);
      expect(paid).toMatchObject({ status: 'success', quota: DOLLAR });
      expect(paid.paid_at).toBeGreaterThan(0);
      const moved = await api.deps.db.query(
        `select kind, delta, note from ledger where user_id = ${una.userId} and kind = 2`,
      );
      expect(moved).toEqual([{ kind: 2, delta: DOLLAR, note: `topup:${paid.id}` }]);
      const { items } = (await una.get('/api/log/self/?type=1')).data;
      expect(items).toMatchObject([
        { type: 1, quota: DOLLAR, content: '在线充值 500,000 单位，支付金额 7.30 CNY' },
      ]);
    });

    it('is credited once by fifty calls at once, by both ways, and by one a day later', async () => {
      const una = await someone();
      const [first, second] = [await order(una, 1), await order(una, 2)];
      const calls = Array.from({ length: 50 }, (_, at) => {
        const { tradeNo, money } = at % 2 ? first : second;
        return notify(epayPaid({ tradeNo, money }), { method: at % 3 ? 'GET' : 'POST' });
      });
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['success']));
      expect(await quotaOf(una)).toBe(3 * DOLLAR);
      await api.deps.db.query(
        `update topups set created_at = created_at - 86400, expires_at = expires_at - 86400, paid_at = paid_at - 86400
         where user_id = ${una.userId}`,
      );
      for (const { tradeNo, money } of [second, first])
        expect(await notify(epayPaid({ tradeNo, money }))).toBe('success');
      expect(await quotaOf(una)).toBe(3 * DOLLAR);
      expect((await una.get('/api/log/self/?type=1')).data.total).toBe(2);
    });

    it('is credited late too, and when more was paid than asked', async () => {
      const una = await someone();
      const { tradeNo } = await order(una);
      await api.deps.db.query(`update topups set expires_at = 1 where trade_no = '${tradeNo}'`);
      expect((await ownOrder(una, tradeNo)).status).toBe('expired');
      expect((await una.get('/api/user/topup/self?status=pending')).data.total).toBe(0);
      expect((await una.get('/api/user/topup/self?status=expired')).data.total).toBe(1);
      expect(await notify(epayPaid({ tradeNo, money: '9.999' }, { money: '10.0' }))).toBe('success');
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(lines.join()).toContain('payment.overpaid');
    });

    it.each([
      ['less by a cent', { money: '7.29' }, 'amount'],
      ['no amount', { money: 'NaN' }, 'amount'],
      ['a negative amount', { money: '-7.30' }, 'amount'],
      ['a rounded amount', { money: '7.2999' }, 'amount'],
      ['another merchant', { pid: '1002' }, 'merchant'],
      ['an unknown order', { out_trade_no: 'f'.repeat(32) }, 'order'],
      ['a way that is not open', { type: 'usdt' }, 'method'],
    ] as const)('is credited nothing for %s, and the log says why', async (_, over, reason) => {
      const una = await someone();
      const { tradeNo, money } = await order(una);
      expect(await notify(epayPaid({ tradeNo, money }, over))).toBe('fail');
      expect(await quotaOf(una)).toBe(0);
      const refused = lines
        .map((line) => JSON.parse(line))
        .filter(({ event, msg }) => (event ?? msg) === 'payment.refused');
      expect(refused).toMatchObject([{ provider: 'epay', via: 'callback', reason }]);
      expect(lines.join()).not.toContain(EPAY.key);
      // The right one still counts afterwards.
      expect(await notify(epayPaid({ tradeNo, money }))).toBe('success');
      expect(await quotaOf(una)).toBe(DOLLAR);
    });

    it.each([
      ['another key', 'another-key', {}],
      ['an empty key', '', {}],
      ['the sign of another text', EPAY.key, { sign: '0'.repeat(32) }],
      ['no sign', EPAY.key, { sign: '' }],
    ] as const)('is not believed with %s', async (_, key, over) => {
      const una = await someone();
      const { tradeNo, money } = await order(una);
      const fields = { ...epaySigned(epayPaid({ tradeNo, money }), key), ...over };
      const url = `http://localhost/api/user/epay/notify?${new URLSearchParams(fields)}`;
      expect(await (await handle(new Request(url))).text()).toBe('fail');
      expect(await quotaOf(una)).toBe(0);
      expect(lines.join()).toContain('"reason":"signature"');
    });

    it('is not paid before the gateway says so', async () => {
      const una = await someone();
      const { tradeNo, money } = await order(una);
      expect(await notify(epayPaid({ tradeNo, money }, { trade_status: 'WAIT_BUYER_PAY' }))).toBe('fail');
      expect((await ownOrder(una, tradeNo)).status).toBe('pending');
    });

    it('is not credited to an order of another provider', async () => {
      const una = await someone();
      const { tradeNo, money } = await order(una);
      await api.deps.db.query(`update topups set provider = 'other' where trade_no = '${tradeNo}'`);
      expect(await notify(epayPaid({ tradeNo, money }))).toBe('fail');
      expect(lines.join()).toContain('"reason":"provider"');
      expect(await quotaOf(una)).toBe(0);
    });

    it('is repeated by the gateway where the account cannot hold it', async () => {
      const una = await someone({ quota: Number.MAX_SAFE_INTEGER });
      const { tradeNo, money } = await order(una);
      expect(await notify(epayPaid({ tradeNo, money }))).toBe('fail');
      expect((await ownOrder(una, tradeNo)).status).toBe('pending');
      expect(lines.join()).toContain('payment.uncredited');
    });

    it('takes no body beyond 64 KiB', async () => {
      const url = 'http://localhost/api/user/epay/notify';
      const body = `x=${'y'.repeat(64 * 1024)}`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await handle(new Request(url, { method: 'POST', body, headers }))).status).toBe(413);
    });
  });

  describe('asking the gateway', () => {
    const checks = () => startPaymentChecks({ ...api.deps, bootId: crypto.randomUUID() });
    const round = async () => {
      const rounds = checks();
      try {
        return await rounds.round();
      } finally {
        await rounds.stop();
      }
    };
    const older = (sec: number) =>
      api.deps.db.query(
        `update topups set created_at = created_at - ${sec}, expires_at = expires_at - ${sec} where status <> 'success'`,
      );
    const atGateway = async (client: Client) => {
      const made = await order(client);
      await gateway.submit(`${gateway.base}/submit.php`, made.fields);
      return made;
    };

    it('credits what was paid and never called back, once, late too', async () => {
      await api.deps.db.query('delete from topups where status <> $1', ['success']);
      const una = await someone();
      const [paid, unpaid, cheap] = [await atGateway(una), await atGateway(una), await atGateway(una)];
      await gateway.pay(paid.tradeNo);
      await gateway.pay(cheap.tradeNo, '0.01');
      expect(await round()).toBe(0);
      await older(60);
      expect(await round()).toBe(3);
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(await notify(epayPaid({ tradeNo: paid.tradeNo, money: paid.money }))).toBe('success');
      expect(await quotaOf(una)).toBe(DOLLAR);
      await older(1_800);
      expect(await round()).toBe(2);
      expect(
        (await api.deps.db.query(`select status from topups where trade_no = $1`, [unpaid.tradeNo]))[0],
      ).toEqual({ status: 'expired' });
      await gateway.pay(unpaid.tradeNo);
      expect(await round()).toBe(2);
      expect(await quotaOf(una)).toBe(2 * DOLLAR);
      await older(86_400);
      expect(await round()).toBe(0);
    });

    it('is done by one process, and goes on when the gateway is away', async () => {
      await api.deps.db.query('delete from topups where status <> $1', ['success']);
      const una = await someone();
      const { tradeNo } = await atGateway(una);
      await gateway.pay(tradeNo);
      await older(60);
      const [one, other] = [checks(), checks()];
      await api.deps.options.set({ PayAddress: 'http://127.0.0.1:1' });
      expect([await one.round(), await other.round()]).toEqual([1, 0]);
      await api.deps.options.set(epayOptions(gateway));
      expect([await other.round(), await one.round()]).toEqual([0, 1]);
      await one.stop();
      await other.stop();
      expect(await quotaOf(una)).toBe(DOLLAR);
    });
  });
});
