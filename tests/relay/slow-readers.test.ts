/** Callers who take no more of an answer than fits into their socket: nothing of the gateway waits for them for ever. */
import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { MCP_KEY, type McpServer, startMcpServer } from '../support/mcp-server.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const PRICE = 1_234;
/** Their frames are more than sockets hold for somebody who does not read. */
const WORDS = 200_000;

let relay: TestRelay;
let service: McpServer;
beforeEach(async () => {
  service = startMcpServer();
  relay = await openTestRelay('postgres', { words: WORDS }, { PRIVATE_EGRESS: '127.0.0.0/8' });
  await relay.set({
    ToolServices: { search: { url: service.url, key: MCP_KEY } },
    'request_quota.search': PRICE,
    DrainSeconds: 0,
  });
  await relay.setBalance(1_000_000_000);
});
afterEach(async () => {
  await relay.close();
  await service.close();
});

/** Sends a request and never reads; resolves when the gateway closes the connection. */
function askWithoutReading(path: string, body: object) {
  const { hostname, port, host } = new URL(relay.base);
  const text = JSON.stringify(body);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.pause();
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${relay.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return { socket, closed };
}

const callOf = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: { text: 'hi' } },
});

/** Until nothing more is got rid of: the caller's side is full. */
async function stalled(sent: () => number): Promise<void> {
  for (let last = 0; sent() === 0 || sent() !== last; ) {
    last = sent();
    await Bun.sleep(100);
  }
}

/** A deadline, or the time to read on, in seconds. */
const SHORT = 0.5;

describe('a stream of a tool service that its caller does not read', () => {
  it('ends by the idle deadline, as if he had left', async () => {
    relay.hurry({ RelayIdleTimeout: SHORT });
    const { socket } = askWithoutReading('/mcp/search', callOf('endless-events'));
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 6, quota: 0, other: { stream_end: 'client_gone' } });
    await ended(() => service.givenUp === 1 && relay.api.deps.stopping.open === 0);
    socket.destroy();
  });

  it('ends by the deadline of the whole call', async () => {
    relay.hurry({ RelayTotalTimeout: 2 * SHORT });
    const { socket } = askWithoutReading('/mcp/search', callOf('endless-events'));
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 6, quota: 0, other: { stream_end: 'client_gone' } });
    await ended(() => service.givenUp === 1 && relay.api.deps.stopping.open === 0);
    socket.destroy();
  });

  it('is paid for, when the answer comes while it is read on', async () => {
    relay.hurry({ RelayIdleTimeout: SHORT, DrainSeconds: 30 });
    const { socket } = askWithoutReading('/mcp/search', callOf('many-events'));
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 2, quota: PRICE });
    await ended(() => relay.api.deps.stopping.open === 0);
    socket.destroy();
  });

  it('is read on no longer than DrainSeconds, whatever the service goes on to say', async () => {
    relay.hurry({ RelayIdleTimeout: SHORT, DrainSeconds: SHORT });
    const { socket } = askWithoutReading('/mcp/search', callOf('endless-events'));
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 6, quota: 0, other: { stream_end: 'client_gone' } });
    await ended(() => service.givenUp === 1 && relay.api.deps.stopping.open === 0);
    socket.destroy();
  });

  it('ends when he leaves', async () => {
    const { socket } = askWithoutReading('/mcp/search', callOf('endless-events'));
    await stalled(() => service.taken);
    socket.destroy();
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 6, quota: 0, other: { stream_end: 'client_gone' } });
    await ended(() => service.givenUp === 1 && relay.api.deps.stopping.open === 0);
  });

  it('ends when the process stops', async () => {
    const { socket } = askWithoutReading('/mcp/search', callOf('endless-events'));
    await stalled(() => service.taken);
    expect(await relay.api.deps.stopping.begin(100)).toBe(0);
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ type: 6, quota: 0, other: { error: 'stopping' } });
    socket.destroy();
  });
});

describe('a stream of a model that its caller does not read', () => {
  const chat = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'hi' }] };

  it('ends by the idle deadline, and what came is charged', async () => {
    relay.hurry({ RelayIdleTimeout: SHORT });
    const { socket } = askWithoutReading('/v1/chat/completions', chat);
    const [row] = await relay.settled(1);
    // On a busy machine the upstream, which is not read on either, is the first to be still for so long.
    const stream_end = expect.stringMatching(/^(client_gone|timeout)$/);
    expect(row).toMatchObject({ type: 2, other: { stream_end } });
    expect(row?.completion_tokens).toBeGreaterThan(0);
    await ended(() => relay.api.deps.stopping.open === 0);
    socket.destroy();
  });

  it('ends when the process stops', async () => {
    const { socket } = askWithoutReading('/v1/chat/completions', chat);
    await stalled(() => relay.upstream.chats[0]?.framesSent ?? 0);
    expect(await relay.api.deps.stopping.begin(100)).toBe(0);
    const [row] = await relay.settled(1);
    expect(row).toMatchObject({ other: { stream_end: 'timeout' } });
    socket.destroy();
  });
});

/** Fails by the test's own deadline. */
async function ended(is: () => boolean): Promise<void> {
  while (!is()) await Bun.sleep(20);
}
