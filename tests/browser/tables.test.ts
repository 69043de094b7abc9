/** What all lists have in common: what fits, what stays in sight, what a click on a row does, what a lost network leaves. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import { nowSec } from '../../src/core/time.ts';
import { logs } from '../../src/db/schema/index.ts';
import { translatorFor } from '../../web/lib/translator-for.ts';
import { figure, isDesk, viewsElsewhere } from '../points/point.ts';
import type { Client, TestUser } from '../support/api.ts';
import { DESK, openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { inLong, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { until } from '../support/waits.ts';

const PATIENCE_MS = patience(60_000);
const LONG = 'my-private-model-with-a-very-long-name-2026-11-22-preview';
const MODELS = Array.from({ length: 24 }, (_, i) => `filler-${String(i).padStart(2, '0')}`);

let site: Site;
let rootUser: TestUser;
let root: Client;
let una: TestUser;
let failing: number;

beforeAll(async () => {
  site = await openSite();
  rootUser = await site.api.createUser({ username: 'root', role: 100, quota: 1_000_000 });
  una = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  root = await site.api.as(rootUser);
  await root.put('/api/option/', { key: 'GroupRatio', value: '{"default":1,"vip":0.8,"svip":0.5}' });
  const channel = async (name: string, models: string) =>
    (
      await root.post('/api/channel/', {
        name,
        type: 17,
        key: 'k',
        models,
        group: 'default,vip,svip',
        tag: 'azure-pool',
      })
    ).data.ids[0];
  failing = await channel('azure-east-of-the-sun', ['gpt-4o', 'deepseek-chat', LONG, ...MODELS].join());
  await channel('azure-west', 'gpt-4o');
  await root.post('/api/channel/', { name: 'inner', type: 1, key: 'k', models: 'inner', group: 'svip' });
  await root.post('/api/token/', {
    name: 'a token whose name is longer than its cell is',
    unlimited_quota: true,
  });
  await root.post('/api/redemption/', { name: 'spring', quota: 500_000, count: 1 });
  await root.post('/api/activity/', { name: 'Spring', desc: 'Say it.', quota: 500_000 });
  await root.post('/api/oauth_app/admin/', {
    name: 'Notes',
    redirect_uris: ['https://notes.example.com/callback'],
    scopes: ['profile', 'balance'],
    confidential: true,
  });
  const { db } = site.api.deps;
  await db.query(
    `update users set login_ip = '2001:0db8:85a3:0000:0000:8a2e:0370:7334', display_name = 'Research 299' where id = $1`,
    [una.id],
  );
  await db.query('update channels set other_info = $2::text::jsonb where id = $1', [
    failing,
    JSON.stringify({
      failed_test: { time: nowSec() - 60, model: 'gpt-4o', reason: { code: 'said', said: 'no such model' } },
    }),
  ]);
  await db.orm.insert(logs).values(
    Array.from({ length: 10 }, () => ({
      created_at: nowSec() - 5,
      user_id: rootUser.id,
      username: 'root',
      type: 2,
      token_name: 'laptop',
      model_name: 'deepseek-chat',
      channel_id: failing,
      quota: 65,
      prompt_tokens: 12_320,
      completion_tokens: 1_040,
      use_time: 12,
      request_id: Bun.randomUUIDv7(),
      other: {},
    })),
  );
}, patience(120_000));
afterAll(() => site.close());

const arrive = quietVisits(
  () => site,
  () => ({ user: rootUser }),
);
const regionOf = (page: Page): Locator => page.locator('section:has(> table.data-table)');
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const pathOf = (page: Page) => new URL(page.url()).pathname;

const LISTS = [
  '/token',
  '/channel',
  '/user',
  '/redemption',
  '/log',
  '/model-hub',
  '/oauth-apps',
  '/activity-config',
  '/admin-log',
];

describe.each(usually(['en'], 'zh'))('at a desk in %s', (locale) => {
  it(
    'every list shows at first what fits, under heads of words',
    async () => {
      const visitor = await arrive('/token', { locale });
      const { page } = visitor;
      for (const path of LISTS) {
        await visitor.goto(path);
        expect({ path, tables: await regionOf(page).count() }).toEqual({ path, tables: 1 });
        const over = () => regionOf(page).evaluate((region) => region.scrollWidth - region.clientWidth);
        // What has room is measured once the page is there.
        await until(`${path} fits`, async () => (await over()) === 0);
        const mono = await regionOf(page).evaluate(
          (region) =>
            [...region.querySelectorAll('th')].filter((th) =>
              getComputedStyle(th).fontFamily.includes('monospace'),
            ).length,
        );
        expect({ path, mono }).toEqual({ path, mono: 0 });
        await visitor.shot(`table-${locale}-${path.replaceAll(/\W+/g, '-')}`);
      }
    },
    PATIENCE_MS,
  );

  it('the filters of channels stand in one line', async () => {
    const { page } = await arrive('/channel', { locale });
    const tops = await page
      .locator('search')
      .locator('input:not([type=checkbox]), select, button')
      .evaluateAll((all) => [
        ...new Set(all.flatMap((one) => (one.checkVisibility() ? [one.getBoundingClientRect().top] : []))),
      ]);
    expect(tops).toHaveLength(1);
  });
});

describe('columns', () => {
  // On the phone a row is a card.
  it.each(viewsElsewhere({ width: DESK, locale: 'en', theme: 'light' }).filter(isDesk))(
    'are shown, put in order and made as wide as one likes, by mouse and by keyboard, and stay so, in $locale, $theme',
    async (view) => {
      const visitor = await arrive('/user', view);
      const { page } = visitor;
      const t = translatorFor(view.locale);
      const named = { id: 'ID', name: t('user.username'), role: t('user.role'), group: t('user.group') };
      const heads = () =>
        page.locator('th[data-column]').evaluateAll((all) => all.map((th) => th.textContent));
      const widthOf = async (name: string) =>
        Math.round((await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0);
      const [first, firstWidth] = [await heads(), await widthOf(named.role)];
      expect(first).not.toContain(t('user.loginIp'));
      const columns = page.getByRole('button', { name: t('table.columns'), exact: true });
      await columns.click();
      const panel = page.getByRole('dialog', { name: t('table.columns') });
      await panel.getByRole('checkbox', { name: t('user.loginIp') }).check();
      expect(await panel.getByRole('checkbox', { name: named.name, exact: true }).isDisabled()).toBe(true);
      // By keyboard: a place up, and narrower.
      const up = t('table.columnUp', { name: named.group });
      await panel.getByRole('button', { name: up }).focus();
      await page.keyboard.press('Enter');
      const place = t('table.columnPlace', { name: named.group, place: 4, all: 0 });
      await panel.getByText(place.slice(0, place.indexOf('4') + 1)).waitFor({ state: 'attached' });
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(up);
      const before = await widthOf(named.role);
      await panel.getByRole('textbox', { name: t('table.columnWidth', { name: named.role }) }).focus();
      await page.keyboard.press('ArrowUp');
      expect(await widthOf(named.role)).toBe(before + 8);
      await page.keyboard.press('Escape');
      // By mouse: the edge of a head.
      const edge = await page.getByRole('columnheader', { name: named.name }).boundingBox();
      if (!edge) throw new Error('no head');
      const [x, y] = [edge.x + edge.width - 2, edge.y + edge.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 30, y, { steps: 3 });
      await page.mouse.up();
      const arranged = async () => ({
        heads: await heads(),
        role: await widthOf(named.role),
        name: await widthOf(named.name),
      });
      const mine = await arranged();
      expect(mine.heads.slice(0, 5)).toEqual([
        named.id,
        named.name,
        named.role,
        named.group,
        t('user.status'),
      ]);
      expect(mine.heads).toContain(t('user.loginIp'));
      expect(mine.name).toBeLessThan(edge.width);
      await page.reload();
      await visitor.settled();
      expect(await arranged()).toEqual(mine);
      await columns.click();
      await panel.waitFor();
      await visitor.shot('table-columns');
      await panel.getByRole('button', { name: t('table.resetColumns') }).click();
      expect(await heads()).toEqual(first);
      // A pixel is lost to fractions.
      expect(Math.abs((await widthOf(named.role)) - firstWidth)).toBeLessThanOrEqual(1);
      figure(
        37,
        `${mine.heads.length} columns: one shown, one moved by keys, two made wider and narrower; kept, then as at first`,
      );
      expect(visitor.complaints).toEqual([]);
    },
  );

  inLong.it('are put in order by the server, and their heads say so', async () => {
    const { page } = await arrive('/user');
    const names = () => page.locator('tbody td[data-pinned] a').allTextContents();
    const head = page.getByRole('columnheader', { name: 'Username' });
    await head.getByRole('link').click();
    await page.waitForURL('**/user?sort=-username');
    await page.locator('th[aria-sort=descending]').waitFor();
    expect(await names()).toEqual(['una', 'root']);
    await head.getByRole('link').press('Enter');
    await page.waitForURL('**/user?sort=username');
    await page.locator('th[aria-sort=ascending]').waitFor();
    expect(await names()).toEqual(['root', 'una']);
    await page.goto(`${site.base}/user?sort=password`);
    expect(await page.locator('th:is([aria-sort=ascending], [aria-sort=descending])').count()).toBe(0);
    expect(await names()).toEqual(['una', 'root']);
  });

  it('leave room for boxes by which several users are disabled at once, and who may not be is named', async () => {
    const visitor = await arrive('/user');
    const { page } = visitor;
    await page.getByRole('checkbox', { name: 'Select this page' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('Operation completed: 1 user', { exact: true }).waitFor();
    await page.getByText('1 user not changed: root', { exact: true }).waitFor();
    await rowOf(page, 'una').getByText('Banned').waitFor();
    await page.getByRole('checkbox', { name: 'Select una' }).check();
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await rowOf(page, 'una').getByText('Activated').waitFor();
    // What the browser says of the refusal.
    visitor.complaints.splice(0);
  });

  it('keep in sight what a row is and its menu, with a shadow where more lies', async () => {
    const visitor = await arrive('/user');
    const { page } = visitor;
    await page.setViewportSize({ width: 800, height: 850 });
    const region = regionOf(page);
    await page.locator('[data-more-end]').waitFor();
    await region.evaluate((element) => {
      element.scrollLeft = 120;
    });
    await page.locator('[data-more-start]').waitFor();
    const { left, right, shadows } = await region.evaluate((element) => {
      const [name, menu] = ['[data-pinned]', '[data-card="actions"]'].map((part) =>
        element.querySelector(`tbody ${part}`),
      );
      const box = element.getBoundingClientRect();
      return {
        left: (name?.getBoundingClientRect().left ?? 0) - box.left,
        right: box.left + element.clientWidth - (menu?.getBoundingClientRect().right ?? 0),
        shadows: [name, menu].map((cell) => cell && getComputedStyle(cell).boxShadow !== 'none'),
      };
    });
    expect([left, Math.round(right), shadows]).toEqual([0, 0, [true, true]]);
    await visitor.shot('table-pinned');
  });

  it('keep all of their heads in sight when the rows are scrolled', async () => {
    const { page } = await arrive('/model-hub');
    await page.setViewportSize({ width: 1280, height: 500 });
    const tops = await regionOf(page).evaluate((element) => {
      element.scrollTop = 300;
      const top = element.getBoundingClientRect().top;
      const heads = [...element.querySelectorAll('th')].filter((th) => th.checkVisibility());
      return heads.map((th) => th.getBoundingClientRect().top - top);
    });
    expect(new Set(tops)).toEqual(new Set([0]));
  });

  it('show whole what is cut off when the keyboard is in their row', async () => {
    const { page } = await arrive('/token');
    const link = page.getByRole('link', { name: /^a token whose name/ });
    const cell = page.getByRole('cell').filter({ has: link });
    const cut = () => cell.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(await cut()).toBe(true);
    await page.keyboard.press('Tab');
    await link.focus();
    expect(await cut()).toBe(false);
  });
});

/** Runs in a page from its begin, and marks when it is taken over: whole, or first in part. */
function markTakeover(): void {
  const isAlive = (what: string) => {
    const found = document.querySelector(what);
    return found !== null && Object.keys(found).some((name) => name.startsWith('__react'));
  };
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const [head, row] = ['header a', 'tbody tr:last-child a'].map(isAlive);
    if (head !== row) performance.mark('in part');
    if (row) performance.mark('whole');
    else port2.postMessage(null);
  };
  addEventListener('DOMContentLoaded', () => port2.postMessage(null));
}

it('a list is taken over in one go, and no press meets one that is half alive', async () => {
  const visitor = await arrive('/token');
  const { page } = visitor;
  await page.addInitScript(markTakeover);
  await visitor.goto('/log');
  await until('it is taken over', () =>
    page.evaluate(() => performance.getEntriesByName('whole').length === 1),
  );
  expect(await page.evaluate(() => performance.getEntriesByName('in part').length)).toBe(0);
  // What failed is drawn anew: nothing is said of that.
  await visitor.goto('/user/edit/99999');
  expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining('404')]);
});

describe('a row', () => {
  it('opens its drawer when it is clicked, and the drawer goes back to the list', async () => {
    const { page } = await arrive('/user');
    await rowOf(page, 'una').getByRole('cell', { name: 'default', exact: true }).click();
    await page.waitForURL(`**/user/edit/${una.id}`);
    await page.getByRole('dialog', { name: 'Edit user' }).waitFor();
    await page.goBack();
    await page.waitForURL('**/user');
  });

  it('has its drawer stand there at once, which its data fill; closing gives the focus back', async () => {
    const { page } = await arrive('/user');
    const answered = Promise.withResolvers<void>();
    await page.route(`**/api/user/${una.id}`, async (route) => {
      await answered.promise;
      await route.continue();
    });
    const drawer = page.getByRole('dialog', { name: 'Edit user' });
    const focused = page.locator(':focus');
    const more = page.getByRole('button', { name: 'More actions: una', exact: true });
    await more.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await drawer.getByRole('button', { name: 'Close' }).and(focused).waitFor();
    await page.keyboard.press('Escape');
    await more.and(focused).waitFor();
    expect([await drawer.count(), pathOf(page)]).toEqual([0, '/user']);
    const link = page.getByRole('link', { name: 'una', exact: true });
    await link.click();
    await drawer.and(page.locator('[aria-busy=true]')).getByText(`una · #${una.id}`).waitFor();
    expect(pathOf(page)).toBe(`/user/edit/${una.id}`);
    answered.resolve();
    await drawer.getByRole('textbox', { name: 'Username' }).and(focused).waitFor();
    expect(await drawer.getAttribute('aria-busy')).toBeNull();
    await page.keyboard.press('Escape');
    await link.and(focused).waitFor();
    expect(pathOf(page)).toBe('/user');
  });

  it('says in the place of its drawer what became of it, and tries again', async () => {
    const visitor = await site.visit({ user: rootUser, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/redemption');
    const link = rowOf(page, 'spring').getByRole('link');
    const calls = '**/api/redemption/*';
    const gone = { success: false, code: 'NOT_FOUND', message: 'No such code' };
    await page.route(calls, (route) => route.fulfill({ status: 404, json: gone }));
    await link.click();
    await page.getByRole('dialog').getByText('There is no such record').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await link.and(page.locator(':focus')).waitFor();
    await page.unroute(calls);
    await page.route(calls, (route) => route.abort());
    await link.click();
    const drawer = page.getByRole('dialog', { name: 'Edit code' });
    await drawer.getByRole('alert').getByText('The page could not be loaded').waitFor();
    await page.unroute(calls);
    await drawer.getByRole('button', { name: 'Try again' }).click();
    await drawer.getByRole('textbox', { name: 'Name' }).waitFor();
    expect(visitor.complaints.filter((said) => !said.startsWith('Failed to load resource'))).toEqual([]);
  });

  it('does not when its text is marked, or by a control in it or of its menu', async () => {
    const { page } = await arrive('/user');
    const box = await rowOf(page, 'una').getByRole('cell', { name: 'default', exact: true }).boundingBox();
    if (!box) throw new Error('no cell');
    await page.mouse.move(box.x + 9, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 40, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate(() => getSelection()?.isCollapsed)).toBe(false);
    const menu = page.getByRole('button', { name: 'More actions: una', exact: true });
    const addQuota = page.getByRole('menuitem', { name: 'Add quota' });
    await menu.click();
    await addQuota.waitFor();
    // Beside the menu, on a row.
    await page.mouse.click(box.x + 9, box.y + box.height / 2);
    await addQuota.waitFor({ state: 'detached' });
    await menu.click();
    await addQuota.click();
    await page.getByRole('dialog', { name: 'Add quota to una' }).waitFor();
    expect(pathOf(page)).toBe('/user');
  });

  // By a link to a drawer, or by a button that opens the row.
  it.each(
    usually<[string, string, RegExp]>(
      [
        ['/token', 'a token whose', /\/token\/edit\/\d+$/],
        ['/log', 'laptop', /\/log\?.*id=/],
      ],
      ['/channel', 'azure-west', /\/channel\/edit\/\d+$/],
      ['/model-hub?q=gpt-4o', 'gpt-4o', /open=gpt-4o/],
    ),
  )('of %s opens by its first control', async (path, text, address) => {
    const { page } = await arrive(path);
    const status = rowOf(page, text).first().locator('td:not(:has(a, button, input)):visible').first();
    await status.click();
    await page.waitForURL(address);
  });

  it('of a channel tells why its last test failed before with what', async () => {
    const { page } = await arrive('/channel');
    await rowOf(page, 'azure-east-of-the-sun').getByText('no such model · gpt-4o', { exact: true }).waitFor();
  });

  inLong.it('of a channel tells when its last test failed and why, and so does its form', async () => {
    const visitor = await arrive('/channel');
    const { page } = visitor;
    const row = rowOf(page, 'azure-east-of-the-sun');
    await row.getByText(/^failed /).waitFor();
    await row.getByText('no such model').waitFor();
    expect(await row.getByText('Untested').count()).toBe(0);
    const address = new URL(page.url());
    await page.getByRole('columnheader', { name: 'Last test' }).getByRole('link').click();
    await page.waitForURL('**/channel?sort=-test');
    await page.locator('th[aria-sort=descending]').waitFor();
    expect(await page.locator('tbody tr').first().textContent()).toContain('azure-east-of-the-sun');
    await page.getByRole('combobox').filter({ hasText: 'All tests' }).selectOption('failed');
    await page.waitForURL(/test=failed/);
    await page.getByText('azure-west').waitFor({ state: 'detached' });
    await page.goto(address.href);
    await visitor.shot('table-failed-test');
    await page.getByRole('link', { name: 'azure-east-of-the-sun' }).click();
    await page.getByText(/^Last test failed .*: no such model$/).waitFor();
  });
});

/** A search for "a" whose list is on its way until it is let come. */
async function soughtSlowly() {
  const { page } = await arrive('/channel');
  const { promise: mayCome, resolve: letCome } = Promise.withResolvers<void>();
  await page.route(/\/api\/channel\/.*keyword=a(&|$)/, async (route) => {
    await mayCome;
    await route.continue();
  });
  const asked = page.waitForRequest(/keyword=a(&|$)/);
  const field = page.locator('main input[type=search]').first();
  await field.focus();
  await page.keyboard.type('a');
  await asked;
  return { page, field, letCome };
}

it('a search keeps what is typed while the list for its first letter is on its way', async () => {
  const { page, field, letCome } = await soughtSlowly();
  await page.keyboard.type('zu');
  letCome();
  await page.waitForURL(/[?&]q=a(zu)?(&|$)/);
  await page.keyboard.type('re');
  await page.waitForURL(/[?&]q=azure(&|$)/);
  expect(await field.inputValue()).toBe('azure');
});

it('a search that is deleted while its list is on its way stays deleted', async () => {
  const { page, field, letCome } = await soughtSlowly();
  const whole = page.waitForResponse((answer) => /\/api\/channel\/(?!.*keyword)/.test(answer.url()));
  await page.keyboard.press('Backspace');
  await whole;
  letCome();
  await page.waitForURL((url) => !url.searchParams.has('q'));
  expect(await field.inputValue()).toBe('');
});

it('clearing the filters while typing pauses clears what was typed as well', async () => {
  const { page } = await arrive('/task?action=music');
  const field = page.locator('main input[type=search]').first();
  await field.focus();
  await page.keyboard.type('a');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => url.search === '');
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('');
});

describe('when the network is away', () => {
  it.each(usually(['/log'], '/channel'))('%s keeps its rows, says so, and tries again', async (path) => {
    const visitor = await arrive(path);
    const { page } = visitor;
    const rows = await page.locator('tbody tr').count();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    const bar = page.getByRole('alert').filter({ hasText: 'Refresh failed' });
    await bar.waitFor();
    expect(await bar.textContent()).toContain('Unable to connect to server');
    expect(await page.locator('tbody tr').count()).toBe(rows);
    await visitor.shot(`table-offline-${path.replaceAll(/\W+/g, '-')}`);
    await page.context().setOffline(false);
    await bar.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Refresh failed').waitFor({ state: 'detached' });
    // Nothing else than what the browser says of a lost network.
    expect(visitor.complaints.splice(0).filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED'))).toEqual(
      [],
    );
    expect(await page.locator('tbody tr').count()).toBe(rows);
  });
});

describe('on the phone', () => {
  it('the way to copy a name stands behind it', async () => {
    const visitor = await arrive('/model-hub', { width: PHONE });
    for (const model of ['gpt-4o', LONG]) {
      await visitor.goto(`/model-hub?q=${model}`);
      const button = visitor.page.getByRole('button', { name: `Copy the name ${model}`, exact: true });
      const isBehind = await button.evaluate((element) => {
        const [own, name] = [element, element.previousElementSibling].map((one) =>
          one?.getBoundingClientRect(),
        );
        return (
          own !== undefined &&
          name !== undefined &&
          own.top < name.bottom &&
          own.left + own.width / 2 > name.right
        );
      });
      expect({ model, isBehind }).toEqual({ model, isBehind: true });
    }
    await visitor.shot('table-phone-hub');
    // A long name goes on behind one of its hyphens.
    const name = visitor.page.getByTitle(LONG, { exact: true });
    for (const width of [PHONE, 360, 320]) {
      await visitor.page.setViewportSize({ width, height: 844 });
      const ends = await name.evaluate(({ firstChild: text }) => {
        if (!(text instanceof Text)) throw new Error('no name');
        const range = document.createRange();
        const topOf = (at: number) => {
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().top;
        };
        return [...text.data].filter((_, at) => at + 1 < text.length && topOf(at + 1) > topOf(at)).join('');
      });
      expect({ width, isHyphens: /^-+$/.test(ends) }).toEqual({ width, isHyphens: true });
    }
  });

  it('what a list is searched by is read to its end on the narrowest phone', async () => {
    const visitor = await arrive('/channel', { width: PHONE });
    const { page } = visitor;
    for (const path of [...LISTS, '/payment', '/task', '/midjourney']) {
      await page.setViewportSize({ width: PHONE, height: 844 });
      await visitor.goto(path);
      for (const width of [375, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const cut = await page.getByRole('searchbox').evaluateAll((all) =>
          all.flatMap((field) => {
            if (!(field instanceof HTMLInputElement) || !field.checkVisibility()) return [];
            const { font, paddingLeft, paddingRight } = getComputedStyle(field);
            const text = document.createElement('canvas').getContext('2d');
            if (!text) throw new Error('no canvas');
            text.font = font;
            const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
            return text.measureText(field.placeholder).width > room ? [field.placeholder] : [];
          }),
        );
        expect({ path, width, cut }).toEqual({ path, width, cut: [] });
      }
    }
  });

  it('the filters of the price list stand in a sheet, whose button counts them', async () => {
    const { page } = await arrive('/model-hub', { width: PHONE });
    const billing = page.getByRole('combobox', { name: 'All billing' });
    expect(await billing.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).click();
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    await sheet.getByRole('combobox', { name: 'All billing' }).selectOption('call');
    await page.waitForURL(/billing=call/);
    await sheet.getByRole('button', { name: 'Show results' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Filters 1' }).waitFor();
  });

  it('a list is put in any order that the server offers', async () => {
    await root.post('/api/token/', { name: 'zeta', unlimited_quota: true });
    await root.post('/api/token/', { name: 'alpha', unlimited_quota: true });
    const { page } = await arrive('/token', { width: PHONE });
    const names = () => page.locator('tbody td[data-card=title]').allTextContents();
    const order = page.getByRole('combobox', { name: 'Order' });
    await order.selectOption({ label: 'Name, ascending' });
    await page.waitForURL(/sort=name/);
    await page.waitForFunction(() => document.querySelector('section[aria-busy=true]') === null);
    const upward = await names();
    expect(upward.length).toBeGreaterThan(1);
    await order.selectOption({ label: 'Name, descending' });
    await page.waitForURL(/sort=-name/);
    await page.waitForFunction(() => document.querySelector('section[aria-busy=true]') === null);
    expect(await names()).toEqual(upward.toReversed());
    await order.selectOption({ label: 'Default order' });
    await page.waitForURL((url) => !url.searchParams.has('sort'));
    await page.setViewportSize({ width: DESK, height: 850 });
    expect(await order.isVisible()).toBe(false);
  });

  inLong.it('the size of a page can be chosen', async () => {
    const visitor = await arrive('/log', { width: PHONE });
    const { page } = visitor;
    await page.getByLabel('Per page').scrollIntoViewIfNeeded();
    await visitor.shot('table-phone-pages');
    await page.getByLabel('Per page').selectOption('20');
    await page.waitForURL(/size=20/);
    expect(await visitor.overflow()).toBe(0);
  });

  it('the present tab of the companion settings is in sight', async () => {
    const visitor = await arrive('/aipy-conf/marketplace', { width: PHONE });
    const tab = visitor.page.locator('main nav [aria-current=page]');
    const box = await tab.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= PHONE).toBe(true);
    await visitor.shot('table-phone-tabs');
  });

  it('the button that saves a number is in sight', async () => {
    await root.post('/api/prompt/suggest', { title: 'Hello', instruction: 'Say hello' });
    const visitor = await arrive('/aipy-conf/prompts', { width: PHONE });
    const { page } = visitor;
    await page.getByLabel('Sort of Hello').fill('1234');
    const box = await page.getByRole('button', { name: 'Save the sort of Hello' }).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= PHONE).toBe(true);
    await visitor.shot('table-phone-number');
  });
});

describe('words', () => {
  it('call a page as its menu does', async () => {
    const { page } = await arrive('/oauth-apps');
    const item = page.getByRole('navigation').getByRole('link', { name: 'Sign-in applications' });
    await item.waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign-in applications');
  });

  it('say of a token without an end that it never expires', async () => {
    const { page } = await arrive('/token/add');
    const field = page.getByRole('textbox', { name: 'Expires' });
    expect(await field.inputValue()).toBe('');
    expect(await field.getAttribute('placeholder')).toBe('Never');
    await page.getByRole('button', { name: '1 day' }).click();
    expect(await field.inputValue()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await page.getByRole('button', { name: 'Never' }).click();
    expect(await field.inputValue()).toBe('');
  });
});
