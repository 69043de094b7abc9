/** What holds of every page: each is opened once a view, and looked at from all sides. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { minutePassed, PHONE, type View, type Visitor, viewName } from '../support/browser.ts';
import { type LivedIn, openLivedIn } from '../support/lived-in.ts';
import { sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';
import { type Address, addressesOf } from './addresses.ts';
import { figure, isPhone, nameOf, views, WHOLE } from './point.ts';

let lived: LivedIn;
let addresses: Address[];

/** What was seen of a page in a view. */
interface Seen {
  what: string;
  address: Address;
  view: View;
  headings: string[];
  title: string;
  language: string;
  landmarks: string[];
  complaints: string[];
  /** How far it is wider than its window, by width. */
  over: Record<number, number>;
  small: string[];
  findings: string[];
  /** Of its text when all of it is spaced as WCAG 1.4.12 has it, and of a window of half the width. */
  cut: string[];
  /** Files that it loaded from elsewhere. */
  foreign: string[];
  fonts: number;
  /** Outside of what was copied on purpose. */
  holdsKey: boolean;
}

const LANGUAGES = ['zh', 'en'] as const;
/** Chinese says much in few. */
const WORDS_LEAST = 90;

let seen: Seen[] = [];

/** In a run of all tests each page is opened in one of the views, as it is sent in one language; in `./scripts/points` in all. */
const some = <T>(all: readonly T[], n: number): readonly T[] =>
  WHOLE ? all : all.filter((_, i) => i === n % all.length);
const pagesIn = (view: View): Address[] => addresses.filter((_, n) => some(views(), n).includes(view));

beforeAll(
  async () => {
    lived = await openLivedIn({ rows: 4 });
    addresses = await addressesOf(lived);
    for (const view of views()) {
      const mine = pagesIn(view);
      for (const isGuest of [false, true]) {
        const visitor = await lived.site.visit({
          ...view,
          stays: true,
          ...(!isGuest && { user: lived.root }),
        });
        for (const address of mine.filter((one) => Boolean(one.isGuest) === isGuest))
          seen.push(await lookAt(visitor, view, address));
        await visitor.leave();
      }
    }
  },
  patience(WHOLE ? 1_500_000 : 180_000),
);
afterAll(async () => {
  seen = [];
  await lived?.close();
});

async function lookAt(visitor: Visitor, view: View, address: Address): Promise<Seen> {
  const { page } = visitor;
  const { path } = address;
  visitor.complaints.length = 0;
  const foreign: string[] = [];
  const hear = (request: { url(): string }) => {
    if (!request.url().startsWith(lived.site.base) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  };
  page.on('request', hear);
  await visitor.goto(path);
  if (address.isDrawer) await page.getByRole('dialog').first().waitFor();
  page.off('request', hear);
  const findings = WHOLE ? await visitor.findings() : [];
  const facts = await page.evaluate(factsOf, { coarse: isPhone(view), key: lived.key });
  const over: Record<number, number> = { [view.width]: await visitor.overflow() };
  const size = page.viewportSize();
  for (const width of isPhone(view) ? [320] : [PHONE, 640]) {
    await page.setViewportSize({ width, height: 700 });
    over[width] = await visitor.overflow();
  }
  if (size) await page.setViewportSize(size);
  const cut = await spaced(visitor);
  return {
    what: `${path}${address.isGuest ? ' as a guest' : ''} at ${viewName(view)}`,
    address,
    view,
    ...facts,
    complaints: visitor.complaints.filter((one) => path !== '/nowhere' || !one.includes('404')),
    over,
    findings,
    cut,
    foreign,
  };
}

/** Runs in the page. */
function factsOf({ coarse, key }: { coarse: boolean; key: string }) {
  const all = <E extends Element = HTMLElement>(selector: string) => [
    ...document.querySelectorAll<E>(selector),
  ];
  const headings = all('h1').map((one) => one.textContent ?? '');
  const LANDMARKS: Record<string, string> = {
    banner: 'header, [role=banner]',
    main: 'main',
    contentinfo: 'footer, [role=contentinfo]',
  };
  // A press of a mouse: 24 px, or as far from the next (WCAG 2.5.8). What a finger takes is measured where it is pressed.
  const isInText = (element: Element) =>
    element.matches('a') && element.closest('p, li, dd, td, h2, h3') !== null;
  const pressed = all('a[href], button, select, input:not([type=hidden]), [role=tab], summary')
    .filter(
      (one) =>
        one.checkVisibility({ visibilityProperty: true }) &&
        !one.closest('.sr-only, [inert], [aria-hidden=true]'),
    )
    .map((one) => {
      const label = 'labels' in one ? (one as HTMLInputElement).labels?.[0] : one.closest('label');
      return { one, box: (label ?? one).getBoundingClientRect() };
    })
    .filter(({ box }) => box.width > 2 && box.height > 2);
  const middle = ({ x, y, width, height }: DOMRect): [number, number] => [x + width / 2, y + height / 2];
  const isApart = (box: DOMRect): boolean => {
    const [x, y] = middle(box);
    return pressed.every(({ box: other }) => {
      if (other === box) return true;
      const [dx, dy] = [
        Math.max(other.left - x, 0, x - other.right),
        Math.max(other.top - y, 0, y - other.bottom),
      ];
      return Math.hypot(dx, dy) >= 12;
    });
  };
  const small = coarse
    ? []
    : pressed
        .filter(({ one, box }) => (box.width < 23.5 || box.height < 23.5) && !isInText(one) && !isApart(box))
        .map(({ one, box }) => {
          const name = one.getAttribute('aria-label') ?? one.textContent?.trim().slice(0, 30) ?? '';
          return `${one.tagName.toLowerCase()} “${name}” ${Math.round(box.width)}×${Math.round(box.height)}`;
        });
  const stored = [localStorage, sessionStorage].map((store) => JSON.stringify(store)).join('');
  const told = `${document.documentElement.outerHTML}${location.href}${document.title}${stored}`;
  return {
    headings,
    title: document.title,
    language: document.documentElement.lang,
    landmarks: Object.entries(LANDMARKS).flatMap(([name, selector]) =>
      all(selector).some((one) => name === 'main' || !one.closest('main, [role=dialog]')) ? [name] : [],
    ),
    small: [...new Set(small)],
    fonts: document.fonts.size,
    holdsKey: told.includes(key),
  };
}

/** Spaces all text as WCAG 1.4.12 has it, and tells what is cut off by that. */
async function spaced({ page }: Visitor): Promise<string[]> {
  const style = await page
    .addStyleTag({
      content: `* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }
      p { margin-bottom: 2em !important }`,
    })
    .catch(() => null);
  if (!style) return ['the page takes no style'];
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a, h1, h2, h3, label, p, legend, [role=tab]')]
      .filter((one) => one.checkVisibility() && !one.closest('.sr-only, [aria-hidden=true]'))
      .filter((one) => {
        const { overflowY, overflowX, textOverflow } = getComputedStyle(one);
        const hides = overflowX === 'hidden' || overflowY === 'hidden';
        const isTold = textOverflow === 'ellipsis';
        return (
          hides &&
          !isTold &&
          (one.scrollHeight > one.clientHeight + 3 || one.scrollWidth > one.clientWidth + 3)
        );
      })
      .map((one) => `${one.tagName.toLowerCase()} “${(one.textContent ?? '').trim().slice(0, 40)}”`),
  );
  await style.evaluate((element) => (element as Element).remove());
  return cut;
}

/** All that is wrong, with where. */
const wrong = (faultsOf: (one: Seen) => readonly string[]): string[] =>
  seen.flatMap((one) => faultsOf(one).map((fault) => `${one.what}: ${fault}`));

const counted = (number: number, faults: readonly string[], more = ''): void =>
  figure(
    number,
    `${seen.length} looks at ${addresses.length} pages, ${faults.length} faults${more && `; ${more}`}`,
  );

function holds(number: number, faultsOf: (one: Seen) => readonly string[], more?: () => string): void {
  it(nameOf(number), () => {
    expect(seen.length).toBeGreaterThanOrEqual(addresses.length);
    const faults = wrong(faultsOf);
    counted(number, faults, more?.());
    expect(faults).toEqual([]);
  });
}

const tooWide = ({ over }: Seen, widths: readonly number[]): string[] =>
  widths.flatMap((width) => ((over[width] ?? 0) > 0 ? [`${over[width]} px too wide at ${width}`] : []));

it(
  nameOf(1),
  async () => {
    const faults: string[] = [];
    for (const locale of LANGUAGES) {
      await minutePassed(lived.site.api, lived.root);
      for (const { path, isGuest, isList } of addresses.filter((_, n) =>
        some(LANGUAGES, n).includes(locale),
      )) {
        const client = isGuest ? null : await lived.site.api.as(lived.root);
        const { html, words, status } = await sentPage(lived.site, path, { client, locale });
        const heading = /<h1\b[^>]*>[\s\S]*?[^<>\s][\s\S]*?<\/h1>/.test(html);
        const rows = (html.match(/<tbody[\s\S]*?<\/tbody>/)?.[0].match(/<tr\b|<article\b/g) ?? []).length;
        const told = `${path}${isGuest ? ' as a guest' : ''} in ${locale}`;
        if (status !== 200 && path !== '/nowhere') faults.push(`${told}: status ${status}`);
        if (!heading) faults.push(`${told}: no heading`);
        if (isList && rows === 0) faults.push(`${told}: no rows`);
        if (words.length < WORDS_LEAST) faults.push(`${told}: only ${words.length} characters to read`);
      }
    }
    // What the first HTML says is seen without a script.
    const blank = await withoutScripts();
    figure(1, `${addresses.length} pages in 2 languages, ${blank.length + faults.length} faults`);
    expect([...faults, ...blank]).toEqual([]);
  },
  patience(180_000),
);

async function withoutScripts(): Promise<string[]> {
  const found: string[] = [];
  for (const view of views()) {
    const visitor = await lived.site.visit({
      ...view,
      user: lived.root,
      javaScript: false,
      stays: true,
    });
    for (const { path } of pagesIn(view).filter(({ isList }) => isList)) {
      const answer = await visitor.page.goto(path);
      const rows = visitor.page.locator('tbody > tr, main article').first();
      if (!(await rows.isVisible()))
        found.push(`${path} at ${viewName(view)}: ${answer?.status()}, no row in sight without scripts`);
    }
    await visitor.leave();
  }
  return found;
}

holds(11, ({ complaints }) => complaints);
describe('no wider than its window', () => {
  holds(12, (one) => tooWide(one, [PHONE, 320, one.view.width]));
});
holds(
  14,
  ({ small }) => small.slice(0, 8),
  () => '24 px by mouse',
);
holds(17, ({ headings, title, language, landmarks, view }) => [
  ...(headings.length === 1 ? [] : [`${headings.length} h1: ${headings.join(' / ')}`]),
  ...(/.+ · .+/.test(title) ? [] : [`its title is “${title}”`]),
  ...(language === (view.locale === 'zh' ? 'zh-CN' : 'en') ? [] : [`lang is ${language}`]),
  ...['banner', 'main', 'contentinfo'].filter((one) => !landmarks.includes(one)).map((one) => `no ${one}`),
]);
holds(27, (one) => [...tooWide(one, [640]), ...one.cut.map((what) => `${what} is cut off when spaced`)]);
holds(50, ({ holdsKey }) => (holdsKey ? ['holds a key'] : []));
describe('what comes from elsewhere', () => {
  holds(8, ({ foreign, fonts }) => [...foreign, ...(fonts > 0 ? [`${fonts} fonts`] : [])]);
});

if (WHOLE) {
  const isContrast = (finding: string) => finding.startsWith('color-contrast');
  holds(15, ({ findings }) => findings.filter((one) => !isContrast(one)));
  holds(16, ({ findings }) => findings.filter(isContrast));
}
