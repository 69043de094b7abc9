/**
 * Everything the console keeps in the browser: the closed list. What the server must know for the first bytes is a
 * cookie; under the specification's names it stands in local storage too.
 */

import { preferenceCookie } from '@core/preference-cookie.ts';
import type { Density, Preferences, SiteStatus } from '../boot.ts';
import { cookieNames } from './preferences.ts';

/** Local storage may be switched off or full; nothing here is worth an error. */
function mirror(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {}
}

function setCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet.
  document.cookie = preferenceCookie(name, value);
}

const ARRIVED = 'arrived';

/** Whether somebody has just signed in; true once. */
export function hasArrived(): boolean {
  try {
    const arrived = sessionStorage.getItem(ARRIVED) !== null;
    sessionStorage.removeItem(ARRIVED);
    return arrived;
  } catch {
    return false;
  }
}

const DEFAULT_PASSWORD = 'default-password';

/** Whether somebody has just signed in by the password that everybody knows; true once. */
export function hasDefaultPassword(): boolean {
  try {
    const has = sessionStorage.getItem(DEFAULT_PASSWORD) !== null;
    sessionStorage.removeItem(DEFAULT_PASSWORD);
    return has;
  } catch {
    return false;
  }
}

/** By the specification's name: the links to chat apps, as JSON. */
const CHATS = 'chats';

/** Null when nothing is kept there. */
export function keptChats(): string | null {
  try {
    return localStorage.getItem(CHATS);
  } catch {
    return null;
  }
}

/** Where the console stands inside an application and the browser keeps no cookie for it: what stands in for one. */
const EMBED = 'embed';
export function embedBearer(): string | null {
  try {
    return sessionStorage.getItem(EMBED);
  } catch {
    return null;
  }
}

export function isCallbackSilent(): boolean {
  try {
    return localStorage.getItem(cookieNames.callbackSilence) === 'true';
  } catch {
    return false;
  }
}

const CHARACTER_KEYS = 'character-keys';

/** Whether keys without a modifier do something; so unless he has switched them off. */
export function hasCharacterKeys(): boolean {
  try {
    return localStorage.getItem(CHARACTER_KEYS) !== 'off';
  } catch {
    return true;
  }
}

const JOBS = 'jobs';

/** The background jobs of the server that this tab follows, by their paths. */
export function keptJobs(): string[] {
  try {
    return (sessionStorage.getItem(JOBS) ?? '').split(' ');
  } catch {
    return [];
  }
}

export const keep = {
  jobs(paths: readonly string[]): void {
    try {
      sessionStorage.setItem(JOBS, paths.join(' '));
    } catch {}
  },
  characterKeys(on: boolean): void {
    mirror(CHARACTER_KEYS, on ? null : 'off');
  },
  /** What each channel type offers, by its number, as `GET /api/models` answers it. */
  channelModels(types: readonly { type: number; models: readonly string[] }[]): void {
    mirror(
      'channel_models',
      JSON.stringify(Object.fromEntries(types.map(({ type, models }) => [type, models]))),
    );
  },
  callbackSilence(): void {
    setCookie(cookieNames.callbackSilence, 'true');
    mirror(cookieNames.callbackSilence, 'true');
  },
  theme(theme: 'light' | 'dark'): void {
    setCookie(cookieNames.theme, theme);
    mirror(cookieNames.theme, theme);
  },
  /** For the pages to come, which the server draws. */
  timeZone(timeZone: string): void {
    const kept = `${cookieNames.timeZone}=${encodeURIComponent(timeZone)}`;
    if (!document.cookie.split('; ').includes(kept)) setCookie(cookieNames.timeZone, timeZone);
  },
  pageSize(size: number): void {
    setCookie(cookieNames.pageSize, String(size));
    mirror(cookieNames.pageSize, String(size));
  },
  sideCollapsed(collapsed: boolean): void {
    setCookie(cookieNames.sideCollapsed, String(collapsed));
    mirror(cookieNames.sideCollapsed, String(collapsed));
  },
  firstSteps(state: 'shown' | 'hidden'): void {
    setCookie(cookieNames.firstSteps, state);
  },
  language(language: 'zh' | 'en'): void {
    setCookie(cookieNames.lang, language);
  },
  density(density: Density): void {
    setCookie(cookieNames.density, density);
  },
  /** As `viewsText` writes them: most pages that load this have no table. */
  tables(text: string): void {
    setCookie(cookieNames.tables, text);
  },
  /** What everybody may know of the site, under the specification's names: whole, and the parts that clients look for. */
  status(status: SiteStatus): void {
    mirror('status', JSON.stringify(status));
    const { footer_html, enable_data_export, enable_drawing, enable_task } = status;
    const parts = { footer_html, enable_data_export, enable_drawing, enable_task };
    for (const [name, value] of Object.entries(parts)) mirror(name, String(value));
    mirror(CHATS, JSON.stringify(status.chats));
  },
  /** What holds for the viewer, also where it is the site's default: clients read no cookies. */
  preferences({ sideCollapsed, pageSize }: Preferences): void {
    mirror(cookieNames.sideCollapsed, String(sideCollapsed));
    mirror(cookieNames.pageSize, String(pageSize));
  },
  /** Who is signed in, for the clients that embed the console and look for it there. */
  user(user: { id: number; username: string; role: number }): void {
    mirror('user', JSON.stringify({ id: user.id, username: user.username, role: user.role }));
  },
  /** Somebody has just signed in: the next page says so, once. */
  arrived(): void {
    try {
      sessionStorage.setItem(ARRIVED, 'true');
    } catch {}
  },
  /** He has come in with the password that everybody knows: the next page asks him to change it, once. */
  defaultPassword(): void {
    try {
      sessionStorage.setItem(DEFAULT_PASSWORD, 'true');
    } catch {}
  },
  /** Forgets everything that belongs to the user; how he likes to see pages stays. */
  signedOut(): void {
    try {
      sessionStorage.removeItem(EMBED);
      sessionStorage.removeItem(JOBS);
      const liked = [cookieNames.theme, CHARACTER_KEYS].map(
        (key) => [key, localStorage.getItem(key)] as const,
      );
      localStorage.clear();
      for (const [key, value] of liked) mirror(key, value);
    } catch {}
  },
};
