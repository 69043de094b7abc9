/** Pages and their states as everyone can use them: one load a language, looked at in both themes and at three widths. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { DESK, type Language, PHONE, type Visitor } from './browser.ts';

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

/** Declares the tests of one state. */
export function looksRight({ name, open, mayComplain = () => false }: Look): void {
  describe.each(['zh', 'en'] as const)('looked at in %s', (locale) => {
    let visitor: Visitor;
    beforeAll(async () => {
      visitor = await open(locale);
    }, 120_000);
    afterAll(() => visitor?.leave());
    const shot = (what: string) => visitor.shot(`${name}-${locale}-${what}`.replaceAll(/\W+/g, '-'));

    it('fits a desk and has no serious finding of axe', async () => {
      await shot('desk');
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
    });

    it('fits a phone and has no serious finding of axe there', async () => {
      await visitor.page.setViewportSize({ width: PHONE, height: 844 });
      await shot('phone');
      expect(await visitor.overflow()).toBe(0);
      expect(await visitor.findings()).toEqual([]);
    });

    it('has its contrast in the dark too', async () => {
      await visitor.darken();
      await shot('phone-dark');
      expect(await visitor.findings(['color-contrast'])).toEqual([]);
      await visitor.page.setViewportSize({ width: DESK, height: 850 });
      await shot('desk-dark');
      expect(await visitor.findings(['color-contrast'])).toEqual([]);
    });

    it('fits the narrowest, and gave the browser nothing to complain of', async () => {
      await visitor.page.setViewportSize({ width: NARROW, height: 700 });
      expect(await visitor.overflow()).toBe(0);
      expect(visitor.complaints.filter((complaint) => !mayComplain(complaint))).toEqual([]);
    });
  });
}
