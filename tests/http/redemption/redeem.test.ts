/** A code becomes quota once, whoever asks and however often. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('redeeming, on %s', (engine) => {
  let api: TestApi;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  afterAll(() => api.close());

  const QUOTA = 1_234_567;
  const newCode = async (quota = QUOTA): Promise<string> => {
    const made = await admin.post('/api/redemption/', { name: 'gift', quota });
    return made.data[0];
  };
  const rowOf = async (code: string) => (await admin.post('/api/redemption/find', { key: code })).data;
  let addresses = 0;
  /** Everyone comes from a network of his own, so that no limit answers. */
  const address = () => {
    addresses++;
    return `${1 + (addresses % 100)}.${addresses >> 8}.${addresses & 255}.1`;
  };
  const someone = async (quota = 0, ip = address()): Promise<Client> =>
    api.as(await api.createUser({ quota }), { ip });
  const redeem = (client: Client, key: unknown) => client.post('/api/user/topup', { key });
  const quotaOf = async (client: Client): Promise<number> => (await client.get('/api/user/self')).data.quota;

  it('adds the quota, and tells the account, the ledger, the log and the list', async () => {
    const code = await newCode();
    const una = await someone(100);
    const answer = await redeem(una, ` ${code.toUpperCase()}\n`);
    expect([answer.success, answer.data]).toEqual([true, QUOTA]);
    expect(await quotaOf(una)).toBe(QUOTA + 100);
    const row = await rowOf(code);
    expect(row).toMatchObject({ status: 3, used_user_id: una.userId ?? 0 });
    expect(row.used_username).toMatch(/^user\d/);
    expect(row.redeemed_time).toBeGreaterThan(0);
    const moved = await api.deps.db.query(
      `select kind, delta, note from ledger where user_id = ${una.userId} and kind = 3`,
    );
    expect(moved).toEqual([{ kind: 3, delta: QUOTA, note: `redemption:${row.id}` }]);
    const { items } = (await una.get('/api/log/self/?type=1')).data;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ type: 1, quota: QUOTA, content: '通过兑换码充值 1,234,567 单位' });
    expect(JSON.stringify(items)).not.toContain(code);
  });

  it('is used once among a hundred who race for it', async () => {
    const code = await newCode();
    const racers = await Promise.all(Array.from({ length: 100 }, () => someone()));
    const answers = await Promise.all(racers.map((racer) => redeem(racer, code)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const refused = answers.filter(({ success }) => !success);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['REDEMPTION_INVALID']));
    const [sum] = await api.deps.db.query<{ quota: number; moved: number }>(
      `select sum(quota)::bigint as quota,
        (select sum(delta)::bigint from ledger where kind = 3 and user_id = any('{${racers.map((racer) => racer.userId)}}')) as moved
       from users where id = any('{${racers.map((racer) => racer.userId)}}')`,
    );
    expect(sum).toEqual({ quota: QUOTA, moved: QUOTA });
  });

  it('says the same of unknown, used, disabled, expired and removed codes', async () => {
    const [used, disabled, expired, removed] = await Promise.all([
      newCode(),
      newCode(),
      newCode(),
      newCode(),
    ]);
    await redeem(await someone(), used);
    await admin.put('/api/redemption/?status_only=true', { id: (await rowOf(disabled)).id, status: 2 });
    await api.deps.db.query(
      `update redemptions set expired_time = 1 where id = ${(await rowOf(expired)).id}`,
    );
    await admin.call('DELETE', `/api/redemption/${(await rowOf(removed)).id}/`);
    const una = await someone();
    for (const code of ['nothing', used, disabled, expired, removed]) {
      const answer = await redeem(una, code);
      expect([answer.status, answer.success, answer.code, answer.message]).toEqual([
        200,
        false,
        'REDEMPTION_INVALID',
        '无效的兑换码',
      ]);
    }
    expect(await quotaOf(una)).toBe(0);
  });

  it.each(['', '  ', null, undefined])('asks for a code where there is none: %j', async (key) => {
    expect((await redeem(await someone(), key)).message).toBe('请输入兑换码！');
  });

  it('redeems codes of any form', async () => {
    const code = await newCode();
    const text = 'SPRING-中文-2026/x+y=';
    const { lookup } = api.deps.secrets;
    await api.deps.db.query(
      `update redemptions set code_lookup = '${lookup(`redemption:${text}`)}' where id = ${(await rowOf(code)).id}`,
    );
    expect((await redeem(await someone(), text)).data).toBe(QUOTA);
  });

  it('limits wrong tries by the account and by the network, and right ones not at all', async () => {
    const limit = api.deps.options.get('CriticalRateLimitCount');
    const ip = address();
    const una = await someone(0, ip);
    for (let right = 0; right < limit + 2; right++) {
      expect((await redeem(una, await newCode(1))).success).toBe(true);
    }
    const codes = [];
    for (let wrong = 0; wrong < limit + 1; wrong++) codes.push((await redeem(una, `wrong-${wrong}`)).code);
    expect(codes).toEqual([...Array<string>(limit).fill('REDEMPTION_INVALID'), 'RATE_LIMIT']);
    // Others of the same network may be wrong as well, and with so many of them no more.
    const key = `critical:redemption:network:${ip}`;
    expect(await api.deps.limiter.counted(key)).toBe(limit);
    expect((await redeem(await someone(0, ip), 'wrong')).code).toBe('REDEMPTION_INVALID');
    await api.deps.limiter.add({ key, windowSec: 1_200 }, (limits.attemptsOfNetwork - 1) * limit - 1);
    expect((await redeem(await someone(0, ip), 'wrong')).code).toBe('RATE_LIMIT');
    expect((await redeem(await someone(), 'wrong')).code).toBe('REDEMPTION_INVALID');
  });

  it('leaves the code unused where the account cannot hold more', async () => {
    const code = await newCode(Number.MAX_SAFE_INTEGER);
    const una = await someone(1);
    expect((await redeem(una, code)).code).toBe('QUOTA_RANGE');
    expect((await rowOf(code)).status).toBe(1);
    expect(await quotaOf(una)).toBe(1);
  });
});
