/**
 * Heads whose bodies do not come. Each once held a place among the calls for twenty seconds, and of the places left each
 * network more than nine of ten: six accounts without balance at five addresses kept everybody's calls out, for 6 KB/s.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { together } from '../../src/platform/body-budget.ts';
import { ComingBodies } from '../../src/platform/coming-bodies.ts';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const PLACES = 8;
const BODIES = 4;

class Counted extends ComingBodies {
  begun = 0;
  bytes = 0;

  override of(...names: string[]) {
    this.begun++;
    const count = (bytes: number) => {
      this.bytes += bytes;
    };
    return together(super.of(...names), { hold: () => ({ ...NO_ROOM, grow: count }) });
  }
}

const NO_ROOM = { keep: () => undefined, comes: () => () => undefined, release: () => undefined };

let relay: TestRelay;
let coming: Counted;
let keys: string[];
const open: Socket[] = [];
beforeAll(async () => {
  relay = await openTestRelay();
  const deps = relay.api.deps.relay;
  deps.calls = new CallGate(PLACES);
  coming = new Counted(() => BODIES + deps.calls.free);
  deps.coming = coming;
  keys = [];
  for (let n = 0; n < 6; n++) keys.push(await relay.addToken({}, await relay.api.createUser({ quota: 0 })));
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await until(() => relay.api.deps.relay.calls.open + coming.open === 0);
});
afterAll(() => relay.close());

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + patience(10_000); !isSo(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('it does not come to that');
  }
}

const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });

/** The head of a call and the first byte of its body, once they are there; what was heard of it, and what sends the rest. */
async function begin(key: string, ip: string, path = '/v1/chat/completions', body = BODY) {
  const { begun } = coming;
  const socket = connect(Number(new URL(relay.base).port), '127.0.0.1');
  open.push(socket);
  const type = path.startsWith('/v1/audio') ? 'multipart/form-data; boundary=b' : 'application/json';
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `x-forwarded-for: ${ip}`,
    `authorization: Bearer ${key}`,
    `content-type: ${type}`,
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body[0]}`);
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes.toString();
  });
  socket.on('error', () => undefined);
  await until(() => coming.begun > begun);
  const send = (from: number, to?: number) => socket.write(body.slice(from, to));
  return { heard: () => heard, send, sendRest: () => send(1) };
}

const isRefused = ({ heard }: Awaited<ReturnType<typeof begin>>): boolean => heard().includes(' 503 ');

describe('bodies that do not come', () => {
  it.each(['/v1/chat/completions', '/v1/audio/transcriptions', '/mj/task/list-by-condition', '/suno/fetch'])(
    'keep nobody from his calls, not even him who sends them: %s',
    async (path) => {
      const { calls } = relay.api.deps.relay;
      const asked: Awaited<ReturnType<typeof begin>>[] = [];
      for (let n = 0; n < 20; n++) asked.push(await begin(relay.key, '198.51.100.1', path));
      // Three quarters of twelve are one user's, and those that came last have their places.
      await until(() => asked.slice(0, 11).every(isRefused));
      expect([coming.open, calls.open, asked.filter(isRefused).length]).toEqual([9, 0, 11]);
      const headers = { 'x-forwarded-for': '198.51.100.1', authorization: `Bearer ${relay.key}` };
      const call = () => fetch(`${relay.base}/v1/chat/completions`, { method: 'POST', headers, body: BODY });
      expect((await call()).status).toBe(200);
    },
  );

  it('of six accounts at five addresses keep out no call of another', async () => {
    for (let n = 0; n < 60; n++) await begin(keys[n % 6] ?? '', `198.51.100.${n % 5}`);
    expect(coming.open).toBe(PLACES + BODIES);
    const own = await relay.addToken();
    for (let n = 0; n < 5; n++) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, authorization: `Bearer ${own}` };
      const asked = await fetch(`${relay.base}/v1/chat/completions`, { method: 'POST', headers, body: BODY });
      expect(asked.status).toBe(200);
    }
  });

  it('keep out no small one of another that moves', async () => {
    const others = (n: number) => begin(keys[n % 6] ?? '', `198.51.100.${n % 5}`);
    const [piece, pieces] = [15_000, 4];
    const prompt = BODY.replace('hi', 'hi '.repeat((piece * pieces) / 3));
    const phone = await begin(relay.key, '203.0.113.1', undefined, prompt);
    for (let n = 0; n < pieces; n++) {
      for (let m = 0; m < PLACES; m++) await others(m);
      const { bytes } = coming;
      phone.send(1 + n * piece, 1 + (n + 1) * piece);
      await until(() => coming.bytes > bytes || isRefused(phone));
    }
    phone.send(1 + pieces * piece);
    await until(() => phone.heard() !== '');
    expect(phone.heard()).toContain(' 200 ');
  });

  it('are calls as soon as they have come', async () => {
    const asked = await begin(relay.key, '198.51.100.1');
    expect(coming.open).toBe(1);
    asked.sendRest();
    await until(() => asked.heard().includes(' 200 '));
  });
});
