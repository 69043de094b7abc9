/**
 * The one place where a text becomes a URL that a caller, a user or an upstream has written. The parser takes time in the
 * square of what stands where a host does, so that a text is measured before it is parsed: no name of a host has more than
 * 253 characters (RFC 1035, 2.3.4), and no server takes addresses of many kilobytes.
 */

/** Characters. */
export const URL_MAX = 8 * 1024;
/** Up to the end of its host: with the scheme, a port, and whoever signs in there. */
export const HOST_END_MAX = 320;

/** The parser drops tabs and line breaks, does not need the slashes, and reads a backslash as a slash. */
const UP_TO_HOST = /^[^:/?#]*:?[/\\\t\n\r]*[^/?#]*/;

/** An address up to the end of its host, and never less than that. */
export const upToHost = (text: string): string => UP_TO_HOST.exec(text)?.[0] ?? '';

/** Null for what is no address, and for what is longer than any. Data in place of an address are not read here. */
export function urlOf(text: string, base?: string): URL | null {
  if (text.length > URL_MAX || upToHost(text).length > HOST_END_MAX) return null;
  return URL.parse(text, base);
}
