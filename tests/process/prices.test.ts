/** Two processes on one Postgres and one Redis: a price that is changed at one is charged by both. */
import { expect, it } from 'bun:test';
import { freshPostgresUrl } from '../support/database.ts';
import { setUpRelay, startGateway } from '../support/gateway.ts';
import { patience } from '../support/patience.ts';
import { startUpstream } from '../support/upstream.ts';

const CALL_TOKENS = 37;

it(
  'charges a new ModelRatio on both processes within a second',
  async () => {
    const upstream = await startUpstream();
    const shared = {
      databaseUrl: await freshPostgresUrl(),
      redisUrl: process.env.TEST_REDIS_URL ?? '',
      // As hosts on one database share it.
      env: { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
    };
    const first = await startGateway(shared);
    const { root, key } = await setUpRelay(first, upstream.base);
    const second = await startGateway(shared);
    try {
      const costAt = async (gateway: typeof first): Promise<number> => {
        const answer = await gateway.chat(
          key,
          {},
          {
            headers: {
              authorization: `Bearer ${key}`,
              'content-type': 'application/json',
              'x-include-cost': '1',
            },
          },
        );
        expect(answer.status).toBe(200);
        await answer.text();
        return Number(answer.headers.get('x-gateway-cost'));
      };
      const before = [await costAt(first), await costAt(second)];
      await root.setOption('ModelRatio', { 'gpt-4o': 7 });
      await root.setOption('CompletionRatio', { 'gpt-4o': 1 });
      const changedAt = performance.now();
      expect(await costAt(first)).toBe(7 * CALL_TOKENS);
      let seen = await costAt(second);
      while (seen !== 7 * CALL_TOKENS && performance.now() - changedAt < patience(1_000))
        seen = await costAt(second);
      expect(seen).toBe(7 * CALL_TOKENS);
      expect(before).not.toContain(7 * CALL_TOKENS);
    } finally {
      await Promise.all([first.stop(), second.stop()]);
      await upstream.close();
    }
  },
  patience(120_000),
);
