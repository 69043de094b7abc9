/** What is done to many channels at once: by their ids, by their tag, or to all. Each is one transaction. */

import { and, eq, getTableColumns, ne, type SQL, sql } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { type AdminActionName, type Changes, changesBetween } from '../../core/admin-actions.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { hasRole } from '../../core/roles.ts';
import { asIs } from '../../core/text.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { now } from '../../db/columns.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { numberList, rowsOf } from '../../db/statement.ts';
import { DEFAULT_GROUP } from '../../options/checks.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import type { TagEditBody } from './contract.ts';
import { CHANNEL_STATUS } from './facts.ts';
import {
  type ChannelFields,
  checkGroupsKnown,
  INDEXED,
  readSharedFields,
  type SharedFields,
} from './fields.ts';
import { channelBack, hasExpired, keyBack } from './health.ts';
import { openingMore } from './openings.ts';
import { recordOf } from './record.ts';

type BatchDeps = Pick<Deps, 'changes'>;
type EditDeps = Pick<Deps, 'changes' | 'options'>;

/**
 * Deletes them with their keys and index rows; answers how many there were. Throws CHANNEL_NONE_TO_DELETE,
 * CHANNEL_NOT_FOUND.
 */
export async function removeChannels(deps: BatchDeps, actor: Actor, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) throw fail('CHANNEL_NONE_TO_DELETE');
  const removed = await removeWhere(deps, actor, 'channel.delete_many', among(channels.id, ids));
  if (removed === 0) throw fail('CHANNEL_NOT_FOUND');
  return removed;
}

/** Deletes every channel that is off, by hand or automatically; answers how many there were. */
export const removeDisabled = (deps: BatchDeps, actor: Actor): Promise<number> =>
  removeWhere(deps, actor, 'channel.delete_disabled', ne(channels.status, CHANNEL_STATUS.enabled));

const removeWhere = (deps: BatchDeps, actor: Actor, action: AdminActionName, which: SQL): Promise<number> =>
  deps.changes.commit(async (tx, touch) => {
    const rows = await lockWhere(tx, which, ['name']);
    if (rows.length === 0) return 0;
    await tx.delete(channels).where(among(channels.id, idsOf(rows)));
    touch('channels');
    const names = Object.fromEntries(rows.map(({ id, held }) => [`#${id}`, held.name]));
    await recordAction(tx, { actor, action, target: 'channels', changes: changesBetween(names, {}) });
    return rows.length;
  });

/**
 * Puts the channels under a tag; answers how many there were. Throws CHANNEL_NONE_CHOSEN, CHANNEL_TAG_NEEDED,
 * CHANNEL_NOT_FOUND.
 */
export async function tagChannels(
  deps: BatchDeps,
  actor: Actor,
  { ids, tag }: { ids: readonly number[]; tag: string },
): Promise<number> {
  if (ids.length === 0) throw fail('CHANNEL_NONE_CHOSEN');
  const name = tag.trim();
  if (!name) throw fail('CHANNEL_TAG_NEEDED');
  const { found, changed } = await changeWhere(deps, among(channels.id, ids), {
    actor,
    action: 'channel.tag',
    sets: { tag: name },
    work: (tx, each) => tx.update(channels).set({ tag: name }).where(among(channels.id, each)),
  });
  if (found === 0) throw fail('CHANNEL_NOT_FOUND');
  return changed;
}

/**
 * Enables or disables them as an operator does; answers how many. Those whose time is over stay off. Throws
 * CHANNEL_NONE_CHOSEN, CHANNEL_NOT_FOUND.
 */
export async function setStatusOf(
  deps: BatchDeps,
  actor: Actor,
  { ids, enabled }: { ids: readonly number[]; enabled: boolean },
): Promise<number> {
  if (ids.length === 0) throw fail('CHANNEL_NONE_CHOSEN');
  const which = among(channels.id, ids);
  const { found, changed } = await setStatusWhere(deps, actor, which, { enabled, resetKeys: true });
  if (found === 0) throw fail('CHANNEL_NOT_FOUND');
  return changed;
}

/**
 * Enables or disables every channel under a tag; answers how many. Those whose time is over stay off. Rested keys stay
 * so unless `resetKeys`, but for channels that would have none. Throws CHANNEL_TAG_UNKNOWN.
 */
export async function setStatusOfTag(
  deps: BatchDeps,
  actor: Actor,
  { tag, ...how }: { tag: string; enabled: boolean; resetKeys: boolean },
): Promise<number> {
  const which = tag.trim() === '' ? sql`false` : eq(channels.tag, tag.trim());
  const { found, changed } = await setStatusWhere(deps, actor, which, how);
  if (found === 0) throw fail('CHANNEL_TAG_UNKNOWN', { params: { tag: asIs(tag) } });
  return changed;
}

const setStatusWhere = (
  deps: BatchDeps,
  actor: Actor,
  which: SQL,
  { enabled, resetKeys }: { enabled: boolean; resetKeys: boolean },
): Promise<Counted> =>
  changeWhere(deps, which, {
    actor,
    ...(enabled && { except: hasExpired() }),
    action: enabled ? 'channel.enable' : 'channel.disable',
    sets: { status: enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled },
    async work(tx, ids) {
      if (!enabled) {
        const status = CHANNEL_STATUS.disabled;
        return tx.update(channels).set({ status }).where(among(channels.id, ids));
      }
      await tx
        .update(channels)
        .set(channelBack)
        .where(and(among(channels.id, ids), ne(channels.status, CHANNEL_STATUS.enabled)));
      const withoutKey = sql`not exists (
        select 1 from channel_keys k where k.channel_id = ${channelKeys.channel_id} and k.status = ${CHANNEL_STATUS.enabled})`;
      return tx
        .update(channelKeys)
        .set(keyBack)
        .where(
          and(
            among(channelKeys.channel_id, ids),
            ne(channelKeys.status, CHANNEL_STATUS.enabled),
            resetKeys ? undefined : withoutKey,
          ),
        );
    },
  });

/**
 * Overrides the given fields of every channel under the tag; empty ones stay. An empty `new_tag` dissolves the tag.
 * Answers how many there are. Throws CHANNEL_TAG_UNKNOWN, CHANNEL_TAG_SAME, CHANNEL_KEY_AGAIN and what the fields' own
 * rules refuse.
 */
export async function editTag(deps: EditDeps, actor: Actor, body: TagEditBody): Promise<number> {
  const tag = body.tag.trim();
  const newTag = body.new_tag?.trim();
  const fields = readSharedFields({
    model_mapping: given(body.model_mapping),
    models: given(body.models),
    group: given(body.groups),
    priority: given(body.priority),
    weight: given(body.weight),
    tag: newTag === tag ? undefined : newTag,
  });
  const names = Object.keys(fields);
  if (names.length === 0) throw fail('CHANNEL_TAG_SAME');
  checkGroupsKnown(fields.groups, [DEFAULT_GROUP], deps.options);
  const which = eq(channels.tag, tag);
  const { changed } = await changeWhere(deps, tag === '' ? sql`false` : which, {
    actor,
    action: 'channel.tag_edit',
    sets: fields,
    facts: { of: tag },
    indexed: names.some((name) => INDEXED.has(name)),
    async work(tx, ids) {
      if (!hasRole(actor.role, 'root')) await checkOpensNoMore(tx, ids, fields);
      return tx.update(channels).set(fields).where(among(channels.id, ids));
    },
  });
  if (changed === 0) throw fail('CHANNEL_TAG_UNKNOWN', { params: { tag: asIs(tag) } });
  return changed;
}

/** Of many channels nobody gives the keys again. Throws CHANNEL_KEY_AGAIN. */
async function checkOpensNoMore(tx: Tx, ids: readonly number[], fields: SharedFields): Promise<void> {
  if (!fields.models && !fields.model_mapping) return;
  const rows = await tx.select().from(channels).where(among(channels.id, ids));
  for (const row of rows) {
    const what = openingMore(row, { ...row, ...fields });
    if (what) throw fail('CHANNEL_KEY_AGAIN', { params: { what } });
  }
}

/** A field of the tag's form, or undefined where it is left as it is. */
function given<T>(value: T | '' | null | undefined): T | undefined {
  if (value === '' || value === null || value === undefined) return undefined;
  if (typeof value === 'string' && value.trim() === '') return undefined;
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** Brings the index in line with every channel. Answers its rows, and how many of them were wrong or missing. */
export const fixAbilities = (deps: BatchDeps, actor: Actor): Promise<{ rows: number; changed: number }> =>
  deps.changes.commit(async (tx, touch) => {
    const ids = idsOf(await lockWhere(tx, sql`true`));
    const changed = await rebuildAbilities(tx, ids);
    const [count] = rowsOf<{ n: number }>(await tx.execute(sql`select count(*)::int as n from abilities`));
    touch('channels');
    await recordAction(tx, { actor, action: 'channel.fix', target: 'channels', facts: { changed } });
    return { rows: count?.n ?? 0, changed };
  });

interface Change {
  actor: Actor;
  action: AdminActionName;
  /** The columns that become the same for all. */
  sets: ChannelFields;
  facts?: JsonObject;
  /** Whether the index repeats what changes. */
  indexed?: boolean;
  /** Of those that were found, which stay as they are. */
  except?: SQL;
  work(tx: Tx, ids: number[]): Promise<unknown>;
}

interface Counted {
  found: number;
  changed: number;
}

/** Changes the channels that `which` finds, in one transaction with their index. */
const changeWhere = (
  { changes }: BatchDeps,
  which: SQL,
  { actor, action, sets, facts = {}, indexed = true, except, work }: Change,
): Promise<Counted> =>
  changes.commit(async (tx, touch) => {
    const found = await lockWhere(tx, which, Object.keys(sets), except);
    const rows = found.filter(({ isExcepted }) => !isExcepted);
    const ids = idsOf(rows);
    const counted = { found: found.length, changed: rows.length };
    if (ids.length === 0) return counted;
    await work(tx, ids);
    await tx.execute(
      sql`update channels set updated_at = ${now} where id = any(${numberList(ids)}::bigint[])`,
    );
    if (indexed) await rebuildAbilities(tx, ids);
    touch('channels');
    await recordAction(tx, { actor, action, target: 'channels', changes: changesOf(rows, sets), facts });
    return counted;
  });

interface LockedRow {
  id: number;
  /** What the row holds in the columns that were asked for. */
  held: JsonObject;
  isExcepted: boolean;
}

const idsOf = (rows: readonly LockedRow[]): number[] => rows.map(({ id }) => id);

/** What becomes of each channel that is not so already. */
function changesOf(rows: readonly LockedRow[], sets: ChannelFields): Changes {
  const after = recordOf(sets);
  return Object.fromEntries(
    rows
      .filter(({ held }) => Object.keys(changesBetween(held, after)).length > 0)
      .map(({ id, held }) => [`#${id}`, { before: held, after }]),
  );
}

/** Locked in one order, so that two such changes never wait for each other. */
async function lockWhere(
  tx: Tx,
  which: SQL,
  columns: readonly string[] = [],
  except: SQL = sql`false`,
): Promise<LockedRow[]> {
  const all = getTableColumns(channels);
  const asked = Object.entries(all).filter(([name]) => columns.includes(name));
  const rows = await tx
    .select({ id: channels.id, isExcepted: sql<boolean>`${except}`, ...Object.fromEntries(asked) })
    .from(channels)
    .where(which)
    .orderBy(channels.id)
    .for('update');
  return rows.map((row) => ({ id: row.id, isExcepted: row.isExcepted, held: recordOf(row, columns) }));
}
