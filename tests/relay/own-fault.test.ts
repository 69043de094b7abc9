/** A fault of our own in the middle of a call: it is masked, and nothing stays held. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { relayRoutes } from '../../src/relay/routes.ts';
import { BALANCE, openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay('pglite');
});
afterAll(() => relay.close());

it.each([false, true])('leaves nothing held when the code of a call throws (stream: %p)', async (stream) => {
  const { relay: deps } = relay.api.deps;
  const lines: string[] = [];
  const broken = relayRoutes({
    ...deps,
    log: { ...deps.log, error: (event) => void lines.push(event) },
    options: {
      ...deps.options,
      get: (key) => {
        if (key === 'RelayTotalTimeout') throw new Error('a bug with sk-upstream-secret in its text');
        return deps.options.get(key);
      },
    },
  });
  const answer = await broken.handle(relay.chatRequest({ stream }));
  const text = await answer.text();
  expect([answer.status, JSON.parse(text).error.code]).toEqual([500, 'internal']);
  expect(text).not.toContain('bug');
  expect(lines).toEqual(['relay.failed']);
  const rows = await relay.settled(stream ? 2 : 1);
  expect(rows.at(-1)).toMatchObject({ type: 4, quota: 0, other: { error: 'internal' } });
  expect(await relay.account()).toMatchObject({ quota: BALANCE, reserved: 0 });
});
