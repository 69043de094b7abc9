/**
 * The process is killed at every step of a relayed call, under calls of both kinds. Afterwards every answer that was
 * seen whole is charged once, none that never reached the upstream is charged at all, and nothing stays held.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { engines, freshPostgresUrl } from '../support/database.ts';
import { ConsoleClient, copyOf, type Gateway, ROOT, setUpRelay, startGateway } from '../support/gateway.ts';
import { often, onEngine, usually } from '../support/long.ts';
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
    let model: Gateway;
    let key: string;
    beforeAll(async () => {
      model = await startGateway({ databaseUrl: engine === 'postgres' ? await freshPostgresUrl() : '' });
      ({ key } = await setUpRelay(model, upstream.base));
      await model.stop();
    }, 180_000);

    it.each(onEngine(engine, DEATHS, endsTransaction))(
      'at %s charges what was answered, once, and holds nothing',
      async (death) => {
        const servedBefore = upstream.seen.length;
        const doomed = await startGateway({ ...(await copyOf(model)), env: { TOLLGATE_KILL_AT: death } });
        const answered = await callUntilDead(doomed, key);
        const served = upstream.seen.length - servedBefore;

        const again = await doomed.restart({ TOLLGATE_KILL_AT: '' });
        const root = await new ConsoleClient(again.base).login(ROOT.username, ROOT.password);
        const { total } = await root.get('/api/log/?type=2&page_size=1');
        const self = await root.get('/api/user/self');
        expect(total).toBeGreaterThanOrEqual(answered);
        expect(total).toBeLessThanOrEqual(served);
        expect(self.used_quota).toBe(total * CHARGE);
        expect(self.request_count).toBe(total);
        await again.stop();
        expect((await again.audit()).findings).toEqual([]);
      },
      180_000,
    );
  });
}
