/**
 * Which channel is tried next: the highest priority first, inside one priority by weight, each (channel, key) once a
 * request. Weights: all zero share equally; else exactly in proportion, and a zero gets nothing while a sibling of
 * positive weight can still be tried.
 */
import type { RoutedChannel, RoutedKey, Tier } from '../modules/channel/model.ts';

/** A channel with the key to use. */
export interface Candidate {
  readonly channel: RoutedChannel;
  readonly key: RoutedKey;
}

/** What a request has tried so far. */
export class Tried {
  readonly #keys = new Set<number>();
  readonly #channels = new Set<number>();
  readonly #out = new Set<number>();

  add({ channel, key }: Candidate): void {
    this.#keys.add(key.id);
    this.#channels.add(channel.id);
  }

  /** The channel itself is of no use for this request, whichever key it has. */
  ruleOut(channel: RoutedChannel): void {
    this.#channels.add(channel.id);
    this.#out.add(channel.id);
  }

  isOut(id: number): boolean {
    return this.#out.has(id);
  }

  get isEmpty(): boolean {
    return this.#channels.size === 0;
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

/**
 * The next candidate of these tiers; null when every one has been tried. Another channel goes before another key of
 * the same, which is only asked where the key was to blame.
 */
export function nextCandidate(
  tiers: readonly Tier[],
  tried: Tried,
  serves: (channel: RoutedChannel) => boolean,
  random: Random = Math.random,
): Candidate | null {
  const isNew = (channel: RoutedChannel) => !tried.hasChannel(channel.id);
  const hasOtherKey = (channel: RoutedChannel) =>
    !tried.isOut(channel.id) && channel.keys.some((key) => !tried.hasKey(key.id));
  return pickFrom(tiers, isNew, tried, serves, random) ?? pickFrom(tiers, hasOtherKey, tried, serves, random);
}

function pickFrom(
  tiers: readonly Tier[],
  isOpen: (channel: RoutedChannel) => boolean,
  tried: Tried,
  serves: (channel: RoutedChannel) => boolean,
  random: Random,
): Candidate | null {
  for (const { channels } of tiers) {
    for (
      let channel = pickChannel(channels, isOpen, random);
      channel;
      channel = pickChannel(channels, isOpen, random)
    ) {
      // Asked of the drawn one only: to ask all of a thousand takes longer than the draw.
      const key = serves(channel) ? pickKey(channel, tried, random) : null;
      if (key) return { channel, key };
      tried.ruleOut(channel);
    }
  }
  return null;
}

/** Two passes over the tier, without a list in between: a thousand channels cost a few microseconds. */
function pickChannel(
  channels: readonly RoutedChannel[],
  isOpen: (channel: RoutedChannel) => boolean,
  random: Random,
): RoutedChannel | null {
  let weights = 0;
  let count = 0;
  for (const channel of channels) {
    if (!isOpen(channel)) continue;
    weights += channel.weight;
    count++;
  }
  if (count === 0) return null;
  let left = random() * (weights > 0 ? weights : count);
  let last: RoutedChannel | null = null;
  for (const channel of channels) {
    const share = weights > 0 ? channel.weight : 1;
    if (share === 0 || !isOpen(channel)) continue;
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
