/** One's own settings, in the browser. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site, type View, type Visitor, viewName, views } from '../support/browser.ts';

let site: Site;
let people = 0;
let visitors: Visitor[] = [];

beforeAll(async () => {
  site = await openSite();
}, 120_000);
afterAll(() => site.close());
afterEach(async () => {
  const complaints = visitors.flatMap((visitor) => visitor.complaints);
  for (const { page } of visitors) await page.context().close();
  visitors = [];
  expect(complaints).toEqual([]);
});

const make = (fields: { role?: number; quota?: number } = {}) =>
  site.api.createUser({ username: `person${++people}`, ...fields });
const arrive = async (user: TestUser, path: string, view: Partial<View> = {}): Promise<Visitor> => {
  const visitor = await site.visit({ user, locale: 'en', ...view });
  visitors.push(visitor);
  await visitor.goto(path);
  return visitor;
};

describe.each(['/personal', '/setting', '/setting?tab=personal'])('the page %s', (path) => {
  it.each(views.map((view) => [viewName(view), view] as const))(
    'fits and can be used by everyone at %s',
    async (_name, view) => {
      const visitor = await arrive(await make({ quota: 1_234_567, role: path.includes('tab') ? 10 : 1 }), path, view);
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
      await visitor.shot(`${path}-${viewName(view)}`.replaceAll(/\W+/g, '-'));
    },
  );
});
