/** What the channels of a call are asked for: looked up once for as long as neither they nor the options change. */
import type { ModelVariant } from '../../core/model-variant.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { type Thinker, thinkerOf } from './thinking.ts';

export interface UpstreamModel {
  /** The upstream's name of the model. */
  model: string;
  /** What the caller's name asks of it besides. */
  variant: ModelVariant | null;
}

/** Which model a channel is asked for by a caller's name of it. The same function for as long as it gives the same answers. */
export type UpstreamOf = (channel: RoutedChannel, requested: string) => UpstreamModel;

export interface Upstream extends UpstreamModel {
  channel: RoutedChannel;
  /** The caller's name of the model. */
  requested: string;
}

/** The same object for as long as nothing of it changes. */
export interface Upstreams {
  all: readonly Upstream[];
  /** Each of their names once. */
  names: readonly string[];
  /** What they may think unseen, each once. */
  thinkers: readonly Thinker[];
}

interface Known {
  upstreamOf: UpstreamOf;
  byName: Map<string, Upstreams>;
}

/** Names that ask a model to think share its channels; callers make them up, so what is known of them has a bound. */
const NAMES_MAX = 64;

const known = new WeakMap<readonly Tier[], Known>();

export function upstreamsOf(requested: string, tiers: readonly Tier[], upstreamOf: UpstreamOf): Upstreams {
  const { byName } = knownOf(tiers, upstreamOf);
  let upstreams = byName.get(requested);
  if (upstreams === undefined) {
    const all = tiers.flatMap(({ channels }) =>
      channels.map((channel) => ({ channel, requested, ...upstreamOf(channel, requested) })),
    );
    upstreams = { all, names: [...new Set(all.map(({ model }) => model))], thinkers: thinkersOf(all) };
    if (byName.size >= NAMES_MAX) byName.clear();
    byName.set(requested, upstreams);
  }
  return upstreams;
}

/** Many channels of a model are few thinkers. */
function thinkersOf(all: readonly Upstream[]): readonly Thinker[] {
  return [...new Map(all.map(thinkerOf).map((thinker) => [JSON.stringify(thinker), thinker])).values()];
}

function knownOf(tiers: readonly Tier[], upstreamOf: UpstreamOf): Known {
  const before = known.get(tiers);
  if (before?.upstreamOf === upstreamOf) return before;
  const now: Known = { upstreamOf, byName: new Map() };
  known.set(tiers, now);
  return now;
}
