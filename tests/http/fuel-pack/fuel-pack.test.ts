/** A fuel pack is claimed once in its interval, however many claims come at once. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { DAY_SEC, nowSec } from '../../../src/core/time.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('the fuel pack, on %s', (engine) => {
  const QUOTA = 250_000;
  const DAYS = 7;
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(() =>
    api.deps.options.set({
      FuelPackEnabled: 'true',
      FuelPackQuota: String(QUOTA),
      FuelPackLimit: String(DAYS),
      'fuel_pack.verified_only': 'false',
      'fuel_pack.accounts_per_network': '3',
    }),
  );

  let addresses = 0;
  const address = () => {
    addresses++;
    return `${1 + (addresses % 100)}.${addresses >> 8}.${addresses & 255}.1`;
  };
  /** Everyone comes from a network of his own, unless it is given. */
  const someone = async (quota = 0, ip = address()): Promise<Client> =>
    api.as(await api.createUser({ quota }), { ip });
  const claim = (client: Client) => client.get('/api/user/fuel_pack');
  const status = async (client: Client) => (await client.get('/api/user/fuel_pack/status')).data;
  const self = async (client: Client) => (await client.get('/api/user/self')).data;
  const movedOf = (client: Client) =>
    api.deps.db.query<{ delta: number; ref: string }>(
      `select delta, ref from ledger where kind = 7 and user_id = ${client.userId}`,
    );
  /** Sets the last claim so many seconds before now, by the database's clock. */
  const claimedBefore = (client: Client, seconds: number) =>
    api.deps.db.query(
      `update fuel_packs set claimed_at = extract(epoch from now())::bigint - ${seconds} where user_id = ${client.userId}`,
    );

  it('adds its quota, and tells the account, the ledger, the log and the status', async () => {
    const una = await someone(100);
    expect(await status(una)).toEqual({
      available: true,
      next_at: 0,
      quota: QUOTA,
      interval_days: DAYS,
    });
    expect((await api.guest().get('/api/status')).data.fuel_pack_quota).toBe(QUOTA);
    const answer = await claim(una);
    expect([answer.success, answer.data]).toEqual([true, QUOTA]);
    expect(await self(una)).toMatchObject({ quota: QUOTA + 100, history_fuel_pack_quota: QUOTA });
    const [row] = await api.deps.db.query<{ ref: string }>(
      `select ref from fuel_packs where user_id = ${una.userId}`,
    );
    expect(await movedOf(una)).toEqual([{ delta: QUOTA, ref: row?.ref ?? '' }]);
    const { items } = (await una.get('/api/log/self/?type=5')).data;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ type: 5, quota: QUOTA, content: '领取加油包 250,000 单位' });
    const { available, next_at, quota } = await status(una);
    expect([available, quota]).toEqual([false, QUOTA]);
    expect(Math.abs(next_at - nowSec() - DAYS * DAY_SEC)).toBeLessThan(60);
  });

  it('says of a second claim when the next is due, and adds nothing', async () => {
    const una = await someone();
    await claim(una);
    const { next_at } = await status(una);
    const again = await claim(una);
    expect(again).toMatchObject({
      status: 200,
      success: false,
      code: 'FUEL_PACK_CLAIMED',
      data: { next_at },
    });
    expect((await self(una)).quota).toBe(QUOTA);
  });

  it('is given once to a hundred claims at once, first and again', async () => {
    const una = await someone();
    const race = async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => claim(una)));
      const refused = answers.filter(({ success }) => !success);
      expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['FUEL_PACK_CLAIMED']));
      return answers.length - refused.length;
    };
    expect(await race()).toBe(1);
    expect((await self(una)).quota).toBe(QUOTA);
    await claimedBefore(una, DAYS * DAY_SEC);
    expect(await race()).toBe(1);
    expect(await self(una)).toMatchObject({ quota: 2 * QUOTA, history_fuel_pack_quota: 2 * QUOTA });
    expect(await movedOf(una)).toHaveLength(2);
  });

  it('is due again when the days have passed, not a moment before, by the days that are set now', async () => {
    const una = await someone();
    await claim(una);
    await claimedBefore(una, DAYS * DAY_SEC - 60);
    expect((await claim(una)).code).toBe('FUEL_PACK_CLAIMED');
    await api.deps.options.set({ FuelPackLimit: String(DAYS + 1) });
    await claimedBefore(una, DAYS * DAY_SEC);
    expect((await status(una)).available).toBe(false);
    expect((await claim(una)).code).toBe('FUEL_PACK_CLAIMED');
    await api.deps.options.set({ FuelPackLimit: String(DAYS) });
    expect(await status(una)).toMatchObject({ available: true, next_at: 0 });
    expect((await claim(una)).success).toBe(true);
  });

  it.each([{ FuelPackEnabled: 'false' }, { FuelPackQuota: '0' }])('gives nothing with %j', async (off) => {
    await api.deps.options.set(off);
    const una = await someone();
    expect((await claim(una)).code).toBe('FUEL_PACK_OFF');
    expect(await status(una)).toEqual({
      available: false,
      next_at: 0,
      quota: 0,
      interval_days: DAYS,
    });
    expect((await api.guest().get('/api/status')).data.fuel_pack_quota).toBe(0);
    expect((await self(una)).quota).toBe(0);
  });

  it('wants an email address or a phone where the option says so', async () => {
    await api.deps.options.set({ 'fuel_pack.verified_only': 'true' });
    const [una, eve] = [await someone(), await someone()];
    expect((await claim(una)).code).toBe('FUEL_PACK_UNVERIFIED');
    await api.deps.db.query(`update users set email = 'u${una.userId}@example.com' where id = ${una.userId}`);
    await api.deps.db.query(`update users set phone = '138${eve.userId}' where id = ${eve.userId}`);
    expect((await claim(una)).success).toBe(true);
    expect((await claim(eve)).success).toBe(true);
  });

  it('is given to so many accounts of one network, also at once', async () => {
    const ip = address();
    const racers = await Promise.all(Array.from({ length: 10 }, () => someone(0, ip)));
    const answers = await Promise.all(racers.map(claim));
    expect(answers.filter(({ success }) => success)).toHaveLength(3);
    const refused = answers.filter(({ success }) => !success);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['FUEL_PACK_NETWORK']));
    // Another network has its own; so has this one when the days have passed, or where nothing is limited.
    expect((await claim(await someone())).success).toBe(true);
    await api.deps.options.set({ 'fuel_pack.accounts_per_network': '0' });
    expect((await claim(await someone(0, ip))).success).toBe(true);
    await api.deps.options.set({ 'fuel_pack.accounts_per_network': '3' });
    for (const racer of racers) await claimedBefore(racer, DAYS * DAY_SEC);
    expect((await claim(await someone(0, ip))).success).toBe(true);
  });

  it('takes a subscriber of IPv6 for one network, whatever address he has of it', async () => {
    await api.deps.options.set({ 'fuel_pack.accounts_per_network': '1' });
    expect((await claim(await someone(0, '2001:db8:77:1::1'))).success).toBe(true);
    expect((await claim(await someone(0, '2001:db8:77:2::1'))).code).toBe('FUEL_PACK_NETWORK');
    expect((await claim(await someone(0, '2001:db8:78:1::1'))).success).toBe(true);
  });

  it('is given to no more than 64 times as many accounts of a provider’s network, whatever /48 they come from', async () => {
    await api.deps.options.set({ 'fuel_pack.accounts_per_network': '1' });
    const of = (n: number) => someone(0, `2001:dba:${n.toString(16)}::1`);
    const clients = await Promise.all(Array.from({ length: 70 }, (_, n) => of(n)));
    const answers = await Promise.all(clients.map(claim));
    expect(answers.filter(({ success }) => success)).toHaveLength(64);
    const refused = answers.filter(({ success }) => !success);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['FUEL_PACK_NETWORK']));
    expect((await claim(await someone(0, '2001:dbb::1'))).success).toBe(true);
    expect((await claim(await someone())).success).toBe(true);
    for (const client of clients) await claimedBefore(client, DAYS * DAY_SEC);
    expect((await claim(await of(99))).success).toBe(true);
  });

  it('is for verified users only, unless the operator says otherwise', async () => {
    await api.deps.options.reset(['fuel_pack.verified_only']);
    expect((await claim(await someone())).code).toBe('FUEL_PACK_UNVERIFIED');
  });

  it('stays due where the account cannot hold more', async () => {
    const una = await someone(Number.MAX_SAFE_INTEGER);
    expect((await claim(una)).code).toBe('QUOTA_RANGE');
    expect((await status(una)).available).toBe(true);
  });

  it('leaves no address behind of an account that is erased', async () => {
    const una = await someone(0, '2001:dbc::1');
    await claim(una);
    const root = await api.root();
    expect((await root.del(`/api/user/${una.userId}`)).success).toBe(true);
    expect(
      await api.deps.db.query(
        `select network, provider_network from fuel_packs where user_id = ${una.userId}`,
      ),
    ).toEqual([{ network: '', provider_network: '' }]);
  });

  it('leaves every unit accounted for', async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });
});
