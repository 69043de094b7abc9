/** What providers are given beside a call: how to call their vendor themselves, and how to ask on. */
import { limits } from '../../core/limits.ts';
import { isSameHost } from '../../core/url-path.ts';
import type { RoutedChannel } from '../../modules/channel/model.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { Ask, UpstreamRequest, VendorCall } from '../../providers/provider.ts';
import type { RelayDeps } from '../deps.ts';
import type { Route } from './aim.ts';
import { inTime } from './lifeline.ts';

/** A token that takes longer is not worth waiting for: other channels may be there. */
const EXCHANGE_MS = 15_000;

/** Calls go the way of the channel. They are of no one caller: several may wait for one, so none of them ends it, but a stop does. */
export const vendorCall =
  (channel: RoutedChannel, { dialer, cut }: Pick<RelayDeps, 'dialer' | 'cut'>): VendorCall =>
  (request, asGiven = false) =>
    inTime(EXCHANGE_MS, { cut }, async ({ signal }) => {
      const connectMs = channel.setting.deadlines.connectMs ?? EXCHANGE_MS;
      const route = { channel, connectMs, signal };
      const response = await dialer.open(
        request,
        asGiven ? givenRoute(request.url, channel.baseUrl, route) : route,
      );
      return { status: response.status, text: await readBounded(response, limits.upstreamErrorBytes) };
    });

/**
 * The way to an address that an answer named, or a key. At the host that the channel is at anyway it may be all that the
 * channel may; anywhere else it is nobody's own, and neither private nor at a port that is closed.
 */
export function givenRoute(url: string, own: string, route: Route): Route {
  const { channel } = route;
  return { ...route, channel: { ...channel, baseUrl: url }, isGiven: !isSameHost(url, own) };
}

/** Asks the upstream of a call on. */
export const asker =
  (upstream: UpstreamRequest, route: Route, { dialer }: Pick<RelayDeps, 'dialer'>): Ask =>
  (request, asGiven = false) =>
    dialer.open(request, asGiven ? givenRoute(request.url, upstream.url, route) : route);
