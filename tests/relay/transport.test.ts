/** Upstreams that break off in ways of their own, down to the socket. */

import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net, { type AddressInfo, type Socket } from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { readReason, reasonText } from '../../src/core/reasons.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
  const models = Object.fromEntries(['gpt-4o', 'resets', 'tells', 'gpt-realtime'].map((model) => [model, 1]));
  await relay.set({ ModelRatio: models, CompletionRatio: models, RetryTimes: 0 });
});
afterAll(() => relay.close());

/** A server that does with each request on a socket what the test says. */
async function listen(take: (socket: Socket, request: number) => void, isRequest = /HTTP\/1\.1/) {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (isRequest.test(data.toString('latin1'))) take(socket, ++requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get requests() {
      return requests;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('a connection that is reset', () => {
  const answer = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  const say = (socket: Socket) =>
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
    );

  /** A channel whose upstream does this with the nth request; how many came when `calls` have been made, and their statuses. */
  async function requestsOf(take: (socket: Socket, request: number) => void, calls: number) {
    const upstream = await listen(take);
    const id = await relay.addChannel({ models: 'resets', base_url: `http://127.0.0.1:${upstream.port}` });
    const statuses: number[] = [];
    for (let n = 0; n < calls; n++) {
      const response = await relay.chat({ model: 'resets' });
      await response.text();
      statuses.push(response.status);
    }
    upstream.close();
    await relay.root.del(`/api/channel/${id}`);
    return { requests: upstream.requests, statuses };
  }

  it('and was new is not asked again: an upstream sees one request a call', async () => {
    expect(await requestsOf((socket) => socket.resetAndDestroy(), 3)).toEqual({
      requests: 3,
      statuses: [502, 502, 502],
    });
  });

  it('and had served an earlier call is asked once more, on a new one', async () => {
    const { requests, statuses } = await requestsOf(
      (socket, n) => (n === 2 ? socket.resetAndDestroy() : say(socket)),
      3,
    );
    expect(statuses).toEqual([200, 200, 200]);
    expect(requests).toBe(4);
    // The second time it is a new connection's own fault.
    expect(await requestsOf((socket, n) => (n === 1 ? say(socket) : socket.resetAndDestroy()), 3)).toEqual({
      requests: 1 + 2 + 1,
      statuses: [200, 502, 502],
    });
  });

  it('later than a lost connection is found is not asked again: the work may have been done', async () => {
    const late = limits.staleConnectionMs + 200;
    const take = (socket: Socket, n: number) =>
      n === 1 ? say(socket) : setTimeout(() => socket.resetAndDestroy(), late);
    expect(await requestsOf(take, 2)).toEqual({ requests: 2, statuses: [200, 502] });
  });

  it('is not asked again when something of the answer had come', async () => {
    const take = (socket: Socket, n: number) => {
      if (n === 1) return say(socket);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"id`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    };
    expect(await requestsOf(take, 2)).toEqual({ requests: 2, statuses: [200, 502] });
  });

  it('is not asked again when the retries are used up', async () => {
    const retries = relay.api.deps.relay.retries.of(relay.user.id);
    while (retries.spend());
    const take = (socket: Socket, n: number) => (n === 2 ? socket.resetAndDestroy() : say(socket));
    expect(await requestsOf(take, 2)).toEqual({ requests: 2, statuses: [200, 502] });
  });
});

describe('a fault of the network', () => {
  /** Nobody listens there. */
  const CLOSED = 'http://127.0.0.1:1';
  const answering = (bytes: string) => listen((socket) => socket.end(bytes));
  const GZIP =
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello';

  it('is told apart to administrators, by log and by test, and to no caller', async () => {
    const gzip = await answering(GZIP);
    const stream = await answering(GZIP.replace('application/json', 'text/event-stream'));
    const unknown = await answering(GZIP.replace('gzip', 'zstd'));
    const noHttp = await listen((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'), /./s);
    const lost = await listen((socket) => socket.resetAndDestroy());
    const at = ({ port }: { port: number }, scheme = 'http') => `${scheme}://127.0.0.1:${port}`;
    const cases: [string, string, string][] = [
      [CLOSED, 'connection refused', 'no connection'],
      ['http://no-such-host.invalid', 'no such host', 'no connection'],
      [at(noHttp, 'https'), 'TLS failed (EPROTO)', 'no connection'],
      [at(noHttp), 'its answer is no HTTP', 'malformed answer'],
      [at(gzip), 'its answer is not encoded as it says', 'malformed answer'],
      [at(stream), 'its answer is not encoded as it says', 'malformed answer'],
      [at(unknown), 'its answer is not encoded as it says', 'malformed answer'],
      [at(lost), 'connection lost', 'connection lost'],
    ];
    for (const [base_url, reason, told] of cases) {
      const id = await relay.addChannel({ models: 'tells', base_url, auto_ban: 0 });
      for (const isStream of [false, true]) {
        const before = (await relay.logs()).length;
        const answer = await relay.chat({ model: 'tells', stream: isStream });
        const { error } = await answer.json();
        expect([base_url, answer.status, error.message]).toEqual([
          base_url,
          502,
          expect.stringContaining(`The upstream service failed: ${told} (`),
        ]);
        const row = (await relay.settled(before + 1)).at(-1);
        expect(row?.other.text.en).toBe(`The upstream service failed: ${told}`);
        const why = readReason(row?.other.admin_info.attempts[0].reason);
        expect(why && reasonText(why).en).toBe(reason);
      }
      const test = await relay.root.call('GET', `/api/channel/test/${id}?model=tells`, undefined, {
        'accept-language': 'en',
      });
      expect([base_url, test.success, test.message]).toEqual([base_url, false, reason]);
      await relay.root.del(`/api/channel/${id}`);
    }
    for (const server of [gzip, stream, unknown, noHttp, lost]) server.close();
  });
});

it('an error in the middle of a stream shows neither the host nor what authorises there', async () => {
  const content = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"word"}}]}\n\n';
  const error = { message: 'sk-upstream-secret, vendors-own and gateways-own were refused by localhost' };
  const upstream = await listen((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n');
    socket.end(`${content}data: ${JSON.stringify({ error })}\n\n`);
  });
  await relay.addChannel({
    models: 'tells',
    base_url: `http://localhost:${upstream.port}`,
    param_override: '{"api_key":"vendors-own"}',
    setting: '{"headers":{"x-gateway-auth":"Token gateways-own"}}',
  });
  const text = await (await relay.chat({ model: 'tells', stream: true })).text();
  expect(text).toContain('were refused by');
  for (const hidden of ['sk-upstream-secret', 'vendors-own', 'gateways-own', 'localhost']) {
    expect(text).not.toContain(hidden);
  }
  upstream.close();
});

describe('an upstream that does not answer a websocket’s upgrade', () => {
  /** Asks for a session; resolves when the upstream has been asked. */
  async function askForSession(on: TestRelay) {
    const asked = Promise.withResolvers<void>();
    const upstream = await listen(() => asked.resolve());
    const id = await on.addChannel({
      models: 'gpt-realtime',
      base_url: `http://127.0.0.1:${upstream.port}`,
    });
    const caller = new AbortController();
    const headers = { authorization: `Bearer ${on.key}`, upgrade: 'websocket' };
    const asking = on.handle(
      new Request(`${on.base}/v1/realtime?model=gpt-realtime`, { headers, signal: caller.signal }),
    );
    await asked.promise;
    return { asking, caller, upstream, id };
  }

  it('is not waited for when the caller leaves', async () => {
    const before = (await relay.logs()).length;
    const { asking, caller, upstream } = await askForSession(relay);
    caller.abort();
    expect((await asking).status).toBe(499);
    const row = (await relay.settled(before + 1)).at(-1);
    expect(row).toMatchObject({ type: 6, other: { error: 'client_gone' } });
    upstream.close();
  });

  it('is not waited for when the grace of a stop is over', async () => {
    const own = await openTestRelay('postgres');
    await own.set({ ModelRatio: { 'gpt-realtime': 1 } });
    const { asking, upstream } = await askForSession(own);
    expect(await own.api.deps.stopping.begin(20)).toBe(0);
    await asking;
    expect((await own.settled(1))[0]).toMatchObject({ type: 6, other: { error: 'stopping' } });
    upstream.close();
    await own.close();
  });
});
