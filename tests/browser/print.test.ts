/** What people put on paper: the log, a bill, a statement, the terms. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { inflateSync } from 'node:zlib';
import { nowSec } from '../../src/core/time.ts';
import { logs } from '../../src/db/schema/index.ts';
import { cookieNames } from '../../web/lib/preferences.ts';
import { figure, viewsElsewhere } from '../points/point.ts';
import type { TestUser } from '../support/api.ts';
import { DESK, openSite, type Site, type Visitor } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);
const ROWS = 70;
/** The room between the margins of a sheet of A4, in pixels. */
const PAPER = { width: 703, height: 1016 };

let site: Site;
let una: TestUser;
let root: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  const { db } = site.api.deps;
  const call = (i: number) => ({
    created_at: nowSec() - 60 * i - 5,
    user_id: una.id,
    username: 'una',
    type: 2,
    token_id: 7,
    token_name: 'the-laptop-in-the-other-room',
    model_name: 'claude-sonnet-4-20250514-thinking-extended',
    group_name: 'default',
    quota: 65 + i,
    prompt_tokens: 320 + i,
    completion_tokens: 40,
    use_time: 2,
    is_stream: true,
    request_id: Bun.randomUUIDv7(),
    other: {
      model_price: -1,
      group_ratio: 1,
      user_group_ratio: -1,
      price_source: 'default',
      model_ratio: 0.135,
      completion_ratio: 4,
      frt: 620,
      usage_source: 'upstream',
      stream_end: 'done',
    },
  });
  await db.orm.insert(logs).values(Array.from({ length: ROWS }, (_, i) => call(i)));
  const text = 'The model claude-sonnet-4-20250514-thinking-extended does not exist';
  await db.orm.insert(logs).values({
    ...call(0),
    type: 6,
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    content: text,
    other: { error: 'model_not_found', status: 404, text: { zh: text, en: text } },
  });
  const client = await site.api.as(root);
  for (let i = 1; i <= ROWS; i++)
    await client.put('/api/user/', { id: una.id, add_quota: i, reason: `Correction ${i} of the spring` });
}, patience(120_000));
afterAll(() => site.close());

/** The runs of glyphs that a page of a PDF draws, page by page, as the printer of Chromium writes them. */
function glyphsOf(pdf: Buffer): string[][] {
  const text = pdf.toString('latin1');
  const bodyOf = (id: string): Buffer => {
    const at = text.search(new RegExp(`(?:^|\\n)${id} 0 obj`));
    const from = text.indexOf('stream\n', at) + 'stream\n'.length;
    return inflateSync(pdf.subarray(from, text.indexOf('\nendstream', from)));
  };
  const pages = [...text.matchAll(/\/Type \/Page\n[\s\S]*?\/Contents (\d+) 0 R/g)];
  return pages.map(([, id = '']) =>
    [
      ...bodyOf(id)
        .toString('latin1')
        .matchAll(/[<([][^\n]*[>)\]] T[jJ]/g),
    ].map(([run]) => run),
  );
}

const onPaper = async (visitor: Visitor, what: string): Promise<string[][]> => {
  const { page } = visitor;
  await page.setViewportSize(PAPER);
  await page.emulateMedia({ media: 'print' });
  await visitor.shot(`print-${what}`);
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
  if (process.env.SCREENSHOT_DIR) await Bun.write(`${process.env.SCREENSHOT_DIR}/print-${what}.pdf`, pdf);
  return glyphsOf(pdf);
};

/** How the heads of a table are laid out: as a group they stand on each of its pages, as the phone has them on none. */
const headsOf = ({ page }: Visitor, table: string): Promise<string> =>
  page.locator(`${table} > thead`).evaluate((one) => getComputedStyle(one).display);

/** Neither the frame nor a control is printed, and nothing stands beyond the paper's edge. */
const expectOnlyWords = async ({ page }: Visitor) => {
  const seen = await page.evaluate(() => ({
    controls: [...document.querySelectorAll('button, input, select, [data-shell], nav')]
      .filter((one) => one.checkVisibility())
      .map((one) => one.outerHTML.slice(0, 120)),
    wide: document.documentElement.scrollWidth - window.innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
  }));
  expect(seen).toEqual({ controls: [], wide: 0, ground: 'rgb(255, 255, 255)' });
};

describe.each(
  usually(
    [['the log', '/log?range=7d&type=2', 'log', 'Model']],
    ['a statement', '/topup/statement', 'statement', 'Amount'],
  ),
)('%s on paper', (_, path, name, column) => {
  it(
    'is a table with its heads on every page, also from a dark screen',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en', theme: 'dark' });
      const size = { name: cookieNames.pageSize, value: '100', url: site.base };
      await visitor.page.context().addCookies([size]);
      await visitor.goto(path);
      await visitor.page.getByRole('columnheader', { name: column }).waitFor();
      const pages = await onPaper(visitor, name);
      await expectOnlyWords(visitor);
      expect(await headsOf(visitor, 'main .data-table')).toBe('table-header-group');
      expect(pages.length).toBeGreaterThanOrEqual(2);
      // The heads are what the second page begins with, and the first has them too.
      const [first = [], second = []] = pages;
      expect(second.length).toBeGreaterThan(10);
      expect(first.join('\n')).toContain(second.slice(0, 3).join('\n'));
    },
    PATIENCE_MS,
  );
});

it(
  'a log on paper says by which filters it was made, and on the screen as it always did',
  async () => {
    const visitor = await site.visit({ user: root, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/log?from=2026-05-01&to=2026-05-02%2012:00&user=una&model=gpt-4o&type=2');
    const line = page.getByText('Filters applied:');
    expect(await line.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await line.textContent()).toBe(
      'Filters applied: 2026-05-01 00:00 – 2026-05-02 12:00 Asia/Shanghai · Consumption · Model: gpt-4o · User: una',
    );
    await page.emulateMedia({ media: 'screen' });
    // Where nobody has chosen a filter it has looked at a time all the same.
    await visitor.goto('/log');
    await page.emulateMedia({ media: 'print' });
    expect(await line.textContent()).toMatch(/^Filters applied: \d{4}-\d\d-\d\d 00:00 – … Asia\/Shanghai$/);
    await visitor.goto('/topup/statement?kind=9');
    expect(await line.textContent()).toBe('Filters applied: All time · Administrator');
  },
  PATIENCE_MS,
);

it(
  'everyone’s log on paper keeps to it, however long its sentences are, with each figure in one line',
  async () => {
    const visitor = await site.visit({ user: root, locale: 'en' });
    const { page } = visitor;
    for (const [type, name] of [
      ['', 'log-of-all'],
      ['2', 'log-of-calls'],
      ['6', 'log-of-refused'],
    ] as const) {
      await visitor.goto(`/log?range=7d&size=100&type=${type}`);
      await page.locator('tbody tr').first().waitFor();
      await onPaper(visitor, name);
      await expectOnlyWords(visitor);
      const broken = await page
        .locator('main .data-table td[data-align="right"] > *')
        .evaluateAll((all) =>
          all.filter((one) => one.getBoundingClientRect().height > 22).map((one) => one.textContent),
        );
      expect(broken).toEqual([]);
      await page.setViewportSize({ width: DESK, height: 850 });
      await page.emulateMedia({ media: 'screen' });
    }
  },
  PATIENCE_MS,
);

/** As it is seen before it is printed. */
const SCREENS = viewsElsewhere({ width: DESK, locale: 'zh', theme: 'dark' });

it.each(SCREENS)(
  'a bill on paper is the sheet of its row alone, from $width px, $locale, $theme',
  async (view) => {
    const [row] = await site.api.deps.db.query(
      `select id from logs where user_id = ${una.id} and type = 2 limit 1`,
    );
    const visitor = await site.visit({ ...view, user: una });
    const { page } = visitor;
    await visitor.goto(`/log?range=7d&id=${row?.id}`);
    await page.getByRole('dialog').waitFor();
    const pages = await onPaper(visitor, 'bill');
    await expectOnlyWords(visitor);
    expect(pages).toHaveLength(1);
    expect(await headsOf(visitor, '[data-sheet] .bill-table')).toBe('table-header-group');
    expect(await page.locator('main').isVisible()).toBe(false);
  },
  PATIENCE_MS,
);

it.each(SCREENS)(
  'the terms on paper are text alone, from $width px, $locale, $theme',
  async (view) => {
    const visitor = await site.visit(view);
    await visitor.goto('/terms/terms-of-service.html');
    const pages = await onPaper(visitor, 'terms');
    await expectOnlyWords(visitor);
    expect(pages.length).toBeGreaterThanOrEqual(1);
    figure(
      60,
      `a bill and the terms from ${SCREENS.length} screens: no frame, no control, nothing beyond the paper`,
    );
  },
  PATIENCE_MS,
);
