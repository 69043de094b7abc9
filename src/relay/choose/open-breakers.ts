/** Which channels are not asked because of open breakers, for people: what one must know who asks why a model is not served. */
import { limits } from '../../core/limits.ts';
import type { RelayDeps } from '../deps.ts';
import type { OpenReason } from './circuit-breaker.ts';

/** Of one channel, those that are open for the same reason. */
export interface OpenBreakers {
  id: number;
  name: string;
  /** `slow`: it is probed before a caller waits for it again. */
  why: OpenReason | 'slow';
  /** For these; none of them is left out of the first ones. */
  models: string[];
}

/** As this process has learned it, as each learns by itself. */
export function openBreakers({
  breakers,
  channels,
}: Pick<RelayDeps, 'breakers' | 'channels'>): OpenBreakers[] {
  if (breakers.isEmpty) return [];
  const all = breakers.open();
  const found: OpenBreakers[] = [];
  for (const { id, name, keys } of channels.all()) {
    const open = [all.channels.get(id) ?? [], ...keys.map((key) => all.keys.get(key.id) ?? [])].flat();
    for (const [why, alike] of Map.groupBy(open, (one) => one.why)) {
      const models = [...new Set(alike.map(({ model }) => model))].slice(0, limits.overviewListed);
      found.push({ id, name, why, models });
    }
    if (found.length >= limits.overviewListed) break;
  }
  return found.slice(0, limits.overviewListed);
}
