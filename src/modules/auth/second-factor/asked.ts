/** What an account asks for after its first factor: a code where two-step verification is on, or one of its passkeys. */
import type { Executor } from '../../../db/client.ts';
import { publicAddress } from '../../../options/public-address.ts';
import type { Deps } from '../../deps.ts';
import type { PasskeyRow } from '../passkey/ceremony.ts';
import { passkeysOf } from '../passkey/own.ts';
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
 * Those that can be used at the public address: an operator who moves locks nobody out. Where none is set, the address is
 * the word of who asks, and all count: with another word nobody gets past them.
 */
function counted(deps: AskedDeps, rows: readonly PasskeyRow[]): readonly PasskeyRow[] {
  const address = publicAddress(deps);
  if (address === '') return rows;
  const { rpId, obstacle } = passkeySite(deps, { origin: address });
  return obstacle === null ? rows.filter(({ rp_id }) => rp_id === rpId) : [];
}
