/** A channel as the relay sees it: typed, checked, its keys opened. Read-only; a change of configuration replaces it whole. */

import type { JsonObject } from '../../core/json.ts';
import type { KeyMode } from './facts.ts';

/** An upstream key that may be used now. */
export interface RoutedKey {
  /** Row of `channel_keys`: what is disabled when the upstream refuses the key. */
  readonly id: number;
  readonly value: string;
}

/** Whether a channel's time is over; 0 or less is never. */
export const isExpired = (expiresAt: number, nowSec: number): boolean => expiresAt > 0 && expiresAt <= nowSec;

/** Deadlines of this channel in milliseconds; absent ones follow the options. */
export interface ChannelDeadlines {
  readonly connectMs?: number;
  /** From the request to the first content of a stream. */
  readonly firstContentMs?: number;
  /** Between two pieces of a stream. */
  readonly idleMs?: number;
  /** The whole call. */
  readonly totalMs?: number;
}

/** The switches of the wire field `setting`. */
export interface ChannelSetting {
  /** Outgoing proxy: http or https, with optional credentials. */
  readonly proxy: string | null;
  /** Rewrites each chunk of a stream into the strict OpenAI shape. */
  readonly forceFormat: boolean;
  /** Moves reasoning into the content, between think marks. */
  readonly thinkingToContent: boolean;
  /** Put in front when the caller sends no system message; empty for none. */
  readonly systemPrompt: string;
  /** Puts it in front also when the caller sends one. */
  readonly systemPromptOverride: boolean;
  /** Callers may ask for service that costs more than the priced model: priority, other models. */
  readonly allowSurcharges: boolean;
  /** Callers may name conversations, prompts and items that the upstream's account keeps, whoever made them. */
  readonly sharedContext: boolean;
  readonly deadlines: ChannelDeadlines;
  /** The upstream's price as a part of the model's, before the group's ratio; absent where it is not known. */
  readonly costRatio?: number;
  /** Extra headers for the upstream, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A caller's own key at a supplier, where it stands in the place of a channel. */
export interface OwnKeyPlace {
  /** Row of `custom_models`. */
  readonly id: number;
  readonly userId: number;
  /** Name of the supplier. */
  readonly supplier: string;
  readonly key: string;
}

export interface RoutedChannel {
  /** Below 0 where it is a caller's own key. */
  readonly id: number;
  readonly ownKey?: OwnKeyPlace;
  readonly type: number;
  readonly name: string;
  /** One of CHANNEL_STATUS; only enabled ones stand in tiers. */
  readonly status: number;
  /** Without a trailing slash; empty for the provider's own. */
  readonly baseUrl: string;
  /** True when root wrote the address: it may then be a private one. */
  readonly privateAllowed: boolean;
  readonly organization: string;
  /** The wire field `other`: api version, region, account id, as the type needs. */
  readonly other: string;
  /** The enabled ones, in order; may be empty. */
  readonly keys: readonly RoutedKey[];
  readonly keyMode: KeyMode;
  /** The second from which on it is not chosen; 0 or less for never. */
  readonly expiresAt: number;
  readonly models: readonly string[];
  readonly groups: readonly string[];
  /** The caller's model name → the upstream's, already followed to the end of its chain. */
  readonly modelMapping: Readonly<Record<string, string>>;
  /** The upstream's status → the one that the caller sees. */
  readonly statusCodeMapping: Readonly<Record<string, number>>;
  readonly setting: ChannelSetting;
  /** Merged over the top level of the upstream body; null for none. */
  readonly paramOverride: Readonly<JsonObject> | null;
  readonly priority: number;
  readonly weight: number;
  readonly autoBan: boolean;
  /** 0 for no limit. */
  readonly maxInputTokens: number;
  readonly testModel: string;
  readonly tag: string;
}

/** Its id in logs and figures, where a caller's own key is no channel: 0. */
export const loggedId = ({ id }: Pick<RoutedChannel, 'id'>): number => Math.max(id, 0);

/** The caller's own key where the call goes to it: then it is the only candidate. */
export const ownKeyOf = (tiers: readonly Tier[]): OwnKeyPlace | undefined => tiers[0]?.channels[0]?.ownKey;

/** A channel with the key to use. */
export interface Candidate {
  readonly channel: RoutedChannel;
  readonly key: RoutedKey;
}

/** Channels of one priority that serve a model to a group. */
export interface Tier {
  readonly priority: number;
  readonly channels: readonly RoutedChannel[];
}

/** All channels at one moment. Look-ups allocate nothing. */
export interface ChannelView {
  /** A channel of any status. */
  byId(id: number): RoutedChannel | undefined;
  /** Enabled channels for a model in a group, highest priority first; empty when there are none. */
  tiers(group: string, model: string): readonly Tier[];
  /** Sorted names of the models that a group may call now. */
  models(group: string): readonly string[];
  /** Groups that may call a model now. */
  groupsOf(model: string): readonly string[];
  /** True when some channel lists the model, enabled or not: else it is unknown rather than unavailable. */
  knows(model: string): boolean;
  all(): readonly RoutedChannel[];
}
