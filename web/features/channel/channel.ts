/** A channel and its type as the calls answer them, and what follows from their fields. */

import { isObject, parseJson } from '@core/json.ts';
import { probeAfterSec } from '@core/probe-times.ts';
import { CHANNEL_STATUS, type ChannelTest } from '@modules/channel/facts.ts';
import { type StateLook, switchLooks } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Channel = DataOf<'get', '/api/channel/:id'>;

/** One of a channel's keys: what may be shown of it, and why it is off. */
export type ChannelKey = DataOf<'get', '/api/channel/:id/keys'>[number];

/** A channel type: all that its form is drawn from. */
export type ChannelType = DataOf<'get', '/api/channel/types'>[number];

export const channelStates: readonly (StateLook & { status: number })[] = [
  { status: CHANNEL_STATUS.enabled, ...switchLooks.on },
  { status: CHANNEL_STATUS.disabled, ...switchLooks.off },
  { status: CHANNEL_STATUS.autoDisabled, tone: 'auto', label: 'state.auto' },
];

const unknownState: StateLook = { tone: 'off', label: 'channel.unknownStatus' };

export const channelState = (channel: Pick<Channel, 'status'>): StateLook =>
  channelStates.find(({ status }) => status === channel.status) ?? unknownState;

/** How the last test of a channel ended. */
export const testStates = {
  passed: 'channel.test.passed',
  failed: 'channel.test.failed',
  none: 'channel.untested',
} as const satisfies Record<ChannelTest, TextKey>;

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

/** A test of a channel: when in unix seconds, with which model, empty where that was not kept yet, and its milliseconds. */
export interface LastTest {
  at: number;
  model: string;
  ms: number;
}

const modelIn = ({ model }: { model?: unknown }): string => (typeof model === 'string' ? model : '');

/** The last test, if it failed, and why. */
export function failedTest({
  other_info,
}: Pick<Channel, 'other_info'>): (LastTest & { reason: string }) | null {
  const info = parseJson(other_info);
  const failed = isObject(info) ? info.failed_test : undefined;
  if (!isObject(failed) || typeof failed.time !== 'number' || typeof failed.reason !== 'string') return null;
  return { at: failed.time, model: modelIn(failed), ms: numberIn(failed.ms), reason: failed.reason };
}

/** The last test that passed; null where there was none. */
export function passedTest({
  other_info,
  response_time,
  test_time,
}: Pick<Channel, 'other_info' | 'response_time' | 'test_time'>): LastTest | null {
  if (response_time === 0) return null;
  const info = parseJson(other_info);
  const passed = isObject(info) ? info.passed_test : undefined;
  return { at: test_time, model: isObject(passed) ? modelIn(passed) : '', ms: response_time };
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
