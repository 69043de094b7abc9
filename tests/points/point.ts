/** A point as a test of its number and words, proven from every side that it is seen from. */

import { expect, it } from 'bun:test';
import { appendFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright';
import type { Locale } from '../../src/core/errors.ts';
import type { TFunction } from '../../web/lib/i18n.ts';
import { translatorFor } from '../../web/lib/translator-for.ts';
import type { TestUser } from '../support/api.ts';
import {
  DESK,
  PHONE,
  type Site,
  type View,
  type VisitOptions,
  type Visitor,
  viewName,
} from '../support/browser.ts';
import { patience } from '../support/patience.ts';
import { POINTS } from './words.ts';

/** Whether everything is looked at, as `./scripts/points` does. */
export const WHOLE = Boolean(process.env.POINTS_FIGURES);

/** Both languages, themes and widths. */
const EVERY_VIEW: readonly View[] = (['zh', 'en'] as const).flatMap((locale) =>
  (['light', 'dark'] as const).flatMap((theme) => [DESK, PHONE].map((width) => ({ locale, theme, width }))),
);

/** Two that have each of them once. */
const TWO_VIEWS: readonly View[] = [
  { locale: 'zh', theme: 'dark', width: PHONE },
  { locale: 'en', theme: 'light', width: DESK },
];

export const views = (): readonly View[] => (WHOLE ? EVERY_VIEW : TWO_VIEWS);
/** Of a point that is proven where its story is told: those that every run tells it in, or all. */
export const viewsElsewhere = (...usual: View[]): readonly View[] => (WHOLE ? EVERY_VIEW : usual);
/** A run of all tests sees half of the points from one side, and half from the other. */
const viewsOf = (number: number): readonly View[] =>
  WHOLE ? EVERY_VIEW : TWO_VIEWS.filter((_, n) => n === number % TWO_VIEWS.length);
export const isPhone = ({ width }: View): boolean => width === PHONE;
export const isDesk = (view: View): boolean => !isPhone(view);

/** What was measured, for the line of the point. */
export function figure(number: number, words: string): void {
  const { POINTS_FIGURES: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ number, words })}\n`);
}

export const nameOf = (number: number): string => `${number}. ${POINTS[number]}`;

const VIEW_MS = 60_000;
const STEP_MS = 5_000;

/** Somebody who proves a point in one view. */
export interface Prover {
  readonly view: View;
  readonly locale: Locale;
  /** The texts of his language. */
  readonly t: TFunction;
  readonly phone: boolean;
  readonly visitor: Visitor;
  readonly page: Page;
  goto(path: string): Promise<void>;
  button(name: string): Locator;
  /** The dialog or drawer that is open. */
  readonly dialog: Locator;
  /** Has the page ask anew; on the phone by the palette, as there is no button for it. */
  refresh(): Promise<void>;
}

export interface PointOptions {
  site: () => Site;
  /** Nobody where it is not given. */
  user?: () => TestUser;
  /** Where it says so, or has no look. */
  views?: readonly View[];
  /** What the browser may say. */
  mayComplain?: (complaint: string) => boolean;
}

/** A text that `prove` gives is the figure in the line of the point. */
export function point(
  number: number,
  { site, user, views: seen = viewsOf(number), mayComplain = () => false }: PointOptions,
  prove: (prover: Prover) => Promise<unknown>,
): void {
  it(
    nameOf(number),
    async () => {
      const wrong: string[] = [];
      let measured = '';
      for (const view of seen) {
        const options: VisitOptions = { ...view, stays: true, ...(user && { user: user() }) };
        const visitor = await site().visit(options);
        try {
          const told = await prove(proverOf(visitor, view));
          if (typeof told === 'string') measured = told;
          const complaints = visitor.complaints.filter((one) => !mayComplain(one));
          if (complaints.length > 0) wrong.push(`${viewName(view)}: ${complaints.join('; ')}`);
        } catch (error) {
          await visitor.shot(`point-${number}-${viewName(view)}`.replaceAll(/\W+/g, '-'));
          wrong.push(`${viewName(view)}: ${error instanceof Error ? error.message : String(error)}`);
        }
        await visitor.leave();
      }
      figure(
        number,
        [`${seen.length - wrong.length} of ${seen.length} views`, measured].filter(Boolean).join('; '),
      );
      expect(wrong).toEqual([]);
    },
    patience(VIEW_MS) * seen.length,
  );
}

function proverOf(visitor: Visitor, view: View): Prover {
  const { page } = visitor;
  const t = translatorFor(view.locale);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  // A step that waits in vain shall say so before its point is over.
  page.setDefaultTimeout(patience(STEP_MS));
  return {
    view,
    locale: view.locale,
    t,
    phone: isPhone(view),
    visitor,
    page,
    goto: (path) => visitor.goto(path),
    button,
    dialog: page.getByRole('dialog'),
    async refresh() {
      if (!isPhone(view)) return button(t('table.refresh')).click();
      await button(t('palette.open')).click();
      await page.getByRole('option', { name: t('palette.refresh') }).click();
    },
  };
}
