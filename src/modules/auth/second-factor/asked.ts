/** What an account asks for after its first factor: a code where two-step verification is on, or one of its passkeys. */
import { eq } from 'drizzle-orm';
import type { WayIn } from '../../../core/actor.ts';
import { fail } from '../../../core/errors.ts';
import type { Executor } from '../../../db/client.ts';
import { sessions } from '../../../db/schema/index.ts';
import { publicAddress } from '../../../options/public-address.ts';
import type { Deps } from '../../deps.ts';
import { type PasskeyRow, passkeysOf } from '../passkey/rows.ts';
import { passkeySite } from '../passkey/site.ts';
import { hasSecondFactor } from './factor.ts';

type AskedDeps = Pick<Deps, 'env' | 'options'>;

export interface AskedFactors {
  code: boolean;
  /** Each will do, in the place of a code too. */
  passkeys: readonly PasskeyRow[];
}

export async function askedFactors(
  deps: AskedDeps,
  executor: Executor,
  userId: number,
): Promise<AskedFactors> {
  const [code, rows] = await Promise.all([hasSecondFactor(executor, userId), passkeysOf(executor, userId)]);
  return { code, passkeys: counted(deps, rows) };
}

export async function asksSecondFactor(
  deps: AskedDeps,
  executor: Executor,
  userId: number,
): Promise<boolean> {
  const { code, passkeys } = await askedFactors(deps, executor, userId);
  return code || passkeys.length > 0;
}

/**
 * Where passkeys are all that is asked for after the password, the password alone neither adds or removes one nor sets
 * another factor up beside them: that is done in a session in which one was proved. Throws PASSKEY_SESSION.
 */
export async function requirePasskeySession(
  deps: AskedDeps,
  executor: Executor,
  { id, sessionId }: WayIn,
): Promise<void> {
  const { code, passkeys } = await askedFactors(deps, executor, id);
  if (code || passkeys.length === 0) return;
  if (!(await isWithPasskey(executor, sessionId))) throw fail('PASSKEY_SESSION');
}

/** Whether a passkey was proved in this session; never without one. */
export async function isWithPasskey(executor: Executor, sessionId: string | null): Promise<boolean> {
  if (sessionId === null) return false;
  const [row] = await executor
    .select({ with_passkey: sessions.with_passkey })
    .from(sessions)
    .where(eq(sessions.id, sessionId));
  return row?.with_passkey ?? false;
}

/**
 * Those that can be used at the public address: an operator who moves locks nobody out. Where none is set, the address is
 * the word of who asks, and all count: with another word nobody gets past them.
 */
function counted(deps: AskedDeps, rows: readonly PasskeyRow[]): readonly PasskeyRow[] {
  const address = publicAddress(deps);
  if (address === '') return rows;
  const { rpId, obstacle } = passkeySite(deps, { origin: address });
  return obstacle === null ? rows.filter(({ rp_id }) => rp_id === rpId) : [];
}
