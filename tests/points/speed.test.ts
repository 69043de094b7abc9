/**
 * How quick pages are, over a log of 100,000 rows and 500 channels, drawn as they are served, in both languages, themes and
 * widths: only by `./scripts/points`, on a machine that is quiet.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { translatorFor } from '../../web/lib/translator-for.ts';
import { minutePassed, type View, type Visitor, viewName } from '../support/browser.ts';
import { type LivedIn, openLivedIn } from '../support/lived-in.ts';
import { type Address, addressesOf } from './addresses.ts';
import { figure, isPhone, nameOf, views, WHOLE } from './point.ts';

const LOG_ROWS = 100_000;
const CHANNELS = 500;
const ROUNDS = 3;
const TIMEOUT_MS = 2_400_000;

let lived: LivedIn;
let addresses: Address[];

if (WHOLE) {
  beforeAll(async () => {
    lived = await openLivedIn();
    const { db } = lived.site.api.deps;
    await db.query(
      `insert into logs (created_at, user_id, username, type, token_name, model_name, quota, prompt_tokens,
         completion_tokens, use_time, channel_id, request_id)
       select extract(epoch from now())::bigint - n * 6, $1, 'root', 2, 'laptop', 'model-' || n % 40, 65, 320, 40, 2,
         1 + n % ${CHANNELS}, gen_random_uuid()
       from generate_series(1, ${LOG_ROWS}) n`,
      [lived.root.id],
    );
    await db.query(
      `insert into channels (type, name, models)
       select 1, 'many-' || n, '{gpt-4o}'::text[] from generate_series(1, ${CHANNELS}) n`,
    );
    await db.script('analyze');
    addresses = (await addressesOf(lived)).filter(({ path }) => path !== '/nowhere');
  }, TIMEOUT_MS);
  afterAll(() => lived?.close());

  const median = (all: number[]): number =>
    all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;

  /** Guests look at their pages, and root at all others. */
  const everyPage = async (
    look: (visitor: Visitor, pages: Address[], view: View) => Promise<void>,
  ): Promise<void> => {
    for (const view of views()) {
      for (const isGuest of [true, false]) {
        const visitor = await lived.site.visit({
          ...view,
          stays: true,
          ...(!isGuest && { user: lived.root }),
        });
        await look(
          visitor,
          addresses.filter((one) => Boolean(one.isGuest) === isGuest),
          view,
        );
        await visitor.leave();
      }
    }
  };

  /** Root does something in every view. */
  const inEveryView = async (work: (visitor: Visitor, view: View) => Promise<void>): Promise<void> => {
    for (const view of views()) {
      const visitor = await lived.site.visit({ ...view, stays: true, user: lived.root });
      await work(visitor, view);
      await visitor.leave();
    }
  };

  /** The worst of them, and those over the bound. */
  const judge = (number: number, all: Map<string, number>, most: number, unit: string): void => {
    const [worst = ['nothing', Number.NaN]] = [...all].sort(([, a], [, b]) => b - a);
    const over = [...all].filter(([, value]) => !(value <= most));
    figure(number, `${all.size} looks, the worst at ${worst[0]}: ${worst[1].toFixed(unit ? 0 : 3)}${unit}`);
    expect([all.size > 0, over]).toEqual([true, []]);
  };

  /** How far pages move while they load, and when their first byte comes: seen beside point 2. */
  const shifted = new Map<string, number>();
  const begun = new Map<string, number>();
  const late: string[] = [];
  it(
    nameOf(2),
    async () => {
      const painted = new Map<string, number>();
      await everyPage(async ({ page }, pages, view) => {
        await page.addInitScript(() => {
          Object.assign(window, { paints: [], moves: 0 });
          const kept = window as unknown as { paints: number[]; moves: number };
          new PerformanceObserver((list) => {
            for (const one of list.getEntries()) kept.paints.push(one.startTime);
          }).observe({ type: 'largest-contentful-paint', buffered: true });
          new PerformanceObserver((list) => {
            for (const one of list.getEntries())
              kept.moves += (one as PerformanceEntry & { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
        });
        for (const { path, isGuest } of pages) {
          await minutePassed(lived.site.api, lived.root);
          const look = `${path}, ${viewName(view)}`;
          const paints: number[] = [];
          const firsts: number[] = [];
          let moves = 0;
          for (let round = 0; round < ROUNDS; round++) {
            await page.goto(path, { waitUntil: 'load' });
            await page.waitForFunction(() => (window as unknown as { paints: number[] }).paints.length > 0);
            const seen = await page.evaluate(() => {
              const { paints, moves } = window as unknown as { paints: number[]; moves: number };
              const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
              const first = (entry?.responseStart ?? Number.NaN) - (entry?.requestStart ?? 0);
              return { last: Math.max(...paints), moves, first };
            });
            paints.push(seen.last);
            firsts.push(seen.first);
            moves = Math.max(moves, seen.moves);
          }
          painted.set(look, median(paints));
          shifted.set(look, moves);
          begun.set(look, median(firsts));
          if (!(median(firsts) <= (isGuest ? 150 : 250)))
            late.push(`${look}: ${median(firsts).toFixed(0)} ms`);
        }
      });
      judge(2, painted, 1_000, ' ms');
    },
    TIMEOUT_MS,
  );

  it(nameOf(3), () => {
    judge(3, begun, 250, ' ms');
    expect(late).toEqual([]);
  });

  it(
    nameOf(4),
    async () => {
      judge(4, shifted, 0.02, '');
      const moved = new Map<string, number>();
      await inEveryView(async (visitor, view) => {
        const { page } = visitor;
        const t = translatorFor(view.locale);
        const moves = () => page.evaluate(() => (window as unknown as { moves: number }).moves);
        await page.addInitScript(() => {
          Object.assign(window, { moves: 0 });
          new PerformanceObserver((list) => {
            for (const one of list.getEntries()) {
              const { value, hadRecentInput } = one as PerformanceEntry & {
                value: number;
                hadRecentInput: boolean;
              };
              if (!hadRecentInput) (window as unknown as { moves: number }).moves += value;
            }
          }).observe({ type: 'layout-shift', buffered: true });
        });
        await visitor.goto('/channel');
        const before = await moves();
        await page.getByRole('link', { name: t('table.next') }).click();
        await page.waitForURL(/p=2/);
        // The heads are not seen on the phone, where a list stands instead.
        const orders = page.getByRole('combobox', { name: t('table.sort'), exact: true });
        if (isPhone(view)) await orders.selectOption({ index: 1 });
        else await page.locator('th a').first().click();
        await page.waitForURL(/sort=/);
        await page.locator('tbody a[href*="/edit/"]').first().click();
        await page.getByRole('dialog').waitFor();
        moved.set(viewName(view), (await moves()) - before);
      });
      judge(4, moved, 0.001, '');
    },
    TIMEOUT_MS,
  );

  it(
    nameOf(5),
    async () => {
      const waited = new Map<string, number>();
      await inEveryView(async (visitor, view) => {
        const { page } = visitor;
        const t = translatorFor(view.locale);
        await page.addInitScript(() => {
          Object.assign(window, { waits: [] });
          new PerformanceObserver((list) => {
            for (const { duration, interactionId } of list.getEntries() as (PerformanceEventTiming & {
              interactionId: number;
            })[])
              if (interactionId) (window as unknown as { waits: number[] }).waits.push(duration);
          }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
        });
        await visitor.goto('/channel?size=100');
        const field = page.locator('main input[type=search]').first();
        await field.click();
        await page.keyboard.type('many-4', { delay: 30 });
        await page.waitForURL(/q=/);
        if (isPhone(view)) await page.getByRole('button', { name: t('table.select'), exact: true }).click();
        await page.locator('tbody').getByRole('checkbox').first().click();
        await page.getByRole('link', { name: t('table.next') }).click();
        await page.waitForURL(/p=2/);
        const waits = await page.evaluate(() => (window as unknown as { waits: number[] }).waits);
        waited.set(`${viewName(view)}, of ${waits.length} presses`, Math.max(0, ...waits));
      });
      judge(5, waited, 150, ' ms');
    },
    TIMEOUT_MS,
  );

  it(
    nameOf(10),
    async () => {
      const lists = ['token', 'channel', 'user', 'redemption', 'log'] as const;
      const took = new Map<string, number>();
      await inEveryView(async (visitor, view) => {
        const { page } = visitor;
        const t = translatorFor(view.locale);
        const menu = isPhone(view)
          ? page.getByRole('dialog')
          : page.getByRole('navigation', { name: t('shell.mainMenu') });
        await visitor.goto('/');
        // A link that is not hydrated yet loads its page whole.
        await page.waitForFunction(() =>
          [...document.querySelectorAll('nav a')].every((link) =>
            Object.keys(link).some((name) => name.startsWith('__react')),
          ),
        );
        // The first round warms them.
        for (let round = 0; round < ROUNDS; round++) {
          for (const list of lists) {
            if (isPhone(view)) await page.getByRole('button', { name: t('shell.openMenu') }).click();
            const link = menu.getByRole('link', { name: t(`nav.${list}`), exact: true });
            const href = await link.getAttribute('href');
            const ms = await link.evaluate(
              (element, title) =>
                new Promise<number>((resolve) => {
                  const began = performance.now();
                  const look = () =>
                    document.querySelector('main h1')?.textContent === title &&
                    document.querySelector('section[aria-busy=true]') === null &&
                    document.querySelector('tbody > tr')
                      ? resolve(performance.now() - began)
                      : requestAnimationFrame(look);
                  (element as HTMLElement).click();
                  look();
                }),
              t(`${list}.title`),
            );
            await menu.and(page.locator('[role=dialog]')).waitFor({ state: 'detached' });
            const look = `${href}, ${viewName(view)}`;
            if (round > 0) took.set(look, Math.min(ms, took.get(look) ?? Number.POSITIVE_INFINITY));
          }
        }
      });
      judge(10, took, 200, ' ms');
    },
    TIMEOUT_MS,
  );

  it(
    nameOf(25),
    async () => {
      const took = new Map<string, number>();
      await inEveryView(async (visitor, view) => {
        const { page } = visitor;
        await visitor.goto('/token');
        const dialog = page.getByRole('dialog');
        const all: number[] = [];
        // The first loads its code, which is the line's time and not its own.
        for (let round = 0; round <= ROUNDS; round++) {
          const ms = await page.evaluate(
            () =>
              new Promise<number>((resolve) => {
                const began = performance.now();
                // Open is what takes text.
                const look = () =>
                  document.activeElement?.matches('[role=dialog] [role=combobox]')
                    ? resolve(performance.now() - began)
                    : requestAnimationFrame(look);
                const key = { key: 'k', ctrlKey: true, bubbles: true };
                document.dispatchEvent(new KeyboardEvent('keydown', key));
                look();
              }),
          );
          if (round > 0) all.push(ms);
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
        }
        took.set(viewName(view), median(all));
      });
      judge(25, took, 100, ' ms');
    },
    TIMEOUT_MS,
  );
}
