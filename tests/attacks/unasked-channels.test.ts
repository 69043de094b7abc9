/**
 * A channel that has no words for a call is not asked, and the next one is. That took of the retries that all have together,
 * which are few: by calls that cost nothing one had the others' fail at the first channel that did.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let t: TestRelay;
beforeAll(async () => {
  t = await openTestRelay();
  // The first has pictures fetched, and nothing private is reached.
  await t.addChannel({ type: 4, models: 'seeing', priority: 10 });
  await t.addChannel({ type: 1, models: 'seeing' });
  await t.set({ ModelRatio: { seeing: 1 } });
});
afterAll(() => t.close());

it('tries that ask nobody take none of the retries of all', async () => {
  const { retries } = t.api.deps.relay;
  while (retries.spend());
  const content = [{ type: 'image_url', image_url: { url: 'https://10.0.0.1/1.png' } }];
  const calls = 2 / limits.retryShare + 1;
  for (let n = 0; n < calls; n++) {
    const { status } = await t.chat({ model: 'seeing', messages: [{ role: 'user', content }] });
    expect(status).toBe(200);
  }
  expect([retries.spend(), retries.spend(), retries.spend()]).toEqual([true, true, false]);
});
