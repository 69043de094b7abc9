/** What calls and tests taught about a channel: its latency, and that it or one of its keys must rest. */
import { and, eq, sql } from 'drizzle-orm';
import { nowSec } from '../../core/time.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { rowsOf } from '../../db/statement.ts';
import { redact } from '../../platform/logger.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import { CHANNEL_STATUS } from './model.ts';

const REASON_MAX = 500;

/** An upstream's words, without what looks like a secret, and short. */
const cleanReason = (reason: string): string => redact(reason).replaceAll('\0', '').slice(0, REASON_MAX);

/** Notes the time that a test took. Routing does not depend on it, so that no process reloads. */
export async function recordTest({ db }: Pick<Deps, 'db'>, channelId: number, ms: number): Promise<void> {
  await db.orm
    .update(channels)
    .set({ response_time: Math.round(ms), test_time: nowSec() })
    .where(eq(channels.id, channelId));
}

/** Takes an enabled channel out of service (status 3), with the reason for the operator; false when it was not enabled any more. */
export const disableChannel = (
  { changes }: Pick<Deps, 'changes'>,
  channelId: number,
  reason: string,
): Promise<boolean> => changes.commit((tx, touch) => setAutoDisabled(tx, touch, channelId, reason));

async function setAutoDisabled(tx: Tx, touch: Touch, channelId: number, reason: string): Promise<boolean> {
  const info = JSON.stringify({ status_reason: cleanReason(reason), status_time: nowSec() });
  const rows = await tx
    .update(channels)
    .set({
      status: CHANNEL_STATUS.autoDisabled,
      other_info: sql`${channels.other_info} || ${info}::text::jsonb`,
    })
    .where(and(eq(channels.id, channelId), eq(channels.status, CHANNEL_STATUS.enabled)))
    .returning({ id: channels.id });
  if (rows.length === 0) return false;
  await rebuildAbilities(tx, [channelId]);
  touch('channels', channelId);
  return true;
}

/** Rests one key; the channel follows with its last enabled one. */
export async function disableKey(
  { changes }: Pick<Deps, 'changes'>,
  keyId: number,
  reason: string,
): Promise<{ keyDisabled: boolean; channelDisabled: boolean }> {
  return changes.commit(async (tx, touch) => {
    // The channel's row first, as its form does; of two processes that rest the last two keys at once, the second
    // waits here and then sees that none is left.
    const [channel] = rowsOf<{ id: number }>(
      await tx.execute(sql`
        select c.id from channels c join channel_keys k on k.channel_id = c.id where k.id = ${keyId} for update of c`),
    );
    if (!channel) return { keyDisabled: false, channelDisabled: false };
    const rested = await tx
      .update(channelKeys)
      .set({ status: CHANNEL_STATUS.autoDisabled, reason: cleanReason(reason), disabled_at: nowSec() })
      .where(and(eq(channelKeys.id, keyId), eq(channelKeys.status, CHANNEL_STATUS.enabled)))
      .returning({ id: channelKeys.id });
    if (rested.length === 0) return { keyDisabled: false, channelDisabled: false };
    touch('channels', channel.id);
    const [left] = await tx
      .select({ id: channelKeys.id })
      .from(channelKeys)
      .where(and(eq(channelKeys.channel_id, channel.id), eq(channelKeys.status, CHANNEL_STATUS.enabled)))
      .limit(1);
    const channelDisabled = left ? false : await setAutoDisabled(tx, touch, channel.id, reason);
    return { keyDisabled: true, channelDisabled };
  });
}

/** Puts an automatically disabled channel and its keys back in service; false when it was not in that state. */
export async function enableChannel({ changes }: Pick<Deps, 'changes'>, channelId: number): Promise<boolean> {
  return changes.commit(async (tx, touch) => {
    const rows = await tx
      .update(channels)
      .set({
        status: CHANNEL_STATUS.enabled,
        other_info: sql`${channels.other_info} - 'status_reason' - 'status_time'`,
      })
      .where(and(eq(channels.id, channelId), eq(channels.status, CHANNEL_STATUS.autoDisabled)))
      .returning({ id: channels.id });
    if (rows.length === 0) return false;
    await tx
      .update(channelKeys)
      .set({ status: CHANNEL_STATUS.enabled, reason: '', disabled_at: 0 })
      .where(eq(channelKeys.channel_id, channelId));
    await rebuildAbilities(tx, [channelId]);
    touch('channels', channelId);
    return true;
  });
}
