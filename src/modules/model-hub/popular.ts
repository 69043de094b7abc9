/** The models that everybody may see and that were called most of late, with their prices: what a visitor looks at first. */
import { limits } from '../../core/limits.ts';
import { DAY_SEC, nowSec } from '../../core/time.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import { createRecent } from '../../platform/recent.ts';
import type { Deps } from '../deps.ts';
import { mostCalledModels } from '../usage/service.ts';
import type { KeptLists } from './kept.ts';
import type { PriceItem } from './prices.ts';

/** What is shown of each. */
export type PopularModel = Omit<
  PriceItem,
  'icon' | 'desc' | 'max_token' | 'model_type' | 'tags' | 'multimodal' | 'sort' | 'available'
>;

export interface Popular {
  /** Those that were called, most first; where they are too few, others in the order of the catalogue. */
  items: PopularModel[];
  /** How many of them were called. */
  called: number;
  /** How many models the reader may see. */
  total: number;
  /** What he pays in each group that he may use. */
  group_ratio: Record<string, number>;
}

type PopularDeps = Pick<Deps, 'db' | 'log'>;

/** Whose share the figures are read in, which are kept for all. */
const ALL_GUESTS = 'all-guests';

/** For guests, whoever asks. Which models are called is looked up once in a while, whatever they cost now. */
export function keepPopular(deps: PopularDeps, lists: KeptLists): () => Promise<Popular> {
  const called = createRecent<string[]>({ keepMs: limits.popularMs, max: 1 });
  return async () => {
    const [list, names] = await Promise.all([lists.prices(null), called.get('', () => mostCalled(deps))]);
    const byName = new Map(list.items.map((item) => [item.model_name, item]));
    const first = names.flatMap((name) => byName.get(name) ?? []).slice(0, limits.popularShown);
    const items = [...new Set([...first, ...list.items])].slice(0, limits.popularShown);
    return {
      items: items.map(shownOf),
      called: first.length,
      total: list.items.length,
      group_ratio: list.group_ratio,
    };
  };
}

const shownOf = ({
  icon: _icon,
  desc: _desc,
  max_token: _context,
  model_type: _type,
  tags: _tags,
  multimodal: _multimodal,
  sort: _sort,
  available: _available,
  ...shown
}: PriceItem): PopularModel => shown;

/** More than are shown: some may be hidden, or served by no channel any more. None where the figures cannot be read in time. */
async function mostCalled({ db, log }: PopularDeps): Promise<string[]> {
  const since = nowSec() - limits.popularDays * DAY_SEC;
  try {
    return await boundedRead(db, { reader: ALL_GUESTS, ms: limits.logReadMs }, (tx) =>
      mostCalledModels(tx, since, limits.popularShown * 10),
    );
  } catch (error) {
    log.warn('models.popular', { error });
    return [];
  }
}
