/** What providers are given beside a call: how to call their vendor themselves. */
import { limits } from '../core/limits.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import type { VendorCall } from '../providers/provider.ts';
import { readBounded } from './body.ts';
import type { RelayDeps } from './deps.ts';

/** A token that takes longer is not worth waiting for: other channels may be there. */
const EXCHANGE_MS = 15_000;

/** Calls go the way of the channel. They are of no one caller: several may wait for one, so none of them ends it. */
export const vendorCall =
  (channel: RoutedChannel, { dialer }: Pick<RelayDeps, 'dialer'>): VendorCall =>
  async (request, asGiven = false) => {
    const route = {
      channel: asGiven ? { ...channel, baseUrl: request.url } : channel,
      connectMs: channel.setting.deadlines.connectMs ?? EXCHANGE_MS,
      signal: AbortSignal.timeout(EXCHANGE_MS),
    };
    const response = await dialer.open(request, route);
    return { status: response.status, text: await readBounded(response, limits.upstreamErrorBytes) };
  };
