/** The price list as its reader sees it: the models that channels serve, what they cost in which group. */

import { isSold } from '../../billing/price.ts';
import type { Order } from '../../core/order.ts';
import { own } from '../../core/own.ts';
import { DEFAULT_GROUP } from '../../options/checks.ts';
import type { Options } from '../../options/store.ts';
import type { TieredPrice } from '../../options/tiered-price.ts';
import type { VideoPrice } from '../../options/video-price.ts';
import { modelOwners } from '../../providers/registry.ts';
import type { Deps } from '../deps.ts';
import { usableGroups } from '../group/service.ts';
import { HUB_ORDERS, QUOTA_TYPE, type QuotaType } from './facts.ts';
import { priceView, type TierCost, unsetView } from './price-view.ts';
import { hubRows, servedModels } from './service.ts';

type Reads = Pick<Deps, 'db' | 'options'>;

export interface PriceItem {
  model_name: string;
  quota_type: QuotaType;
  model_ratio: number;
  completion_ratio: number;
  /** Of all output of a call that thinks; the same where its vendor asks no other price for that. */
  thinking_completion_ratio: number;
  /** US dollars a call; 0 of a model that is priced by tokens. */
  model_price: number;
  cache_ratio: number;
  cache_creation_ratio: number;
  audio_ratio: number;
  /** Prices by tier, in US dollars per million tokens. */
  tiers: TierCost[] | null;
  tier_by: TieredPrice['by'] | null;
  /** What a second of its films costs, in US dollars, by size where that differs; null where it makes none. */
  video: VideoPrice | null;
  /** Of the prices above, those of films aside. */
  price_source: 'option' | 'default' | 'unset';
  /** The vendor, as far as it is known. */
  owner_by: string;
  /** Groups whose channels serve it; guests see those that anybody may use. */
  enable_groups: string[];
  /** The reader may call it in one of his groups, and is not refused for want of a price; null for guests. */
  available: boolean | null;
  /** No call of it by the reader is refused for want of a price. */
  sold: boolean;
  icon: string;
  desc: string;
  max_token: number;
  model_type: string;
  tags: string;
  multimodal: boolean;
  sort: number;
}

export interface PriceList {
  items: PriceItem[];
  /** What the reader pays in each group that he may use. */
  group_ratio: Record<string, number>;
  /** Those groups, with what is said of them. */
  usable_group: Record<string, string>;
}

export interface Reader {
  group: string;
  /** Administrators see what is hidden. */
  seesAll: boolean;
  /** He accepts models without a price. */
  acceptUnset: boolean;
}

/** Everything that somebody may read, in the order of the catalogue. */
export async function priceList(deps: Reads, reader: Reader | null): Promise<PriceList> {
  const { options } = deps;
  const [rows, served] = await Promise.all([hubRows(deps), servedModels(deps)]);
  const said = new Map(rows.map((row) => [row.name, row]));
  const usable = usableGroups(options, reader?.group ?? DEFAULT_GROUP);
  const items = [...served].flatMap(([model, all]): PriceItem[] => {
    const words = said.get(model);
    if (words?.hide && !reader?.seesAll) return [];
    const isUsable = all.some((group) => usable.has(group));
    const groups = reader ? all : all.filter((group) => usable.has(group));
    if (groups.length === 0) return [];
    const sold = isSold(options, model, reader?.acceptUnset ?? false);
    return [
      {
        model_name: model,
        ...priceFields(options, model),
        owner_by: modelOwners.get(model)?.label ?? '',
        enable_groups: groups,
        available: reader ? isUsable && sold : null,
        sold,
        icon: words?.icon ?? '',
        desc: words?.description ?? '',
        max_token: words?.max_token ?? 0,
        model_type: words?.model_type.join(',') ?? '',
        tags: words?.tags.join(',') ?? '',
        multimodal: words?.multimodal ?? false,
        sort: words?.sort ?? 0,
      },
    ];
  });
  const groups = [...usable];
  return {
    items: items.sort((a, b) => a.sort - b.sort || (a.model_name < b.model_name ? -1 : 1)),
    group_ratio: Object.fromEntries(groups.map(([name, { ratio }]) => [name, ratio])),
    usable_group: Object.fromEntries(groups.map(([name, { desc }]) => [name, desc])),
  };
}

function priceFields(options: Options, model: string) {
  const view = priceView(options, model) ?? unsetView(options, model);
  return {
    quota_type: view.mode === 'call' ? QUOTA_TYPE.call : QUOTA_TYPE.tokens,
    model_ratio: view.ratio ?? 0,
    completion_ratio: view.completionRatio ?? 0,
    thinking_completion_ratio: view.thinkingRatio ?? view.completionRatio ?? 0,
    model_price: view.price ?? 0,
    cache_ratio: view.cacheRatio ?? 0,
    cache_creation_ratio: view.createCacheRatio ?? 0,
    audio_ratio: view.audioRatio ?? 0,
    tiers: view.tierCosts,
    tier_by: view.tiered?.by ?? null,
    video: own(options.get('VideoPrice'), model) ?? null,
    price_source: view.source,
  };
}

export const BILLINGS = ['tokens', 'call', 'tiers', 'video'] as const;

export interface PriceQuery {
  keyword?: string | undefined;
  group?: string | undefined;
  billing?: (typeof BILLINGS)[number] | undefined;
  tag?: string | undefined;
  vendor?: string | undefined;
  sort?: Order<(typeof HUB_ORDERS)[number]> | undefined;
}

export interface PricePage extends PriceList {
  total: number;
  /** What can be chosen among: of all models that the reader sees. */
  tags: string[];
  vendors: string[];
}

const billingOf = ({ quota_type, tiers, video, price_source }: PriceItem): PriceQuery['billing'] => {
  if (tiers) return 'tiers';
  if (video && price_source === 'unset') return 'video';
  return quota_type === QUOTA_TYPE.call ? 'call' : 'tokens';
};

const split = (list: string): string[] => list.split(',').filter(Boolean);
const distinct = (values: string[]): string[] => [...new Set(values)].filter(Boolean).sort();

function fits(item: PriceItem, query: PriceQuery): boolean {
  const { keyword = '', group, billing, tag, vendor } = query;
  const text = `${item.model_name}\n${item.desc}\n${item.tags}\n${item.owner_by}`.toLowerCase();
  return (
    text.includes(keyword.toLowerCase()) &&
    (!group || item.enable_groups.includes(group)) &&
    (!billing || billingOf(item) === billing) &&
    (!tag || split(item.tags).includes(tag)) &&
    (!vendor || item.owner_by === vendor)
  );
}

/** What comes first where two cannot be told apart: a price a call stands behind all prices of tokens. */
const COMPARED: Record<(typeof HUB_ORDERS)[number], (a: PriceItem, b: PriceItem) => number> = {
  model: (a, b) => (a.model_name < b.model_name ? -1 : 1),
  vendor: (a, b) => (a.owner_by === b.owner_by ? 0 : a.owner_by < b.owner_by ? -1 : 1),
  input: (a, b) =>
    a.quota_type - b.quota_type || a.model_ratio - b.model_ratio || a.model_price - b.model_price,
  output: (a, b) =>
    a.quota_type - b.quota_type ||
    a.model_ratio * a.completion_ratio - b.model_ratio * b.completion_ratio ||
    a.model_price - b.model_price,
  'cache-read': (a, b) =>
    a.quota_type - b.quota_type || a.model_ratio * a.cache_ratio - b.model_ratio * b.cache_ratio,
  'cache-write': (a, b) =>
    a.quota_type - b.quota_type ||
    a.model_ratio * a.cache_creation_ratio - b.model_ratio * b.cache_creation_ratio,
  context: (a, b) => a.max_token - b.max_token,
};

function ordered(items: PriceItem[], sort: PriceQuery['sort']): PriceItem[] {
  if (!sort) return items;
  const name = HUB_ORDERS.find((one) => one === sort.replace(/^-/, ''));
  if (name === undefined) return items;
  const compare = COMPARED[name];
  return items.toSorted((a, b) => (sort.startsWith('-') ? -compare(a, b) : compare(a, b)));
}

/** One page of what fits. */
export function pricePage(
  list: PriceList,
  query: PriceQuery,
  { offset, limit }: { offset: number; limit: number },
): PricePage {
  const found = ordered(
    list.items.filter((item) => fits(item, query)),
    query.sort,
  );
  return {
    ...list,
    items: found.slice(offset, offset + limit),
    total: found.length,
    tags: distinct(list.items.flatMap(({ tags }) => split(tags))),
    vendors: distinct(list.items.map(({ owner_by }) => owner_by)),
  };
}
