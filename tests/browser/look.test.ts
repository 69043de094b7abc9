/** The look that all pages get sees what is wrong with a page: with its names, its contrast, its width, its frames. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DESK, openSite, PHONE, type Site, type Visitor } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
}, patience(120_000));
afterAll(() => site.close());

/** The sign-in page, which has no fault, with this in it. */
async function pageWith(html: string): Promise<Visitor> {
  const visitor = await site.visit({ locale: 'en' });
  await visitor.goto('/login');
  await visitor.page.evaluate(
    (part) => document.querySelector('main')?.insertAdjacentHTML('beforeend', part),
    html,
  );
  return visitor;
}

const PALE = '<p style="color: #ddd; background: #fff">pale</p>';

describe('a look', () => {
  it('finds nothing where nothing is wrong, however often', async () => {
    const visitor = await pageWith('<p>fine</p>');
    expect([await visitor.findings(), await visitor.findings(), await visitor.overflow()]).toEqual([
      [],
      [],
      0,
    ]);
  });

  it.each([
    ['a picture without words', '<img src="/favicon.svg">', 'image-alt'],
    ['a button without a name', '<button type="button"></button>', 'button-name'],
    ['pale words', PALE, 'color-contrast'],
    [
      'a control in a control',
      '<div role="button" tabindex="0"><a href="/x">x</a></div>',
      'nested-interactive',
    ],
  ])('finds %s, also after another look', async (_name, html, rule) => {
    const visitor = await pageWith(html);
    for (let looks = 0; looks < 2; looks++)
      expect(await visitor.findings()).toEqual([expect.stringContaining(`${rule}: `)]);
  });

  it('looks for some rules only, where it is told so', async () => {
    const visitor = await pageWith(`<img src="/favicon.svg">${PALE}`);
    expect(await visitor.findings(['color-contrast'])).toEqual([
      expect.stringMatching(/^color-contrast: .*pale/),
    ]);
  });

  it('finds what turns pale in the dark alone', async () => {
    const visitor = await pageWith(
      '<style>.dark .night { color: #222; background: #000 }</style><p class="night">night</p>',
    );
    expect(await visitor.findings(['color-contrast'])).toEqual([]);
    await visitor.darken();
    expect(await visitor.findings(['color-contrast'])).toEqual([expect.stringContaining('night')]);
  });

  it('looks into frames, also into one that comes later', async () => {
    const visitor = await pageWith('');
    expect(await visitor.findings()).toEqual([]);
    await visitor.page.evaluate(() => {
      const frame = document.createElement('iframe');
      frame.title = 'inner';
      frame.srcdoc = '<!doctype html><html lang="en"><title>t</title><main><img src="data:,"></main>';
      document.querySelector('main')?.append(frame);
      return new Promise((resolve) => {
        frame.onload = resolve;
      });
    });
    expect(await visitor.findings()).toEqual([expect.stringContaining('image-alt: ')]);
  });

  it('measures how far a page is too wide', async () => {
    const visitor = await pageWith('<div style="width: 500px; height: 1px"></div>');
    await visitor.page.setViewportSize({ width: PHONE, height: 844 });
    expect(await visitor.overflow()).toBeGreaterThan(90);
  });
});

describe('a visitor', () => {
  /** What of him is there in a page. */
  const foundIn = ({ page }: Visitor) =>
    page.evaluate(() => ({
      stored: [localStorage, sessionStorage].flatMap((store) =>
        Object.keys(store).filter((key) => /^left/.test(key)),
      ),
      cookie: document.cookie.includes('left'),
      width: window.innerWidth,
      media: ['print', '(prefers-color-scheme: dark)', '(prefers-reduced-motion: no-preference)'].filter(
        (query) => window.matchMedia(query).matches,
      ),
    }));

  it('finds nothing of the one before him, though it is the same page', async () => {
    const first = await site.visit({ stays: true });
    await first.goto('/login');
    const { page } = first;
    await page.setViewportSize({ width: 320, height: 500 });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'no-preference' });
    await page.evaluate(() => {
      // biome-ignore lint/suspicious/noDocumentCookie: what a page can leave behind.
      document.cookie = 'left=1';
      const leave = (key: string) => {
        for (const store of [localStorage, sessionStorage]) store.setItem(key, '1');
      };
      leave('left');
      window.addEventListener('pagehide', () => leave('left-late'));
    });
    await page.route('**/*.svg', (asked) => asked.abort());
    expect((await foundIn(first)).stored).toEqual(['left', 'left']);
    await first.leave();

    const second = await site.visit();
    expect(second.page === page).toBe(true);
    await second.goto('/login');
    expect(await foundIn(second)).toEqual({ stored: [], cookie: false, width: DESK, media: [] });
    await page.evaluate(() => console.error('the second'));
    expect([first.complaints, second.complaints]).toEqual([[], ['the second']]);
  });

  it('has another page than one who has set its clock', async () => {
    const first = await site.visit({ stays: true });
    await first.page.clock.install();
    await first.goto('/login');
    await first.leave();
    expect((await site.visit()).page === first.page).toBe(false);
  });
});
