/** A channel and its type as the calls answer them, and what follows from their fields. */

import { isObject, parseJson } from '@core/json.ts';
import { probeAfterSec } from '@core/probe-times.ts';
import { CHANNEL_STATUS } from '@modules/channel/facts.ts';
import type { StatusTone } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Channel = DataOf<'get', '/api/channel/:id'>;

/** One of a channel's keys: what may be shown of it, and why it is off. */
export type ChannelKey = DataOf<'get', '/api/channel/:id/keys'>[number];

/** A channel type: all that its form is drawn from. */
export type ChannelType = DataOf<'get', '/api/channel/types'>[number];

export type ChannelPage = Omit<DataOf<'get', '/api/channel'>, 'page_size'> & { size: number };

export const channelStates: readonly { status: number; tone: StatusTone; label: TextKey }[] = [
  { status: CHANNEL_STATUS.enabled, tone: 'on', label: 'channel.status.on' },
  { status: CHANNEL_STATUS.disabled, tone: 'off', label: 'channel.status.off' },
  { status: CHANNEL_STATUS.autoDisabled, tone: 'auto', label: 'channel.status.auto' },
];

export const modelsOf = ({ models }: Channel): string[] => models.split(',').filter(Boolean);
export const groupsOf = ({ group }: Channel): string[] => group.split(',').filter(Boolean);

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Why the gateway switched it off, when, and when it tests it next, in unix seconds; empty and 0 where it is not known. */
export function offReason({ other_info }: Pick<Channel, 'other_info'>): {
  reason: string;
  at: number;
  nextTest: number;
} {
  const info = parseJson(other_info);
  const { status_reason: reason, status_time, probes, probed_at } = isObject(info) ? info : {};
  const at = numberIn(status_time);
  const since = numberIn(probed_at) || at;
  return {
    reason: typeof reason === 'string' ? reason : '',
    at,
    nextTest: since > 0 ? since + probeAfterSec(numberIn(probes)) : 0,
  };
}

/** When its last test failed, in unix seconds, and why; null when that passed, or there was none. */
export function failedTest({
  other_info,
}: Pick<Channel, 'other_info'>): { at: number; reason: string } | null {
  const info = parseJson(other_info);
  const failed = isObject(info) ? info.failed_test : undefined;
  if (!isObject(failed) || typeof failed.time !== 'number' || typeof failed.reason !== 'string') return null;
  return { at: failed.time, reason: failed.reason };
}

/** A balance, which vendors tell in US dollars; truncated, like every amount. */
export const dollars = (balance: number): string => `$${(Math.trunc(balance * 100) / 100).toFixed(2)}`;

/** How quick a channel answers, from 4 (up to 1 s) down to 1 (more than 5 s); 0 when it is untested. */
export function responseLevel(ms: number): 0 | 1 | 2 | 3 | 4 {
  if (ms <= 0) return 0;
  if (ms <= 1_000) return 4;
  if (ms <= 3_000) return 3;
  return ms <= 5_000 ? 2 : 1;
}
