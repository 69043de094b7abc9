/** Pages and their states as everyone can use them: in both languages and themes, at three widths. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DESK, heightOf, type Language, PHONE, type View, type Visitor } from './browser.ts';
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

/** Each language has both widths and both themes; so has each width. */
const SIDES: readonly View[] = [
  { locale: 'zh', theme: 'light', width: DESK },
  { locale: 'en', theme: 'light', width: PHONE },
  { locale: 'zh', theme: 'dark', width: PHONE },
  { locale: 'en', theme: 'dark', width: DESK },
];

/**
 * Axe takes longer than a load, and what it finds hangs on the width and the theme, hardly on the language: every run looks
 * at a state from one side, at a fourth of the states from each, and a long one from all.
 */
function sidesOf(name: string): View[] {
  const mine = SIDES.filter((_, n) => n === name.length % SIDES.length);
  return usually(mine, ...SIDES.filter((side) => !mine.includes(side)));
}

/** Declares the tests of one state. */
export function looksRight({ name, open, mayComplain = () => false }: Look): void {
  describe.each(sidesOf(name))('looked at in $locale, $theme, $width px', ({ locale, theme, width }) => {
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await open(locale);
    }, 120_000);
    afterAll(() => visitor?.leave());
    const fits = async (size: { width: number; height: number }) => {
      await visitor.page.setViewportSize(size);
      await visitor.shot(`${name}-${locale}-${theme}-${size.width}`.replaceAll(/\W+/g, '-'));
      return visitor.overflow();
    };

    it('fits, and has no serious finding of axe', async () => {
      if (theme === 'dark') await visitor.darken();
      expect(await fits(sizeOf(width))).toBe(0);
      expect(await visitor.findings()).toEqual([]);
    });

    it('fits the other width and the narrowest, and gave the browser nothing to complain of', async () => {
      expect(await fits(sizeOf(width === DESK ? PHONE : DESK))).toBe(0);
      expect(await fits({ width: NARROW, height: 700 })).toBe(0);
      expect(visitor.complaints.filter((complaint) => !mayComplain(complaint))).toEqual([]);
    });
  });
}
