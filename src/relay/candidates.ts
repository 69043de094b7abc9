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

/** Weights added up in order, so that a draw among a thousand channels is a search in ten steps. */
const sums = new WeakMap<readonly RoutedChannel[], Float64Array>();

function sumsOf(channels: readonly RoutedChannel[]): Float64Array {
  let known = sums.get(channels);
  if (!known) {
    const hasWeights = channels.some(({ weight }) => weight > 0);
    let sum = 0;
    known = Float64Array.from(channels, ({ weight }) => {
      sum += hasWeights ? weight : 1;
      return sum;
    });
    sums.set(channels, known);
  }
  return known;
}

/** One of all, by weight. */
function draw(channels: readonly RoutedChannel[], random: Random): RoutedChannel | undefined {
  const upTo = sumsOf(channels);
  const at = random() * (upTo[upTo.length - 1] ?? 0);
  let low = 0;
  let high = upTo.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upTo[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return channels[low];
}

/** Draws that may hit a channel which was tried; what is thrown away leaves the shares of the others as they are. */
const DRAWS_MAX = 8;

function pickChannel(
  channels: readonly RoutedChannel[],
  isOpen: (channel: RoutedChannel) => boolean,
  random: Random,
): RoutedChannel | null {
  for (let i = 0; i < DRAWS_MAX; i++) {
    const drawn = draw(channels, random);
    if (drawn && isOpen(drawn)) return drawn;
  }
  const open = channels.filter(isOpen);
  return draw(open, random) ?? null;
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
