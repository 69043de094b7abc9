/** Rewards come to the balance: no more than there are, however often it is asked at once. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { grantReward, REWARD } from '../../../src/billing/rewards.ts';
import { limits } from '../../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('transfers of rewards, on %s', (engine) => {
  let api: TestApi;
  let causes = 1_000_000;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterEach(async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
  afterAll(() => api.close());

  const rewarded = async (invitation: number, activity = 0, quota = 0): Promise<Client> => {
    const { id } = await api.createUser({ quota });
    for (const [kind, amount] of [
      [REWARD.invitation, invitation],
      [REWARD.activity, activity],
    ] as const) {
      if (amount === 0) continue;
      const grant = { userId: id, kind, amount, ref: crypto.randomUUID(), causeId: ++causes };
      await api.deps.db.orm.transaction((tx) => grantReward(tx, grant));
    }
    return api.as({ id, username: '', role: 1 });
  };
  const move = (client: Client, quota: unknown, call = 'quota_transfer') =>
    client.post(`/api/user/${call}`, { quota });

  it('answer what there is after them, and are told by the ledger and the log', async () => {
    const una = await rewarded(300, 50, 1_000);
    const answer = await move(una, 320);
    expect(answer).toMatchObject({ success: true, data: { quota: 1_320, aff_quota: 0, activity_quota: 30 } });
    expect((await una.get('/api/user/self')).data).toMatchObject({
      quota: 1_320,
      aff_quota: 0,
      aff_history_quota: 300,
      activity_quota: 30,
      activity_history_quota: 50,
    });
    const moved = await api.deps.db.query('select delta from ledger where user_id = $1 and kind = 8', [
      una.userId ?? 0,
    ]);
    expect(moved).toEqual([{ delta: 320 }]);
    const { items } = (await una.get('/api/log/self/?type=4')).data;
    expect(items).toMatchObject([{ quota: 320, content: '奖励额度划转到余额 320 单位' }]);
  });

  it.each([
    ['nothing', 0],
    ['less than nothing', -5],
    ['more than there is', 301],
    ['a part of a unit', 0.5],
    ['no number', null],
    ['no field', undefined],
    ['what no column holds', 2 ** 53],
  ])('refuse %s', async (_name, quota) => {
    const una = await rewarded(300);
    expect(await move(una, quota, 'aff_transfer')).toMatchObject({ status: 200, success: false });
    expect(await move(una, quota)).toMatchObject({ code: 'TRANSFER_SHORT', message: '转账额度不足！' });
    expect((await una.get('/api/user/self')).data).toMatchObject({ quota: 0, aff_quota: 300 });
  });

  it('refuse what is no number at all by their schema', async () => {
    const una = await rewarded(300);
    expect(await move(una, '5')).toMatchObject({ status: 400, code: 'BAD_PARAM' });
  });

  it('move no more than there is, however many race', async () => {
    const una = await rewarded(300, 205);
    const answers = await Promise.all(Array.from({ length: limits.transfersAnHour }, () => move(una, 50)));
    expect(answers.filter(({ success }) => success)).toHaveLength(10);
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([undefined, 'TRANSFER_SHORT']));
    expect((await una.get('/api/user/self')).data).toMatchObject({
      quota: 500,
      aff_quota: 0,
      activity_quota: 5,
    });
  });

  it.each(['quota_transfer', 'aff_transfer'])(
    'by %s begin at the least amount that the operator sets',
    async (call) => {
      await api.deps.options.set({ 'aff_quota.min_transfer': '500000' });
      const una = await rewarded(1_500_000, 500_013);
      expect(await move(una, 499_999, call)).toMatchObject({
        success: false,
        code: 'TRANSFER_LEAST',
        message: '每次最低划转 500000，或一次划转全部',
      });
      expect(await move(una, 2_000_014, call)).toMatchObject({ code: 'TRANSFER_SHORT' });
      expect(await move(una, 500_000, call)).toMatchObject({
        success: true,
        data: { quota: 500_000 },
      });
      await api.deps.options.set({ 'aff_quota.min_transfer': '10' });
      expect((await move(una, 9, call)).code).toBe('TRANSFER_LEAST');
      expect((await move(una, 10, call)).success).toBe(true);
      expect((await move(una, 1_500_000, call)).success).toBe(true);
      // The rest goes at once and whole, however small.
      for (const part of [1, 2]) expect((await move(una, part, call)).code).toBe('TRANSFER_LEAST');
      expect((await move(una, 3, call)).success).toBe(true);
      await api.deps.options.set({ 'aff_quota.min_transfer': '1' });
    },
  );

  it('are twenty an hour, of both calls together', async () => {
    const [una, otto] = [await rewarded(300), await rewarded(300)];
    for (let n = 0; n < limits.transfersAnHour; n++) {
      expect((await move(una, 1, n % 2 === 0 ? 'quota_transfer' : 'aff_transfer')).success).toBe(true);
    }
    for (const call of ['quota_transfer', 'aff_transfer']) {
      expect((await move(una, 1, call)).code).toBe('RATE_LIMIT');
    }
    expect((await una.get('/api/user/self')).data).toMatchObject({ quota: 20, aff_quota: 280 });
    expect((await move(otto, 1)).success).toBe(true);
  });

  it('are for who is signed in', async () => {
    for (const call of ['quota_transfer', 'aff_transfer']) {
      expect((await api.guest().post(`/api/user/${call}`, { quota: 1 })).status).toBe(401);
    }
  });
});
