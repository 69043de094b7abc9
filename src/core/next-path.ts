/** Where a sign-in may lead: a path of this very site. `//evil`, `/\evil` and their encoded kin lead to other sites. */
import { urlOf } from './url.ts';

const HERE = 'http://here.invalid';
const PATH_CHARS_MAX = 2_000;

/** The path with its query and hash, or `fallback` when it is none of this site. */
export function safeNext(next: unknown, fallback = '/token'): string {
  if (typeof next !== 'string' || next.length > PATH_CHARS_MAX) return fallback;
  if (!/^\/(?![/\\])/.test(next) || hasControl(next)) return fallback;
  const url = urlOf(next, HERE);
  if (!url) return fallback;
  const { origin, pathname, search, hash } = url;
  // `/..//evil` stays on the site as it stands, but what is left of it after the dots are gone would not.
  if (origin !== HERE || pathname.startsWith('//')) return fallback;
  return pathname + search + hash;
}

/** Browsers drop tabs and line ends from an address before they read it: `/<tab>/evil` would become `//evil`. */
const hasControl = (text: string): boolean =>
  [...text].some((char) => char.charCodeAt(0) < 0x20 || char === '\u007f');
