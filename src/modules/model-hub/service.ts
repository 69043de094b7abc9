/** The catalogue of models: what is said of each, and what it costs. */

import { asc } from 'drizzle-orm';
import { isSold } from '../../billing/price.ts';
import { isPriced } from '../../billing/priced-model.ts';
import type { Actor } from '../../core/actor.ts';
import { type Changes, tableChange } from '../../core/admin-actions.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { asIs } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { hubModels } from '../../db/schema/index.ts';
import { defaultCallMap, defaultMap } from '../../options/default-ratios.ts';
import type { OptionKey } from '../../options/registry.ts';
import type { Options } from '../../options/store.ts';
import type { VideoPrice } from '../../options/video-price.ts';
import { sha256 } from '../../platform/secrets.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { type GivenEntry, givenPrice, givenWords } from './fields.ts';
import {
  editTables,
  noPrice,
  PRICE_TABLES,
  type PriceChange,
  priceChange,
  tableChanges,
} from './price-edit.ts';
import { type PriceView, priceView } from './price-view.ts';

type Reads = Pick<Deps, 'db' | 'options'>;
type Row = typeof hubModels.$inferSelect;

/** An entry as everybody may see it. */
export interface HubEntry {
  name: string;
  icon: string;
  desc: string;
  max_token: number;
  hide: boolean;
  model_type: string;
  tags: string;
  multimodal: boolean;
  sort: number;
}

const entryOf = (row: Row): HubEntry => ({
  name: row.name,
  icon: row.icon,
  desc: row.description,
  max_token: row.max_token,
  hide: row.hide,
  model_type: row.model_type.join(','),
  tags: row.tags.join(','),
  multimodal: row.multimodal,
  sort: row.sort,
});

export const hubRows = ({ db }: Pick<Deps, 'db'>): Promise<Row[]> =>
  db.orm.select().from(hubModels).orderBy(asc(hubModels.sort), asc(hubModels.name));

/** Entries for the catalogue; of hidden ones the name only, so that lists of prices can leave them out. */
export type HubList = (HubEntry | Pick<HubEntry, 'name' | 'hide'>)[];

export async function listHub(deps: Pick<Deps, 'db'>): Promise<HubList> {
  const rows = await hubRows(deps);
  return rows.map((row) => (row.hide ? { name: row.name, hide: true } : entryOf(row)));
}

/** An entry with its price, for who edits it. */
export interface AdminEntry extends HubEntry {
  /** US dollars a call; null when the model is priced by tokens or not at all. */
  price: number | null;
  ratio: number | null;
  completionRatio: number | null;
  thinkingRatio: number | null;
  cacheRatio: number | null;
  mode: 'call' | 'tokens' | 'tiers' | 'none';
  /** Who set the price: the operator, the dated default table, or nobody. */
  source: 'option' | 'default' | 'unset';
  /** Tiers as the option has them; null where the model is priced otherwise. */
  tiered: PriceView['tiered'];
  /** What a second of its films costs, in US dollars; null where it makes none. */
  video: VideoPrice | null;
  /** Some enabled channel serves it. */
  enabled: boolean;
  created_at: number;
  updated_at: number;
}

const UNSAID = {
  icon: '',
  desc: '',
  max_token: 0,
  hide: false,
  model_type: '',
  tags: '',
  multimodal: false,
  sort: 0,
};

/** Every model that has an entry, a price, or a channel that serves it; by order and name. */
export async function listHubForAdmins(deps: Reads): Promise<AdminEntry[]> {
  const [rows, enabled] = await Promise.all([hubRows(deps), servedModels(deps)]);
  const byName = new Map(rows.map((row) => [row.name, row]));
  const names = new Set([...byName.keys(), ...pricedNames(deps.options), ...enabled.keys()]);
  return [...names]
    .map((name) => adminEntry(deps.options, name, byName.get(name), enabled.has(name)))
    .sort((a, b) => a.sort - b.sort || (a.name < b.name ? -1 : 1));
}

function adminEntry(options: Options, name: string, row: Row | undefined, enabled: boolean): AdminEntry {
  const price = priceView(options, name);
  return {
    ...(row ? entryOf(row) : { name, ...UNSAID }),
    price: price?.price ?? null,
    ratio: price?.ratio ?? null,
    completionRatio: price?.completionRatio ?? null,
    thinkingRatio: price?.thinkingRatio ?? null,
    cacheRatio: price?.cacheRatio ?? null,
    mode: price?.mode ?? 'none',
    source: price?.source ?? 'unset',
    tiered: price?.tiered ?? null,
    video: own(options.get('VideoPrice'), name) ?? null,
    enabled,
    created_at: row?.created_at ?? 0,
    updated_at: row?.updated_at ?? 0,
  };
}

const NAMING = [
  'ModelPrice',
  'ModelRatio',
  'ModelTieredPrice',
  'VideoPrice',
] as const satisfies readonly OptionKey[];
/** The dated table prices its models also when the operator's tables leave them out. */
const listed = [...Object.keys(defaultMap('model')), ...Object.keys(defaultCallMap())];
const pricedNames = (options: Options): string[] => [
  ...listed,
  ...NAMING.flatMap((key) => Object.keys(options.get(key))),
];

/** Models of enabled channels, each with the groups that it is served to. */
export async function servedModels({ db }: Pick<Deps, 'db'>): Promise<Map<string, string[]>> {
  // Names of groups hold no comma.
  const rows = await db.query<{ model: string; groups: string }>(
    `select model_name as model, string_agg(distinct group_name, ',' order by group_name) as groups
       from abilities where enabled group by model_name order by model_name`,
  );
  return new Map(rows.map(({ model, groups }) => [model, groups.split(',')]));
}

/** Models that channels serve and nothing prices, by name. */
export async function unpricedModels(deps: Reads): Promise<string[]> {
  const served = await servedModels(deps);
  return [...served.keys()].filter((model) => !isPriced(deps.options, model));
}

/** Which of these would be refused for want of a price: who uses the site alone needs one for what is out of sale only. */
export const unpricedAmong = ({ options }: Pick<Deps, 'options'>, models: readonly string[]): string[] =>
  models.filter((model) => !isSold(options, model, false));

/** Enough to see that a picture is another one. */
const ICON_HASH_CHARS = 12;

export interface HubSave {
  update: readonly GivenEntry[];
  /** Names whose entries and prices go. */
  delete: readonly string[];
}

/**
 * Saves entries with their prices, all or nothing. Throws HUB_NAME_TAKEN when a name is given twice, HUB_NUMBER,
 * HUB_ICON, OPTION_INVALID.
 */
export async function saveHub(
  { options }: Pick<Deps, 'options'>,
  actor: Actor,
  { update, delete: removed }: HubSave,
): Promise<{ updated: number; deleted: number }> {
  const names = update.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw fail('HUB_NAME_TAKEN', { params: { name: asIs(twice) } });
  const gone = new Set(removed.filter((name) => !names.includes(name)));
  const prices = new Map<string, PriceChange>([...gone].map((name) => [name, noPrice()]));
  const words = update.map((entry) => ({ name: entry.name, words: givenWords(entry) }));
  for (const entry of update) {
    const change = priceChange(entry.name, givenPrice(entry), priceView(options, entry.name));
    if (change) prices.set(entry.name, change);
  }
  let priceChanges: Changes = {};
  await options.change(
    PRICE_TABLES,
    (texts) => {
      const edited = editTables(texts, prices);
      priceChanges = tableChanges(texts, edited);
      return edited;
    },
    async (tx, touch) => {
      touch('hub_models');
      const before = await entriesOf(tx, [...names, ...gone]);
      for (const { name, words: said } of words) await upsert(tx, name, said);
      if (gone.size > 0) await tx.delete(hubModels).where(among(hubModels.name, [...gone]));
      const after = await entriesOf(tx, names);
      await recordAction(tx, {
        actor,
        action: 'model_hub.save',
        target: 'model_hub',
        changes: { ...tableChange('entries', before, after), ...priceChanges },
        facts: { updated: names, deleted: [...gone] },
      });
    },
  );
  return { updated: update.length, deleted: gone.size };
}

/** What is said of these models, by name, but for icons, which are pictures. */
async function entriesOf(tx: Tx, names: readonly string[]): Promise<JsonObject> {
  const rows = await tx.select().from(hubModels).where(among(hubModels.name, names));
  return Object.fromEntries(
    rows.map((row) => {
      const { name, icon, ...said } = entryOf(row);
      return [name, { ...said, icon: icon === '' ? '' : sha256(icon).slice(0, ICON_HASH_CHARS) }];
    }),
  );
}

/** A model that only gets a price needs no row of its own. */
async function upsert(tx: Tx, name: string, said: Partial<Row>): Promise<void> {
  if (Object.keys(said).length === 0) return;
  await tx
    .insert(hubModels)
    .values({ name, ...said })
    .onConflictDoUpdate({ target: hubModels.name, set: { ...said, updated_at: nowSec() } });
}
