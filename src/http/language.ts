/** The language that somebody has chosen, as his browser keeps it; the account keeps it too, for letters. */
import { cookiesIn } from '../core/cookies.ts';
import type { Locale } from '../core/errors.ts';

export const isLocale = (value: unknown): value is Locale => value === 'zh' || value === 'en';

const cookieOf = (request: Request, name: string): string | null =>
  cookiesIn(request.headers.get('cookie') ?? '')(name);

/** Null for who has chosen none in this browser. */
export function chosenLanguage(request: Request): Locale | null {
  const chosen = cookieOf(request, 'lang');
  return isLocale(chosen) ? chosen : null;
}

/** The language that a request asks for; null for one that names none, as those of programs do. */
export function askedLanguage(request: Request): Locale | null {
  const chosen = chosenLanguage(request);
  if (chosen) return chosen;
  const first = (request.headers.get('accept-language') ?? '').split(',')[0]?.trim().toLowerCase() ?? '';
  if (first === '' || first.startsWith('*')) return null;
  return first.startsWith('zh') ? 'zh' : 'en';
}

/** Light or dark, as he has chosen in this browser; null: as his system prefers. */
export function chosenTheme(request: Request): 'light' | 'dark' | null {
  const theme = cookieOf(request, 'theme-mode');
  return theme === 'light' || theme === 'dark' ? theme : null;
}
