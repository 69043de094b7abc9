import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { health } from '../../src/http/health.ts';
import { description } from '../../src/http/openapi.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
});
afterAll(() => relay.close());

describe('a host of a few letters', () => {
  it.each(['x', 'tg', 'web', 'a.b:80'])('%s finds every part of the server', async (host) => {
    const { deps } = relay.api;
    const api = createApi(deps);
    const snapshots = async () => [deps.metrics.snapshot()];
    const status = async (part: Pick<typeof api, 'handle'>, path: string) =>
      (await part.handle(new Request(`http://${host}${path}`))).status;
    expect(await status(health({ ...deps, snapshots }), '/healthz')).toBe(200);
    expect(await status(description([api]), '/openapi.json')).toBe(200);
    expect(await status(api, '/api/status')).toBe(200);
    expect(await status(api, '/api/nothing')).toBe(404);
  });
});
