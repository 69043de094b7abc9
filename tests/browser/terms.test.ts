/** What people agree to: two documents that everybody can read, and print. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
}, patience(120_000));
afterAll(() => site.close());

const pages = [
  { path: '/terms/terms-of-service.html', zh: '用户协议', en: 'User Agreement' },
  { path: '/terms/privacy-policy.html', zh: '隐私协议', en: 'Privacy Agreement' },
];

describe.each(pages)('$path', ({ path, ...titles }) => {
  looksRight({
    name: path,
    async open(locale) {
      const visitor = await site.visit({ locale, stays: true });
      await visitor.goto(path);
      expect(await visitor.page.getByRole('heading', { level: 1 }).textContent()).toBe(titles[locale]);
      return visitor;
    },
  });

  it.each(usually(['en'], 'zh'))(
    'is whole without JavaScript in %s, with contents that lead on',
    async (locale) => {
      const { page } = await site.visit({ locale, javaScript: false });
      await page.goto(path);
      expect(await page.title()).toBe(`${titles[locale]} · Tollgate`);
      const sections = page.getByRole('article').getByRole('heading', { level: 2 });
      const links = page.getByRole('main').getByRole('navigation').getByRole('link');
      expect(await links.allTextContents()).toEqual(await sections.allTextContents());
      expect(await sections.count()).toBeGreaterThan(8);
      await links.last().click();
      expect(new URL(page.url()).hash).toBe(`#s${await sections.count()}`);
      expect(await sections.last().isVisible()).toBe(true);
      expect(await page.getByRole('article').textContent()).toContain('Tollgate');
    },
  );

  it('is no wider than an eye can follow, and prints as text alone', async () => {
    const { page } = await site.visit({ locale: 'en' });
    await page.goto(path);
    const column = await page.getByRole('article').boundingBox();
    expect(column?.width).toBeLessThan(700);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('banner').isVisible()).toBe(false);
    expect(await page.getByRole('contentinfo').isVisible()).toBe(false);
    expect(await page.getByRole('main').getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('article').isVisible()).toBe(true);
  });

  it('is linked from the foot of the sign-in page, and of the console', async () => {
    const user = await site.api.createUser();
    for (const visit of [{ start: '/login' }, { start: '/token', user }]) {
      const visitor = await site.visit({ ...visit, locale: 'en' });
      await visitor.goto(visit.start);
      await visitor.page.getByRole('contentinfo').getByRole('link', { name: titles.en }).click();
      await visitor.page.waitForURL(`**${path}`);
      await visitor.page.getByRole('heading', { level: 1, name: titles.en }).waitFor();
      expect(visitor.complaints).toEqual([]);
    }
  });
});

describe('the operator’s own words', () => {
  it('stand in the place of the general text, as text and nothing else', async () => {
    const root = await site.api.root();
    const text = '# Ours <b>alone</b>\n<script>throw new Error("ran")</script>\n\nA line\nand its second';
    expect((await root.put('/api/option/', { key: 'legal.terms_en', value: text })).success).toBe(true);
    const visitor = await site.visit({ locale: 'en' });
    await visitor.goto('/terms/terms-of-service.html');
    const article = visitor.page.getByRole('article');
    expect(await article.getByRole('heading').allTextContents()).toEqual(['Ours <b>alone</b>']);
    expect(await article.getByRole('paragraph').allTextContents()).toEqual([
      '<script>throw new Error("ran")</script>',
      'A line\nand its second',
    ]);
    expect(visitor.complaints).toEqual([]);
    // Written in one language only, it is what everybody reads; the other document stays.
    const chinese = await site.visit({ locale: 'zh' });
    await chinese.goto('/terms/terms-of-service.html');
    expect(await chinese.page.getByRole('article').getAttribute('lang')).toBe('en');
    expect(await chinese.page.getByRole('article').textContent()).toContain('A line');
    await chinese.goto('/terms/privacy-policy.html');
    expect(await chinese.page.getByRole('article').textContent()).toContain('本协议说明 Tollgate');
    await root.put('/api/option/', { key: 'legal.terms_en', value: null });
  });

  it('are asked for by name; another name is no page and no call', async () => {
    const { page } = await site.visit({ locale: 'en' });
    for (const path of ['/terms/other.html', '/terms/__proto__', '/terms/constructor']) {
      expect((await page.goto(path))?.status()).toBe(404);
    }
    expect((await site.api.guest().get('/api/terms/other')).status).toBe(400);
    const { data } = await site.api.guest({ locale: 'en' }).get('/api/terms/privacy-policy');
    expect(data.locale).toBe('en');
    expect(data.text).toStartWith('This agreement says how the operator of Tollgate');
  });
});
