/**
 * Channels sorted into routes. Putting one in touches what this channel serves and nothing else, so that a save among
 * 1,000 channels of 200 models takes well under a millisecond here; the tiers of a group and model are made when they
 * are first looked up after a change, and stay the same object until the next one.
 */
import { CHANNEL_STATUS } from './facts.ts';
import type { ChannelView, RoutedChannel, Tier } from './model.ts';

const NO_TIERS: readonly Tier[] = [];
const NONE: readonly string[] = [];

interface Route {
  readonly channels: Map<number, RoutedChannel>;
  /** Null since the last change. */
  tiers: readonly Tier[] | null;
}

export class ChannelIndex implements ChannelView {
  readonly #byId = new Map<number, RoutedChannel>();
  /** Enabled channels by group and model. */
  readonly #routes = new Map<string, Map<string, Route>>();
  /** How many channels of any status list a model. */
  readonly #listed = new Map<string, number>();
  #all: readonly RoutedChannel[] | null = null;
  readonly #models = new Map<string, readonly string[]>();
  readonly #groups = new Map<string, readonly string[]>();

  constructor(channels: Iterable<RoutedChannel> = []) {
    for (const channel of channels) this.put(channel.id, channel);
  }

  /** Puts a channel in the place of the one with this id; null takes it out. */
  put(id: number, channel: RoutedChannel | null): void {
    const old = this.#byId.get(id);
    if (old) this.#remove(old);
    if (channel) this.#add(channel);
    this.#all = null;
    this.#models.clear();
    this.#groups.clear();
  }

  byId(id: number): RoutedChannel | undefined {
    return this.#byId.get(id);
  }

  tiers(group: string, model: string): readonly Tier[] {
    const route = this.#routes.get(group)?.get(model);
    if (!route) return NO_TIERS;
    route.tiers ??= tiersOf(route.channels);
    return route.tiers;
  }

  models(group: string): readonly string[] {
    const models = this.#routes.get(group);
    if (!models) return NONE;
    return remembered(this.#models, group, () => [...models.keys()].sort());
  }

  groupsOf(model: string): readonly string[] {
    if (!this.#listed.has(model)) return NONE;
    return remembered(this.#groups, model, () =>
      [...this.#routes].filter(([, models]) => models.has(model)).map(([group]) => group),
    );
  }

  knows(model: string): boolean {
    return this.#listed.has(model);
  }

  all(): readonly RoutedChannel[] {
    this.#all ??= [...this.#byId.values()].sort(byId);
    return this.#all;
  }

  #add(channel: RoutedChannel): void {
    this.#byId.set(channel.id, channel);
    for (const model of channel.models) this.#listed.set(model, (this.#listed.get(model) ?? 0) + 1);
    for (const [group, model] of served(channel)) {
      const models = remembered(this.#routes, group, () => new Map<string, Route>());
      const route = remembered(models, model, (): Route => ({ channels: new Map(), tiers: null }));
      route.channels.set(channel.id, channel);
      route.tiers = null;
    }
  }

  #remove(channel: RoutedChannel): void {
    this.#byId.delete(channel.id);
    for (const model of channel.models) {
      const left = (this.#listed.get(model) ?? 0) - 1;
      if (left > 0) this.#listed.set(model, left);
      else this.#listed.delete(model);
    }
    for (const [group, model] of served(channel)) {
      const models = this.#routes.get(group);
      const route = models?.get(model);
      if (!models || !route) continue;
      route.channels.delete(channel.id);
      route.tiers = null;
      if (route.channels.size === 0) models.delete(model);
      if (models.size === 0) this.#routes.delete(group);
    }
  }
}

const byId = (a: RoutedChannel, b: RoutedChannel): number => a.id - b.id;

/** The groups and models that an enabled channel serves; those of others are none. */
function* served({ status, groups, models }: RoutedChannel): Generator<[string, string]> {
  if (status !== CHANNEL_STATUS.enabled) return;
  for (const group of groups) for (const model of models) yield [group, model];
}

/** In the order of ids, whatever changed when: every process chooses alike. */
function tiersOf(channels: ReadonlyMap<number, RoutedChannel>): readonly Tier[] {
  const byPriority = Map.groupBy([...channels.values()].sort(byId), (channel) => channel.priority);
  return [...byPriority]
    .map(([priority, members]) => ({ priority, channels: members }))
    .sort((a, b) => b.priority - a.priority);
}

function remembered<K, V>(kept: Map<K, V>, key: K, make: () => V): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  kept.set(key, made);
  return made;
}
