/** Calls that fail leave so many rows an hour in their user's log, and then one that counts the others. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MODEL = 'always-failing';
let relay: TestRelay;
let upstream: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
  relay = await openTestRelay();
  upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ error: { message: 'no such thing', code: 'bad' } }, { status: 400 }),
  });
  await relay.set({ ModelPrice: { [MODEL]: 0.01 }, RetryTimes: 0 });
  await relay.addChannel({ models: MODEL, base_url: `http://127.0.0.1:${upstream.port}` });
});
afterAll(async () => {
  await relay.close();
  await upstream.stop(true);
});

interface Row {
  content: string;
  other: { error: string; status: number; text: { zh: string; en: string } };
}
const rowsOf = (userId: number): Promise<Row[]> =>
  relay.api.deps.db.query<Row & Record<string, unknown>>(
    'select content, other from logs where user_id = $1 and type = 4 order by id',
    [userId],
  );
const fail = async (key: string): Promise<number> => {
  const answer = await fetch(`${relay.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.body?.cancel();
  return answer.status;
};
/** As if so many of the hour had failed. */
const failed = (userId: number, count: number) =>
  relay.api.deps.limiter.add({ key: `failed-rows:${userId}`, windowSec: 3_600 }, count);
const unlisted = (): number =>
  relay.api.deps.metrics
    .snapshot()
    .tollgate_failed_calls_unlisted_total?.samples.reduce((sum, [, n]) => sum + n, 0) ?? 0;

describe('failed calls', () => {
  it('beyond the rows of an hour stand in one that says how many they are, and hold nothing', async () => {
    const user = await relay.api.createUser({ quota: 1_000_000 });
    const key = await relay.addToken({}, user);
    const rowsBefore = await rowsOf(user.id);
    await failed(user.id, limits.failedRowsAnHour - 2);
    const before = unlisted();
    for (let n = 0; n < 3; n++) expect(await fail(key)).toBe(400);
    const [one, two, sum, ...more] = (await rowsOf(user.id)).slice(rowsBefore.length);
    expect(more).toEqual([]);
    for (const own of [one, two]) expect(own?.content).toContain('no such thing');
    expect(sum?.content).toEndWith(': 1, with this one');
    const answers = await Promise.all(Array.from({ length: 20 }, () => fail(key)));
    expect(answers).toEqual(Array(20).fill(400));
    expect(unlisted() - before).toBe(21);
    const told = async () => (await rowsOf(user.id)).at(-1);
    for (let n = 0; n < 200 && !(await told())?.content.includes('21'); n++) await Bun.sleep(100);
    const last = await told();
    expect(last?.content).toEndWith(': 21, with this one');
    expect(last?.other.text.zh).toContain('共 21 次');
    expect(last?.other).toMatchObject({ status: 400 });
    expect((await rowsOf(user.id)).length - rowsBefore.length).toBe(3);
    const [balance] = await relay.api.deps.db.query('select quota, reserved from users where id = $1', [
      user.id,
    ]);
    expect(balance).toEqual({ quota: 1_000_000, reserved: 0 });
    expect(await relay.reservations()).toEqual([]);
  }, 60_000);

  it('of one user bound nobody else’s, and those of the next hour have rows of their own', async () => {
    const [one, other] = [
      await relay.api.createUser({ quota: 1e6 }),
      await relay.api.createUser({ quota: 1e6 }),
    ];
    const keys = [await relay.addToken({}, one), await relay.addToken({}, other)] as const;
    await failed(one.id, limits.failedRowsAnHour);
    for (const key of keys) for (let n = 0; n < 3; n++) await fail(key);
    expect([(await rowsOf(one.id)).length, (await rowsOf(other.id)).length]).toEqual([1, 3]);
    await relay.api.deps.limiter.clear(`failed-rows:${one.id}`);
    await fail(keys[0]);
    expect((await rowsOf(one.id)).length).toBe(2);
    expect((await rowsOf(other.id)).length).toBe(3);
  });
});
