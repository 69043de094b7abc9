import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'bun:test';
import { freshPostgresUrl } from '../support/database.ts';
import { type ConsoleClient, type Gateway, setUpRelay, startGateway } from '../support/gateway.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ words: 10 });
});
afterAll(() => upstream.close());

let gateway: Gateway;
let root: ConsoleClient;
let key: string;
beforeEach(async () => {
  upstream.always = 'ok';
  upstream.settings.delayMs = 0;
  gateway = await startGateway({ databaseUrl: await freshPostgresUrl() });
  ({ root, key } = await setUpRelay(gateway, upstream.base));
});
afterEach(() => gateway.kill());

/** A stream whose first frame has arrived, and the rest of it. */
async function openStream() {
  const answer = await gateway.chat(key, { stream: true });
  const reader = answer.body?.getReader();
  if (!reader) throw new Error('the answer has no body');
  const decoder = new TextDecoder();
  const first = decoder.decode((await reader.read()).value, { stream: true });
  const rest = (async () => {
    let text = first;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
  })();
  return { rest };
}

const stopHasBegun = async () => {
  while (!gateway.logLines.some((line) => line.event === 'stopping')) await Bun.sleep(10);
};

/** A new connection for each: a kept one is closed by the refusal. */
const ask = (path: string) => fetch(gateway.base + path, { headers: { connection: 'close' } });

const auditAfterwards = async () => {
  expect((await gateway.audit()).findings).toEqual([]);
};

it('finishes an open stream, refuses new work meanwhile, and leaves nothing unsettled', async () => {
  upstream.settings.delayMs = 100;
  const { rest } = await openStream();
  gateway.signal('SIGTERM');
  await stopHasBegun();

  expect((await ask('/readyz')).status).toBe(503);
  expect((await ask('/healthz')).status).toBe(200);
  const refused = await gateway.chat(key);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('connection')).toBe('close');
  expect(await refused.json()).toMatchObject({ error: { code: 'stopping' } });
  expect((await ask('/api/status')).status).toBe(503);

  const text = await rest;
  expect(text).toContain(' w9');
  expect(text).toEndWith('data: [DONE]\n\n');
  expect(await gateway.exited).toBe(0);
  expect(gateway.logLines.at(-1)).toMatchObject({ event: 'stopped', left: 0 });
  await auditAfterwards();
});

it('ends a stream that outlives the grace with an error event, and charges what was sent', async () => {
  await root.setOption('StopSeconds', 1);
  upstream.always = 'endless';
  const { rest } = await openStream();
  const before = performance.now();
  expect(await gateway.stop()).toBe(0);
  expect(performance.now() - before).toBeGreaterThan(900);
  const text = await rest;
  expect(text).toContain('"error"');
  expect(text).not.toContain('[DONE]');
  gateway = await gateway.restart();
  await root.login('root', 'Passw0rd1');
  const { items } = await root.get('/api/log/self?p=1&page_size=10');
  expect(items).toHaveLength(1);
  expect(items[0].quota).toBeGreaterThan(0);
  await gateway.stop();
  await auditAfterwards();
});

it('ends at once at a second signal that comes more than a second later', async () => {
  upstream.always = 'endless';
  const { rest } = await openStream();
  rest.catch(() => undefined);
  gateway.signal('SIGTERM');
  await stopHasBegun();
  gateway.signal('SIGTERM');
  expect(await Promise.race([gateway.exited, Bun.sleep(1_200)])).toBeUndefined();
  gateway.signal('SIGTERM');
  expect(await gateway.exited).toBe(1);
  gateway = await gateway.restart();
  await gateway.stop();
  await auditAfterwards();
});
