/**
 * Pictures of drawings are open to guests who know their addresses: who asks for many and reads none fills the memory, and
 * who asks without end has us fetch without end.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import type { Rounds } from '../../src/jobs/rounds.ts';
import { startTasks } from '../../src/modules/task/jobs.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { midjourneyPlus } from '../../src/providers/midjourney.ts';
import { createTaskProbe } from '../../src/relay/attempt/ask-tasks.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { DRAWING_KEY, type DrawingServer, PNG, startDrawing } from '../support/drawing-server.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MIB = 1024 * 1024;
/** Of which sockets do not take half at once. */
const LARGE = new Uint8Array(16 * MIB).map((_, at) => at % 251);

let t: TestRelay;
let proxy: DrawingServer;
let rounds: Rounds;
let path: string;
beforeAll(async () => {
  proxy = startDrawing();
  t = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await t.set({ EgressPorts: new URL(proxy.base).port });
  await t.addChannel({
    ...{ name: 'plus', type: 5, key: DRAWING_KEY, base_url: proxy.base },
    models: midjourneyPlus.models.join(','),
  });
  rounds = startTasks(t.api.deps, createTaskProbe(t.api.deps.relay));
  const submitted = await fetch(`${t.base}/mj/submit/imagine`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mj-api-secret': t.key },
    body: JSON.stringify({ prompt: 'a cat' }),
  });
  proxy.news = { status: 'SUCCESS', progress: '100%', imageUrl: `${proxy.base}/picture` };
  await t.api.deps.db.query('update tasks set poll_at = 0');
  await rounds.round();
  path = `/mj/image/${(await submitted.json()).result}`;
});
beforeEach(() => {
  proxy.picture = LARGE;
});
afterAll(async () => {
  await rounds.stop();
  await t.close();
  await proxy.close();
});

const relay = () => t.api.deps.relay;
const show = (init: RequestInit = {}, at = path) => fetch(`${t.base}${at}`, init);

/** Asks and takes nothing but the head of the answer; with its status. */
async function askUnread(
  ip: string,
  headers: Record<string, string> = {},
): Promise<{ socket: net.Socket; status: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const socket = net.connect(Number(new URL(t.base).port), '127.0.0.1', () =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${ip}\r\n${lines}\r\n`),
  );
  socket.once('error', reject);
  socket.once('readable', resolve);
  await promise;
  return { socket, status: Number(String(socket.read()).split(' ')[1]) };
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patience(10_000); !condition(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('that does not come');
  }
}

describe('a picture that nobody reads', () => {
  it('keeps its call and its room until it is read or its caller has gone', async () => {
    const { socket, status } = await askUnread('198.51.100.1');
    expect([status, relay().calls.open, relay().picturesHeld.bytes]).toEqual([200, 1, LARGE.length]);
    socket.destroy();
    await until(() => relay().calls.open === 0);
    expect(relay().picturesHeld.bytes).toBe(0);
  });

  it('gives its place among calls to who finds none, once it has stood still', async () => {
    const { calls } = relay();
    const { readerSlowMs } = limits;
    relay().calls = new CallGate(1);
    Object.assign(limits, { readerSlowMs: 50 });
    const { socket } = await askUnread('198.51.100.1');
    try {
      const headers = { authorization: `Bearer ${t.key}`, 'x-forwarded-for': '203.0.113.9' };
      const asked = { method: 'POST', headers, body: JSON.stringify({ ids: ['none'] }) };
      const ask = async () => (await fetch(`${t.base}/mj/task/list-by-condition`, asked)).status;
      for (const end = performance.now() + patience(10_000); (await ask()) !== 200; await Bun.sleep(5)) {
        if (performance.now() > end) throw new Error('its place is not given');
      }
      expect([relay().calls.open, relay().picturesHeld.bytes]).toEqual([0, 0]);
    } finally {
      socket.destroy();
      Object.assign(limits, { readerSlowMs });
      await until(() => relay().calls.open === 0);
      relay().calls = calls;
    }
  });

  it('leaves room for those of other networks', async () => {
    const whole = relay().picturesHeld;
    relay().picturesHeld = new BodyBudget(52 * MIB);
    const sockets: net.Socket[] = [];
    const statuses: number[] = [];
    try {
      for (const ip of ['198.51.100.2', '198.51.100.2', '203.0.113.9']) {
        if (ip === '203.0.113.9') proxy.picture = LARGE.subarray(0, MIB);
        const { socket, status } = await askUnread(ip);
        sockets.push(socket);
        statuses.push(status);
      }
      expect(statuses).toEqual([200, 503, 200]);
    } finally {
      for (const socket of sockets) socket.destroy();
      await until(() => relay().calls.open === 0);
      expect(relay().picturesHeld.bytes).toBe(0);
      relay().picturesHeld = whole;
    }
  });
});

/** Leaves nothing of a room but what is held in it now. */
const fillUp = (room: BodyBudget) => Object.assign(room, { most: Math.max(room.bytes, 6 * MIB) });

/** What a browser says that a page of another site has load it. */
const PAGE = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };

it.each<[string, string, Record<string, string>]>([
  ['of the largest network', '203.0.113.10', {}],
  ['that pages of other sites had browsers take behind its own', '198.51.100.5', PAGE],
])('has the room %s, which takes nothing of its own', async (_whose, ip, headers) => {
  const whole = relay().picturesHeld;
  relay().picturesHeld = new BodyBudget(36 * MIB);
  try {
    const { socket } = await askUnread('198.51.100.5', headers);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    proxy.picture = LARGE.subarray(0, MIB);
    const ask = () => {
      fillUp(relay().picturesHeld);
      return show({ headers: { 'x-forwarded-for': ip } });
    };
    const statuses: number[] = [];
    // Until he has stood still for long enough, and before he is given up for that.
    for (
      const end = performance.now() + patience(5_000);
      statuses.at(-1) !== 200 && performance.now() < end;
    ) {
      const answer = await ask();
      await answer.arrayBuffer();
      statuses.push(answer.status);
      await Bun.sleep(100);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
    socket.resume();
    await closed;
    await until(() => relay().calls.open === 0);
  } finally {
    relay().picturesHeld = whole;
  }
});

it('comes as a whole to who reads slowly, and gives its room back', async () => {
  const response = await show();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    if (pieces.length % 16 === 0) await Bun.sleep(5);
  }
  expect(Buffer.concat(pieces).equals(LARGE)).toBe(true);
  await until(() => relay().calls.open === 0);
  expect(relay().picturesHeld.bytes).toBe(0);
});

it('holds nothing for who asks for the head alone', async () => {
  await show({ method: 'HEAD' });
  await until(() => relay().calls.open === 0);
  expect(relay().picturesHeld.bytes).toBe(0);
});

/** What a picture is counted by, before its network. */
const counterOf = (at: string): string => at.replace('/mj/image/', 'pictures:of:');

it('is asked for so many times a minute by one network, each for itself', async () => {
  proxy.picture = PNG;
  const ip = '198.51.100.3';
  const from = (address: string) => show({ headers: { 'x-forwarded-for': address } });
  const { limiter } = t.api.deps;
  await limiter.add({ key: `${counterOf(path)}:${ip}`, windowSec: 60 }, limits.picturesAMinute - 1);
  const fetched = () => proxy.seen.filter(({ path }) => path === '/picture').length;
  const before = fetched();
  expect((await from(ip)).status).toBe(200);
  const refused = await from(ip);
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await from('198.51.100.4')).status).toBe(200);
  expect(fetched() - before).toBe(2);
});

it('is there for those behind a network where a page of another site has had a browser ask for too many', async () => {
  proxy.picture = PNG;
  const ip = '192.0.2.1';
  const { limiter } = t.api.deps;
  const own = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' };
  const link = { ...PAGE, 'sec-fetch-dest': 'document' };
  const statusOf = async (at: string, headers: Record<string, string>) =>
    (await show({ headers: { ...headers, 'x-forwarded-for': ip } }, at)).status;
  const ofNone = {
    'wrong-credential:drawings': limits.badKeysAMinute,
    'slow-lookup:drawings': limits.slowLookupsASecond,
  };
  for (const [counters, at, there] of [
    [{ [counterOf(path)]: limits.picturesAMinute }, path, 200],
    [ofNone, '/mj/video/none', 404],
  ] as const) {
    await statusOf(at, PAGE);
    const [first] = Object.keys(counters);
    // As many more as there may be, wherever that one was counted.
    for (const whose of [ip, `elsewhere:${ip}`]) {
      if ((await limiter.counted(`${first}:${whose}`)) === 0) continue;
      for (const [name, most] of Object.entries(counters))
        await limiter.add({ key: `${name}:${whose}`, windowSec: 60 }, most);
    }
    const statuses = [await statusOf(at, PAGE), await statusOf(at, own), await statusOf(at, link)];
    expect(statuses).toEqual([429, there, there]);
  }
});
