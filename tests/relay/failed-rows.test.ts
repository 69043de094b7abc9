/** Calls that are refused or fail: each is counted, and so many a minute stand in their user's log. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { LOG_TYPE } from '../../src/core/log-types.ts';
import type { TestUser } from '../support/api.ts';
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
  type: number;
  token_id: number;
  model_name: string;
  channel_id: number;
  quota: number;
  request_id: string;
  other: { error: string; status: number; text: { zh: string; en: string } };
}
const rowsOf = async (userId: number): Promise<Row[]> => {
  await relay.api.deps.relay.failures.idle();
  return relay.api.deps.db.query<Row & Record<string, unknown>>(
    `select type, token_id, model_name, channel_id, quota, request_id::text, other from logs
       where user_id = $1 and type = ${LOG_TYPE.refused} order by id`,
    [userId],
  );
};
/** How many failed calls the hourly figures know of, by model and code. */
const countsOf = async (userId: number) => [
  ...(await relay.api.deps.db.query(
    `select model_name, code, sum(calls)::int as calls from failures_hourly where user_id = $1
       group by 1, 2 order by 1, 2`,
    [userId],
  )),
];
const call = async (key: string, model = MODEL) => {
  const answer = await fetch(`${relay.base}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.body?.cancel();
  return answer;
};
const fail = async (key: string): Promise<number> => (await call(key)).status;
const unlisted = (): number =>
  relay.api.deps.metrics
    .snapshot()
    .tollgate_failed_calls_unlisted_total?.samples.reduce((sum, [, n]) => sum + n, 0) ?? 0;
const somebody = async (): Promise<{ user: TestUser; key: string }> => {
  const user = await relay.api.createUser({ quota: 1_000_000 });
  return { user, key: await relay.addToken({}, user) };
};

describe('failed calls', () => {
  it('have a row that costs nothing and says why, once each, whatever kept them out', async () => {
    const { user, key } = await somebody();
    const disabled = await relay.addToken({}, user);
    const { db } = relay.api.deps;
    await db.query(`update tokens set status = 2 where user_id = $1 and id = (select max(id) from tokens)`, [
      user.id,
    ]);
    const answers = [await call(key), await call(key, 'nobody-has-it'), await call(disabled)];
    const broken = await fetch(`${relay.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{',
    });
    expect([...answers, broken].map(({ status }) => status)).toEqual([400, 404, 401, 400]);
    const rows = await rowsOf(user.id);
    expect(rows.map(({ model_name, other }) => [model_name, other.error, other.status])).toEqual([
      [MODEL, 'bad', 400],
      ['nobody-has-it', 'model_not_found', 404],
      ['', 'token_disabled', 401],
      ['', 'invalid_request', 400],
    ]);
    expect(rows.map(({ request_id }) => request_id)).toEqual(
      [...answers, broken].map(({ headers }) => headers.get('x-request-id') ?? ''),
    );
    expect(
      rows.every(({ quota, token_id, other }) => quota === 0 && token_id > 0 && other.text.zh),
    ).toBeTruthy();
    // Names that nobody has would fill the figures.
    expect((await countsOf(user.id)).map((row) => Object.values(row))).toEqual([
      ['', 'invalid_request', 1],
      ['', 'model_not_found', 1],
      ['', 'token_disabled', 1],
      [MODEL, 'upstream_rejected', 1],
    ]);
    expect(await relay.reservations()).toEqual([]);
  });

  it('of a key that nobody has leave nothing', async () => {
    const count = async () =>
      (
        await relay.api.deps.db.query(`select count(*)::int as n from logs where type = ${LOG_TYPE.refused}`)
      )[0];
    await relay.api.deps.relay.failures.idle();
    const before = await count();
    expect((await call('sk-nobody')).status).toBe(401);
    await relay.api.deps.relay.failures.idle();
    expect(await count()).toEqual(before);
  });

  it('tell no more than a row has room for, and nothing that the database refuses', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const { failures } = relay.api.deps.relay;
    failures.add({
      requestId: Bun.randomUUIDv7(),
      userId: one.user.id,
      username: one.user.username,
      tokenId: 0,
      tokenName: 'half \ud83d',
      group: 'default',
      model: MODEL,
      isKnownModel: true,
      channelId: 0,
      code: 'upstream_rejected',
      text: { zh: `\ud800${'长'.repeat(100_000)}`, en: 'with a \0 in it' },
      isStream: false,
      useTimeSec: 0,
      ip: '',
      other: { error: 'bad', 'name\0': 'half \udc00' },
    });
    await fail(other.key);
    const [row] = await rowsOf(one.user.id);
    expect(row?.other.text.zh).toHaveLength(1_000);
    expect(row?.other.text.en).toBe('with a  in it');
    expect(await rowsOf(other.user.id)).toHaveLength(1);
    expect(await countsOf(one.user.id)).toMatchObject([{ calls: 1 }]);
  });

  it('of a tool’s model are refused as those of the call’s own are', async () => {
    const { key } = await somebody();
    const ask = (model: string, tool: string) =>
      fetch(`${relay.base}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({
          model,
          messages: [{ role: 'user', content: 'hi' }],
          tools: [{ type: 'x', model: tool }],
        }),
      });
    expect((await ask(MODEL, 'm'.repeat(10_000))).status).toBe(400);
    expect((await ask('half \ud800', 'm')).status).toBe(400);
  });

  it('are listed up to a bound a minute of each user, counted in full, and hold nothing', async () => {
    const [one, other] = [await somebody(), await somebody()];
    await relay.set({ 'log.error_rows_per_minute': 3 });
    const before = unlisted();
    const answers = await Promise.all(Array.from({ length: 20 }, () => fail(one.key)));
    expect(answers).toEqual(Array(20).fill(400));
    await fail(other.key);
    expect([(await rowsOf(one.user.id)).length, (await rowsOf(other.user.id)).length]).toEqual([3, 1]);
    expect(unlisted() - before).toBe(17);
    expect(await countsOf(one.user.id)).toMatchObject([
      { model_name: MODEL, code: 'upstream_rejected', calls: 20 },
    ]);
    const stat = (await (await relay.api.as(one.user)).get('/api/log/self/stat')).data;
    // Within this hour; the figures of whole hours know all twenty.
    expect(stat).toMatchObject({ quota: 0, calls: 0 });
    await relay.api.deps.limiter.clear(`failed-rows:${one.user.id}`);
    await fail(one.key);
    expect((await rowsOf(one.user.id)).length).toBe(4);
    await relay.set({ 'log.error_rows_per_minute': 0 });
    await fail(other.key);
    expect((await rowsOf(other.user.id)).length).toBe(1);
    expect(await countsOf(other.user.id)).toMatchObject([{ calls: 2 }]);
    await relay.set({ 'log.error_rows_per_minute': 60 });
    const [balance] = await relay.api.deps.db.query('select quota, reserved from users where id = $1', [
      one.user.id,
    ]);
    expect(balance).toEqual({ quota: 1_000_000, reserved: 0 });
    expect(await relay.reservations()).toEqual([]);
  });
});
