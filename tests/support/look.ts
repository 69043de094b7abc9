/** Pages and their states as everyone can use them: one load a language, looked at in both themes and at three widths. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DESK, heightOf, type Language, PHONE, type Visitor } from './browser.ts';
import { usually } from './long.ts';

/** The narrowest that the accessibility guidelines ask for (WCAG 1.4.10). */
const NARROW = 320;

interface Look {
  /** Of its pictures. */
  name: string;
  /** The state as it opens at a desk in the light, for a visitor who stays. */
  open(locale: Language): Promise<Visitor>;
  /** What the browser may complain of, such as the page's own status. */
  mayComplain?: (complaint: string) => boolean;
}

const sizeOf = (width: number) => ({ width, height: heightOf(width) });

/**
 * At which width axe looks at everything in the light; in the dark it looks for contrast at the other. What it finds
 * hangs on the width and the theme, hardly on the language, and a look takes longer than a load: so each width has both
 * looks, and each language has both widths.
 */
const LIT = { zh: DESK, en: PHONE } as const;

/** A state is looked at in one of them by every run, half of the states in each, and in both by a long run. */
const languagesOf = (name: string): Language[] =>
  name.length % 2 === 0 ? usually(['zh'], 'en') : usually(['en'], 'zh');

/** Declares the tests of one state. */
export function looksRight({ name, open, mayComplain = () => false }: Look): void {
  describe.each(languagesOf(name))('looked at in %s', (locale) => {
    const lit = LIT[locale];
    const dark = lit === DESK ? PHONE : DESK;
    const nameOf = (width: typeof DESK | typeof PHONE) => (width === DESK ? 'desk' : 'phone');
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await open(locale);
    }, 120_000);
    afterAll(() => visitor?.leave());
    const shot = (what: string) => visitor.shot(`${name}-${locale}-${what}`.replaceAll(/\W+/g, '-'));

    it(`fits a ${nameOf(lit)} and has no serious finding of axe there`, async () => {
      await visitor.page.setViewportSize(sizeOf(lit));
      await shot(nameOf(lit));
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
    });

    it(`fits a ${nameOf(dark)}, and has its contrast there in the dark`, async () => {
      await visitor.page.setViewportSize(sizeOf(dark));
      await shot(nameOf(dark));
      expect(await visitor.overflow()).toBe(0);
      await visitor.darken();
      await shot(`${nameOf(dark)}-dark`);
      expect(await visitor.findings(['color-contrast'])).toEqual([]);
    });

    it('fits the narrowest, and gave the browser nothing to complain of', async () => {
      await visitor.page.setViewportSize({ width: NARROW, height: 700 });
      expect(await visitor.overflow()).toBe(0);
      expect(visitor.complaints.filter((complaint) => !mayComplain(complaint))).toEqual([]);
    });
  });
}
