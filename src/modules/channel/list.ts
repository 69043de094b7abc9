/** The channel list: filters, order, pages of channels or of tags, and counts by type and status. */

import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Locale } from '../../core/text.ts';
import { type Paging, readPaging } from '../../core/wire/paging.ts';
import { containing } from '../../db/like.ts';
import { orderBy } from '../../db/order.ts';
import { channels } from '../../db/schema/channel.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { ChannelRow, ListQuery } from './contract.ts';
import { lastTestIs, lastTestOrder } from './health.ts';
import { briefColumns, briefRow, channelRow, shownColumns } from './rows.ts';
import { UNMASKED_PART } from './secrets.ts';

const TAGS_MAX = 1_000;
/** Children that a page of tags may hold; a tag with more shows its first ones. */
const TAG_CHILDREN_MAX = 1_000;

export interface ChannelPage {
  items: ChannelRow[];
  page: number;
  page_size: number;
  total: number;
  /** Channels by type, whatever type is asked for, and `all`. */
  type_counts: Record<string, number>;
  status_counts: Record<string, number>;
  /** Whether those that were disabled by themselves are tested again, and brought back. */
  probing: boolean;
}

/** In the order asked for, else highest priority first, or newest first; with `tag_mode` a page holds whole tags and untagged channels. */
export async function listChannels(
  { db, secrets, options }: Pick<Deps, 'db' | 'secrets' | 'options'>,
  query: ListQuery,
  locale: Locale,
): Promise<ChannelPage> {
  const paging = readPaging(query);
  const filter = and(...conditions(query, secrets));
  const shown = and(filter, ...typeAndStatus(query));
  const counts = rowsOf<{ type: number; status: number; n: number }>(
    await db.orm.execute(
      sql`select type, status, count(*)::int as n from channels where ${filter ?? sql`true`} group by type, status`,
    ),
  );
  const tagged = query.tag_mode ? await tagPage(db, shown, query, paging) : null;
  const items = await itemsOf(db, query, locale, {
    where: tagged ? and(shown, tagged.within) : shown,
    order: [...(tagged ? [tagged.order] : []), ...order(query)],
    limit: tagged ? TAG_CHILDREN_MAX : paging.limit,
    offset: tagged ? 0 : paging.offset,
  });
  return {
    items,
    page: paging.page,
    page_size: paging.pageSize,
    total: tagged?.total ?? sum(counts.filter((row) => isShown(row, query))),
    type_counts: tally(
      counts.filter((row) => fits(query.status, row.status)),
      'type',
    ),
    status_counts: tally(
      counts.filter((row) => fits(query.type, row.type)),
      'status',
    ),
    probing: options.get('AutomaticEnableChannelEnabled'),
  };
}

interface Part {
  where: SQL | undefined;
  order: SQL[];
  limit: number;
  offset: number;
}

async function itemsOf(
  db: Deps['db'],
  { brief }: ListQuery,
  locale: Locale,
  { where, order, limit, offset }: Part,
): Promise<ChannelRow[]> {
  if (brief) {
    const from = db.orm.select(briefColumns).from(channels);
    return (
      await from
        .where(where)
        .orderBy(...order)
        .limit(limit)
        .offset(offset)
    ).map((row) => briefRow(row, locale));
  }
  const from = db.orm.select(shownColumns).from(channels);
  return (
    await from
      .where(where)
      .orderBy(...order)
      .limit(limit)
      .offset(offset)
  ).map((row) => channelRow(row, locale));
}

function conditions({ keyword, group, model, tag, test }: ListQuery, secrets: Secrets): SQL[] {
  const wanted: SQL[] = [];
  const word = keyword?.trim();
  if (word) {
    const pattern = containing(word);
    const id = /^\d{1,15}$/.test(word) ? Number(word) : 0;
    const owners = sql`select channel_id from channel_keys where key_lookup = ${secrets.lookup(word)}`;
    // Nobody finds out letter by letter what is not shown.
    const address = sql`substring(${channels.base_url} from ${UNMASKED_PART})`;
    wanted.push(
      sql`(${channels.id} = ${id} or ${channels.name} ilike ${pattern} or ${address} ilike ${pattern}
           or ${channels.id} in (${owners}))`,
    );
  }
  if (group?.trim()) wanted.push(sql`${group.trim()} = any(${channels.groups})`);
  if (model?.trim()) {
    // One look at the whole list: a look at each of 200,000 names takes a second. Names are ASCII, and so is the order.
    const list = sql`array_to_string(${channels.models}, chr(10)) collate "C"`;
    wanted.push(sql`(${list}) ilike ${containing(model.trim())}`);
  }
  if (tag?.trim()) wanted.push(eq(channels.tag, tag.trim()));
  if (test) wanted.push(lastTestIs(test));
  return wanted;
}

/** A filter's value; 0 and empty ask for all. */
const chosen = (value: number | '' | undefined): number | null => value || null;
const fits = (value: number | '' | undefined, held: number) => (chosen(value) ?? held) === held;
const isShown = (row: { type: number; status: number }, { type, status }: ListQuery) =>
  fits(type, row.type) && fits(status, row.status);

function typeAndStatus({ type, status }: ListQuery): SQL[] {
  const wanted: SQL[] = [];
  const wantedType = chosen(type);
  const wantedStatus = chosen(status);
  if (wantedType !== null) wanted.push(sql`${channels.type} = ${wantedType}`);
  if (wantedStatus !== null) wanted.push(sql`${channels.status} = ${wantedStatus}`);
  return wanted;
}

const orderColumns = {
  id: channels.id,
  name: channels.name,
  type: channels.type,
  status: channels.status,
  test: lastTestOrder,
  used: channels.used_quota,
  priority: channels.priority,
  weight: channels.weight,
};

const order = ({ id_sort, sort }: ListQuery): SQL[] =>
  orderBy(sort, orderColumns, channels.id, [
    ...(id_sort ? [] : [desc(channels.priority)]),
    desc(channels.id),
  ]);

const sum = (rows: readonly { n: number }[]) => rows.reduce((total, { n }) => total + n, 0);

function tally(rows: readonly { type: number; status: number; n: number }[], by: 'type' | 'status') {
  const counts: Record<string, number> = { all: sum(rows) };
  for (const row of rows) counts[row[by]] = (counts[row[by]] ?? 0) + row.n;
  return counts;
}

/** Names the unit that a page counts: the tag, or the channel itself when it has none. */
const unit = sql`case when ${channels.tag} = '' then '#' || ${channels.id} else '=' || ${channels.tag} end`;

/** The units of this page, each of which stands where the first of its channels would, and the order that those come in. */
async function tagPage(
  db: Deps['db'],
  shown: SQL | undefined,
  query: ListQuery,
  { limit, offset }: Paging,
): Promise<{ within: SQL; order: SQL; total: number }> {
  const rows = rowsOf<{ unit: string; total: number }>(
    await db.orm.execute(sql`
      with units as (
        select unit, min(place) as place from (
          select ${unit} as unit, row_number() over (order by ${sql.join(order(query), sql`, `)}) as place
          from channels where ${shown ?? sql`true`}
        ) c group by 1
      )
      select p.unit, t.total from (select count(*)::int as total from units) t left join (
        select unit, place from units order by place limit ${limit} offset ${offset}
      ) p on true order by p.place`),
  );
  const units = JSON.stringify(rows.flatMap((row) => (row.unit === null ? [] : [row.unit])));
  const place = sql`(select at from jsonb_array_elements_text(${units}::text::jsonb) with ordinality as u(name, at) where name = ${unit})`;
  return { within: sql`${place} is not null`, order: sql`${place}`, total: rows[0]?.total ?? 0 };
}

/** The tags that channels have, by name. */
export async function listTags({ db }: Pick<Deps, 'db'>): Promise<string[]> {
  const rows = rowsOf<{ tag: string }>(
    await db.orm.execute(sql`select distinct tag from channels where tag <> '' order by 1 limit ${TAGS_MAX}`),
  );
  return rows.map(({ tag }) => tag);
}
