/**
 * Where calls go. Addresses that an admin wrote are judged by the guarded dialer; those of root and of the vendors themselves
 * are taken as they are, because they may be private and their names need no judging.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { urlOf } from '../../core/url.ts';
import { isRewritten, isSameHost } from '../../core/url-path.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { type Outgoing, OutgoingError, type Target } from '../../platform/outgoing.ts';
import { findProvider } from '../../providers/registry.ts';
import type { Reach } from './reach.ts';

export interface Route {
  channel: Pick<RoutedChannel, 'type' | 'baseUrl' | 'privateAllowed' | 'ownKey'> & {
    setting: { proxy: string | null };
  };
  connectMs: number;
  signal: AbortSignal;
  /** Hears that the host is there, and the call goes up. */
  goesUp?(): void;
  /** The address is none of the channel's own: an answer named it, or a key. Only the open ports may be called. */
  isGiven?: boolean;
  /** Makes what goes up instead of the request's own body. */
  body?(): ReadableStream<Uint8Array>;
  /**
   * Whether a call may be made once more that a connection of earlier calls lost: its host may have closed it before
   * the call came. Where it is absent, none is: the host may have done the work.
   */
  mayAskAgain?(): boolean;
}

type ProxyTarget = { proxy?: string };

/** Where a call goes. */
export interface Aim {
  target: Partial<Target> & { url: string };
  via: ProxyTarget;
  /** Of who is connected to. */
  origin: string;
}

/** How calls find their way: of each origin that was judged, and of each address that was read, so many are remembered. */
export function createPathfinder(
  outgoing: Outgoing,
  { heardLately, reach }: Reach,
  remembered: number,
): (url: string, route: Route) => Promise<Aim> {
  const targets = new LRUCache<string, { target: Target; until: number }>({ max: remembered });
  const read = new LRUCache<string, boolean>({ max: remembered });

  /** The checked address of an origin that an admin wrote, kept for a moment so that a busy channel is not resolved for each call. */
  const checkedTarget = async (url: string, signal: AbortSignal, isGiven = false): Promise<Target> => {
    const { origin, pathname, search } = new URL(url);
    const name = isGiven ? `given ${origin}` : origin;
    let held = targets.peek(name);
    if (!held || held.until < Date.now()) {
      // Of the channel's own address the port was judged when it was written.
      const target = await outgoing.target(origin, { anyPort: !isGiven, signal });
      held = { target, until: Date.now() + limits.resolvedMs };
      targets.set(name, held);
    }
    return { ...held.target, url: new URL(held.target.url).origin + pathname + search };
  };

  const targetOf = async (
    url: string,
    { channel, isGiven, signal }: Route,
  ): Promise<Partial<Target> & { url: string }> =>
    (channel.privateAllowed && !isGiven) || isVendors(url, channel)
      ? { url }
      : checkedTarget(url, signal, isGiven).catch((error: unknown) => {
          // Behind a proxy names may be found by the proxy alone.
          const isProxys = error instanceof OutgoingError && error.fault === 'unresolvable';
          if (isProxys && channel.setting.proxy && (!isGiven || channel.privateAllowed)) return { url };
          throw error;
        });

  const proxyOf = async ({ channel, signal }: Route): Promise<ProxyTarget> => {
    const { proxy } = channel.setting;
    if (!proxy) return {};
    const url = new URL(proxy);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new OutgoingError('bad-address');
    if (channel.privateAllowed) return { proxy };
    // As of the channel's own address, the port was judged when it was written.
    const checked = await checkedTarget(url.origin, signal);
    // By name an https proxy proves that it is the one that was meant; an http one is gone to by the address that was
    // checked, because its name may lead elsewhere by now.
    if (url.protocol === 'http:') url.hostname = new URL(checked.url).hostname;
    return { proxy: url.href };
  };

  /** Calls of a channel go to few addresses, and to read one takes longer than all else that is done to find the way. */
  const stepsBack = (url: string): boolean => {
    let is = read.get(url);
    if (is === undefined) {
      is = isRewritten(url);
      if (url.length <= limits.readAddressChars) read.set(url, is);
    }
    return is;
  };

  /** Most calls go straight to a host that was heard a moment ago: there is nothing to wait for. */
  const straight = (url: string, { channel, isGiven }: Route): Aim | null => {
    if (isGiven || !channel.privateAllowed || channel.setting.proxy) return null;
    const origin = originOf(url);
    return heardLately(origin) ? { target: { url }, via: {}, origin } : null;
  };

  /** Where to connect, once it has been found out that somebody is there. */
  return async (url: string, route: Route): Promise<Aim> => {
    // A name in it that steps back would lead the key out of the folder that the channel's address begins with. Whatever is
    // too long to be read is refused here, too.
    const isBad = route.isGiven ? urlOf(url) === null : stepsBack(url);
    if (isBad) throw new OutgoingError('bad-address');
    const { channel, isGiven } = route;
    // A caller's own key was given for one host.
    if (channel.ownKey && !isGiven && !isSameHost(url, channel.baseUrl))
      throw new OutgoingError('bad-address');
    const found = straight(url, route);
    if (found) return found;
    const target = await targetOf(url, route);
    const via = await proxyOf(route);
    const origin = originOf(via.proxy ?? target.url);
    await reach(origin, route);
    return { target, via, origin };
  };
}

/** Whether a call goes to the vendor's own address, and not where somebody wrote, be it in a key. */
function isVendors(url: string, { type, baseUrl }: Route['channel']): boolean {
  if (baseUrl !== '') return false;
  const { baseUrl: own, domains = [] } = findProvider(type) ?? {};
  const { origin, protocol, port, hostname } = new URL(url);
  if (own && origin === new URL(own).origin) return true;
  const isPlain = (protocol === 'https:' || protocol === 'wss:') && port === '';
  return isPlain && domains.some((domain) => hostname.endsWith(`.${domain}`));
}

/** Scheme, host and port, without the cost of parsing the whole. */
function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2);
  return slash < 0 ? url : url.slice(0, slash);
}
