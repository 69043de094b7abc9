import { urlOf } from './url.ts';

const countOf = (text: string, letter: string): number => text.split(letter).length - 1;

/**
 * Whether the address is another one when it is called than it is written: with steps back in its path, which may lead
 * out of the folder that it begins with, or with letters that are read as others or dropped.
 */
export function isRewritten(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are dropped from addresses.
  const read = /[\\\x00-\x20]/.test(url) ? null : urlOf(url);
  if (!read) return true;
  const [path = ''] = url.split(/[?#]/);
  const written = path.slice(path.indexOf('://') + 3);
  return written.includes('/') && countOf(written, '/') !== countOf(read.pathname, '/');
}

/** Below 0 where an absolute address has no path. */
const startOfPath = (url: string): number => url.indexOf('/', url.indexOf('://') + 3);

/** What of an absolute address stands behind its host. */
export const behindHost = (url: string): string => url.slice(startOfPath(url));

/** The path of an absolute address, without its query: what a query says is nobody's business. `/` where there is none. */
export function pathOf(url: string): string {
  const from = startOfPath(url);
  if (from < 0) return '/';
  const query = url.indexOf('?', from);
  return query < 0 ? url.slice(from) : url.slice(from, query);
}

/**
 * The same absolute address with each run of slashes in its path as one. Routers and patterns look at what is left of a
 * run from each slash of it, so that the time of a long one grows with its square. Browsers read backslashes as slashes.
 */
export function inSingleSlashes(url: string): string {
  const path = pathOf(url);
  if (!/[\\/]{2}/.test(path)) return url;
  const from = startOfPath(url);
  return url.slice(0, from) + path.replace(/[\\/]{2,}/g, '/') + url.slice(from + path.length);
}

/** Whether two absolute addresses are at the same host and port, whatever is spoken there. */
export function isSameHost(url: string, other: string): boolean {
  const host = urlOf(url)?.host;
  return host !== undefined && host === urlOf(other)?.host;
}
