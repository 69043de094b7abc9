/** The keys of one channel as an operator sees them: which is off and why. What they are is never shown. */

import { and, asc, eq, ne } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { readReason, reasonText } from '../../core/reasons.ts';
import type { Locale } from '../../core/text.ts';
import { among } from '../../db/among.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { keyBack, setBack } from './health.ts';

export interface ShownKey {
  id: number;
  /** Its place among the keys, from 1. */
  position: number;
  /** Its first and last characters, or only that there is one. */
  hint: string;
  /** 1 in use, 3 switched off because its upstream refused it. */
  status: number;
  reason: string;
  /** Unix seconds; 0 while it is in use. */
  disabled_at: number;
}

/** What was kept before there were codes is told as it stands. */
function shownReason(kept: string, locale: Locale): string {
  const reason = readReason(parseJson(kept));
  return reason ? reasonText(reason)[locale] : kept;
}

/** In order. Throws CHANNEL_NOT_FOUND. */
export async function listKeys(
  { db }: Pick<Deps, 'db'>,
  channelId: number,
  locale: Locale,
): Promise<ShownKey[]> {
  const { id, position, hint, status, reason, disabled_at, channel_id } = channelKeys;
  const [channel] = await db.orm.select({ id: channels.id }).from(channels).where(eq(channels.id, channelId));
  if (!channel) throw fail('CHANNEL_NOT_FOUND');
  const rows = await db.orm
    .select({ id, position, hint, status, reason, disabled_at })
    .from(channelKeys)
    .where(eq(channel_id, channelId))
    .orderBy(asc(position));
  return rows.map((row) => ({ ...row, position: row.position + 1, reason: shownReason(row.reason, locale) }));
}

/**
 * Puts keys of a channel back in use, and the channel itself where it went off with its last one; answers how many were
 * off. Throws CHANNEL_NOT_FOUND.
 */
export const enableKeys = (
  { changes }: Pick<Deps, 'changes'>,
  actor: Actor,
  { channelId, ids }: { channelId: number; ids: readonly number[] },
): Promise<number> =>
  changes.commit(async (tx, touch) => {
    const [channel] = await tx
      .select({ id: channels.id })
      .from(channels)
      .where(eq(channels.id, channelId))
      .for('update');
    if (!channel) throw fail('CHANNEL_NOT_FOUND');
    const { channel_id, status } = channelKeys;
    const inUse = and(eq(channel_id, channelId), eq(status, CHANNEL_STATUS.enabled));
    const [anyInUse] = await tx.select({ id: channelKeys.id }).from(channelKeys).where(inUse).limit(1);
    const rows = await tx
      .update(channelKeys)
      .set(keyBack)
      .where(
        and(
          eq(channelKeys.channel_id, channelId),
          among(channelKeys.id, ids),
          ne(channelKeys.status, CHANNEL_STATUS.enabled),
        ),
      )
      .returning({ position: channelKeys.position });
    if (rows.length === 0) return 0;
    // What it was disabled for was its last key.
    if (!anyInUse) await setBack(tx, channelId);
    touch('channels', channelId);
    await recordAction(tx, {
      actor,
      action: 'channel.keys_enable',
      target: `channel:${channelId}`,
      facts: { positions: rows.map(({ position }) => position + 1).sort((a, b) => a - b) },
    });
    return rows.length;
  });
