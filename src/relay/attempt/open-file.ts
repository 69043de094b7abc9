/** Fetches the file of a film that is done, from whoever has it. */
import type { Json } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { OutgoingError } from '../../platform/outgoing.ts';
import type { Ask } from '../../providers/provider.ts';
import type { RelayDeps } from '../deps.ts';
import { placeOf } from './ask-tasks.ts';
import { givenRoute, vendorCall } from './vendor.ts';

export interface FilmTask {
  channelId: number;
  keyId: number;
  upstreamId: string;
  data: Json;
}

/** The answer that holds it, whatever its status; null where there is none. Rejects as the dialer does. */
export async function openFilm(
  { channelId, keyId, upstreamId, data }: FilmTask,
  { variant, signal, grow }: { variant: string; signal: AbortSignal; grow: (bytes: number) => void },
  deps: RelayDeps,
): Promise<Response | null> {
  const place = await placeOf({ channelId, keyId }, deps);
  if (place === 'gone' || place === null) return null;
  const { channel, access, wire } = place;
  if (!wire.film || !['video', ...(wire.film.variants ?? [])].includes(variant)) return null;
  const route = {
    channel,
    connectMs: channel.setting.deadlines.connectMs ?? limits.taskAskMs,
    signal,
  };
  const ask: Ask = async (request, asGiven = false) => {
    // An answer named it: whatever else can be fetched lies in this house.
    if (!/^https?:\/\//i.test(request.url)) throw new OutgoingError('bad-address');
    return asGiven
      ? deps.dialer.open(request, givenRoute(request.url, access.baseUrl, route))
      : deps.dialer.open({ ...request, headers: { ...request.headers, ...channel.setting.headers } }, route);
  };
  return wire.film.open(access, { id: upstreamId, data, variant }, ask, vendorCall(channel, deps), grow);
}
