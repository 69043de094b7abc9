/** Where callers put their relay key, whichever vendor's client they use. */

export interface Credentials {
  /** Without `sk-`. */
  key: string;
  /** Channel that the caller wants (`sk-KEY-ID`); null for none. */
  pinnedChannel: number | null;
  /** It stood outside of the headers for it, where any page may have put it. */
  isInAddress?: true;
}

const HEADERS = ['x-api-key', 'x-goog-api-key', 'api-key', 'mj-api-secret'] as const;

/** What clients of drawing proxies send there when they have nothing to say. */
const NO_KEY = /^(Bearer\s+)?midjourney-proxy$/i;

/**
 * Null when the request carries no key at all. A malformed one is a key that nobody has. `inQuery`: the key of the
 * address, on paths whose clients put it there.
 */
export function readCredentials(headers: Headers, inQuery?: string | null): Credentials | null {
  const authorization = headers.get('authorization');
  if (authorization && !NO_KEY.test(authorization)) return split(authorization.replace(/^Bearer\s+/i, ''));
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value) return split(value);
  }
  return inQuery ? { ...split(inQuery), isInAddress: true } : null;
}

function split(text: string): Credentials {
  const [key = '', channel, ...rest] = text.trim().replace(/^sk-/, '').split('-');
  if (channel === undefined) return { key, pinnedChannel: null };
  const isPin = /^\d{1,15}$/.test(channel) && rest.length === 0;
  return isPin ? { key, pinnedChannel: Number(channel) } : { key: '', pinnedChannel: null };
}
