/** What the site gives away by itself in a day stays within the operator's bound, however many come at once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { DAY_SEC } from '../../../src/core/time.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { forgetGifts } from '../../../src/modules/gift/service.ts';
import { type Client, openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

describe.each(callEngines)('what is given away in a day, on %s', (engine) => {
  let api: TestApi;
  const told: Alert[] = [];
  beforeAll(async () => {
    api = await openApi(engine);
    api.deps.alerts.send = (alert) => void told.push(alert);
    await api.deps.options.set({
      FuelPackEnabled: 'true',
      FuelPackQuota: '40',
      'fuel_pack.verified_only': 'false',
      'fuel_pack.accounts_per_network': '0',
      'aff_quota.daily_limit': '0',
    });
  });
  /** Who came last may still be asking whether root was told. */
  const nobodyAsks = async () => {
    while (api.deps.stopping.open > 0) await Bun.sleep(5);
  };
  beforeEach(async () => {
    await nobodyAsks();
    await api.deps.db.query('delete from gift_days');
    told.length = 0;
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 0 });
  });
  afterAll(() => api.close());

  const set = (given: { newUser: number; inviter: number; invitee: number; most: number }) =>
    api.deps.options.set({
      QuotaForNewUser: String(given.newUser),
      QuotaForInviter: String(given.inviter),
      QuotaForInvitee: String(given.invitee),
      'gift.daily_quota': String(given.most),
    });

  let people = 0;
  const address = () => `${1 + (++people % 100)}.${people >> 8}.${people & 255}.5`;
  const come = async (aff_code = ''): Promise<Client> => {
    const client = api.guest({ ip: address() });
    const username = `day${++people}`;
    const body = { username, password: PASSWORD, password2: PASSWORD, aff_code };
    expect(await client.post('/api/user/register', body)).toMatchObject({ success: true });
    return client.login(username);
  };
  const selfOf = async (client: Client) => (await client.get('/api/user/self')).data;
  const quotasOf = async (clients: readonly Client[]): Promise<number[]> => {
    const quotas = await Promise.all(clients.map(async (client) => (await selfOf(client)).quota));
    return quotas.toSorted((a, b) => a - b);
  };
  const given = async () =>
    (await api.deps.db.query('select quota from gift_days')).map(({ quota }) => quota);
  const claim = (client: Client) => client.get('/api/user/fuel_pack');
  /** What is told comes beside the answer. */
  const toldOf = async (): Promise<Alert[]> => {
    for (const until = performance.now() + patience(5_000); told.length === 0 && performance.now() < until; )
      await Bun.sleep(5);
    return told;
  };

  it('has no bound unless one is set, and is counted all the same', async () => {
    const clients = [await come(), await come(), await come()];
    expect(await quotasOf(clients)).toEqual([100, 100, 100]);
    expect(await given()).toEqual([300]);
    // What was given before the bound was set counts.
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 399 });
    expect(await quotasOf([await come()])).toEqual([0]);
  });

  it('lets everybody in, and gives to as many of those who come at once as it holds', async () => {
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 450 });
    const clients = await Promise.all(Array.from({ length: 12 }, () => come()));
    expect(await quotasOf(clients)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 100, 100, 100, 100]);
    expect(await given()).toEqual([400]);
    const [without] = (
      await Promise.all(clients.map(async (one) => ({ one, ...(await selfOf(one)) })))
    ).filter(({ quota }) => quota === 0);
    const { items } = (await without?.one.get('/api/log/self/?type=4'))?.data ?? {};
    expect(items[0]).toMatchObject({ quota: 0, content: '今日赠送额度已发完，未赠送新用户额度' });
    // What is smaller still fits.
    await set({ newUser: 50, inviter: 0, invitee: 0, most: 450 });
    expect(await quotasOf([await come(), await come()])).toEqual([0, 50]);
  });

  it('holds what invitations and fuel packs give too', async () => {
    await set({ newUser: 0, inviter: 30, invitee: 7, most: 36 });
    const inviter = await api.as(await api.createUser());
    const code = (await inviter.get('/api/user/aff')).data;
    const first = await come(code);
    // The one of the two that fits is given.
    expect((await quotasOf([first]))[0]).toBe((await selfOf(inviter)).aff_quota === 30 ? 0 : 7);
    await set({ newUser: 0, inviter: 30, invitee: 7, most: 77 });
    await api.deps.db.query('delete from gift_days');
    const second = await come(code);
    expect(await quotasOf([second])).toEqual([7]);
    expect((await claim(second)).success).toBe(true);
    expect(await given()).toEqual([77]);
    expect(await quotasOf([await come(code)])).toEqual([0]);
  });

  it.each([
    ['zh', '今日加油包已发完，请明天再来'],
    ['en', 'All that is given away today has been claimed: come back tomorrow'],
  ] as const)('says in %s that there is no fuel pack left, and keeps it due', async (locale, message) => {
    await set({ newUser: 0, inviter: 0, invitee: 0, most: 79 });
    const clients = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => api.as(await api.createUser(), { ip: address(), locale })),
    );
    const answers = await Promise.all(clients.map(claim));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    for (const answer of answers.filter(({ success }) => !success)) {
      expect(answer).toMatchObject({ status: 200, code: 'FUEL_PACK_SPENT', message });
    }
    const refused = clients[answers.findIndex(({ success }) => !success)];
    if (!refused) throw new Error('nobody was refused');
    expect((await refused.get('/api/user/fuel_pack/status')).data.available).toBe(true);
    await api.deps.db.query(`update gift_days set day = day - ${DAY_SEC}`);
    expect((await claim(refused)).success).toBe(true);
    expect(await quotasOf([refused])).toEqual([40]);
  });

  it('is told to root once when it is reached, and again another day', async () => {
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 100 });
    await come();
    expect(told).toEqual([]);
    await Promise.all([come(), come(), come()]);
    expect((await toldOf()).map(({ type }) => type)).toEqual(['gifts_spent']);
    const una = await api.as(await api.createUser(), { ip: address() });
    expect((await claim(una)).code).toBe('FUEL_PACK_SPENT');
    await come();
    const [row] = await api.deps.db.query('select quota, told from gift_days');
    expect(row).toEqual({ quota: 100, told: true });
    // Or he would take the next day for his own.
    await nobodyAsks();
    expect(told).toHaveLength(1);
    await api.deps.db.query(`update gift_days set day = day - ${DAY_SEC}`);
    told.length = 0;
    await come();
    expect(told).toEqual([]);
    await come();
    expect(await toldOf()).toMatchObject([{ type: 'gifts_spent' }]);
    await come();
    expect(told).toHaveLength(1);
    const days = await api.deps.db.query('select told from gift_days');
    expect(days).toEqual([{ told: true }, { told: true }]);
  });

  it('is told where not even one gift fits', async () => {
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 99 });
    expect(await quotasOf([await come()])).toEqual([0]);
    expect(await toldOf()).toMatchObject([{ type: 'gifts_spent', title: { en: expect.any(String) } }]);
  });

  it('does not count what administrators give', async () => {
    await set({ newUser: 100, inviter: 0, invitee: 0, most: 100 });
    const root = await api.root();
    const body = { username: `made${++people}`, password: PASSWORD };
    const made = await root.post('/api/user/', body);
    expect((await root.get(`/api/user/${made.data.id}`)).data.quota).toBe(100);
    const { data } = await root.post('/api/activity/', { name: 'a', desc: 'd', quota: 500, status: true });
    const reward = { activity_id: data.id, user_ids: [made.data.id] };
    expect((await root.post('/api/activity/reward', reward)).success).toBe(true);
    expect(await given()).toEqual([]);
    expect(await quotasOf([await come()])).toEqual([100]);
  });

  it('forgets days that are over, and marks that nothing depends on any more', async () => {
    const year = 365 * DAY_SEC;
    const plant = (proof: string, age: number) =>
      api.deps.db.query(
        `insert into gift_marks values ($1, 1, extract(epoch from now())::bigint - ${age}::bigint)`,
        [proof],
      );
    await plant('young', year);
    await plant('old', 2 * year + DAY_SEC);
    await plant('older', 4 * year);
    await api.deps.db.script('insert into gift_days values (0, 5, true)');
    await come();
    const left = async () =>
      (await api.deps.db.query(`select proof from gift_marks where proof in ('young', 'old', 'older')`))
        .map(({ proof }) => proof)
        .toSorted();
    // Fuel packs that are due again after three years are not due before.
    await api.deps.options.set({ FuelPackLimit: String(3 * 365) });
    await forgetGifts(api.deps.db, api.deps.options);
    expect(await left()).toEqual(['old', 'young']);
    await api.deps.options.set({ FuelPackLimit: '7' });
    await forgetGifts(api.deps.db, api.deps.options);
    expect(await left()).toEqual(['young']);
    expect(await api.deps.db.query('select day from gift_days where day = 0')).toEqual([]);
    expect(await given()).toEqual([100]);
  });

  it('leaves every unit accounted for', async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
});
