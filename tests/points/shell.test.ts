/** What holds of the frame around every page: keys, focus, motion, language, theme, coming back. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { PASSWORD } from '../support/api.ts';
import type { Visitor } from '../support/browser.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { type Prover, point, WHOLE } from './point.ts';

let lived: LivedIn;
beforeAll(async () => {
  lived = await openLivedIn({ rows: 4 });
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const site = () => lived.site;
const asRoot = { site, user: () => lived.root };
const asUser = { site, user: () => lived.user };

const focusedText = ({ page }: Prover) =>
  page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** Opens the palette by its button, and waits until it takes text. */
async function openPalette({ button, t, dialog }: Prover): Promise<void> {
  await button(t('palette.open')).click();
  await dialog.getByRole('combobox').waitFor();
}

point(18, asRoot, async (prover) => {
  const { page, goto, t } = prover;
  for (const path of ['/token', '/', '/setting']) {
    await goto(path);
    await page.keyboard.press('Tab');
    expect({ path, first: await focusedText(prover) }).toEqual({ path, first: t('shell.skip') });
    await page.keyboard.press('Enter');
    expect({ path, at: await page.evaluate(() => document.activeElement?.id) }).toEqual({ path, at: 'main' });
  }
});

/** How wide and how plain the ring around the focused control is, and whether anything lies over it. */
function ringOf() {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const channels = (colour: string): number[] => {
    if (!canvas) return [];
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (from: Element | null): string => {
    for (let at = from; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 0) > 200) return backgroundColor;
    }
    return 'white';
  };
  const isLabelled =
    element instanceof HTMLInputElement && ['checkbox', 'radio', 'file'].includes(element.type);
  const own = getComputedStyle(element);
  const around = [
    own,
    ...(isLabelled && element.labels ? [...element.labels].map((one) => getComputedStyle(one)) : []),
  ];
  const beside = element.nextElementSibling ? [getComputedStyle(element.nextElementSibling)] : [];
  const ring = [...around, ...beside].find(
    (style) => style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
  );
  const [first, second] = ring
    ? [light(ring.outlineColor), light(groundOf(element.parentElement))].sort((a, b) => b - a)
    : [0, 0];
  const contrast = ((first ?? 0) + 0.05) / ((second ?? 0) + 0.05);
  const { left, top, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + Math.min(height / 2, 20)];
  const inSight = x >= 0 && y >= 0 && x <= innerWidth && y <= innerHeight;
  const over = inSight ? document.elementFromPoint(x, y) : null;
  const covers =
    over !== null &&
    !element.contains(over) &&
    !over.contains(element) &&
    !over.closest('label')?.contains(element);
  const coveredBy =
    covers && over?.closest('[data-shell], .sticky, footer, [data-pinned]') ? over.outerHTML : '';
  // Of a box of a pixel nothing is seen, whatever stands in it.
  let isClipped = false;
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at.clientWidth <= 1 && at.clientHeight <= 1 && getComputedStyle(at).overflow === 'hidden')
      isClipped = true;
  }
  return {
    what: `${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 30)}”`,
    hasRing: ring !== undefined,
    contrast,
    inSight: (inSight && !isClipped) || height === 0 || element.matches('.sr-only, [tabindex="-1"]'),
    coveredBy: coveredBy.slice(0, 80),
  };
}

point(20, asRoot, async ({ page, goto }) => {
  let stops = 0;
  let least = Number.POSITIVE_INFINITY;
  const wrong = new Set<string>();
  for (const path of WHOLE
    ? ['/token', '/channel', '/log?range=7d', '/setting', '/token/add']
    : ['/token', '/channel']) {
    await goto(path);
    for (let press = 0; press < 70; press++) {
      await page.keyboard.press('Tab');
      const ring = await page.evaluate(ringOf);
      if (!ring) break;
      stops++;
      least = Math.min(least, ring.hasRing ? ring.contrast : Number.POSITIVE_INFINITY);
      if (!ring.hasRing) wrong.add(`${path} ${ring.what}: no ring`);
      else if (ring.contrast < 3) wrong.add(`${path} ${ring.what}: ring of ${ring.contrast.toFixed(1)}`);
      if (!ring.inSight) wrong.add(`${path} ${ring.what}: out of sight`);
      if (ring.coveredBy) wrong.add(`${path} ${ring.what}: covered by ${ring.coveredBy}`);
    }
  }
  expect([...wrong]).toEqual([]);
  return `${stops} stops, ring at least ${least.toFixed(1)}:1`;
});

point(22, asRoot, async ({ page, goto, t, phone, button, dialog }) => {
  await goto('/token');
  if (phone) await button(t('shell.openMenu')).click();
  const menu = phone ? dialog : page.getByRole('navigation', { name: t('shell.mainMenu') });
  await menu.getByRole('link', { name: t('nav.log'), exact: true }).click();
  await page.waitForURL('**/log');
  await page.waitForFunction((name) => document.activeElement?.textContent === name, t('log.title'));
  await page.getByText(t('shell.pageOpened', { title: t('log.title') })).waitFor({ state: 'attached' });
});

point(24, asRoot, async ({ page, goto, t }) => {
  await goto('/channel');
  const field = page.locator('main input[type=search]').first();
  await field.focus();
  await page.keyboard.type('c?g');
  expect(await field.inputValue()).toBe('c?g');
  expect(await page.getByRole('dialog').count()).toBe(0);
  // Its anchor unfolds the section on the phone.
  await goto('/personal#preferences');
  const group = page.getByRole('group', { name: t('shortcut.switch') });
  await group.getByRole('button', { name: t('shortcut.off'), exact: true }).click();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: t('palette.title') }).waitFor();
  expect([new URL(page.url()).pathname, await page.getByRole('dialog').count()]).toEqual(['/personal', 1]);
});

point(25, asUser, async (prover) => {
  const { page, goto, dialog, t } = prover;
  await goto('/token');
  await openPalette(prover);
  await dialog.getByRole('option').first().waitFor();
  const offered = (await dialog.getByRole('option').allTextContents()).join('\n');
  expect(offered).toContain('/log');
  expect(offered).not.toMatch(/\/(channel|user|redemption|admin-log|oauth-apps|setting|payment)\b/);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // Opened anew by its key, at once; how quick it is is measured where nothing else runs.
  await page.keyboard.press('Control+k');
  await page.waitForFunction(() => document.activeElement?.matches('[role=dialog] [role=combobox]'));
  await page.keyboard.type(t('nav.log'));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/log');
});

point(26, asRoot, async ({ page, goto, dialog }) => {
  let looked = 0;
  for (const path of ['/token', '/token/add', '/detail?range=7d', '/channel']) {
    await goto(path);
    if (path.includes('add')) await dialog.waitFor();
    const { moving, all } = await page.evaluate(() => {
      const elements = [...document.querySelectorAll('*')];
      const seconds = (text: string) =>
        Math.max(...text.split(',').map((one) => Number.parseFloat(one) || 0));
      const found = elements.flatMap((one) =>
        [null, '::before', '::after'].flatMap((pseudo) => {
          const style = getComputedStyle(one, pseudo);
          const transforms = /transform|translate|scale|rotate|all/.test(style.transitionProperty);
          const slides = transforms && seconds(style.transitionDuration) > 0.08;
          const plays = style.animationName !== 'none' && seconds(style.animationDuration) > 0.08;
          const spins = style.animationName === 'spin';
          return slides || (plays && !spins)
            ? [`${one.tagName}.${one.getAttribute('class')?.slice(0, 60)}`]
            : [];
        }),
      );
      return { moving: [...new Set(found)], all: elements.length };
    });
    looked += all;
    expect({ path, moving }).toEqual({ path, moving: [] });
  }
  return `${looked} elements`;
});

/** How light the ground of the page is painted, from 0 to 1. */
const groundOf = async ({ page }: Visitor): Promise<number> => {
  const picture = (await page.screenshot({ clip: { x: 4, y: 120, width: 1, height: 1 } })).toString('base64');
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas').getContext('2d');
    canvas?.drawImage(image, 0, 0);
    const [r = 0, g = 0, b = 0] = canvas?.getImageData(0, 0, 1, 1).data ?? [];
    return (r + g + b) / 765;
  }, picture);
};

point(29, asRoot, async ({ visitor, view }) => {
  const isDark = view.theme === 'dark';
  // What no script has touched yet is painted by the server's first bytes.
  const still = await lived.site.visit({ ...view, user: lived.root, javaScript: false, stays: true });
  await still.page.goto('/token');
  expect((await groundOf(still)) < 0.3).toBe(isDark);
  await still.leave();
  // Who comes for the first time has what his system has.
  const { page } = visitor;
  await page.context().clearCookies();
  await page.emulateMedia({ colorScheme: view.theme });
  await page.goto('/login', { waitUntil: 'domcontentloaded' });
  expect((await groundOf(visitor)) < 0.3).toBe(isDark);
});

const fills = ({ page }: Prover) =>
  page
    .locator('.recharts-bar-rectangle path')
    .evaluateAll((bars) => [...new Set(bars.map((bar) => getComputedStyle(bar).fill))]);

point(30, asRoot, async (prover) => {
  const { page, goto, t, button, view } = prover;
  await goto('/detail?range=7d&step=day');
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  const before = await fills(prover);
  const loads: string[] = [];
  page.on('framenavigated', (frame) => loads.push(frame.url()));
  const dark = view.theme === 'light';
  await button(t(dark ? 'shell.toDark' : 'shell.toLight'))
    .first()
    .click();
  await page.waitForFunction((is) => document.documentElement.classList.contains('dark') === is, dark);
  expect(await fills(prover)).not.toEqual(before);
  expect(loads).toEqual([]);
  await page.locator('header button[aria-haspopup=menu]').last().click();
  await page.getByRole('menuitem', { name: t('shell.logout') }).click();
  await page.waitForURL(/\/(login.*)?$/);
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(dark);
});

/** The other language is offered in its own words, and people are named as they are. */
const foreignTo = (locale: string, text: string): string[] =>
  locale === 'en' ? (text.replaceAll('中文', '').match(/[\u4e00-\u9fff]{2,}/g) ?? []) : [];

point(31, asRoot, async ({ page, goto, t, phone, button, dialog, locale }) => {
  await goto('/channel');
  const other = locale === 'zh' ? 'en' : 'zh';
  const before = await page.getByRole('heading', { level: 1 }).textContent();
  if (phone) await button(t('shell.openMenu')).click();
  const place = phone ? dialog : page.getByRole('banner');
  await place
    .getByRole('button', { name: t('shell.otherLanguage') })
    .or(place.getByRole('button', { name: t('shell.switchLanguage') }))
    .first()
    .click();
  await page.waitForFunction((was) => document.documentElement.lang.startsWith(was), other);
  if (phone) await page.keyboard.press('Escape');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).not.toBe(before);
  const text = (await page.locator('body').textContent()) ?? '';
  expect(foreignTo(other, text)).toEqual([]);
  expect(text.match(/\b(?:app|table|channel|shell|nav|error)\.[a-z]\w+/g)).toBeNull();
});

point(
  59,
  { ...asRoot, mayComplain: (text) => text.includes('401') },
  async ({ page, goto, t, visitor, locale, refresh }) => {
    const path = '/user?group=default&sort=username';
    await goto(path);
    await page.context().clearCookies({ name: 'session' });
    await refresh();
    // More than one call is refused, and each leads there.
    await page.waitForURL(/\/login\?/, { waitUntil: 'commit' });
    const search = new URL(page.url()).searchParams;
    const next = new URL(search.get('next') ?? '', lived.site.base);
    expect([search.get('expired'), next.pathname, next.searchParams.get('sort')]).toEqual([
      'true',
      '/user',
      'username',
    ]);
    await visitor.settled();
    await page.getByLabel(t('login.username'), { exact: true }).fill('root');
    await page.getByLabel(t('login.password'), { exact: true }).fill(PASSWORD);
    if (locale === 'zh') await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: t('login.submit'), exact: true }).click();
    await page.waitForURL('**/user?**');
    expect(new URL(page.url()).searchParams.get('group')).toBe('default');
  },
);
