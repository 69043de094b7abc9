/** Orders as administrators keep them: found, asked about, completed and refunded, each once, by those who may. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../../src/api.ts';
import { audit } from '../../../src/billing/audit.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { startPaymentChecks } from '../../../src/modules/payment/checks.ts';
import { removeUnpaid } from '../../../src/modules/payment/forget.ts';
import { expireOrders } from '../../../src/modules/payment/orders.ts';
import { Client, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type EpayServer, epayOptions, startEpay } from '../../support/payment/epay-server.ts';
import { EPAY, epayPaid, epaySigned } from '../../support/payment/epay-wire.ts';

const DOLLAR = 500_000;

let gateway: EpayServer;
beforeAll(async () => {
  gateway = await startEpay();
});
afterAll(() => gateway.close());

describe.each(callEngines)('orders, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  let handle: TestApi['handle'];
  const alerts: Alert[] = [];
  beforeAll(async () => {
    api = await openApi(engine);
    await api.deps.options.set({ ...epayOptions(gateway), ServerAddress: 'https://site.example' });
    const app = createApi({ ...api.deps, alerts: { send: (alert) => void alerts.push(alert) } });
    const user = await api.createUser({ role: 10 });
    handle = async (request) => app.handle(request);
    admin = new Client(handle);
    admin.userId = user.id;
    for (const [name, value] of (await api.as(user)).cookies) admin.cookies.set(name, value);
  });
  afterAll(() => api.close());
  afterEach(async () => {
    alerts.length = 0;
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  const buyer = async (user: { quota?: number; role?: number } = {}): Promise<Client> =>
    api.as(await api.createUser(user));
  const order = async (client: Client, amount = 1) => {
    const { data } = await client.post('/api/user/pay', { amount });
    const { items } = (await client.get(`/api/user/topup/self?trade_no=${data.out_trade_no}`)).data;
    return { id: items[0].id, tradeNo: data.out_trade_no, money: data.money, fields: data };
  };
  const paid = async (client: Client, amount = 1) => {
    const made = await order(client, amount);
    const sent = new URLSearchParams(epaySigned(epayPaid(made)));
    const answer = await api.handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
    expect(await answer.text()).toBe('success');
    return made;
  };
  const quotaOf = async (client: Client): Promise<number> => (await client.get('/api/user/self')).data.quota;
  const recordsOf = (id: number) =>
    api.deps.db.query(`select action, detail from admin_actions where target = 'topup:${id}' order by id`);
  const spend = async (client: Client, quota: number) => {
    const answer = await admin.put('/api/user/', { id: client.userId, add_quota: -quota });
    expect(answer.success).toBe(true);
  };

  it('are found by number, reference, name, id, state and provider', async () => {
    const una = await buyer();
    const [done, waiting] = [await paid(una), await order(una)];
    const find = async (query: string): Promise<string[]> =>
      (await admin.get(`/api/topup/?${query}`)).data.items.map((item: { trade_no: string }) => item.trade_no);
    expect(await find(`keyword=${done.tradeNo}`)).toEqual([done.tradeNo]);
    expect(await find(`keyword=E${done.tradeNo.slice(0, 20)}`)).toEqual([done.tradeNo]);
    expect(await find(`keyword=${una.userId}`)).toEqual([waiting.tradeNo, done.tradeNo]);
    expect(await find(`keyword=${una.userId}&status=success`)).toEqual([done.tradeNo]);
    expect(await find(`keyword=${una.userId}&status=pending&provider=epay`)).toEqual([waiting.tradeNo]);
    expect(await find(`keyword=${una.userId}&status=expired`)).toEqual([]);
    expect(await find(`keyword=%25`)).toEqual([]);
    expect(await find(`keyword=%23${done.id}`)).toEqual([done.tradeNo]);
    expect(await find(`keyword=%23${'9'.repeat(16)}`)).toEqual([]);
    const own = (query: string) => una.get(`/api/user/topup/self?${query}`);
    expect((await own(`id=${done.id}`)).data.items).toMatchObject([{ trade_no: done.tradeNo }]);
    expect((await own('id=0')).data.total).toBe(2);
    expect(await find(`keyword=${una.userId}&end_timestamp=1000`)).toEqual([]);
    const { data } = await admin.get(`/api/topup/?keyword=${una.userId}&page_size=1&p=2`);
    expect([data.total, data.page, data.page_size, data.items.length]).toEqual([2, 2, 1, 1]);
    expect(data.items[0]).toMatchObject({
      user_id: una.userId,
      status: 'success',
      provider_ref: `E${done.tradeNo.slice(0, 20)}`,
    });
    expect(data.items[0].username).toMatch(/^user/);
    // One's own list holds one's own, whatever is asked for.
    const other = await buyer();
    expect((await other.get(`/api/user/topup/self?trade_no=${done.tradeNo}`)).data.total).toBe(0);
    expect((await other.get(`/api/user/topup/self?id=${done.id}`)).data.total).toBe(0);
    expect((await una.get('/api/user/topup/self')).data).toMatchObject({ total: 2, page: 1, page_size: 10 });
  });

  it('are ordered by their money within a currency, and by when they were done before those that are not', async () => {
    const una = await buyer();
    const { id: dear } = await paid(una, 3);
    const { id: waiting } = await order(una, 2);
    const { id: yen } = await paid(una);
    const { id: cheap } = await paid(una);
    const set = (id: number, values: string) =>
      api.deps.db.query(`update topups set ${values} where id = ${id}`);
    await set(yen, `currency = 'JPY', places = 0, money = 1000, completed_at = completed_at + 10`);
    await set(cheap, `completed_at = completed_at + 20`);
    const ordered = async (sort: string): Promise<number[]> =>
      (await una.get(`/api/user/topup/self?sort=${sort}`)).data.items.map(({ id }: { id: number }) => id);
    expect(await ordered('money')).toEqual([cheap, waiting, dear, yen]);
    expect(await ordered('-money')).toEqual([dear, waiting, cheap, yen]);
    expect(await ordered('completed')).toEqual([dear, yen, cheap, waiting]);
    expect(await ordered('-completed')).toEqual([cheap, yen, dear, waiting]);
    await set(yen, `currency = 'CNY', places = 2, money = 730`);
  });

  it('are completed by hand once, with a reason, however many do it at once', async () => {
    const una = await buyer({ quota: 5 });
    const { id, tradeNo, money } = await order(una);
    for (const reason of ['', '  ', 'x'.repeat(301)])
      expect((await admin.post(`/api/topup/${id}/complete`, { reason })).code).toBe('TOPUP_REASON');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => admin.post(`/api/topup/${id}/complete`, { reason: ' paid by wire ' })),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(new Set(answers.filter(({ success }) => !success).map(({ code }) => code))).toEqual(
      new Set(['TOPUP_DONE']),
    );
    expect(await quotaOf(una)).toBe(DOLLAR + 5);
    const [item] = (await admin.get(`/api/topup/?keyword=${tradeNo}`)).data.items;
    expect(item).toMatchObject({ status: 'success', completed_by: admin.userId, reason: 'paid by wire' });
    // The gateway's own word comes later and adds nothing.
    const sent = new URLSearchParams(epaySigned(epayPaid({ tradeNo, money })));
    const answer = await api.handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
    expect(await answer.text()).toBe('success');
    expect(await quotaOf(una)).toBe(DOLLAR + 5);
    const { items } = (await una.get('/api/log/self/?type=3')).data;
    expect(items[0].content).toBe(`管理员完成了订单 ${tradeNo}`);
  });

  it('of one’s equals and betters are neither completed nor refunded', async () => {
    const equal = await buyer({ role: 10 });
    const [waiting, done] = [await order(equal), await paid(equal)];
    expect((await admin.post(`/api/topup/${waiting.id}/complete`, { reason: 'x' })).code).toBe('USER_LEVEL');
    expect((await admin.post(`/api/topup/${done.id}/refund`, { reason: 'x' })).code).toBe('USER_LEVEL');
    const own = await order(admin);
    expect((await admin.post(`/api/topup/${own.id}/complete`, { reason: 'x' })).code).toBe('USER_LEVEL');
    expect(await quotaOf(equal)).toBe(DOLLAR);
    expect((await admin.post('/api/topup/999999/complete', { reason: 'x' })).code).toBe('NOT_FOUND');
  });

  it('are refunded once, which takes the quota back', async () => {
    const una = await buyer({ quota: 7 });
    const { id, tradeNo } = await paid(una);
    expect((await admin.post(`/api/topup/${id}/refund`, {})).code).toBe('TOPUP_REASON');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => admin.post(`/api/topup/${id}/refund`, { reason: 'wrong amount' })),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.find(({ success }) => success)?.data).toMatchObject({
      status: 'refunded',
      reversed_quota: DOLLAR,
      reversed_money: '7.30',
    });
    expect(await quotaOf(una)).toBe(7);
    const moved = await api.deps.db.query(
      `select kind, delta, note from ledger where user_id = ${una.userId} and kind >= 10`,
    );
    expect(moved).toEqual([{ kind: 12, delta: -DOLLAR, note: `topup:${id}` }]);
    expect(alerts).toEqual([]);
    // A callback that is repeated later brings nothing back.
    const sent = new URLSearchParams(epaySigned(epayPaid({ tradeNo, money: '7.30' })));
    await api.handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
    expect(await quotaOf(una)).toBe(7);
    expect((await admin.post(`/api/topup/${id}/complete`, { reason: 'x' })).code).toBe('TOPUP_DONE');
  });

  it('are refunded down to nothing, and root hears what was not there any more', async () => {
    const una = await buyer();
    const { id, tradeNo } = await paid(una);
    await spend(una, 400_000);
    expect((await admin.post(`/api/topup/${id}/refund`, { reason: 'fraud' })).success).toBe(true);
    expect(await quotaOf(una)).toBe(0);
    const moved = await api.deps.db.query(
      `select kind, delta, note from ledger where user_id = ${una.userId} and kind >= 10 order by kind`,
    );
    expect(moved).toEqual([
      { kind: 10, delta: 0, note: '400000' },
      { kind: 12, delta: -100_000, note: `topup:${id}` },
    ]);
    expect(alerts).toMatchObject([{ type: 'payment_taken_back', subject: tradeNo }]);
  });

  it('that are not paid are not refunded', async () => {
    const una = await buyer({ quota: 9 });
    const { id } = await order(una);
    expect((await admin.post(`/api/topup/${id}/refund`, { reason: 'x' })).code).toBe('TOPUP_NOT_PAID');
    expect(await quotaOf(una)).toBe(9);
  });

  const notify = async (fields: { tradeNo: string; money: string }): Promise<string> => {
    const sent = new URLSearchParams(epaySigned(epayPaid(fields)));
    const answer = await handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
    return answer.text();
  };
  const voided = async (client: Client) => {
    const made = await order(client);
    expect((await admin.post(`/api/topup/${made.id}/void`, { reason: ' paid in cash ' })).success).toBe(true);
    return made;
  };
  const itemOf = async (id: number) => (await admin.get(`/api/topup/?keyword=%23${id}`)).data.items[0];

  it('are voided once while they are unpaid, with a reason that their buyer reads', async () => {
    const una = await buyer({ quota: 5 });
    const { id, tradeNo } = await order(una);
    for (const reason of ['', '  ', 'x'.repeat(301)])
      expect((await admin.post(`/api/topup/${id}/void`, { reason })).code).toBe('TOPUP_REASON');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => admin.post(`/api/topup/${id}/void`, { reason: ' paid in cash ' })),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.find(({ success }) => !success)).toMatchObject({
      code: 'TOPUP_VOIDED',
      message: '订单已作废',
    });
    expect(await itemOf(id)).toMatchObject({
      status: 'voided',
      voided_by: admin.userId,
      void_reason: 'paid in cash',
      paid_at: 0,
    });
    const own = (await una.get('/api/user/topup/self?status=voided')).data.items;
    expect(own).toMatchObject([{ id, status: 'voided', void_reason: 'paid in cash' }]);
    expect((await una.get('/api/log/self/?type=3')).data.items[0].content).toBe(
      `管理员作废了订单 ${tradeNo}`,
    );
    expect(await recordsOf(id)).toEqual([
      {
        action: 'topup.void',
        detail: {
          trade_no: tradeNo,
          reason: 'paid in cash',
          status: { before: 'pending', after: 'voided' },
        },
      },
    ]);
    // What the gateway gives up, and what expires, is voided still.
    await api.deps.db.query(`update topups set expires_at = 1 where id = ${id}`);
    await expireOrders(api.deps);
    expect((await itemOf(id)).status).toBe('voided');
    const done = await paid(una);
    expect((await admin.post(`/api/topup/${done.id}/void`, { reason: 'x' })).code).toBe('TOPUP_DONE');
    expect((await una.post(`/api/topup/${id}/void`, { reason: 'x' })).status).toBe(403);
    const equal = await order(await buyer({ role: 10 }));
    expect((await admin.post(`/api/topup/${equal.id}/void`, { reason: 'x' })).code).toBe('USER_LEVEL');
    expect((await itemOf(equal.id)).status).toBe('pending');
  });

  it('that are voided and paid all the same are noted and told, added by nobody but an administrator', async () => {
    const una = await buyer({ quota: 5 });
    const made = await voided(una);
    expect((await admin.post(`/api/topup/${made.id}/refund`, { reason: 'x' })).code).toBe('TOPUP_NOT_PAID');
    const answers = await Promise.all(Array.from({ length: 5 }, () => notify(made)));
    expect(new Set(answers)).toEqual(new Set(['success']));
    expect(await quotaOf(una)).toBe(5);
    const item = await itemOf(made.id);
    expect(item).toMatchObject({ status: 'voided', provider_ref: `E${made.tradeNo.slice(0, 20)}` });
    expect(item.paid_at).toBeGreaterThan(0);
    expect(alerts).toEqual([
      {
        type: 'payment_voided',
        subject: made.tradeNo,
        title: {
          zh: `已作废的订单 ${made.tradeNo} 收到了付款`,
          en: `The voided order ${made.tradeNo} was paid`,
        },
        content: {
          zh: `用户 ${una.userId} 支付了 7.30 CNY，未增加额度。请在“支付订单”中完成该订单，或在支付渠道退款。`,
          en: `User ${una.userId} paid 7.30 CNY, and nothing was added. Complete the order under Payments, or refund it at the provider’s.`,
        },
      },
    ]);
    const done = await admin.post(`/api/topup/${made.id}/complete`, { reason: 'it did arrive' });
    expect(done.data).toMatchObject({
      status: 'success',
      reason: 'it did arrive',
      void_reason: 'paid in cash',
      paid_at: item.paid_at,
    });
    expect(await quotaOf(una)).toBe(DOLLAR + 5);
    expect(await notify(made)).toBe('success');
    expect((await admin.post(`/api/topup/${made.id}/complete`, { reason: 'x' })).code).toBe('TOPUP_DONE');
    expect(await quotaOf(una)).toBe(DOLLAR + 5);
  });

  it('that are voided, paid and refunded at the provider’s are closed by hand, and take nothing', async () => {
    const una = await buyer({ quota: 5 });
    const made = await voided(una);
    expect(await notify(made)).toBe('success');
    const refunded = await admin.post(`/api/topup/${made.id}/refund`, { reason: 'sent back' });
    expect(refunded.data).toMatchObject({
      status: 'voided',
      reversed_quota: 0,
      refunded_money: '7.30',
      reversed_reason: 'sent back',
    });
    expect((await admin.post(`/api/topup/${made.id}/refund`, { reason: 'x' })).code).toBe('TOPUP_REFUNDED');
    expect((await admin.post(`/api/topup/${made.id}/complete`, { reason: 'x' })).code).toBe('TOPUP_REFUNDED');
    expect(await quotaOf(una)).toBe(5);
  });

  it('that are voided are asked about as long as others, for a callback may be lost', async () => {
    await api.deps.db.query(`update topups set asked_at = 9 where status <> 'success'`);
    const una = await buyer();
    const made = await voided(una);
    await gateway.submit(`${gateway.base}/submit.php`, made.fields);
    await gateway.pay(made.tradeNo);
    await api.deps.db.query(`update topups set created_at = created_at - 60 where id = ${made.id}`);
    const checks = startPaymentChecks({ ...api.deps, bootId: crypto.randomUUID() });
    await checks.round();
    await checks.stop();
    expect(await itemOf(made.id)).toMatchObject({ status: 'voided', paid_at: expect.any(Number) });
    expect((await itemOf(made.id)).paid_at).toBeGreaterThan(0);
    expect((await admin.post(`/api/topup/${made.id}/check`)).data.status).toBe('voided');
    expect(await quotaOf(una)).toBe(0);
  });

  it('that are voided give the use of their code back, and count as made', async () => {
    const codes = { TopupCodes: JSON.stringify({ ONCE: { ratio: 0.5, limit: 1 } }) };
    await api.deps.options.set(codes);
    const una = await buyer();
    const buy = () => una.post('/api/user/pay', { amount: 1, top_up_code: 'ONCE' });
    const first = (await buy()).data.out_trade_no;
    expect((await buy()).code).toBe('TOPUP_CODE');
    const [{ id }] = (await una.get(`/api/user/topup/self?trade_no=${first}`)).data.items;
    expect((await admin.post(`/api/topup/${id}/void`, { reason: 'x' })).success).toBe(true);
    expect((await buy()).success).toBe(true);
    // Its use is another's now, so that it costs what it would have cost without it.
    const done = await admin.post(`/api/topup/${id}/complete`, { reason: 'x' });
    expect(done.data).toMatchObject({ code_lapsed: true, quota: DOLLAR / 2 });
    await api.deps.options.set({ TopupCodes: '{}' });
  });

  it('are removed when they are old and nobody has heard of a payment', async () => {
    const una = await buyer();
    const [unpaid, noted] = [await voided(una), await voided(una)];
    expect(await notify(noted)).toBe('success');
    await api.deps.db.query(`update topups set created_at = 1 where user_id = ${una.userId}`);
    await removeUnpaid(api.deps.db, new AbortController().signal);
    expect((await una.get('/api/user/topup/self')).data.items).toMatchObject([{ id: noted.id }]);
    expect(await itemOf(unpaid.id)).toBeUndefined();
  });

  it('are asked about on demand', async () => {
    const una = await buyer();
    const { id, tradeNo, fields } = await order(una);
    await gateway.submit(`${gateway.base}/submit.php`, fields);
    expect((await admin.post(`/api/topup/${id}/check`)).data.status).toBe('pending');
    await gateway.pay(tradeNo);
    expect((await admin.post(`/api/topup/${id}/check`)).data.status).toBe('success');
    expect((await admin.post(`/api/topup/${id}/check`)).data.status).toBe('success');
    expect(await quotaOf(una)).toBe(DOLLAR);
    await api.deps.options.set({ PayAddress: 'http://127.0.0.1:1' });
    const away = await admin.post(`/api/topup/${id}/check`);
    expect([away.code, away.message]).toEqual(['TOPUP_UNANSWERED', '支付渠道没有应答：无法连接']);
    await api.deps.options.set({ PayAddress: '' });
    expect((await admin.post(`/api/topup/${id}/check`)).code).toBe('TOPUP_PROVIDER_OFF');
    await api.deps.options.set(epayOptions(gateway));
  });

  it('are asked about, and an answer that does not fit is told with its reason', async () => {
    const una = await buyer();
    const made = await order(una);
    const check = async (answer?: object) => {
      const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => Response.json(answer) });
      if (answer) await api.deps.options.set({ PayAddress: `http://127.0.0.1:${server.port}` });
      const { code, message, text } = await admin.post(`/api/topup/${made.id}/check`);
      await server.stop(true);
      await api.deps.options.set(epayOptions(gateway));
      expect(text).not.toContain(EPAY.key);
      return [code, message];
    };
    const unfit = (reason: string) => ['TOPUP_UNFIT', `支付渠道的应答未被采纳：${reason}`];
    const paid = {
      code: 1,
      status: 1,
      out_trade_no: made.tradeNo,
      money: '7.30',
      type: 'alipay',
      trade_no: 'E',
    };
    expect(await check()).toEqual(unfit('它没有这个订单（“no such order”）'));
    expect(await check({ code: -3, msg: `key ${EPAY.key} is wrong` })).toEqual(
      unfit('它没有这个订单（“key *** is wrong”）'),
    );
    expect(await check({ ...paid, money: '0.01' })).toEqual(unfit('金额不符，已付 0.01，应付 7.30'));
    expect(await check({ ...paid, money: 'NaN' })).toEqual(unfit('金额不符，已付 NaN，应付 7.30'));
    expect(await check({ ...paid, out_trade_no: 'another' })).toEqual(unfit('订单号不符'));
    expect(await check({ ...paid, pid: '7' })).toEqual(unfit('商户 ID 不符'));
    expect(await check({ ...paid, type: 'usdt' })).toEqual(unfit('支付方式“usdt”未启用'));
    expect(await quotaOf(una)).toBe(0);
    admin.headers['accept-language'] = 'en';
    expect(await check({ ...paid, money: '0.01' })).toEqual([
      'TOPUP_UNFIT',
      'The payment provider’s answer does not fit: the amount differs: 0.01 paid, 7.30 asked for',
    ]);
    delete admin.headers['accept-language'];
    const root = await api.root();
    const [asked] = (await root.get('/api/admin_action/?action=topup.check&page_size=1')).data.items;
    expect((await root.get(`/api/admin_action/${asked.id}`)).text).toContain('TOPUP_UNFIT');
    // What fits is still believed.
    expect(await check(paid)).toEqual([undefined, '']);
    expect(await quotaOf(una)).toBe(DOLLAR);
  });

  it('are asked about, and what the account cannot hold is told and recorded', async () => {
    const una = await buyer({ quota: Number.MAX_SAFE_INTEGER });
    const { id, tradeNo, fields } = await order(una);
    await gateway.submit(`${gateway.base}/submit.php`, fields);
    await gateway.pay(tradeNo);
    expect((await admin.post(`/api/topup/${id}/check`)).code).toBe('QUOTA_RANGE');
    await api.deps.options.set({ PayAddress: '' });
    expect((await admin.post(`/api/topup/${id}/check`)).code).toBe('TOPUP_PROVIDER_OFF');
    await api.deps.options.set(epayOptions(gateway));
    expect(await recordsOf(id)).toEqual([
      { action: 'topup.check', detail: { trade_no: tradeNo, answer: 'QUOTA_RANGE' } },
      { action: 'topup.check', detail: { trade_no: tradeNo, answer: 'TOPUP_PROVIDER_OFF' } },
    ]);
    expect((await una.get(`/api/user/topup/self?id=${id}`)).data.items[0].status).toBe('pending');
  });

  it('pay the invitation that has waited for them, once', async () => {
    await api.deps.options.set({
      QuotaForInviter: '1000',
      QuotaForInvitee: '10',
      'aff_quota.reward_trigger': 'first_topup',
    });
    const inviter = await buyer();
    const code = (await inviter.get('/api/user/aff')).data;
    const body = {
      username: `guest${engine}`.slice(0, 12),
      password: PASSWORD,
      password2: PASSWORD,
      aff_code: code,
    };
    const registered = await api.guest().post('/api/user/register', body);
    expect(registered.message).toBe('');
    const guest = await api.guest().login(body.username);
    await paid(guest);
    await paid(guest);
    expect(await quotaOf(guest)).toBe(2 * DOLLAR + 10);
    expect((await inviter.get('/api/user/self')).data.aff_quota).toBe(1000);
  });
});

describe('the test of the callback', () => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi('pglite');
    await api.deps.options.set(epayOptions(gateway));
    root = await api.root();
  });
  afterAll(() => api.close());

  /** The site, or somebody else, at an address of its own. */
  const at = async (answer: (request: Request) => Response | Promise<Response>) => {
    const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
    const base = `http://127.0.0.1:${server.port}`;
    await api.deps.options.set({ CustomCallbackAddress: `${base}/` });
    const { data, success } = await root.post('/api/topup/callback_test');
    await server.stop(true);
    expect(success).toBe(true);
    expect(data.url).toBe(`${base}/api/user/epay/notify`);
    return data;
  };

  it('finds itself', async () => {
    const app = createApi(api.deps);
    expect(await at(async (request) => app.handle(request))).toMatchObject({ reachable: true, reason: '' });
  });

  it.each<[what: string, answer: () => Response, reason: string]>([
    ['a page that says success', () => new Response('success'), '该地址由别的服务应答'],
    ['a block', () => new Response('no', { status: 403 }), '返回状态 403'],
    ['a redirect', () => Response.redirect('https://site.example/', 301), '返回状态 301'],
  ])('finds %s', async (_, answer, reason) => {
    expect(await at(answer)).toMatchObject({ reachable: false, reason });
  });

  it('finds nobody, and names no secret', async () => {
    await api.deps.options.set({ CustomCallbackAddress: 'http://127.0.0.1:1' });
    const { data, text } = await root.post('/api/topup/callback_test');
    expect(data).toMatchObject({ reachable: false, reason: '无法连接' });
    expect(text).not.toContain(epayOptions(gateway).EpayKey ?? '-');
  });

  it('credits nothing by its signed call', async () => {
    const before = await api.deps.db.query('select count(*)::int as n from ledger');
    const seen: string[] = [];
    await at((request) => {
      seen.push(new URL(request.url).search);
      return new Response('');
    });
    const replay = await api.handle(new Request(`http://localhost/api/user/epay/notify${seen[0]}`));
    expect(await replay.text()).not.toBe('success');
    expect(await api.deps.db.query('select count(*)::int as n from ledger')).toEqual(before);
  });
});
