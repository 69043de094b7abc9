/**
 * What the server tells a page once, in its first bytes: who looks at it, in which language, what the site is. It stands
 * for as long as the document; signing in or out and switching the language load a new one.
 */
import type { Locale } from '@core/errors.ts';
import type { DataOf } from './lib/calls.ts';

export interface BootUser {
  id: number;
  username: string;
  displayName: string;
  role: number;
  /** What may be done in this session; in a frame of an application less than he himself may. */
  may: Record<Right, boolean>;
}

/** What is his alone; to make, change and use keys; to chat at his expense. */
export type Right = 'act' | 'keepTokens' | 'chat';

/** What everybody may know of the site. */
export type SiteStatus = DataOf<'get', '/api/status'>;

/** What the viewer has chosen, read from cookies so that the first bytes are right. */
export interface Preferences {
  /** Null: as his system prefers. */
  theme: 'light' | 'dark' | null;
  timeZone: string;
  pageSize: number;
  density: Density;
  sideCollapsed: boolean;
  /** How he has arranged tables, by their names; the others stand as they are made. */
  tables: Record<string, TableView>;
  /** He has put away what a newcomer does first. */
  firstStepsHidden: boolean;
  /** He need not hear, as an administrator, that callbacks of drawings are off. */
  callbackSilent: boolean;
}

/** A column in a table that a viewer has arranged; as wide as it needs without a width, which is in pixels. */
export interface ColumnView {
  id: string;
  hidden: boolean;
  width?: number | undefined;
}

/** The columns in their order. */
export type TableView = readonly ColumnView[];

export const densities = ['compact', 'normal', 'relaxed'] as const;
export type Density = (typeof densities)[number];

export interface Boot {
  user: BootUser | null;
  locale: Locale;
  preferences: Preferences;
  status: SiteStatus;
  /** Scheme and host as the viewer's browser shows them. */
  origin: string;
  /** Unix seconds at which the page was rendered; what counts as now until the browser has taken over. */
  now: number;
  requestId: string;
  /** The browser still sent a session that has ended: worth a word on the sign-in page. */
  sessionEnded: boolean;
  /** The operator shows admins the menu of channels and codes. */
  channelMenuOpen: boolean;
  /** A relay key is shown when it is made and never again. */
  keysShownOnce: boolean;
  /** A sign-in without JavaScript that failed: what the form shows when it comes back. */
  loginAttempt?: { message: string; username: string };
}

const ELEMENT_ID = 'boot';

/** The boot record as the content of its script element; no text of it can end the element. */
export const bootScript = (boot: Boot): { id: string; text: string } => ({
  id: ELEMENT_ID,
  text: JSON.stringify(boot).replaceAll('<', '\\u003c'),
});

export function readBoot(): Boot {
  const text = document.getElementById(ELEMENT_ID)?.textContent;
  if (!text) throw new Error('the page holds no boot record');
  return JSON.parse(text) as Boot;
}
