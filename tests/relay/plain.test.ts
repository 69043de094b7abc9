import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { BALANCE, CALL_COST, openTestRelay, type TestRelay } from '../support/relay.ts';
import type { Behaviour } from '../support/upstream.ts';

let relay: TestRelay;
let calls = 0;

beforeAll(async () => {
  relay = await openTestRelay();
  await relay.set({ RetryTimes: 0, ModelRatio: { 'gpt-4o': 1, impatient: 1, priced: 1 } });
  await relay.addChannel({ models: 'impatient', setting: '{"total_timeout":0.3}' });
});
afterAll(() => relay.close());

/** One call with this behaviour, and what it did to the account. */
async function call(behaviour: Behaviour, body = {}) {
  const before = await relay.account();
  relay.upstream.next.push(behaviour);
  const answer = await relay.chat(body);
  const text = await answer.text();
  const row = (await relay.settled(++calls)).at(-1);
  if (!row) throw new Error('no row');
  const after = await relay.account();
  expect(after.reserved).toBe(0);
  expect(before.quota - after.quota).toBe(row.quota);
  expect(row.request_id).toBe(answer.headers.get('x-request-id') ?? '');
  const json = text.startsWith('{') ? JSON.parse(text) : null;
  return { status: answer.status, headers: answer.headers, text, json, row };
}

describe('a plain call', () => {
  it("passes the answer on as it came and charges the upstream's own figures", async () => {
    const { status, json, row, headers } = await call('ok');
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: 'chatcmpl-mock', usage: { prompt_tokens: 17, completion_tokens: 20 } });
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('x-gateway-cost')).toBeNull();
    expect(row).toMatchObject({
      type: 2,
      quota: CALL_COST,
      prompt_tokens: 17,
      completion_tokens: 20,
      model_name: 'gpt-4o',
      is_stream: false,
      channel_id: relay.channelId,
      other: {
        model_ratio: 1,
        completion_ratio: 1,
        group_ratio: 1,
        user_group_ratio: -1,
        model_price: -1,
        cache_tokens: 0,
        usage_source: 'upstream',
        admin_info: { use_channel: [String(relay.channelId)] },
      },
    });
  });

  it('tells its cost when asked', async () => {
    relay.upstream.next.push('ok');
    const answer = await relay.chat({}, { headers: { ...auth(), 'x-include-cost': '1' } });
    expect(answer.headers.get('x-gateway-cost')).toBe(String(CALL_COST));
    await relay.settled(++calls);
  });

  it.each([
    ['gzip', 'w19'],
    ['utf8', '汉字'],
  ] as const)('reads an answer that comes %s', async (behaviour, content) => {
    const { status, json, row } = await call(behaviour);
    expect(status).toBe(200);
    expect(json.choices[0].message.content).toContain(content);
    expect(row.quota).toBe(CALL_COST);
  });

  it('counts for itself what the upstream does not say', async () => {
    const { status, row } = await call('no-usage');
    expect(status).toBe(200);
    expect(row.other.usage_source).toBe('estimated');
    // "hi" is one token, its role another, 3 frame the message and 3 the reply; "w0" to "w19" are two or three each.
    expect(row.prompt_tokens).toBe(8);
    expect(row.completion_tokens).toBeGreaterThanOrEqual(40);
    expect(row.completion_tokens).toBeLessThanOrEqual(60);
    expect(row.quota).toBe(row.prompt_tokens + row.completion_tokens);
  });

  it('counts for itself what says something and is told as nothing', async () => {
    const { status, row } = await call('usage-zero');
    expect(status).toBe(200);
    expect(row).toMatchObject({ type: 2, prompt_tokens: 8, other: { usage_source: 'estimated' } });
    expect(row.completion_tokens).toBeWithin(40, 61);
  });

  it.each([
    ['500', 502, 'upstream_error'],
    ['503', 502, 'upstream_error'],
    ['504', 504, 'upstream_timeout'],
    ['400', 400, 'mock'],
    ['413', 413, 'mock'],
    ['422', 422, 'mock'],
    ['401', 502, 'upstream_auth'],
    ['402', 502, 'upstream_auth'],
    ['403', 502, 'upstream_auth'],
    ['404', 502, 'upstream_error'],
    ['429', 429, 'upstream_busy'],
    ['302', 502, 'upstream_error'],
    ['reset', 502, 'upstream_error'],
    ['reset-headers', 502, 'upstream_error'],
    ['cut', 502, 'upstream_error'],
    ['bad-json', 502, 'upstream_error'],
    ['html', 502, 'upstream_error'],
    ['empty', 502, 'upstream_error'],
  ] as const)(
    'of which the upstream makes %s answers %i %s and costs nothing',
    async (behaviour, status, code) => {
      if (behaviour === 'reset') relay.upstream.next.push('reset');
      const answer = await call(behaviour);
      expect(answer.status).toBe(status);
      expect(answer.json.error.code).toBe(code);
      expect(answer.json.error.message).toContain(`(request id: ${answer.row.request_id})`);
      expect(answer.row).toMatchObject({ type: 6, quota: 0, other: { error: code, status } });
      expect(answer.row.other.admin_info.attempts).toHaveLength(1);
      expect(answer.text).not.toContain(relay.upstream.base);
      expect(answer.text).not.toContain('sk-upstream');
      if (status === 429) expect(answer.headers.get('retry-after')).toBe('7');
    },
  );

  it('whose answer is too large to be read answers 502 and costs what was held, without a second try', async () => {
    const answer = await call('flood');
    expect([answer.status, answer.json.error.code]).toEqual([502, 'upstream_error']);
    expect(answer.json.error.message).toContain(`(request id: ${answer.row.request_id})`);
    expect(answer.row).toMatchObject({ type: 2, other: { error: 'upstream_error', usage_source: 'held' } });
    expect(answer.row.quota).toBeGreaterThan(0);
    expect(answer.row.other.admin_info.use_channel).toHaveLength(1);
    expect(answer.text).not.toContain(relay.upstream.base);
    expect(answer.text).not.toContain('sk-upstream');
  });

  it('for which there is no file left is refused with 503 until another has ended', async () => {
    const deps = relay.api.deps.relay;
    const gate = deps.calls;
    deps.calls = new CallGate(1);
    relay.upstream.next.push('held');
    const first = relay.chat();
    await relay.upstream.until(({ heldNow }) => heldNow === 1);
    const second = await relay.chat();
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await second.json()).error.code).toBe('OVERLOADED');
    relay.upstream.release();
    expect((await first).status).toBe(200);
    expect(deps.calls.open).toBe(0);
    deps.calls = gate;
    await relay.settled(++calls);
  });

  it('asks once more on the same channel when a connection of earlier calls is reset before the answer', async () => {
    await call('ok');
    const before = relay.upstream.chats.length;
    const { status, row } = await call('reset');
    expect([status, row.quota]).toEqual([200, CALL_COST]);
    expect(relay.upstream.chats.length - before).toBe(2);
  });

  it('of which the upstream never answers ends at its deadline with 504 and costs nothing', async () => {
    const startedAt = performance.now();
    const { status, json, row } = await call('hang', { model: 'impatient' });
    expect([status, json.error.code, row.quota]).toEqual([504, 'upstream_timeout', 0]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await relay.upstream.until((upstream) => upstream.chats.at(-1)?.leftEarly === true);
  });

  it('of which half an answer comes, and then nothing, ends at its deadline', async () => {
    const { status, row } = await call('hang-mid', { model: 'impatient' });
    expect([status, row.quota]).toEqual([504, 0]);
  });

  it('is charged also when the caller does not wait for the answer', async () => {
    const before = await relay.account();
    relay.upstream.next.push('held');
    const caller = new AbortController();
    const asking = relay.chat({}, { signal: caller.signal }).catch(() => 'gone');
    await relay.upstream.until((upstream) => upstream.heldNow === 1);
    caller.abort();
    expect(await asking).toBe('gone');
    relay.upstream.release();
    const row = (await relay.settled(++calls)).at(-1);
    expect(row).toMatchObject({ type: 2, quota: CALL_COST });
    expect(before.quota - (await relay.account()).quota).toBe(CALL_COST);
  });

  it('of a price a call costs that, and nothing when it fails', async () => {
    await relay.set({ ModelPrice: { priced: 0.01 } });
    await relay.addChannel({ models: 'priced' });
    const { row } = await call('ok', { model: 'priced' });
    expect(row).toMatchObject({ quota: 5000, other: { model_price: 0.01 } });
    expect((await call('500', { model: 'priced' })).row.quota).toBe(0);
  });
});

describe('the account after all calls', () => {
  it('adds up with the ledger and the log', async () => {
    const account = await relay.account();
    const rows = await relay.logs();
    const spent = rows.reduce((sum, row) => sum + row.quota, 0);
    expect(account.quota).toBe(BALANCE - spent);
    expect(account.used_quota).toBe(spent);
    const [ledger] = await relay.api.deps.db.query<{ sum: number }>(
      'select sum(delta)::bigint as sum from ledger where user_id = $1',
      [relay.user.id],
    );
    expect(ledger?.sum).toBe(account.quota);
  });
});

const auth = () => ({ authorization: `Bearer ${relay.key}`, 'content-type': 'application/json' });
