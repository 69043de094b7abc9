/**
 * What a viewer has chosen for himself, kept in cookies because the server must know it to draw the first bytes right.
 * The closed list of what is kept; the specification's names where it gives one.
 */
import { cookiesIn } from '@core/cookies.ts';
import { knownZone } from '@core/time-text.ts';
import { type Density, densities, type Preferences } from '../boot.ts';
import { readViews } from './table-views.ts';

export const PAGE_SIZES = [10, 20, 50, 100] as const;

export const cookieNames = {
  lang: 'lang',
  theme: 'theme-mode',
  timeZone: 'tz',
  pageSize: 'page-size',
  density: 'density',
  sideCollapsed: 'default_collapse_sidebar',
  tables: 'columns',
  firstSteps: 'first-steps',
  /** This administrator need not hear that callbacks of drawings are off. */
  callbackSilence: 'mj_notify_enabled',
} as const;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** A cookie header → the preferences; what is missing or nonsense takes the site's default. */
export function readPreferences(cookieHeader: string, collapseByDefault: boolean): Preferences {
  const written = cookiesIn(cookieHeader);
  const cookie = (name: string) => decoded(written(name) ?? '');
  const theme = cookie(cookieNames.theme);
  const pageSize = Number(cookie(cookieNames.pageSize));
  const density = cookie(cookieNames.density) as Density;
  const collapsed = cookie(cookieNames.sideCollapsed);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    timeZone: knownZone(cookie(cookieNames.timeZone)),
    pageSize: PAGE_SIZES.find((size) => size === pageSize) ?? PAGE_SIZES[0],
    density: densities.includes(density) ? density : 'normal',
    sideCollapsed: collapsed === '' ? collapseByDefault : collapsed === 'true',
    tables: readViews(cookie(cookieNames.tables)),
    firstStepsHidden: cookie(cookieNames.firstSteps) === 'hidden',
    callbackSilent: cookie(cookieNames.callbackSilence) === 'true',
  };
}
