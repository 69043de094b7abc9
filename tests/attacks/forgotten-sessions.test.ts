/** Realtime sessions in which nobody says anything, or too much, and what waits in those whose other side takes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { SocketLimit } from '../../src/relay/answer/socket-limit.ts';
import { patience } from '../support/patience.ts';
import { connect, type RealtimeUpstream, startRealtime } from '../support/realtime.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { until } from '../support/waits.ts';

const MIB = 1024 * 1024;

let relay: TestRelay;
let upstream: RealtimeUpstream;
beforeAll(async () => {
  relay = await openTestRelay();
  upstream = startRealtime();
  await relay.set({ ModelRatio: { 'gpt-realtime': 1, 'gpt-realtime-2': 1 }, RetryTimes: 0 });
  await relay.addChannel({ models: 'gpt-realtime,gpt-realtime-2', base_url: upstream.base });
});
afterAll(async () => {
  await upstream.stop();
  await relay.close();
});
const sockets = () => relay.api.deps.relay.sockets;
beforeEach(() => Object.assign(sockets(), { idleMs: limits.sessionIdleMs }));

async function open(model = 'gpt-realtime') {
  const opening = upstream.next();
  const client = await connect(`${relay.base}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${relay.key}` },
  });
  return { client, session: await opening };
}

describe('a session in which nobody says or asks anything', () => {
  /** Both sides send what is no sign of life, faster than it would end. */
  it('ends, whatever silence and settings go up and whatever notices come down, and says so', async () => {
    Object.assign(sockets(), { idleMs: 300 });
    const { client, session } = await open();
    const noise = setInterval(() => {
      client.send({ type: 'session.update', session: { instructions: 'Be brief.' } });
      client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
      client.send({ type: 'input_audio_buffer.commit' });
      client.send({ type: 'input_audio_buffer.clear' });
      session.send({ type: 'rate_limits.updated', rate_limits: [] });
      session.send({ type: 'input_audio_buffer.committed' });
      session.send({ type: 'input_audio_buffer.cleared' });
    }, 50);
    const patience = setTimeout(() => client.socket.close(1000), 5_000);
    const closed = await client.closed;
    clearInterval(noise);
    clearTimeout(patience);
    expect(closed).toEqual({ code: 1008, reason: 'session_idle' });
    expect(client.got.at(-1)).toMatchObject({ type: 'error', error: { code: 'session_idle' } });
    expect(await session.closed).toBe(1000);
    expect((await relay.settled(1)).at(-1)).toMatchObject({ quota: 0 });
    expect(sockets().open).toBe(0);
  });

  it('goes on as long as its upstream hears anything', async () => {
    Object.assign(sockets(), { idleMs: 400 });
    const { client, session } = await open();
    let isClosed = false;
    void client.closed.then(() => {
      isClosed = true;
    });
    for (let n = 0; n < 10; n++) {
      session.send({ type: 'input_audio_buffer.speech_started' });
      await Bun.sleep(80);
    }
    expect(isClosed).toBe(false);
    client.socket.close();
    await client.closed;
  });

  it('gives its place to the next one where all are taken, and one that is answered keeps its own', async () => {
    const whole = sockets();
    // Of which one network has two.
    relay.api.deps.relay.sockets = new SocketLimit(4, { quietMs: 0 });
    try {
      const first = await open();
      const second = await open();
      first.session.send({ type: 'response.created', response: { id: 'resp_1' } });
      await first.client.until('response.created');
      // Somebody speaks in it, which is no answer.
      second.session.send({ type: 'input_audio_buffer.speech_started' });
      await second.client.until('input_audio_buffer.speech_started');
      const third = await open();
      expect(await second.client.closed).toEqual({ code: 1011, reason: 'OVERLOADED' });
      expect(await second.session.closed).toBe(1000);
      expect(sockets().open).toBe(2);
      for (const { client } of [first, third]) {
        expect(client.socket.readyState).toBe(WebSocket.OPEN);
        client.socket.close(1000);
        await client.closed;
      }
      await until('all sockets are closed', () => sockets().open === 0);
    } finally {
      relay.api.deps.relay.sockets = whole;
    }
  });
});

it('a session that gives its place away leaves its caller before it is read on', async () => {
  const whole = sockets();
  relay.api.deps.relay.sockets = new SocketLimit(2, { quietMs: 0 });
  try {
    // Its upstream thinks: what it has thought is known when it has ended.
    const first = await open('gpt-realtime-2');
    first.session.send({ type: 'response.created', response: { id: 'resp_1' } });
    await first.client.until('response.created');
    const rows = (await relay.logs()).length;
    const second = await open();
    expect(await first.client.closed).toEqual({ code: 1011, reason: 'OVERLOADED' });
    await until('it is read on', () => first.session.got.length > 0);
    expect((await relay.logs()).length).toBe(rows);
    const usage = { total_tokens: 7, input_tokens: 7, output_tokens: 0 };
    first.session.send({ type: 'response.done', response: { id: 'resp_1', status: 'cancelled', usage } });
    expect(await first.session.closed).toBe(1000);
    second.client.socket.close(1000);
    const settled = (await relay.settled(rows + 2)).slice(rows);
    expect(settled.map(({ prompt_tokens }) => prompt_tokens)).toContain(7);
    await until('all sockets are closed', () => sockets().open === 0);
  } finally {
    relay.api.deps.relay.sockets = whole;
  }
});

describe('a message of a session', () => {
  it('may be as large as a picture is; a larger one is taken by nobody, and its caller is told', async () => {
    const { client, session } = await open();
    const audio = 'A'.repeat(limits.socketMessageBytes - 100);
    client.send({ type: 'input_audio_buffer.append', audio });
    await until('it has gone up', () => session.got.length > 0);
    expect(String(session.got[0])).toContain(audio);
    client.send({ type: 'input_audio_buffer.append', audio: `${audio}${'A'.repeat(100)}` });
    expect(await client.closed).toMatchObject({ code: 1009 });
    expect(await session.closed).toBe(1000);
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
    for (const end = performance.now() + patience(5_000); sockets().open > 0 && performance.now() < end; )
      await Bun.sleep(5);
    expect([sockets().open, answersHeld.bytes, answersByNetwork.bytes]).toEqual([0, 0, 0]);
  });
});

/** A text of fewer than 126 bytes, as servers frame it. */
const frameOf = (event: object): Buffer => {
  const text = Buffer.from(JSON.stringify(event));
  return Buffer.concat([Buffer.from([0x81, text.length]), text]);
};

describe('a session whose upstream takes nothing', () => {
  it('counts what waits for it, and ends by its caller’s doing: what was begun is charged', async () => {
    // Takes the upgrade, begins an answer to the first it hears, and takes nothing more.
    const halves: net.Socket[] = [];
    const stuck = net.createServer((socket) => {
      halves.push(socket);
      socket.once('data', (head) => {
        const key = /sec-websocket-key: (\S+)/i.exec(String(head))?.[1] ?? '';
        const accept = new Bun.CryptoHasher('sha1')
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest('base64');
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        socket.once('data', () => {
          socket.pause();
          socket.write(frameOf({ type: 'response.created', response: { id: 'resp_1' } }));
        });
      });
    });
    await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve));
    const { port } = stuck.address() as net.AddressInfo;
    await relay.set({ ModelRatio: { 'gpt-realtime': 1, stuck: 1 } });
    await relay.addChannel({ models: 'stuck', base_url: `http://127.0.0.1:${port}` });
    const rows = (await relay.logs()).length;
    const client = await connect(`${relay.base}/v1/realtime?model=stuck`, {
      headers: { authorization: `Bearer ${relay.key}` },
    });
    const { answersHeld } = relay.api.deps.relay;
    let isOver = false;
    let most = 0;
    void client.closed.then(() => {
      isOver = true;
    });
    const content = [{ type: 'input_text', text: 'one two three' }];
    client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    await client.until('response.created');
    for (let sent = 0; !isOver && sent < 64; sent++) {
      client.send({ type: 'input_audio_buffer.append', audio: 'A'.repeat(MIB) });
      await Bun.sleep(5);
      most = Math.max(most, answersHeld.bytes);
    }
    for (const end = performance.now() + patience(5_000); !isOver && performance.now() < end; )
      await Bun.sleep(5);
    expect(isOver).toBe(true);
    expect(most).toBeGreaterThan(MIB);
    expect(most).toBeLessThan(8 * MIB);
    expect(client.got.at(-1)).toMatchObject({ type: 'error', error: { code: 'OVERLOADED' } });
    const row = (await relay.settled(rows + 1)).at(-1);
    expect(row).toMatchObject({ type: 2, prompt_tokens: 3, quota: 3, other: { stream_end: 'client_gone' } });
    for (const half of halves) half.destroy();
    stuck.close();
  });
});
