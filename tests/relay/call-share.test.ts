/** The places for calls under way, which slow senders of one user must not take from the others. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { CallGate } from '../../src/relay/entry/call-gate.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

const PLACES = 8;

describe('slow uploads of one user', () => {
  let relay: TestRelay;
  const open: Socket[] = [];
  beforeAll(async () => {
    relay = await openTestRelay();
    relay.api.deps.relay.calls = new CallGate(PLACES);
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await relay.close();
  });

  /** Sends the head of a call and the first byte of its body; answers what comes back, if that is anything. */
  const begin = (path: string, key: string) => {
    const socket = connect(Number(new URL(relay.base).port), '127.0.0.1');
    open.push(socket);
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${key}`,
      path.startsWith('/v1/audio')
        ? 'content-type: multipart/form-data; boundary=b'
        : 'content-type: application/json',
      'content-length: 1000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n-`);
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString();
    });
    socket.on('error', () => undefined);
    return () => heard;
  };
  const until = async (isSo: () => boolean | Promise<boolean>) => {
    for (const end = performance.now() + patience(10_000); !(await isSo()); await Bun.sleep(10)) {
      if (performance.now() > end) throw new Error('it does not come to that');
    }
  };

  it.each(['/v1/chat/completions', '/v1/audio/transcriptions'])(
    'of %s leave room for the others',
    async (path) => {
      const { calls } = relay.api.deps.relay;
      const other = await relay.addToken({}, await relay.api.createUser({ quota: 1_000_000 }));
      const second = await relay.addToken();
      const answers = Array.from({ length: 2 * PLACES }, (_, n) => begin(path, n % 2 ? relay.key : second));
      // All but those that were refused wait for their bodies.
      await until(() => answers.filter((heard) => heard().includes(' 503 ')).length === 2 * PLACES - 6);
      expect(calls.open).toBe(6);
      const refused = await relay.chat({});
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      // As long as it is not known whose they are they count for their network, which is the other's here.
      await until(async () => (await relay.chat({}, { key: other })).status === 200);
      for (const socket of open.splice(0)) socket.destroy();
      await until(() => calls.open === 0);
      expect((await relay.chat({})).status).toBe(200);
    },
  );
});
