/**
 * Erasing what says who somebody was. His ledger and his log stay, for they are the site's books; they tell of a
 * pseudonym from then on, also of calls that were under way.
 */

import { eq, sql } from 'drizzle-orm';
import pTimeout from 'p-timeout';
import { MOVEMENT } from '../../billing/ledger.ts';
import type { Actor } from '../../core/actor.ts';
import { fail } from '../../core/errors.ts';
import { plainText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { hasRole } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { fuelPacks, quotaWarnings, tokens, users } from '../../db/schema/index.ts';
import { behindAnswer } from '../../platform/on-behalf.ts';
import { forgetInActions, recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { forgetLikes } from '../like/service.ts';
import { forgetInLog } from '../log/service.ts';
import { forgetInOrders } from '../payment/service.ts';
import type { SessionService } from '../session/service.ts';
import { forgetTasks } from '../task/service.ts';
import { forgetTokenRequests } from '../token-request/service.ts';
import { disableTokens, eraseAccount, pseudonymOf } from './service.ts';

type EraseDeps = Pick<Deps, 'changes' | 'db' | 'log' | 'secrets' | 'stopping'> & { sessions: SessionService };

const RANDOM_CHARS = 6;

/**
 * Erases the personal data of an account, cancelled or not; its name is free again. He is shut out and nameless at once,
 * his log follows: what of a long one is left after a moment goes on behind. Throws NOT_FOUND, also for one that was
 * erased before, and ROOT_PROTECTED.
 */
export async function eraseUser(deps: EraseDeps, actor: Actor, id: number): Promise<void> {
  const { db, log, stopping } = deps;
  const username = await eraseRow(deps, actor, id);
  const forgetting = stopping.track(
    behindAnswer(() => forgetInLog(db, { id, username }, () => !stopping.begun)).catch((error: unknown) =>
      log.error('user.erase', { user_id: id, error }),
    ),
  );
  await pTimeout(forgetting, { milliseconds: limits.forgetWaitMs, fallback: () => undefined });
}

/** All but the log, in one transaction; answers the pseudonym. */
const eraseRow = (deps: EraseDeps, actor: Actor, id: number): Promise<string> =>
  deps.changes.commit(async (tx, touch) => {
    // Tasks before tokens and tokens before their user, as money locks; a refusal below undoes it.
    await forgetTasks(tx, id);
    await forgetLikes(tx, id);
    await forgetTokenRequests(tx, id);
    await disableTokens(tx, touch, id);
    // Before their user too, as a claim and a payment lock them.
    await tx.update(fuelPacks).set({ network: '', provider_network: '' }).where(eq(fuelPacks.user_id, id));
    await forgetInOrders(tx, id);
    const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update');
    if (!row || row.erased_at !== null) throw fail('NOT_FOUND');
    if (hasRole(row.role, 'root')) throw fail('ROOT_PROTECTED');
    const username = await freePseudonym(tx, id);
    await eraseAccount(deps, tx, touch, id);
    const now = nowSec();
    await tx
      .update(users)
      .set({ username, remarks: '', language: '', erased_at: now, deleted_at: row.deleted_at ?? now })
      .where(eq(users.id, id));
    await forgetTokens(tx, touch, id);
    await tx.delete(quotaWarnings).where(eq(quotaWarnings.user_id, id));
    // Reasons that administrators gave; what a write-off came to stands in its note.
    await tx.execute(
      sql`update ledger set note = null where user_id = ${id} and note is not null and kind = ${MOVEMENT.adminEdit}`,
    );
    await forgetInActions(tx, id);
    await recordAction(tx, {
      actor,
      action: 'user.erase',
      target: `user:${id}`,
      facts: { pseudonym: username },
    });
    return username;
  });

/** Nobody can register under one; who was called so before there were any keeps his name. */
async function freePseudonym(tx: Tx, id: number): Promise<string> {
  const pseudonym = pseudonymOf(id);
  const [holder] = await tx
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.username})`, pseudonym));
  return holder ? `${pseudonym}-${plainText(RANDOM_CHARS)}` : pseudonym;
}

/** Their rows stay, because calls under way settle against them; nobody can call with them or see what they were. */
async function forgetTokens(tx: Tx, touch: Touch, userId: number): Promise<void> {
  await tx
    .update(tokens)
    .set({
      name: '',
      // Of no key: a look-up is longer.
      key_lookup: sql`'erased ' || ${tokens.id}`,
      key_sealed: '',
      key_hint: '',
      model_limits: [],
      allow_ips: [],
      deleted_at: sql`coalesce(${tokens.deleted_at}, ${nowSec()}::bigint)`,
    })
    .where(eq(tokens.user_id, userId));
  touch('users', userId);
}
