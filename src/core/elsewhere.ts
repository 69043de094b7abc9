/** Where a request says that it comes from: from pages of this site, from those of others, or from no page at all. */
import { urlOf } from './url.ts';

/**
 * By these browsers say that they fetch only in case somebody goes there: by the first since it is a standard; before that,
 * and some until now, Chromium and Safari by the second, old Safari and Opera by the third, and Firefox by the last.
 */
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/**
 * What any page may have a browser fetch ahead comes like an address that its visitor has typed. Nothing else that a page
 * can have fetched does; but desktop programs and extensions, made of browsers, come so with all that they ask for.
 */
const isAhead = (headers: Headers): boolean => AHEAD.some((name) => headers.has(name));

/** Whether what sent this says that it is no page of `origin`, which is ours; null where it says nothing. */
export function saysElsewhere(headers: Headers, origin: string): boolean | null {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin' && (site !== 'none' || isAhead(headers));
  const from = headers.get('origin') ?? originOf(headers.get('referer'));
  return from === null ? null : from !== origin;
}

/** Of an address that a browser tells; what is none is nobody's. */
const originOf = (address: string | null): string | null =>
  address === null ? null : (urlOf(address)?.origin ?? 'null');

const isBrowser = (headers: Headers): boolean => headers.get('user-agent')?.startsWith('Mozilla/') ?? false;

/**
 * Whether a page of another site may have sent this. Over plain http a browser need not say what had it ask, but pages of
 * ours have it do so: where it says nothing, none of them did. Who is no browser says nothing either, and reads his own
 * answers only.
 */
export const isFromElsewhere = (headers: Headers, origin: string): boolean =>
  saysElsewhere(headers, origin) ?? isBrowser(headers);

/**
 * How somebody came from another site: by a link, which he followed himself, or by what its page had loaded; null where
 * he came from none. `isOnHisWay` tells of a browser that does not say which.
 */
export function wayFromElsewhere(
  headers: Headers,
  origin: string,
  isOnHisWay: () => boolean,
): 'linked' | 'elsewhere' | null {
  if (!isFromElsewhere(headers, origin)) return null;
  const isLink = headers.has('sec-fetch-site')
    ? headers.get('sec-fetch-dest') === 'document' && !isAhead(headers)
    : isOnHisWay();
  return isLink ? 'linked' : 'elsewhere';
}
