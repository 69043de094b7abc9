/** A channel and its type as the calls answer them, and what follows from their fields. */
import { isObject, parseJson } from '@core/json.ts';
import { probeAfterSec } from '@core/probe-times.ts';
import type { TFunction } from 'i18next';
import type { StatusTone } from '@/components/status.tsx';
import type { Page } from '@/lib/list-search.ts';
import type { TextKey } from '@/lib/text-key.ts';

export interface Channel {
  id: number;
  type: number;
  name: string;
  /** What may be shown of its first key. */
  key_hint: string;
  key_count: number;
  /** How many of them rest because their upstream refused them. */
  keys_disabled: number;
  status: number;
  openai_organization: string;
  /** 0 for no limit. */
  max_input_tokens: number;
  base_url: string;
  other: string;
  /** Comma list; empty in the list, which says only how many there are. */
  models: string;
  model_count: number;
  /** Comma list. */
  group: string;
  /** These four are JSON texts, empty when nothing is set. */
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  auto_ban: number;
  test_model: string;
  priority: number;
  weight: number;
  tag: string;
  /** JSON text: why and when it was switched off. */
  other_info: string;
  /** Milliseconds; 0 before the first test. */
  response_time: number;
  test_time: number;
  /** US dollars. */
  balance: number;
  /** 0 when nobody has asked for it yet. */
  balance_updated_time: number;
  used_quota: number;
  /** Which of several keys is asked next. */
  multi_key_mode: 'random' | 'polling';
  /** Unix seconds; -1 for never. */
  expired_time: number;
}

/** One of a channel's keys: what may be shown of it, and why it is off. */
export interface ChannelKey {
  id: number;
  /** From 1. */
  position: number;
  hint: string;
  status: number;
  reason: string;
  /** Unix seconds; 0 while it is in use. */
  disabled_at: number;
}

interface Text {
  zh: string;
  en: string;
}

/** A channel type: all that its form is drawn from. */
export interface ChannelType {
  type: number;
  label: string;
  /** Its own address; empty when the operator must give one. */
  base_url: string;
  models: string[];
  lists_models: boolean;
  tells_balance: boolean;
  form: {
    keyHint: string;
    keyMultiline?: boolean;
    baseUrl: 'optional' | 'required' | 'hidden';
    baseUrlHint?: string;
    other?: { label: Text; hint: string; default?: string; multiline?: boolean };
    organization?: boolean;
    notice?: Text;
  };
}

export interface ChannelPage extends Page<Channel> {
  /** By status, whatever status is asked for, and `all`. */
  status_counts: Record<string, number>;
  /** Whether those that were disabled by themselves are tested again. */
  probing: boolean;
}

export const CHANNEL_STATUS = { enabled: 1, disabled: 2, autoDisabled: 3 } as const;

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

/** The reason of a channel whose time is over. */
const EXPIRED = 'expired';

/** The reason in words: upstreams have their own, the gateway's is told in the viewer's language. */
export const reasonText = (reason: string, t: TFunction): string =>
  reason === EXPIRED ? t('channel.expired') : reason;

/** A balance, which vendors tell in US dollars; truncated, like every amount. */
export const dollars = (balance: number): string => `$${(Math.trunc(balance * 100) / 100).toFixed(2)}`;

/** How quick a channel answers, from 4 (up to 1 s) down to 1 (more than 5 s); 0 when it is untested. */
export function responseLevel(ms: number): 0 | 1 | 2 | 3 | 4 {
  if (ms <= 0) return 0;
  if (ms <= 1_000) return 4;
  if (ms <= 3_000) return 3;
  return ms <= 5_000 ? 2 : 1;
}
