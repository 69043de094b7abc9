/** What providers are given beside a call: how to call their vendor themselves, and how to ask on. */
import { limits } from '../core/limits.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import type { Ask, UpstreamRequest, VendorCall } from '../providers/provider.ts';
import { readBounded } from './body.ts';
import type { RelayDeps } from './deps.ts';
import type { Route } from './dial.ts';

/** A token that takes longer is not worth waiting for: other channels may be there. */
const EXCHANGE_MS = 15_000;

/** Calls go the way of the channel. They are of no one caller: several may wait for one, so none of them ends it, but a stop does. */
export const vendorCall =
  (channel: RoutedChannel, { dialer, cut }: Pick<RelayDeps, 'dialer' | 'cut'>): VendorCall =>
  async (request, asGiven = false) => {
    const abort = new AbortController();
    const end = () => abort.abort();
    const timer = setTimeout(end, EXCHANGE_MS);
    const uncut = cut.onCut(end);
    const route = {
      channel: asGiven ? { ...channel, baseUrl: request.url } : channel,
      connectMs: channel.setting.deadlines.connectMs ?? EXCHANGE_MS,
      signal: abort.signal,
    };
    try {
      const response = await dialer.open(request, route);
      return { status: response.status, text: await readBounded(response, limits.upstreamErrorBytes) };
    } finally {
      clearTimeout(timer);
      uncut();
    }
  };

/** Asks the upstream of a call on. An address out of its answer may be a private one only where the upstream itself is. */
export const asker =
  (upstream: UpstreamRequest, route: Route, { dialer }: Pick<RelayDeps, 'dialer'>): Ask =>
  (request, asGiven = false) => {
    const { channel } = route;
    if (!asGiven) return dialer.open(request, route);
    const isSameHost = new URL(request.url).host === new URL(upstream.url).host;
    const privateAllowed = channel.privateAllowed && isSameHost;
    return dialer.open(request, { ...route, channel: { ...channel, baseUrl: request.url, privateAllowed } });
  };
