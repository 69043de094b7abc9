/**
 * All channels in memory, for the relay. The routes come from the channels' own rows: the index in the database says the
 * same, and reading it took three times as long (measured with 1,000 channels of 200 models). A change that names its
 * channel reads that one again, any other change reads all.
 */
import type { Deps } from '../deps.ts';
import { ChannelIndex } from './channel-index.ts';
import { fillLookups, keyOpener, loadChannel, loadChannels } from './load.ts';
import type { ChannelView } from './model.ts';

export interface ChannelSnapshot extends ChannelView {
  /** Resolves when everything committed before the call can be seen, of one channel or of all. */
  reload(id?: string): Promise<void>;
}

/** More single channels than this are read faster together. */
const SINGLES_MAX = 20;

/** Loads the channels and follows their changes. Rejects when the database cannot be read. */
export async function createChannelSnapshot({
  db,
  changes,
  secrets,
  log,
}: Pick<Deps, 'db' | 'changes' | 'secrets' | 'log'>): Promise<ChannelSnapshot> {
  const open = keyOpener({ secrets, log });
  await fillLookups(db.orm, secrets, open);
  const loadAll = async () => new ChannelIndex(await loadChannels(db.orm, open));
  let index = await loadAll();

  const load = async (wanted: 'all' | ReadonlySet<number>): Promise<void> => {
    if (wanted === 'all' || wanted.size > SINGLES_MAX) {
      index = await loadAll();
      return;
    }
    for (const id of wanted) index.put(id, await loadChannel(db.orm, id, open));
  };

  // One load at a time. A change during a load needs another one after it; all who wait share that.
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | null = null;
  let waiting: 'all' | Set<number> = new Set();
  const reload = (id?: string): Promise<void> => {
    if (id === undefined) waiting = 'all';
    else if (waiting !== 'all') waiting.add(Number(id));
    queued ??= running.then(() => {
      queued = null;
      const wanted = waiting;
      waiting = new Set();
      const loading = load(wanted).catch((error: unknown) => {
        // What could not be read now is read with the next change.
        waiting = 'all';
        throw error;
      });
      running = loading.catch(() => undefined);
      return loading;
    });
    return queued;
  };
  changes.on('channels', reload);

  return {
    byId: (id) => index.byId(id),
    tiers: (group, model) => index.tiers(group, model),
    models: (group) => index.models(group),
    groupsOf: (model) => index.groupsOf(model),
    knows: (model) => index.knows(model),
    all: () => index.all(),
    reload,
  };
}
