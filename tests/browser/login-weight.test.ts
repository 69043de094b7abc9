/** What a stranger's browser loads before he can sign in. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';
import { weigh } from '../support/weight.ts';

const REQUESTS_MAX = 15;
const BYTES_MAX = 190_000;

let site: Site;
beforeAll(async () => {
  site = await openSite('postgres');
  await site.api.root();
}, 60_000);
afterAll(() => site.close());

it.each(['zh', 'en'] as const)('is no more than it may be: %s', async (locale) => {
  // Whose context nobody was in before: its cache is empty.
  const { page } = await site.visit({ locale, width: 1000 });
  const { requests, bytes, usableMs, shift } = await weigh(page.context(), `${site.base}/login`);
  expect(requests).toBeLessThanOrEqual(REQUESTS_MAX);
  // What nobody counted would be no less than any bound.
  expect(requests).toBeGreaterThan(8);
  expect(bytes).toBeLessThan(BYTES_MAX);
  expect(bytes).toBeGreaterThan(BYTES_MAX / 2);
  expect(usableMs).toBeGreaterThan(0);
  expect(shift).toBeLessThan(0.01);
});
