/** What is left on the account behind a channel, asked of its upstream and noted. */
import { eq } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { nowSec } from '../../core/time.ts';
import { channels } from '../../db/schema/channel.ts';
import type { Deps } from '../deps.ts';
import { keyOpener, loadForTest } from './load.ts';
import { accessOf, type ChannelProbe } from './probe.ts';

/** US dollars, and the key whose account has them. */
export interface KeyBalance {
  balance: number;
  key: { id: number } | undefined;
}

/**
 * Of several keys the first one's account is asked. Throws CHANNEL_NOT_FOUND, CHANNEL_KEY_NEEDED, CHANNEL_BALANCE_NONE
 * where the type does not tell, CHANNEL_BALANCE.
 */
export async function updateBalance(
  deps: Pick<Deps, 'db' | 'secrets' | 'log'>,
  probe: ChannelProbe,
  id: number,
): Promise<KeyBalance> {
  const channel = await loadForTest(deps.db.orm, id, keyOpener(deps));
  if (!channel) throw fail('CHANNEL_NOT_FOUND');
  const balance = await probe.balance(accessOf(channel));
  await deps.db.orm
    .update(channels)
    .set({ balance, balance_updated_time: nowSec() })
    .where(eq(channels.id, id));
  return { balance, key: channel.keys[0] };
}
