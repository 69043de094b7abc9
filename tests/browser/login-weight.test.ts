/** What a stranger's browser loads before he can sign in. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { figure, views } from '../points/point.ts';
import { openSite, type Site, viewName } from '../support/browser.ts';
import { type Weight, weigh } from '../support/weight.ts';

const REQUESTS_MAX = 15;
const BYTES_MAX = 190_000;

let site: Site;
const weighed: Weight[] = [];
beforeAll(async () => {
  site = await openSite('postgres');
  await site.api.root();
});
afterAll(async () => {
  const most = (key: keyof Weight) => Math.max(...weighed.map((one) => one[key]));
  figure(9, `${weighed.length} views, at most ${most('requests')} requests and ${most('bytes')} bytes`);
  await site.close();
});

it.each(views().map((view) => [viewName(view), view] as const))(
  'is no more than it may be: %s',
  async (_, view) => {
    const { page } = await site.visit(view);
    const weight = await weigh(page.context(), `${site.base}/login`);
    const { requests, bytes, usableMs, shift } = weight;
    weighed.push(weight);
    expect(requests).toBeLessThanOrEqual(REQUESTS_MAX);
    // What nobody counted would be no less than any bound.
    expect(requests).toBeGreaterThan(8);
    expect(bytes).toBeLessThan(BYTES_MAX);
    expect(bytes).toBeGreaterThan(BYTES_MAX / 2);
    expect(usableMs).toBeGreaterThan(0);
    expect(shift).toBeLessThan(0.01);
  },
);
