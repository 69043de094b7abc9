/** The embedded engine breaks under a call: the call is answered, new ones get 503, and the process ends for its supervisor. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConsoleClient, ROOT, setUpRelay, startGateway } from '../support/gateway.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const WORDS = 5;
const CHARGE = 17 + WORDS;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ words: WORDS });
});
afterAll(() => upstream.close());

it(
  'ends with an error once the engine stays broken, and loses no settlement',
  async () => {
    const preload = join(import.meta.dir, 'broken-engine.preload.ts');
    const doomed = await startGateway({ env: { BUN_OPTIONS: `--preload=${preload}` } });
    const { key } = await setUpRelay(doomed, upstream.base);
    upstream.next.push('held');
    const asking = doomed.chat(key);
    await upstream.until(({ heldNow }) => heldNow === 1);
    doomed.signal('SIGUSR2');
    let refused = await doomed.chat(key);
    while (refused.ok) refused = await doomed.chat(key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    upstream.release();
    expect((await asking).status).toBe(200);
    expect(await doomed.exited).toBe(1);
    expect(doomed.logLines.filter(({ event }) => event === 'database.broken')).toHaveLength(1);
    expect(await readdir(join(doomed.dataDir, 'spool'))).toHaveLength(1);

    const again = await doomed.restart({ BUN_OPTIONS: '' });
    const root = await new ConsoleClient(again.base).login(ROOT.username, ROOT.password);
    const { total } = await root.get('/api/log/?type=2&page_size=1');
    const self = await root.get('/api/user/self');
    expect(total).toBeGreaterThanOrEqual(1);
    expect(self.used_quota).toBe(total * CHARGE);
    await again.stop();
    expect((await again.audit()).findings).toEqual([]);
  },
  patience(180_000),
);
