/**
 * Answers of calls that nobody reads hold their places among calls, for which who has few or no money can ask: of
 * moderations, of streams with all their probabilities, of which 150 tokens fill the sockets, of models by a key of his own.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import net from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';

/** Of which sockets do not take half. */
const BIG = 16 * 1024 * 1024;
const PLACES = 3;
const model = 'many';
const { readerSlowMs } = limits;

let t: Operations;
let sockets: net.Socket[] = [];
beforeAll(async () => {
  t = await openOperations();
  await t.model(1, { named: model });
  await t.relay.setBalance(50_000_000);
});
beforeEach(() => {
  relay().calls = new CallGate(PLACES);
  Object.assign(limits, { readerSlowMs: 50 });
});
afterEach(async () => {
  Object.assign(limits, { readerSlowMs });
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await until(() => relay().calls.open === 0);
});
afterAll(() => t.close());

const relay = () => t.relay.api.deps.relay;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + patience(10_000); !(await isSo()); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('it does not come to that');
  }
}

const keyOfOther = async () => t.relay.addToken({}, await t.relay.api.createUser({ quota: 1_000_000 }));

/** Asks from a network of its own and takes nothing but the head of the answer. */
function askUnread(key: string, path: string, asked: JsonObject): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const body = JSON.stringify(asked);
  const socket = net.connect(Number(new URL(t.relay.base).port), '127.0.0.1', () => {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `X-Forwarded-For: 198.51.100.${sockets.length}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  sockets.push(socket);
  socket.once('error', reject);
  socket.once('readable', () => resolve(socket));
  return promise;
}

const embeddings = (bytes: number): JsonObject => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: 'A'.repeat(bytes) }],
  usage: { prompt_tokens: 50, total_tokens: 50 },
});

/** Small frames, of which none takes room; and how many streams of them their upstream still writes. */
let writing = 0;
function stream(): Response {
  const choices = [{ index: 0, delta: { content: ' so' }, logprobs: { content: 'x'.repeat(1_900) } }];
  const frame = `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
  // The sockets of two connections, with as much as they grow to on a busy machine, take less than this.
  let left = (4 * BIG) / frame.length;
  writing++;
  const body = new ReadableStream({
    pull(controller) {
      if (left-- > 0) return controller.enqueue(frame);
      writing--;
      controller.close();
    },
    cancel() {
      writing--;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const messages = [{ role: 'user', content: 'Count.' }];
const ANSWERS: [string, string, JsonObject, () => Response][] = [
  ['a whole one', '/v1/embeddings', { model, input: 'words' }, () => Response.json(embeddings(BIG))],
  ['a stream', '/v1/chat/completions', { model, messages, stream: true }, stream],
];

/** A paid call of somebody else, from elsewhere. */
const call = async (key: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.9' };
  return (await t.post('/v1/embeddings', { model, input: 'words' }, headers)).status;
};

describe.each(ANSWERS)('an answer that nobody reads: %s', (_, path, asked, answer) => {
  it('gives its place to who finds none, and its sockets, once it has stood still', async () => {
    t.answers(answer);
    for (let n = 0; n < PLACES; n++) await askUnread(await keyOfOther(), path, asked);
    expect(relay().calls.open).toBe(PLACES);
    t.answers(embeddings(1));
    const key = await keyOfOther();
    await until(async () => (await call(key)) === 200);
    await until(() => relay().calls.open === PLACES - 1);
    // What is read on behind it would take a socket that nobody counts.
    expect(relay().drains.open).toBe(0);
    if (answer === stream) await until(() => writing === PLACES - 1);
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    await until(() => sockets.some((socket) => socket.closed));
  });
});

it('a stream whose place went to another is charged as that of who has left', async () => {
  const leftRows = async () =>
    (await t.relay.settled(0)).filter(({ other }) => other.stream_end === 'client_gone');
  const before = (await leftRows()).length;
  relay().calls = new CallGate(1);
  t.answers(stream);
  await askUnread(t.relay.key, '/v1/chat/completions', { model, messages, stream: true });
  t.answers(embeddings(1));
  const key = await keyOfOther();
  await until(async () => (await call(key)) === 200);
  await until(async () => (await leftRows()).length > before);
  const row = (await leftRows()).at(-1);
  expect(row?.type).toBe(2);
  expect(row?.quota).toBeGreaterThan(0);
});

it('a stream that nobody reads loses nothing as long as nobody is in need', async () => {
  t.answers(stream);
  const socket = await askUnread(t.relay.key, '/v1/chat/completions', { model, messages, stream: true });
  await Bun.sleep(4 * limits.readerSlowMs);
  t.answers(embeddings(1));
  expect(await call(await keyOfOther())).toBe(200);
  let bytes = 0;
  socket.on('data', (piece) => {
    bytes += piece.length;
  });
  await until(() => bytes >= BIG);
});
