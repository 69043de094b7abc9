/** Bodies beyond all bounds, at the port itself: the server's own answer, never the runtime's bare one. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { type Gateway, setUpRelay, startGateway } from '../support/gateway.ts';

const MIB = 1024 * 1024;
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ databaseUrl: await freshPostgresUrl() });
  ({ key } = await setUpRelay(gateway, 'http://127.0.0.1:9'));
});
afterAll(() => gateway.kill());

/** Sends a head and then a part of a body, and waits with no end of it; the answer's status, request id and JSON. */
async function send(path: string, head: Record<string, string>, part: Uint8Array = new Uint8Array()) {
  const { hostname, port } = new URL(gateway.base);
  const socket = net.connect(Number(port), hostname);
  const lines = Object.entries({ host: hostname, authorization: `Bearer ${key}`, ...head });
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`);
  let answer = '';
  const answered = new Promise<void>((resolve, reject) => {
    socket.on('data', (data) => {
      answer += data;
      if (answer.includes('\r\n\r\n') && answer.endsWith('}')) resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
  socket.write(part);
  await answered;
  socket.destroy();
  const [top = '', body = ''] = answer.split('\r\n\r\n');
  return {
    status: Number(top.split(' ')[1]),
    id: /^x-request-id: (.+)$/im.exec(top)?.[1],
    connection: /^connection: (.+)$/im.exec(top)?.[1],
    body: JSON.parse(body || 'null'),
  };
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'multipart/form-data; boundary=x' };
const announced = (mib: number) => ({ 'content-length': String(mib * MIB) });

describe('a body that is too large by its own word', () => {
  it.each([
    ['/v1/chat/completions', json, 33, { error: { code: 'body_too_large' } }],
    ['/v1/chat/completions', json, 1_000, { error: { code: 'body_too_large' } }],
    ['/v1/messages', json, 1_000, { type: 'error', error: { type: 'request_too_large' } }],
    ['/v1/audio/transcriptions', form, 101, { error: { code: 'body_too_large' } }],
    ['/v1/audio/transcriptions', form, 10_000, { error: { code: 'body_too_large' } }],
    ['/api/user/login', json, 1_000, { success: false, code: 'BODY_TOO_LARGE' }],
  ])('is refused at once, in the words of %s', async (path, type, mib, expected) => {
    const { status, id, body } = await send(path, { ...type, ...announced(mib) });
    expect(status).toBe(413);
    expect(body).toMatchObject(expected);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it('a body that never ends is refused when it has reached the bound', async () => {
  // One byte more than the bound, and then nothing: what came after would meet a closed port.
  const bytes = Buffer.alloc(limits.relayJsonBytes + 1, ' ');
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  const { status, body } = await send(
    '/v1/chat/completions',
    { ...json, 'transfer-encoding': 'chunked' },
    chunk,
  );
  expect([status, body.error.code]).toEqual([413, 'body_too_large']);
  expect(await gateway.metric('tollgate_request_body_bytes')).toBe(0);
  expect(await gateway.metric('tollgate_resident_bytes')).toBeLessThan(limits.relayJsonBytes * 40);
});

it('nobody who tells of a task without its secret is heard out', async () => {
  const { status, connection } = await send('/mj/notify?task=x&secret=x', { ...json, ...announced(1_000) });
  expect([status, connection]).toEqual([401, 'close']);
});
