/** The database stops for five seconds under load: refusals say so, answers under way are settled on disk, and the sums are right. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { setUpRelay, startGateway } from '../support/gateway.ts';
import { patience } from '../support/patience.ts';
import { openPostgresServer } from '../support/postgres-server.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const AWAY_MS = 5_000;
const CALLERS = 8;
const WORDS = 5;
const CHARGE = 17 + WORDS;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ words: WORDS, delayMs: 20 });
});
afterAll(() => upstream.close());

it(
  'bears a database that is away for five seconds',
  async () => {
    const server = await openPostgresServer();
    const gateway = await startGateway({ databaseUrl: server.url });
    const { root, key } = await setUpRelay(gateway, upstream.base);
    const before = await root.get('/api/user/self');

    let isOver = false;
    let whole = 0;
    const refusals = new Set<string>();
    const caller = async (_: unknown, index: number) => {
      while (!isOver) {
        const answer = await gateway.chat(key, { stream: index % 2 === 1 });
        const text = await answer.text();
        if (answer.ok && (index % 2 === 0 || text.includes('[DONE]'))) whole++;
        if (!answer.ok) {
          // Another than the wanted one says what it was.
          refusals.add(answer.status === 503 ? '503' : `${answer.status} ${text}`);
          await Bun.sleep(20);
        }
      }
    };
    const callers = Array.from({ length: CALLERS }, caller);
    await until(() => whole > 0);
    const answeredBefore = whole;
    await server.stop();
    await Bun.sleep(AWAY_MS);
    await until(() => refusals.size > 0);
    await server.start();
    const answeredAway = whole;
    await until(() => whole > answeredAway + 20);
    isOver = true;
    await Promise.all(callers);

    expect(answeredBefore).toBeGreaterThan(0);
    expect([...refusals]).toEqual(['503']);
    await until(async () => (await gateway.metric('tollgate_settlements_spooled')) === 0);
    const after = await root.get('/api/user/self');
    expect(after.used_quota - before.used_quota).toBe((after.request_count - before.request_count) * CHARGE);
    expect(after.request_count - before.request_count).toBeGreaterThanOrEqual(whole);
    await gateway.stop();
    expect((await gateway.audit()).findings).toEqual([]);
    await server.stop();
  },
  patience(240_000),
);

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patience(60_000);
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come to hold in a minute');
    await Bun.sleep(50);
  }
}
