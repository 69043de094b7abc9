/** Fetches a file of a task that is done, from whoever has it. */
import type { Json } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { OutgoingError } from '../../platform/outgoing.ts';
import type { Ask, ResultFile } from '../../providers/provider.ts';
import type { RelayDeps } from '../deps.ts';
import { placeOf } from './ask-tasks.ts';
import { givenRoute, vendorCall } from './vendor.ts';

export interface DoneTask {
  channelId: number;
  keyId: number;
  upstreamId: string;
  data: Json;
}

interface Opening extends Pick<ResultFile, 'variant' | 'piece'> {
  signal: AbortSignal;
  grow: (bytes: number) => void;
}

/** The answer that holds it, whatever its status; null where there is none. Rejects as the dialer does. */
export async function openFile(
  { channelId, keyId, upstreamId, data }: DoneTask,
  { variant, piece, signal, grow }: Opening,
  deps: RelayDeps,
): Promise<Response | null> {
  const place = await placeOf({ channelId, keyId }, deps);
  if (place === 'gone' || place === null) return null;
  const { channel, access, wire } = place;
  if (!wire.file || !['video', ...(wire.file.variants ?? [])].includes(variant)) return null;
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
  return wire.file.open(
    access,
    { id: upstreamId, data, variant, piece },
    ask,
    vendorCall(channel, deps),
    grow,
  );
}
