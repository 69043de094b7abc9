/**
 * The process is killed at every step of a relayed call, under calls of both kinds. Afterwards every answer that was
 * seen whole is charged once, none that never reached the upstream is charged at all, and nothing stays held.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { engines, freshPostgresUrl } from '../support/database.ts';
import { ConsoleClient, type Gateway, ROOT, setUpRelay, startGateway } from '../support/gateway.ts';
import { often, onEngine, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

/** The last one stands between the settlement and the last frame. */
const POINTS = [
  'before_reserve',
  'after_reserve',
  // To the books, these four are one state: held, and not settled yet.
  ...usually(['first_content'], 'request_written', 'upstream_headers', 'at_usage'),
  'in_settle_commit',
  'after_settle',
];

/** Which passage of the point is its process's last: one of the first calls, or later under the same load. */
const PASSAGES = Array.from({ length: often(1, 8) }, (_, round) => 7 + 5 * round);
const DEATHS = PASSAGES.flatMap((passage) => POINTS.map((point) => `${point}:${passage}`));
const endsTransaction = (death: string): boolean => death.startsWith('in_settle_commit');

const CALLERS = 4;
/** The prompt's and the answer's tokens of the mock, at a price of one unit each. */
const PROMPT_TOKENS = 17;
const WORDS = 5;
const CHARGE = PROMPT_TOKENS + WORDS;

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ words: WORDS });
});
afterAll(() => upstream.close());

/** Calls until the gateway is gone; how many answers were seen whole. */
async function callUntilDead(gateway: Gateway, key: string): Promise<number> {
  let isDead = false;
  void gateway.exited.then(() => {
    isDead = true;
  });
  const caller = async (_: unknown, index: number): Promise<number> => {
    const stream = index % 2 === 1;
    for (let whole = 0; ; ) {
      try {
        const answer = await gateway.chat(key, { stream });
        const text = await answer.text();
        if (answer.ok && (!stream || text.includes('data: [DONE]'))) whole++;
      } catch {
        if (isDead) return whole;
        await Bun.sleep(5);
      }
    }
  };
  const counts = await Promise.all(Array.from({ length: CALLERS }, caller));
  return counts.reduce((sum, count) => sum + count, 0);
}

for (const engine of engines) {
  describe(`a gateway on ${engine} that is killed`, () => {
    const deaths = onEngine(engine, DEATHS, endsTransaction);
    let gateway: Gateway;
    let key: string;
    beforeAll(async () => {
      const databaseUrl = engine === 'postgres' ? await freshPostgresUrl() : '';
      gateway = await startGateway({ databaseUrl, env: { TOLLGATE_KILL_AT: deaths[0] ?? '' } });
      ({ key } = await setUpRelay(gateway, upstream.base));
    }, patience(180_000));
    afterAll(() => gateway.kill());

    const counted = async () => {
      const root = await new ConsoleClient(gateway.base).login(ROOT.username, ROOT.password);
      const { total } = await root.get('/api/log/?type=2&page_size=1');
      return { total, self: await root.get('/api/user/self') };
    };

    /** One process after another on the same database: each looks at what the last one left, and dies of the next. */
    it.each(deaths.map((death, n) => ({ death, next: deaths[n + 1] })))(
      'at $death charges what was answered, once, and holds nothing',
      async ({ next = '' }) => {
        const before = await counted();
        const servedBefore = upstream.seen.length;
        const answered = await callUntilDead(gateway, key);
        const served = upstream.seen.length - servedBefore;

        gateway = await gateway.restart({ TOLLGATE_KILL_AT: next });
        const { total, self } = await counted();
        expect(total - before.total).toBeGreaterThanOrEqual(answered);
        expect(total - before.total).toBeLessThanOrEqual(served);
        expect(self.used_quota).toBe(total * CHARGE);
        expect(self.request_count).toBe(total);
        // An embedded database is read by one process at a time.
        if (engine === 'pglite') await gateway.stop();
        expect((await gateway.audit()).findings).toEqual([]);
        if (engine === 'pglite' && next) gateway = await gateway.restart();
      },
      patience(180_000),
    );
  });
}
