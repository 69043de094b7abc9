/**
 * Rows of channels turned into what the relay routes by. A channel and its keys are read of one moment: between two, both
 * may be changed, and a key would go to the address that another one was given for.
 */

import { asc, eq, isNull } from 'drizzle-orm';
import type { Executor, Orm, Tx } from '../../db/client.ts';
import { atOneMoment } from '../../db/one-moment.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { keyOwner } from './keys.ts';
import { followMapping } from './mapping.ts';
import type { RoutedChannel, RoutedKey } from './model.ts';
import { readSetting } from './setting.ts';

type Row = typeof channels.$inferSelect;
type KeyRow = typeof channelKeys.$inferSelect;

/** Opens a key, or null for one that was sealed under another secret. */
export type OpenKey = (row: KeyRow) => string | null;

export const keyOpener =
  ({ secrets, log }: { secrets: Secrets; log: Logger }): OpenKey =>
  (row) => {
    try {
      return secrets.open(row.sealed, keyOwner(row.channel_id, row.position));
    } catch (error) {
      log.error('channel.key_unreadable', { channel_id: row.channel_id, key_id: row.id, error });
      return null;
    }
  };

/** Gives keys that were stored before one could search for them what they are found by. */
export async function fillLookups(db: Executor, secrets: Secrets, open: OpenKey): Promise<void> {
  for (const row of await db.select().from(channelKeys).where(isNull(channelKeys.key_lookup))) {
    const key = open(row);
    if (key === null) continue;
    await db
      .update(channelKeys)
      .set({ key_lookup: secrets.lookup(key) })
      .where(eq(channelKeys.id, row.id));
  }
}

/** Every channel with its enabled keys, by id. */
export async function loadChannels(orm: Orm, open: OpenKey): Promise<RoutedChannel[]> {
  const [rows, keyRows] = await atOneMoment(orm, async (tx) => [
    await tx.select().from(channels).orderBy(asc(channels.id)),
    await tx
      .select()
      .from(channelKeys)
      .where(eq(channelKeys.status, CHANNEL_STATUS.enabled))
      .orderBy(asc(channelKeys.channel_id), asc(channelKeys.position)),
  ]);
  const keysOf = Map.groupBy(keyRows, (row) => row.channel_id);
  return rows.map((row) => routedChannel(row, openedKeys(keysOf.get(row.id) ?? [], open)));
}

/** One channel with its enabled keys; null when there is none of this id. */
export async function loadChannel(orm: Orm, id: number, open: OpenKey): Promise<RoutedChannel | null> {
  const found = await atOneMoment(orm, (tx) => withKeys(tx, id));
  return found && routedChannel(found.row, openedKeys(enabled(found.keyRows), open));
}

/** One channel as a test needs it: with its enabled keys or, when there is none, with all. */
export async function loadForTest(orm: Orm, id: number, open: OpenKey): Promise<RoutedChannel | null> {
  const found = await atOneMoment(orm, (tx) => withKeys(tx, id));
  return found && routedChannel(found.row, openedKeys(enabledOrAll(found.keyRows), open));
}

/**
 * One channel as tasks that it has taken need it, read anew, for a process may hear of a channel after its tasks: with
 * the key that has them, in use or not, and with those in use where that key is gone. Null where the channel is gone.
 */
export async function loadForTasks(
  orm: Orm,
  { channelId, keyId }: { channelId: number; keyId: number },
  open: OpenKey,
): Promise<RoutedChannel | null> {
  const found = await atOneMoment(orm, (tx) => withKeys(tx, channelId));
  if (!found) return null;
  const own = found.keyRows.filter(({ id }) => id === keyId);
  return routedChannel(found.row, openedKeys(own.length > 0 ? own : enabledOrAll(found.keyRows), open));
}

/** A channel and all its keys, in their order; null when there is none of this id. */
async function withKeys(tx: Tx, id: number): Promise<{ row: Row; keyRows: KeyRow[] } | null> {
  const [row] = await tx.select().from(channels).where(eq(channels.id, id));
  if (!row) return null;
  const ofIt = eq(channelKeys.channel_id, id);
  return { row, keyRows: await tx.select().from(channelKeys).where(ofIt).orderBy(asc(channelKeys.position)) };
}

const enabled = (rows: readonly KeyRow[]): KeyRow[] =>
  rows.filter(({ status }) => status === CHANNEL_STATUS.enabled);

function enabledOrAll(rows: readonly KeyRow[]): readonly KeyRow[] {
  const some = enabled(rows);
  return some.length > 0 ? some : rows;
}

const openedKeys = (rows: readonly KeyRow[], open: OpenKey): RoutedKey[] =>
  rows.flatMap((row) => {
    const value = open(row);
    return value === null ? [] : [{ id: row.id, value }];
  });

const routedChannel = (row: Row, keys: readonly RoutedKey[]): RoutedChannel => ({
  id: row.id,
  type: row.type,
  name: row.name,
  status: row.status,
  baseUrl: row.base_url,
  privateAllowed: row.private_allowed,
  organization: row.openai_organization,
  other: row.other,
  keys,
  keyMode: row.multi_key_mode === 'polling' ? 'polling' : 'random',
  expiresAt: row.expired_time,
  models: row.models,
  groups: row.groups,
  modelMapping: followMapping(row.model_mapping),
  statusCodeMapping: Object.fromEntries(
    Object.entries(row.status_code_mapping).map(([from, to]) => [from, Number(to)]),
  ),
  setting: readSetting(row.setting),
  paramOverride: Object.keys(row.param_override).length === 0 ? null : row.param_override,
  priority: row.priority,
  weight: row.weight,
  autoBan: row.auto_ban === 1,
  maxInputTokens: row.max_input_tokens,
  testModel: row.test_model,
  tag: row.tag,
});
