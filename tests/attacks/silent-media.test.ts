/**
 * Channels whose upstream takes bytes alone have pictures fetched by address. Who names one at a host that takes the
 * connection and says nothing pays nothing, and held a place among calls for twenty seconds. Where the try was over for
 * another reason, his place went to others and his call went on at the next channel, beside all that there is a place for.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, spyOn } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { MediaTurns } from '../../src/relay/attempt/body/media-turns.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

const PLACES = 2;
const BALANCE = 1_000_000;
/** More than are fetched of one at once. */
const PICTURES = limits.inlineMediaOfOneAtOnce + 1;
const { inlineMediaSlowMs, inlineMediaOfOneWaiting, readerSlowMs } = limits;

let t: TestRelay;
/** Connections on which nothing is answered. */
let silent = 0;
/** Pictures that are late, and ends the wait for them. */
let late = 0;
let come = Promise.withResolvers<void>();
/** Calls of a second channel that are under way, and how much its streams have said. */
const thinking = new Set<() => void>();
let frames = 0;
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  idleTimeout: 0,
  async fetch({ url, signal }) {
    if (url.endsWith('/at-once')) return new Response('x', { headers: { 'content-type': 'image/png' } });
    if (url.endsWith('/late')) {
      late++;
      await come.promise.finally(() => late--);
      return new Response('x', { headers: { 'content-type': 'image/png' } });
    }
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
/** It thinks without end, or speaks without end. */
const second = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  development: false,
  idleTimeout: 0,
  async fetch(request) {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const end = () => {
      thinking.delete(end);
      resolve(new Response(null, { status: 400 }));
    };
    thinking.add(end);
    request.signal.addEventListener('abort', end);
    if (!(await request.text()).includes('"stream":true')) return promise;
    const pull = (controller: ReadableStreamDefaultController) => {
      frames++;
      controller.enqueue(FRAME);
    };
    return new Response(new ReadableStream({ pull, cancel: end }), {
      headers: { 'content-type': 'text/event-stream' },
    });
  },
});
const FRAME = new TextEncoder().encode(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(8_000) } }] })}\n\n`,
);

beforeAll(async () => {
  t = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  const base_url = upstream.url.origin;
  await t.addChannel({ type: 4, base_url, models: 'seeing' });
  await t.addChannel({ type: 1, base_url, models: 'other' });
  await t.addChannel({ type: 4, base_url, models: 'seen-twice', priority: 10 });
  await t.addChannel({ type: 1, base_url: second.url.origin, models: 'seen-twice' });
  await t.set({ EgressPorts: String(host.port), ModelRatio: { seeing: 1, other: 1, 'seen-twice': 1 } });
});
beforeEach(() => {
  t.api.deps.relay.calls = new CallGate(PLACES);
});
afterEach(async () => {
  Object.assign(limits, { inlineMediaSlowMs, inlineMediaOfOneWaiting, readerSlowMs });
  await until('all places are free', () => {
    for (const end of thinking) end();
    return t.api.deps.relay.calls.open === 0 && silent === 0;
  });
});
afterAll(async () => {
  await t.close();
  await upstream.stop(true);
  await second.stop(true);
  await host.stop(true);
});

const headersOf = (key: string, ip: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'x-forwarded-for': ip,
});
const ask = (key: string, model: string, content: unknown, ip: string, signal?: AbortSignal) =>
  fetch(`${t.base}/v1/chat/completions`, {
    method: 'POST',
    headers: headersOf(key, ip),
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    signal: signal ?? null,
  });

const picture = (name: string) => ({ type: 'image_url', image_url: { url: `${host.url.origin}/${name}` } });
const pictures = (count: number) => Array.from({ length: count }, (_, n) => picture(`${n}`));
/** A channel that has it fetched cannot be asked for this. */
const tooOften = (name: string) => Array.from({ length: limits.inlineMediaTimes + 1 }, () => picture(name));
const rich = async () => t.addToken({}, await t.api.createUser({ quota: 100 * BALANCE }));

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

it('who waits at a second channel has his place, though a picture of the first try has not come', async () => {
  Object.assign(limits, { inlineMediaSlowMs: 20 });
  const key = await rich();
  const leaving = new AbortController();
  const refused: number[] = [];
  const content = [...tooOften('at-once'), picture('silent')];
  const asked: Promise<unknown>[] = [];
  while (asked.length < 4 * PLACES) {
    const asking = ask(key, 'seen-twice', content, '198.51.100.1', leaving.signal);
    asked.push(asking.then(({ status }) => refused.push(status)));
    await until('it is asked or refused', () => thinking.size + refused.length === asked.length);
    expect(thinking.size).toBeLessThanOrEqual(PLACES);
  }
  await until('nothing is fetched for tries that are over', () => silent === 0);
  expect(new Set(refused)).toEqual(new Set([503]));
  expect(t.api.deps.relay.calls.open).toBe(thinking.size);
  leaving.abort();
  await Promise.allSettled(asked);
});

it('who does not read his stream gives his place, though a picture of the try before has come late', async () => {
  Object.assign(limits, { inlineMediaSlowMs: 400, readerSlowMs: 20 });
  t.api.deps.relay.calls = new CallGate(1);
  const [key, payer] = await Promise.all([rich(), rich()]);
  come = Promise.withResolvers();
  const body = JSON.stringify({
    ...{ model: 'seen-twice', stream: true },
    messages: [{ role: 'user', content: tooOften('late') }],
  });
  const unread = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(t.base).port),
    socket: { open: (socket) => socket.pause(), data: () => undefined },
  });
  const head = Object.entries({
    host: 'relay',
    'content-length': body.length,
    ...headersOf(key, '198.51.100.1'),
  });
  unread.write(
    `POST /v1/chat/completions HTTP/1.1\r\n${head.map((at) => at.join(': ')).join('\r\n')}\r\n\r\n${body}`,
  );
  let before = -1;
  await until('its reader stands still for longer than a picture is no slow one', async () => {
    before = frames;
    await Bun.sleep(limits.inlineMediaSlowMs + 100);
    return frames > 0 && frames === before;
  });
  come.resolve();
  await until('it has come, or was given up', () => late === 0);
  const pays = async () => (await ask(payer, 'other', 'words', '203.0.113.9')).status;
  await until('a paid call is answered', async () => (await pays()) === 200);
  await until('its upstream hears of it', () => thinking.size === 0);
  unread.end();
});

it('who has too many in the line is told so, and no channel is to blame for it or asked instead', async () => {
  const { relay } = t.api.deps;
  const { mediaTurns, breakers, quarters } = relay;
  Object.assign(limits, { inlineMediaOfOneWaiting: 1 });
  relay.mediaTurns = new MediaTurns();
  relay.calls = new CallGate(2 * PLACES);
  const noted = spyOn(breakers, 'note');
  const key = await rich();
  const leaving = new AbortController();
  const waiting = ask(key, 'seen-twice', pictures(PICTURES), '198.51.100.1', leaving.signal);
  await until('their host is asked', () => silent === limits.inlineMediaOfOneAtOnce);
  const refused = await ask(key, 'seen-twice', pictures(1), '198.51.100.1');
  expect([refused.status, (await refused.json()).error.code, thinking.size]).toEqual([429, 'RATE_LIMIT', 0]);
  // One that is half-open has not been tried.
  expect(noted.mock.calls.map(([, , result]) => result)).toEqual([{ kind: 'ignored' }]);
  leaving.abort();
  await Promise.allSettled([waiting]);
  await quarters.write();
  const failed = await t.api.deps.db.query('select 1 from channel_quarters where failed > 0');
  expect(failed).toEqual([]);
  noted.mockRestore();
  relay.mediaTurns = mediaTurns;
});
