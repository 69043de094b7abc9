/** Realtime sessions in which nobody says anything, and what waits in those whose other side takes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { connect, type RealtimeUpstream, startRealtime } from '../support/realtime.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const MIB = 1024 * 1024;

let relay: TestRelay;
let upstream: RealtimeUpstream;
beforeAll(async () => {
  relay = await openTestRelay();
  upstream = startRealtime();
  await relay.set({ ModelRatio: { 'gpt-realtime': 1 }, RetryTimes: 0 });
  await relay.addChannel({ models: 'gpt-realtime', base_url: upstream.base });
});
afterAll(async () => {
  await upstream.stop();
  await relay.close();
});
const sockets = () => relay.api.deps.relay.sockets;
beforeEach(() => Object.assign(sockets(), { idleMs: limits.sessionIdleMs }));

async function open() {
  const opening = upstream.next();
  const client = await connect(`${relay.base}/v1/realtime?model=gpt-realtime`, {
    headers: { authorization: `Bearer ${relay.key}` },
  });
  return { client, session: await opening };
}

describe('a session in which nobody says or asks anything', () => {
  /** Both sides send what is no sign of life, faster than it would end. */
  it('ends, whatever settings go up and whatever notices come down, and says so', async () => {
    Object.assign(sockets(), { idleMs: 300 });
    const { client, session } = await open();
    const noise = setInterval(() => {
      client.send({ type: 'session.update', session: { instructions: 'Be brief.' } });
      client.send({ type: 'input_audio_buffer.clear' });
      session.send({ type: 'rate_limits.updated', rate_limits: [] });
    }, 50);
    const closed = await client.closed;
    clearInterval(noise);
    expect(closed).toEqual({ code: 1008, reason: 'session_idle' });
    expect(client.got.at(-1)).toMatchObject({ type: 'error', error: { code: 'session_idle' } });
    expect(await session.closed).toBe(1000);
    expect((await relay.settled(1)).at(-1)).toMatchObject({ quota: 0 });
    expect(sockets().open).toBe(0);
  });

  it('goes on as long as anything is said', async () => {
    Object.assign(sockets(), { idleMs: 400 });
    const { client } = await open();
    let isClosed = false;
    void client.closed.then(() => {
      isClosed = true;
    });
    for (let n = 0; n < 10; n++) {
      client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
      await Bun.sleep(80);
    }
    expect(isClosed).toBe(false);
    client.socket.close();
    await client.closed;
  });
});

/** An upgrade by hand, whose frames nobody takes. */
async function openUnread(): Promise<net.Socket> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = net.connect(Number(new URL(relay.base).port), '127.0.0.1', () =>
    socket.write(
      'GET /v1/realtime?model=gpt-realtime HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${relay.key}\r\n\r\n`,
    ),
  );
  socket.once('readable', resolve);
  await promise;
  return socket;
}

describe('a session whose caller takes nothing', () => {
  it('keeps little of what is said to him, which is counted in his room, and ends', async () => {
    const opening = upstream.next();
    const socket = await openUnread();
    const session = await opening;
    const { answersHeld, answersByNetwork } = relay.api.deps.relay;
    let [most, ofNetwork, sent] = [0, 0, 0];
    let isOver = false;
    void session.closed.then(() => {
      isOver = true;
    });
    while (!isOver && sent < 64) {
      session.send({ type: 'response.output_audio.delta', response_id: 'r', delta: 'A'.repeat(MIB) });
      sent++;
      await Bun.sleep(5);
      most = Math.max(most, answersHeld.bytes);
      ofNetwork = Math.max(ofNetwork, answersByNetwork.bytes);
    }
    expect(isOver).toBe(true);
    // What sockets take, and one message beyond the bound.
    expect(most).toBeGreaterThan(MIB);
    expect(most).toBeLessThan(8 * MIB);
    expect(ofNetwork).toBe(most);
    socket.destroy();
    await relay.settled(1);
    for (const end = performance.now() + 5_000; sockets().open > 0 && performance.now() < end; )
      await Bun.sleep(5);
    expect([sockets().open, answersHeld.bytes, answersByNetwork.bytes]).toEqual([0, 0, 0]);
  });
});

describe('a session whose upstream takes nothing', () => {
  it('counts what waits for it, and ends', async () => {
    // Takes the upgrade and then nothing.
    const halves: net.Socket[] = [];
    const stuck = net.createServer((socket) => {
      halves.push(socket);
      socket.once('data', (head) => {
        const key = /sec-websocket-key: (\S+)/i.exec(String(head))?.[1] ?? '';
        const accept = new Bun.CryptoHasher('sha1')
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest('base64');
        socket.pause();
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
      });
    });
    await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve));
    const { port } = stuck.address() as net.AddressInfo;
    await relay.set({ ModelRatio: { 'gpt-realtime': 1, stuck: 1 } });
    await relay.addChannel({ models: 'stuck', base_url: `http://127.0.0.1:${port}` });
    const client = await connect(`${relay.base}/v1/realtime?model=stuck`, {
      headers: { authorization: `Bearer ${relay.key}` },
    });
    const { answersHeld } = relay.api.deps.relay;
    let isOver = false;
    let most = 0;
    void client.closed.then(() => {
      isOver = true;
    });
    for (let sent = 0; !isOver && sent < 64; sent++) {
      client.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(MIB) });
      await Bun.sleep(5);
      most = Math.max(most, answersHeld.bytes);
    }
    for (const end = performance.now() + 5_000; !isOver && performance.now() < end; ) await Bun.sleep(5);
    expect(isOver).toBe(true);
    expect(most).toBeGreaterThan(MIB);
    expect(most).toBeLessThan(8 * MIB);
    for (const half of halves) half.destroy();
    stuck.close();
  });
});
