/** The upstream keys of a channel: how a form writes them, and how they rest in the database. */
import { asc, eq, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { splitList } from '../../core/wire/lists.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { channelKeys } from '../../db/schema/channel.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { findProvider } from '../../providers/registry.ts';
import { keyBack } from './health.ts';

const PRINTABLE = /^[\x20-\x7e]+$/;

/**
 * One key a line, each once. Where a key is itself a document of several lines, the whole text is one key, unless
 * every line is a document of its own. Throws CHANNEL_TOO_MANY_KEYS, CHANNEL_KEY_FORMAT, CHANNEL_KEY_INVALID.
 */
export function splitKeys(type: number, text: string): string[] {
  const lines = splitList(text, /\r?\n/);
  const isDocument = findProvider(type)?.form.keyMultiline === true;
  const keys =
    isDocument && !lines.every((line) => parseObject(line)) ? [text.trim()].filter(Boolean) : lines;
  if (keys.length > limits.channelKeys) {
    throw fail('CHANNEL_TOO_MANY_KEYS', { params: { max: limits.channelKeys } });
  }
  const format = findProvider(type)?.keyFormat;
  if (format && !keys.every(format.isGood)) {
    throw fail('CHANNEL_KEY_FORMAT', { params: { expected: format.expected } });
  }
  // Keys travel in headers; what cannot stand there is a slip of the clipboard.
  if (!isDocument && !keys.every((key) => PRINTABLE.test(key))) throw fail('CHANNEL_KEY_INVALID');
  return keys;
}

const SHOWN_LENGTH_MIN = 16;

/** What may be shown of an upstream key; of a short or structured one nothing. */
export const keyHint = (key: string): string =>
  key.length >= SHOWN_LENGTH_MIN && /^[\w.-]+$/.test(key) ? `${key.slice(0, 4)}…${key.slice(-3)}` : '…';

/** A sealed key opens only in the place that it was sealed for. */
export const keyOwner = (channelId: number, position: number): string =>
  `channel-key:${channelId}:${position}`;

/** Rows for the keys of a channel, in order. */
export const keyRows = (secrets: Secrets, channelId: number, keys: readonly string[]) =>
  keys.map((key, position) => ({
    channel_id: channelId,
    position,
    sealed: secrets.seal(key, keyOwner(channelId, position)),
    key_lookup: secrets.lookup(key),
    hint: keyHint(key),
  }));

/** The keys of a channel in order; one that was sealed under another secret is left out. */
export async function openKeys(tx: Tx, secrets: Secrets, channelId: number): Promise<string[]> {
  const rows = await tx
    .select({ sealed: channelKeys.sealed, position: channelKeys.position })
    .from(channelKeys)
    .where(eq(channelKeys.channel_id, channelId))
    .orderBy(asc(channelKeys.position));
  return rows.flatMap(({ sealed, position }) => {
    try {
      return [secrets.open(sealed, keyOwner(channelId, position))];
    } catch {
      return [];
    }
  });
}

/**
 * Puts new keys in the place of all old ones, and all in use. One that was there before keeps its row and so its id, by
 * which tasks know who has them.
 */
export async function replaceKeys(
  tx: Tx,
  secrets: Secrets,
  channelId: number,
  keys: readonly string[],
): Promise<void> {
  const held = await tx
    .select({ id: channelKeys.id, lookup: channelKeys.key_lookup })
    .from(channelKeys)
    .where(eq(channelKeys.channel_id, channelId));
  const ids = new Map(held.flatMap(({ id, lookup }) => (lookup === null ? [] : [[lookup, id] as const])));
  const rows = keyRows(secrets, channelId, keys);
  const kept = rows.flatMap((row) => {
    const id = ids.get(row.key_lookup);
    return id === undefined ? [] : [{ id, ...row }];
  });
  const keptIds = new Set(kept.map(({ id }) => id));
  const gone = held.flatMap(({ id }) => (keptIds.has(id) ? [] : [id]));
  if (gone.length > 0) await tx.delete(channelKeys).where(among(channelKeys.id, gone));
  // Out of the way of each other: no two of a channel may be at one place, not even for a moment.
  await tx
    .update(channelKeys)
    .set({ position: sql`-1 - position` })
    .where(eq(channelKeys.channel_id, channelId));
  const back = JSON.stringify(kept.map(({ id, position, sealed }) => ({ id, position, sealed })));
  await tx.execute(sql`
    update channel_keys k set position = v.position, sealed = v.sealed,
      status = ${keyBack.status}::smallint, reason = ${keyBack.reason}, disabled_at = ${keyBack.disabled_at}::bigint
    from jsonb_to_recordset(${back}::text::jsonb) as v(id bigint, position integer, sealed text) where k.id = v.id`);
  const made = rows.filter(({ key_lookup }) => !ids.has(key_lookup));
  if (made.length > 0) await tx.insert(channelKeys).values(made);
}
