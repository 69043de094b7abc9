/** The Host that a caller names: it is compared, shown and made into addresses, so that it must be one. */
import { urlOf } from '../core/url.ts';

/** A name or an address with a port: no userinfo, path, blank or second Host (which comes joined by a comma). */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const HOST_MAX = 262;

/** The one that was found good last: most requests name the same. */
let known = '';

export function isHost(text: string): boolean {
  if (text === known) return text !== '';
  // Of names that look well some are none: with a port beyond all, numbers that are no address, broken Punycode.
  const is = text.length <= HOST_MAX && HOST.test(text) && urlOf(`http://${text}/`) !== null;
  if (is) known = text;
  return is;
}

/**
 * What the request names, or what stands for it where it was made in process. By HTTP/1.0 one may name none: then the
 * address is a path alone.
 */
export const hostNamedBy = ({ url, headers }: Request): string =>
  headers.get('host') ?? (url.startsWith('/') ? '' : 'localhost');
