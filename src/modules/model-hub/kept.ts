/**
 * The lists that everybody may ask for, kept until something changes that stands in them. They are dropped before the
 * change is answered, and one that was begun before it is not kept.
 */
import { limits } from '../../core/limits.ts';
import { createRecent } from '../../platform/recent.ts';
import type { Deps } from '../deps.ts';
import { type PriceList, priceList, type Reader } from './prices.ts';
import { type HubList, listHub } from './service.ts';

export interface KeptLists {
  prices(reader: Reader | null): Promise<PriceList>;
  hub(): Promise<HubList>;
}

export function keepLists(deps: Pick<Deps, 'changes' | 'db' | 'options'>): KeptLists {
  const bounds = { keepMs: limits.priceListMs, max: limits.priceListsKept };
  const prices = createRecent<PriceList>(bounds);
  const hub = createRecent<HubList>(bounds);
  for (const kind of ['options', 'channels', 'hub_models'] as const) {
    deps.changes.on(kind, () => {
      prices.drop();
      hub.drop();
    });
  }
  return {
    prices: (reader) => prices.get(JSON.stringify(reader), () => priceList(deps, reader)),
    hub: () => hub.get('', () => listHub(deps)),
  };
}
