/**
 * Channels whose upstream takes bytes alone have pictures fetched by address. Who names one at a host that takes the
 * connection and says nothing pays nothing, and held a place among calls for twenty seconds.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

const PLACES = 2;
const BALANCE = 1_000_000;
/** More than are fetched of one at once. */
const PICTURES = limits.inlineMediaOfOneAtOnce + 1;
const { inlineMediaSlowMs } = limits;

let t: TestRelay;
/** Connections on which nothing is answered. */
let silent = 0;
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  idleTimeout: 0,
  fetch({ signal }) {
    silent++;
    signal.addEventListener('abort', () => silent--);
    return new Promise(() => undefined);
  },
});
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  fetch: () =>
    Response.json({
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    }),
});

beforeAll(async () => {
  t = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  const base_url = upstream.url.origin;
  await t.addChannel({ type: 4, base_url, models: 'seeing' });
  await t.addChannel({ type: 1, base_url, models: 'other' });
  await t.set({ EgressPorts: String(host.port), ModelRatio: { seeing: 1, other: 1 } });
});
beforeEach(() => {
  t.api.deps.relay.calls = new CallGate(PLACES);
});
afterEach(async () => {
  Object.assign(limits, { inlineMediaSlowMs });
  await until('all places are free', () => t.api.deps.relay.calls.open === 0 && silent === 0);
});
afterAll(async () => {
  await t.close();
  await upstream.stop(true);
  await host.stop(true);
});

const ask = (key: string, model: string, content: unknown, ip: string, signal?: AbortSignal) =>
  fetch(`${t.base}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-forwarded-for': ip,
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    signal: signal ?? null,
  });

const pictures = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'image_url',
    image_url: { url: `${host.url.origin}/${n}` },
  }));

it.each([
  ['a turn', PICTURES, inlineMediaSlowMs],
  ['what is slow', 1, 20],
])('who waits for %s gives his place to who finds none, and pays nothing', async (_, count, slowMs) => {
  Object.assign(limits, { inlineMediaSlowMs: slowMs });
  const leaving = new AbortController();
  const waiting = Array.from({ length: PLACES }, async (_place, n) => {
    const user = await t.api.createUser({ quota: BALANCE });
    const key = await t.addToken({}, user);
    const { status } = await ask(key, 'seeing', pictures(count), `198.51.100.${n}`, leaving.signal);
    return { id: user.id, status };
  });
  const oneOfThem = Promise.any(waiting);
  const fetched = PLACES * Math.min(count, limits.inlineMediaOfOneAtOnce);
  await until('their host is asked', () => silent === fetched);
  const key = await t.addToken({}, await t.api.createUser({ quota: BALANCE }));
  const paid = async () => (await ask(key, 'other', 'words', '203.0.113.9')).status;
  await until('a paid call is answered', async () => (await paid()) === 200);
  const { id, status } = await oneOfThem;
  expect(status).toBe(503);
  const [row] = await t.api.deps.db.query<{ quota: number }>('select quota from users where id = $1', [id]);
  expect(row?.quota).toBe(BALANCE);
  // There is a place again, so that the other one keeps his.
  expect(await paid()).toBe(200);
  expect(t.api.deps.relay.calls.open).toBe(PLACES - 1);
  leaving.abort();
  await Promise.allSettled(waiting);
});
