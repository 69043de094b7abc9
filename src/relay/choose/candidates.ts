/**
 * Which channel is tried next: the highest priority first, inside one priority by weight, each (channel, key) once a
 * request. Weights: all zero share equally; else exactly in proportion, and a zero gets nothing while a sibling of
 * positive weight can still be tried; one that fails now and then gets less than its share. One whose circuit breaker
 * is open is asked only when nothing else could be. Calls of one conversation go to one channel and key, where its
 * prompt is cached, whichever process serves them.
 */
import { onceOf } from '../../core/once-of.ts';
import type { Candidate, RoutedChannel, RoutedKey, Tier } from '../../modules/channel/model.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { KeyTurns } from './key-turns.ts';

/** What a request has tried so far. */
export class Tried {
  readonly #keys = new Set<number>();
  readonly #channels = new Set<number>();
  readonly #out = new Set<number>();

  constructor(private readonly turns: KeyTurns) {}

  add(candidate: Candidate): void {
    this.turns.take(candidate);
    this.#keys.add(candidate.key.id);
    this.#channels.add(candidate.channel.id);
  }

  /** Place of the key whose turn it is. */
  turnOf(channel: RoutedChannel): number {
    return this.turns.next(channel);
  }

  /** The channel itself is of no use for this request, whichever key it has. */
  ruleOut(channel: RoutedChannel): void {
    this.#channels.add(channel.id);
    this.#out.add(channel.id);
  }

  isOut(id: number): boolean {
    return this.#out.has(id);
  }

  /** Somebody has been asked, as opposed to passed over. */
  get hasAsked(): boolean {
    return this.#keys.size > 0;
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

/** What a choice depends on besides the tiers. */
export interface Choice {
  model: string;
  serves(channel: RoutedChannel): boolean;
  breakers: CircuitBreakers;
  /** Names the conversation, by `affinityOf`; null for a call that belongs to none. */
  affinity: number | null;
  random?: Random;
}

/** The number of a conversation; users' words for theirs do not meet. */
export const affinityOf = (userId: number, name: string): number => Bun.hash.xxHash32(`${userId}:${name}`);

/**
 * The next candidate of these tiers; null when there is none. Another channel goes before another key of the same,
 * which is only asked where the key was to blame. When all breakers are open, a call that has asked nobody yet asks the
 * one that closes first: waiting would be an outage of our own making.
 */
export function nextCandidate(tiers: readonly Tier[], tried: Tried, choice: Choice): Candidate | null {
  const { breakers, model } = choice;
  const isNew = (channel: RoutedChannel) => !tried.hasChannel(channel.id) && breakers.mayAsk(channel, model);
  const hasOtherKey = (channel: RoutedChannel) =>
    !tried.isOut(channel.id) &&
    breakers.mayAsk(channel, model) &&
    channel.keys.some((key) => !tried.hasKey(key.id) && breakers.mayAskKey(key.id, model));
  return (
    pickFrom(tiers, isNew, tried, choice) ??
    pickFrom(tiers, hasOtherKey, tried, choice) ??
    (tried.hasAsked || breakers.isEmpty ? null : soonest(tiers, tried, choice))
  );
}

function pickFrom(
  tiers: readonly Tier[],
  mayAsk: (channel: RoutedChannel) => boolean,
  tried: Tried,
  choice: Choice,
): Candidate | null {
  for (const { channels } of tiers) {
    for (
      let channel = pickChannel(channels, mayAsk, choice);
      channel;
      channel = pickChannel(channels, mayAsk, choice)
    ) {
      // Asked of the drawn one only: to ask all of a thousand takes longer than the draw.
      const key = choice.serves(channel) ? pickKey(channel, tried, choice) : null;
      if (key) return { channel, key };
      tried.ruleOut(channel);
    }
  }
  return null;
}

/** Where all breakers are open, the one whose turn comes first. */
function soonest(tiers: readonly Tier[], tried: Tried, choice: Choice): Candidate | null {
  let best: Candidate | null = null;
  let bestAt = Number.POSITIVE_INFINITY;
  for (const { channels } of tiers) {
    for (const channel of channels) {
      if (tried.isOut(channel.id) || !choice.serves(channel)) continue;
      for (const key of channel.keys) {
        const turnAt = choice.breakers.turnAt({ channel, key }, choice.model);
        if (turnAt < bestAt) {
          best = { channel, key };
          bestAt = turnAt;
        }
      }
    }
  }
  return best;
}

interface Shares {
  /** Weights added up in order, so that a draw among a thousand channels is a search in ten steps. */
  upTo: Float64Array;
  /** False when all share equally. */
  hasWeights: boolean;
  /** What each channel gives to `chanceOf`, and 1 / its weight: 1 where all share equally, 0 for none. */
  marks: Int32Array;
  stretch: Float64Array;
}

const sharesOf = onceOf((channels: readonly RoutedChannel[]): Shares => {
  const hasWeights = channels.some(({ weight }) => weight > 0);
  let sum = 0;
  const upTo = Float64Array.from(channels, ({ weight }) => {
    sum += hasWeights ? weight : 1;
    return sum;
  });
  return {
    upTo,
    hasWeights,
    marks: Int32Array.from(channels, ({ id }) => markOf(id)),
    stretch: Float64Array.from(channels, ({ weight }) => (hasWeights ? (weight > 0 ? 1 / weight : 0) : 1)),
  };
});

/** One of all, by weight. */
function draw(channels: readonly RoutedChannel[], random: Random): RoutedChannel | undefined {
  const { upTo } = sharesOf(channels);
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

/** Draws that may hit a channel which was tried or is unwell; what is thrown away leaves the shares of the others as they are. */
const DRAWS_MAX = 24;

function pickChannel(
  channels: readonly RoutedChannel[],
  mayAsk: (channel: RoutedChannel) => boolean,
  { affinity, random = Math.random, breakers, model }: Choice,
): RoutedChannel | null {
  if (affinity !== null) return homeOf(affinity, channels, mayAsk);
  for (let i = 0; i < DRAWS_MAX; i++) {
    const drawn = draw(channels, random);
    if (!drawn || !mayAsk(drawn)) continue;
    // One that fails now and then gets less than its share, and what it does not get goes to all.
    const health = breakers.health(drawn, model);
    if (health === 1 || random() < health) return drawn;
  }
  const askable = channels.filter(mayAsk);
  return draw(askable, random) ?? null;
}

/**
 * The channel of a conversation: each channel's claim is a number made of both, stretched by its weight, and the highest
 * wins (rendezvous hashing). Conversations share themselves out by weight, every process comes to the same answer
 * without asking, and when a channel goes only its own conversations move.
 */
function homeOf(
  affinity: number,
  channels: readonly RoutedChannel[],
  mayAsk: (channel: RoutedChannel) => boolean,
): RoutedChannel | null {
  const { marks, stretch } = sharesOf(channels);
  let best = -1;
  let bestClaim = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < marks.length; i++) {
    const chance = chanceOf(affinity, marks[i] ?? 0);
    const by = stretch[i] ?? 0;
    // The logarithm is never above this, and nearly always this is not enough.
    if (by === 0 || (chance - 1) * by <= bestClaim) continue;
    const claim = Math.log(chance) * by;
    const channel = channels[i];
    if (claim > bestClaim && channel && mayAsk(channel)) {
      best = i;
      bestClaim = claim;
    }
  }
  return channels[best] ?? weightlessHomeOf(affinity, channels, mayAsk);
}

/** Channels of no weight have their turn when none with a weight is left. */
function weightlessHomeOf(
  affinity: number,
  channels: readonly RoutedChannel[],
  mayAsk: (channel: RoutedChannel) => boolean,
): RoutedChannel | null {
  if (!sharesOf(channels).hasWeights) return null;
  const weightless = channels.filter((channel) => channel.weight === 0 && mayAsk(channel));
  return weightless.length > 0 ? homeOf(affinity, weightless, mayAsk) : null;
}

const markOf = (id: number): number => Math.imul(id, 0x9e3779b1);

/** A number in (0, 1) that looks like chance and is the same everywhere (the finish of MurmurHash3). */
function chanceOf(affinity: number, mark: number): number {
  let mixed = affinity ^ mark;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}

function pickKey(
  channel: RoutedChannel,
  tried: Tried,
  { affinity, random = Math.random, breakers, model }: Choice,
): RoutedKey | null {
  const { keys, keyMode } = channel;
  if (keys.length === 0) return null;
  // Beginning somewhere and walking on spreads calls over the keys without a shared counter. Who wants fair turns has
  // them of conversations too.
  const chance = affinity === null ? random() : chanceOf(affinity, 1);
  const start = keyMode === 'polling' ? tried.turnOf(channel) : Math.floor(chance * keys.length);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[(start + i) % keys.length];
    if (key && !tried.hasKey(key.id) && breakers.mayAskKey(key.id, model)) return key;
  }
  return null;
}
