/** Which channels are left alone for a while, for people: what one must know who asks why a model is not served. */
import { limits } from '../../core/limits.ts';
import type { RelayDeps } from '../deps.ts';
import type { RestReason } from './circuit-breaker.ts';

export interface RestingChannel {
  id: number;
  name: string;
  /** `slow`: it is probed before a caller waits for it again. */
  why: RestReason | 'slow';
  /** For these; none of them is left out of the first ones. */
  models: string[];
}

/** As this process has learned it, as each learns by itself. */
export function restingChannels({
  breakers,
  channels,
}: Pick<RelayDeps, 'breakers' | 'channels'>): RestingChannel[] {
  if (breakers.isEmpty) return [];
  const resting = breakers.resting();
  const found: RestingChannel[] = [];
  for (const { id, name, keys } of channels.all()) {
    const open = [
      resting.channels.get(id) ?? [],
      ...keys.map((key) => resting.keys.get(key.id) ?? []),
    ].flat();
    for (const [why, all] of Map.groupBy(open, (one) => one.why)) {
      const models = [...new Set(all.map(({ model }) => model))].slice(0, limits.overviewListed);
      found.push({ id, name, why, models });
    }
    if (found.length >= limits.overviewListed) break;
  }
  return found.slice(0, limits.overviewListed);
}
