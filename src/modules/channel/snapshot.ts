/**
 * All channels in memory, for the relay: read whole at the start and again after each change, so that what is looked
 * up during a call never half changes. The routes come from the channels' own rows: the index in the database says the
 * same, and reading it took three times as long (measured with 1,000 channels of 200 models).
 */
import type { Deps } from '../deps.ts';
import { keyOpener, loadChannels } from './load.ts';
import { CHANNEL_STATUS, type ChannelView, type RoutedChannel, type Tier } from './model.ts';

export interface ChannelSnapshot extends ChannelView {
  /** Resolves when everything committed before the call can be seen. */
  reload(): Promise<void>;
}

/** Loads the channels and follows their changes. Rejects when the database cannot be read. */
export async function createChannelSnapshot({
  db,
  changes,
  secrets,
  log,
}: Pick<Deps, 'db' | 'changes' | 'secrets' | 'log'>): Promise<ChannelSnapshot> {
  const open = keyOpener({ secrets, log });
  const load = async () => viewOf(await loadChannels(db.orm, open));
  let view = await load();

  // One load at a time. A change during a load needs another one after it; all who wait share that.
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;
  const reload = (): Promise<void> => {
    queued ??= running.then(() => {
      queued = null;
      const loading = load().then((fresh) => {
        view = fresh;
      });
      running = loading.catch(() => undefined);
      return loading;
    });
    return queued;
  };
  changes.on('channels', reload);

  return {
    byId: (id) => view.byId(id),
    tiers: (group, model) => view.tiers(group, model),
    models: (group) => view.models(group),
    groupsOf: (model) => view.groupsOf(model),
    knows: (model) => view.knows(model),
    all: () => view.all(),
    reload,
  };
}

const NO_TIERS: readonly Tier[] = [];
const NONE: readonly string[] = [];

/** Sorts channels into routes. */
export function viewOf(all: readonly RoutedChannel[]): ChannelView {
  const byId = new Map(all.map((channel) => [channel.id, channel]));
  const serving = new Map<string, Map<string, RoutedChannel[]>>();
  const known = new Set<string>();
  for (const channel of all) {
    for (const model of channel.models) known.add(model);
    if (channel.status !== CHANNEL_STATUS.enabled) continue;
    for (const group of channel.groups) {
      const models = serving.get(group) ?? new Map<string, RoutedChannel[]>();
      serving.set(group, models);
      for (const model of channel.models) {
        const channels = models.get(model);
        if (channels) channels.push(channel);
        else models.set(model, [channel]);
      }
    }
  }
  const routes = new Map<string, Map<string, readonly Tier[]>>();
  const modelNames = new Map<string, readonly string[]>();
  const groupsOf = new Map<string, string[]>();
  for (const [group, models] of serving) {
    routes.set(group, new Map([...models].map(([model, channels]) => [model, tiersOf(channels)])));
    modelNames.set(group, [...models.keys()].sort());
    for (const model of models.keys()) groupsOf.set(model, [...(groupsOf.get(model) ?? []), group]);
  }
  return {
    byId: (id) => byId.get(id),
    tiers: (group, model) => routes.get(group)?.get(model) ?? NO_TIERS,
    models: (group) => modelNames.get(group) ?? NONE,
    groupsOf: (model) => groupsOf.get(model) ?? NONE,
    knows: (model) => known.has(model),
    all: () => all,
  };
}

function tiersOf(channels: readonly RoutedChannel[]): readonly Tier[] {
  const byPriority = Map.groupBy(channels, (channel) => channel.priority);
  return [...byPriority]
    .map(([priority, members]) => ({ priority, channels: members }))
    .sort((a, b) => b.priority - a.priority);
}
