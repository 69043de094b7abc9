/** A channel made from another one, its keys included: they never leave the server for it. */

import { eq } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import { changesBetween } from '../../core/admin-actions.ts';
import { AppError, fail } from '../../core/errors.ts';
import { hasRole } from '../../core/roles.ts';
import { channelKeys, channels } from '../../db/schema/channel.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { rebuildAbilities } from './abilities.ts';
import { CHANNEL_NAME_MAX } from './facts.ts';
import { untested } from './health.ts';
import { keyRows, openKeys } from './keys.ts';
import { recordOf } from './record.ts';
import type { ChannelDeps } from './service.ts';

/**
 * Answers the copy's id. It is as its original is set, its keys' destination among it, without what was measured and
 * spent. Throws CHANNEL_NOT_FOUND, and CHANNEL_ADDRESS where an admin would copy a private address that root wrote.
 */
export async function copyChannel(
  deps: ChannelDeps & Pick<Deps, 'log'>,
  actor: Actor,
  { id, suffix }: { id: number; suffix: string },
): Promise<number> {
  return deps.changes.commit(async (tx, touch) => {
    // Nobody leads the keys elsewhere between the reading of their destination and of themselves.
    const [row] = await tx.select().from(channels).where(eq(channels.id, id)).for('share');
    if (!row) throw fail('CHANNEL_NOT_FOUND');
    if (row.private_allowed && !hasRole(actor.role, 'root')) {
      throw fail('CHANNEL_ADDRESS', {
        params: {
          reason: { zh: '内网渠道只能由超级管理员复制', en: 'only root may copy a private channel' },
        },
      });
    }
    const {
      id: _id,
      response_time: _responseTime,
      test_time: _testTime,
      balance: _balance,
      balance_updated_time: _balanceTime,
      used_quota: _used,
      created_time: _created,
      updated_at: _updated,
      ...kept
    } = row;
    const name = `${row.name}${suffix}`.slice(0, CHANNEL_NAME_MAX);
    const [made] = await tx
      .insert(channels)
      .values({ ...kept, name, other_info: untested(kept.other_info) })
      .returning({ id: channels.id });
    if (!made) throw new AppError('INTERNAL', { internal: 'no row came back' });
    const keys = await openKeys(tx, deps.secrets, id);
    if (keys.length > 0) await tx.insert(channelKeys).values(keyRows(deps.secrets, made.id, keys));
    await rebuildAbilities(tx, [made.id]);
    touch('channels', made.id);
    await recordAction(tx, {
      actor,
      action: 'channel.copy',
      target: `channel:${made.id}`,
      changes: changesBetween({}, recordOf({ ...kept, name })),
      facts: { from: id },
    });
    return made.id;
  });
}
