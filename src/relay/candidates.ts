/**
 * Which channel is tried next: the highest priority first, inside one priority by weight, each (channel, key) once a
 * request. Weights: all zero share equally; else exactly in proportion, and a zero gets nothing while a sibling of
 * positive weight can still be tried.
 */
import type { ChannelView, RoutedChannel, RoutedKey, Tier } from '../modules/channel/model.ts';

/** A channel with the key to use. */
export interface Candidate {
  readonly channel: RoutedChannel;
  readonly key: RoutedKey;
}

/** What a request has tried so far. */
export class Tried {
  readonly #keys = new Set<number>();
  readonly #channels = new Set<number>();

  add({ channel, key }: Candidate): void {
    this.#keys.add(key.id);
    this.#channels.add(channel.id);
  }

  hasChannel(id: number): boolean {
    return this.#channels.has(id);
  }

  hasKey(id: number): boolean {
    return this.#keys.has(id);
  }
}

/** Uniform in [0, 1). */
export type Random = () => number;

/** The next candidate for a model in a group; null when every one has been tried. Another channel goes before another key of the same. */
export function nextCandidate(
  view: ChannelView,
  request: { group: string; model: string },
  tried: Tried,
  random: Random = Math.random,
): Candidate | null {
  const tiers = view.tiers(request.group, request.model);
  return (
    pickFrom(tiers, (channel) => !tried.hasChannel(channel.id) && channel.keys.length > 0, tried, random) ??
    pickFrom(tiers, (channel) => channel.keys.some((key) => !tried.hasKey(key.id)), tried, random)
  );
}

/** The channel that an administrator pinned, with a key that was not tried yet. */
export function pinnedCandidate(
  channel: RoutedChannel,
  tried: Tried,
  random: Random = Math.random,
): Candidate | null {
  const key = pickKey(channel, tried, random);
  return key && !tried.hasChannel(channel.id) ? { channel, key } : null;
}

function pickFrom(
  tiers: readonly Tier[],
  open: (channel: RoutedChannel) => boolean,
  tried: Tried,
  random: Random,
): Candidate | null {
  for (const tier of tiers) {
    const channel = pickChannel(tier.channels, open, random);
    const key = channel && pickKey(channel, tried, random);
    if (channel && key) return { channel, key };
  }
  return null;
}

/** Two passes over the tier, without a list in between: a thousand channels cost a few microseconds. */
function pickChannel(
  channels: readonly RoutedChannel[],
  open: (channel: RoutedChannel) => boolean,
  random: Random,
): RoutedChannel | null {
  let weights = 0;
  let count = 0;
  for (const channel of channels) {
    if (!open(channel)) continue;
    weights += channel.weight;
    count++;
  }
  if (count === 0) return null;
  let left = random() * (weights > 0 ? weights : count);
  let last: RoutedChannel | null = null;
  for (const channel of channels) {
    const share = weights > 0 ? channel.weight : 1;
    if (share === 0 || !open(channel)) continue;
    last = channel;
    left -= share;
    if (left < 0) return channel;
  }
  return last;
}

function pickKey(channel: RoutedChannel, tried: Tried, random: Random): RoutedKey | null {
  const { keys } = channel;
  if (keys.length === 0) return null;
  // Beginning somewhere and walking on spreads calls over the keys without a shared counter.
  const start = Math.floor(random() * keys.length);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[(start + i) % keys.length];
    if (key && !tried.hasKey(key.id)) return key;
  }
  return null;
}
