/**
 * Channels whose time is over are switched off with that as the reason. No call waits for it: the relay passes them
 * over from the very second on.
 */

import { and, eq } from 'drizzle-orm';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { type Reason, readReason } from '../../core/reasons.ts';
import { among } from '../../db/among.ts';
import { channels } from '../../db/schema/channel.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import { tellDisabled } from './alerts.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { autoDisabled, hasExpired } from './health.ts';

/** Why a channel is off whose time is over. */
export const EXPIRED = { code: 'expired' } as const satisfies Reason;

/**
 * Why a channel is off by itself; null for what was kept in words. Before there were codes its expiry was kept as this one
 * word.
 */
export const whyOff = ({ status_reason: kept }: JsonObject): Reason | null =>
  kept === EXPIRED.code ? EXPIRED : readReason(kept);

type ExpiryDeps = Pick<Deps, 'db' | 'changes' | 'alerts' | 'log' | 'stopping'>;

/** Looks for them while the process lives. Of several processes any may come first; the others find nothing to do. */
export const startExpiry = (deps: ExpiryDeps): Rounds =>
  startRounds({
    everyMs: limits.channelExpiryMs,
    make: async () => (deps.stopping.begun ? 0 : expireChannels(deps)),
    onFault: (error) => deps.log.warn('channel.expiry', { error }),
  });

/** Answers how many it switched off. */
export async function expireChannels(deps: ExpiryDeps): Promise<number> {
  const { db, changes } = deps;
  const due = and(eq(channels.status, CHANNEL_STATUS.enabled), hasExpired());
  const [any] = await db.orm.select({ id: channels.id }).from(channels).where(due).limit(1);
  if (!any) return 0;
  const over = await changes.commit(async (tx, touch) => {
    const held = await tx
      .select({ id: channels.id, name: channels.name })
      .from(channels)
      .where(due)
      .orderBy(channels.id)
      .for('update');
    const ids = held.map(({ id }) => id);
    if (ids.length === 0) return held;
    await tx.update(channels).set(autoDisabled(EXPIRED)).where(among(channels.id, ids));
    await rebuildAbilities(tx, ids);
    for (const id of ids) touch('channels', id);
    return held;
  });
  for (const channel of over) tellDisabled(deps, channel, { result: 'disabled', reason: EXPIRED });
  return over.length;
}
