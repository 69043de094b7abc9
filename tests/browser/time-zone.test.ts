/**
 * Days are shown in the zone in which they were counted. Of the first page that a browser opens nobody knows its own yet: it
 * is counted once more then, and nobody sees that but by what it shows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Route } from 'playwright';
import { reserveAll, settleAll } from '../../src/billing/statements.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { holdOf, makeToken, settlementOf } from '../support/accounts.ts';
import type { TestUser } from '../support/api.ts';
import {
  DESK,
  openSite,
  PHONE,
  type Site,
  type VisitOptions,
  type Visitor,
  ZONE,
} from '../support/browser.ts';
import { patience } from '../support/patience.ts';
import { until } from '../support/waits.ts';

const PATIENCE_MS = patience(60_000);
const PATH = '/topup/statement';

let site: Site;
let una: TestUser;
beforeAll(async () => {
  site = await openSite();
  una = await site.api.createUser({ username: 'una', quota: 50_000_000 });
  const { db } = site.api.deps;
  const midnight = Math.floor(nowSec() / DAY_SEC) * DAY_SEC;
  await db.query(`update ledger set created_at = ${midnight - 40 * DAY_SEC} where user_id = ${una.id}`);
  const token = await makeToken(db, una.id);
  // By day of UTC one, two, three calls and so on; the last of each, late in the evening, belong to the next day in Shanghai.
  for (let day = 1; day <= 5; day++) {
    for (let call = 0; call <= day; call++) {
      const hold = holdOf(una.id, token, 123_456);
      const at = midnight - day * DAY_SEC + (call === 0 ? 22 : 4) * 3600;
      await reserveAll(db, [{ ...hold, extends: false }], 'test');
      await settleAll(db, [settlementOf(hold.id, 123_456, { at, username: 'una' })]);
    }
  }
}, patience(120_000));
afterAll(() => site.close());

/** Of the statement's lines, as they stand: their dates and how many calls are in them. */
const linesOf = ({ page }: Visitor): Promise<{ zones: string[]; lines: string[] }> =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll('main tbody tr')];
    const times = rows.map((row) => row.querySelector('time')?.title ?? '');
    return {
      zones: [...new Set(times.map((title) => title.split(' ').at(-1) ?? ''))],
      lines: rows.map((row, i) =>
        [times[i]?.slice(0, 10), row.querySelector('a')?.textContent ?? 'else'].join(': '),
      ),
    };
  });

/** The same as the server has counted them in a zone. */
async function countedIn(timeZone: string): Promise<string[]> {
  const client = await site.api.as(una);
  const { data } = await client.get(`/api/user/statement?time_zone=${encodeURIComponent(timeZone)}`);
  const dateOf = (at: number) => new Date(at * 1000).toLocaleDateString('sv-SE', { timeZone });
  return data.items.map(
    ({ day, created_at }: { day: { from: number; calls: number } | null; created_at: number }) =>
      day
        ? `${dateOf(day.from)}: ${day.calls} call${day.calls === 1 ? '' : 's'}`
        : `${dateOf(created_at)}: else`,
  );
}

const inZone = ({ page }: Visitor, zone: string) =>
  page.locator(`main tbody time[title$=" ${zone}"]`).first().waitFor();

/** What the page itself asks the server for; each waits until it is told what becomes of it. */
async function heldBack({ page }: Visitor) {
  const routes: Route[] = [];
  await page.route('**/api/**', (route) => void routes.push(route));
  return {
    routes,
    /** The first of them. */
    async asked(): Promise<Route> {
      await until('the page asks for its data', () => routes.length > 0);
      const [route] = routes;
      if (!route) throw new Error('nothing was asked for');
      return route;
    },
  };
}

const visit = (options: VisitOptions = {}) => site.visit({ user: una, locale: 'en', ...options });

/** Whether anything said from then on that it is loading, and how far what was read moved. */
const watched = async ({ page }: Visitor) => {
  await page.evaluate(() => {
    const seen = { busy: false, shift: 0 };
    const look = () => {
      seen.busy ||= document.querySelector('main [aria-busy=true]') !== null;
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) seen.shift += Number(entry.value);
    }).observe({ type: 'layout-shift' });
    Object.assign(window, { seen });
  });
  return () => page.evaluate(() => ('seen' in window ? window.seen : null));
};

describe('the first page that a browser opens', () => {
  it.each([DESK, PHONE])(
    'stands in UTC, as it was counted, until it is there in the browser’s own zone: at %d px',
    async (width) => {
      const visitor = await visit({ width, toldZone: null });
      const held = await heldBack(visitor);
      await visitor.goto(PATH);
      const seen = await watched(visitor);
      const route = await held.asked();
      expect(new URL(route.request().url()).searchParams.get('time_zone')).toBe(ZONE);
      const counted = await countedIn('UTC');
      expect((await linesOf(visitor)).lines).toEqual(counted);
      await route.continue();
      const own = await countedIn(ZONE);
      await until('the days are those of the zone', async () => (await linesOf(visitor)).lines[0] === own[0]);
      expect(await linesOf(visitor)).toEqual({ zones: [ZONE], lines: own });
      expect(own).toEqual(own.toSorted().toReversed());
      expect(own).not.toEqual(counted);
      expect(await seen()).toEqual({ busy: false, shift: expect.closeTo(0, 1) });
      expect(held.routes).toHaveLength(1);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is counted anew however late its code has come',
    async () => {
      const visitor = await visit({ toldZone: null });
      const { page } = visitor;
      const { promise: coming, resolve: come } = Promise.withResolvers<void>();
      await page.route('**/topup.statement.page-*.js', (route) => coming.then(() => route.continue()));
      await page.clock.install();
      await page.goto(PATH, { waitUntil: 'commit' });
      await page.waitForFunction(() => '$_TSR' in window && Object(window.$_TSR).initialized === true);
      await page.clock.runFor(5_000);
      come();
      const own = await countedIn(ZONE);
      await until('the days are those of the zone', async () => (await linesOf(visitor)).lines[0] === own[0]);
      expect((await linesOf(visitor)).lines).toEqual(own);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'stays as it was counted where the server has no time for another',
    async () => {
      const visitor = await visit({ toldZone: null });
      const held = await heldBack(visitor);
      await visitor.goto(PATH);
      await (await held.asked()).fulfill({
        status: 429,
        json: { success: false, message: 'Too many calls', code: 'RATE_LIMITED' },
      });
      await visitor.page.getByText('What you see is as it was before.').waitFor();
      expect((await linesOf(visitor)).lines).toEqual(await countedIn('UTC'));
    },
    PATIENCE_MS,
  );

  it(
    'is not loaded anew where it counts no days, and keeps what is typed there',
    async () => {
      const visitor = await visit({ toldZone: null });
      const { page } = visitor;
      const [{ id } = { id: 0 }] = await site.api.deps.db.query<{ id: number }>(
        `select id from tokens where user_id = ${una.id}`,
      );
      await page.clock.install();
      await visitor.goto(`/token/edit/${id}`);
      const held = await heldBack(visitor);
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('typed');
      await page.clock.runFor(5_000);
      await name.press('End');
      await name.pressSequentially(' on');
      expect(await name.inputValue()).toBe('typed on');
      expect(held.routes.map((route) => route.request().url())).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('every other page', () => {
  it(
    'comes in the browser’s zone and is not loaded anew',
    async () => {
      const visitor = await visit();
      const held = await heldBack(visitor);
      await visitor.page.clock.install();
      await visitor.goto(PATH);
      expect(await linesOf(visitor)).toEqual({ zones: [ZONE], lines: await countedIn(ZONE) });
      await visitor.page.clock.runFor(5_000);
      expect(held.routes).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is loaded anew where the browser has come to another zone, once',
    async () => {
      const visitor = await visit({ toldZone: 'America/New_York' });
      await visitor.goto(PATH);
      await inZone(visitor, ZONE);
      const own = await countedIn(ZONE);
      await until('the days are those of the zone', async () => (await linesOf(visitor)).lines[0] === own[0]);
      expect(await linesOf(visitor)).toEqual({ zones: [ZONE], lines: own });
      expect(await visitor.html(PATH)).toContain(` ${ZONE}"`);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});
