/** Answers of tool services that nobody reads: they take their caller's room, and keep his place, as all answers do. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { objectOf } from '../../src/dialects/fields.ts';
import { BodyBudget, together } from '../../src/platform/body-budget.ts';
import { LackedRoom } from '../../src/relay/answer/lacked-room.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MIB = 1024 * 1024;
/** Of which sockets do not take half at once. */
const BIG = 16 * MIB;
const PRICE = 77;

let relay: TestRelay;
let service: Bun.Server<undefined>;
let rooms: Pick<typeof relay.api.deps.relay, 'answersHeld' | 'answersByNetwork'>;
let sockets: net.Socket[] = [];
/** Rows that were looked at. */
let rows = 0;

const message = (id: unknown, bytes: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'A'.repeat(bytes) }] } });

/** How it goes on, small message by small message, and no answer. */
function noticesWithoutEnd(): Response {
  const said = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'A'.repeat(2_000) } };
  const body = new ReadableStream({ pull: (to) => to.enqueue(`data: ${JSON.stringify(said)}\n\n`) });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

beforeAll(async () => {
  service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { id, params } = (await request.json()) as { id: unknown; params: JsonObject };
      const said = message(id, Number(objectOf(params.arguments)?.bytes));
      if (params.name === 'notices') return noticesWithoutEnd();
      return params.name === 'events'
        ? new Response(`data: ${said}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
        : new Response(said, { headers: { 'content-type': 'application/json' } });
    },
  });
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await relay.set({
    ToolServices: { big: { url: `http://127.0.0.1:${service.port}/` } },
    'request_quota.default': PRICE,
  });
});
afterAll(async () => {
  await relay.close();
  await service.stop(true);
});

const parts = () => relay.api.deps.relay;
beforeEach(() => {
  const { answersHeld, answersByNetwork } = parts();
  rooms = { answersHeld, answersByNetwork };
  Object.assign(parts(), {
    answersHeld: new BodyBudget(40 * MIB),
    answersByNetwork: new BodyBudget(40 * MIB),
    lackedRoom: new LackedRoom(),
  });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await until(() => parts().calls.open === 0);
  const { answersHeld, answersByNetwork } = parts();
  expect([answersHeld.bytes, answersByNetwork.bytes]).toEqual([0, 0]);
  Object.assign(parts(), rooms);
});

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patience(10_000); !condition(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('that does not come');
  }
}

interface Ask {
  bytes?: number;
  key?: string;
  ip?: string;
}

/** Asks, and takes nothing but the head of the answer: its status, and what else came with it. */
async function ask(name: string, { bytes = BIG, key = relay.key, ip = '127.0.0.1' }: Ask = {}) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { bytes } },
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = net.connect(Number(new URL(relay.base).port), '127.0.0.1', () => {
    socket.write(
      `POST /mcp/big HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Accept: application/json, text/event-stream\r\nX-Forwarded-For: ${ip}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  sockets.push(socket);
  socket.once('error', reject);
  socket.once('readable', resolve);
  await promise;
  const head = String(socket.read()).slice(0, 1_000);
  return { socket, status: Number(head.split(' ')[1]), head };
}

const row = async () => (await relay.settled(++rows)).at(-1);
const newKey = async () => relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));

describe.each(['whole', 'events'])('an answer of a tool service (%s)', (name) => {
  it('keeps its caller’s place and his room until he has it or has gone', async () => {
    const { socket } = await ask(name);
    await row();
    expect(parts().calls.open).toBe(1);
    expect(parts().answersHeld.bytes).toBeGreaterThan(BIG / 2);
    socket.resume();
    await until(() => parts().calls.open === 0);
  });

  it('beyond his own share is charged and not shown, and costs his neighbours nothing', async () => {
    // As an answer of his that he still takes.
    const { answersHeld, answersByNetwork } = parts();
    const held = together(
      answersHeld.of(relay.user.id),
      answersByNetwork.of({ name: `user ${relay.user.id}`, within: '127.0.0.1' }),
    ).hold();
    held.grow(BIG);
    const { status, head, socket } = await ask(name, { key: relay.key });
    expect(await row()).toMatchObject({ type: 2, quota: PRICE });
    expect(head).toContain(name === 'whole' ? 'x-should-retry: false' : 'text/event-stream');
    expect(status).toBe(name === 'whole' ? 503 : 200);
    socket.destroy();
    const neighbour = await ask(name, { key: await newKey() });
    expect(await row()).toMatchObject({ type: 6, quota: 0 });
    expect(neighbour.status).toBe(name === 'whole' ? 503 : 200);
    neighbour.socket.destroy();
    held.release();
  });

  it('for which strangers leave no room costs nothing', async () => {
    const held = parts().answersByNetwork.hold('somebody');
    held.grow(19 * MIB);
    const { status } = await ask(name);
    expect(await row()).toMatchObject({ type: 6, quota: 0 });
    expect(status).toBe(name === 'whole' ? 503 : 200);
    held.release();
  });

  it('gives way to others when its caller takes nothing of it', async () => {
    const { socket } = await ask(name);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await row();
    const key = await newKey();
    // Leaves nothing of the room but what is held in it.
    Object.assign(parts().answersHeld, { most: parts().answersHeld.bytes });
    let got = { status: 0, type: 6 };
    let tries = 0;
    for (const end = performance.now() + patience(10_000); got.type === 6 && performance.now() < end; ) {
      const { status, socket: asked } = await ask(name, { key, ip: '203.0.113.7', bytes: 400_000 });
      // From the second time on he is refused before anybody is asked.
      if (tries++ === 0 || status !== 503) got = { status, type: (await row())?.type ?? 0 };
      asked.destroy();
      await Bun.sleep(50);
    }
    expect(got).toEqual({ status: 200, type: 2 });
    socket.resume();
    await closed;
  });
});

it.each(['whole', 'events', 'notices'])(
  'an answer of a tool service (%s) that nobody reads gives its place to who finds none, and is paid',
  async (name) => {
    const { calls } = parts();
    const { readerSlowMs } = limits;
    const charged = async () => (await relay.settled(0)).filter(({ type }) => type === 2).length;
    const before = await charged();
    parts().calls = new CallGate(1);
    Object.assign(limits, { readerSlowMs: 50 });
    try {
      const { socket } = await ask(name);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const key = await newKey();
      const asked = () => ask('whole', { key, ip: '203.0.113.7', bytes: 1 });
      for (const end = performance.now() + patience(10_000); (await asked()).status !== 200; ) {
        if (performance.now() > end) throw new Error('its place is not given');
      }
      expect(parts().drains.open).toBe(0);
      socket.on('error', () => undefined).resume();
      await closed;
      expect((await charged()) - before).toBe(2);
    } finally {
      Object.assign(limits, { readerSlowMs });
      parts().calls = calls;
    }
  },
);
