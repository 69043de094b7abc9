/** A redemption code as the calls answer it, and what follows from its fields. */
import { NEVER } from '@core/time.ts';
import { REDEMPTION_STATUS, type RedemptionState } from '@modules/redemption/facts.ts';
import type { StateLook } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Redemption = DataOf<'get', '/api/redemption/:id'>;

/** Codes are made many at a time, all of one name. */
export const codeName = ({ name, id }: Redemption): string => `${name} ${id}`;

export const redemptionStates: Record<RedemptionState, StateLook> = {
  unused: { tone: 'on', label: 'redemption.state.unused' },
  disabled: { tone: 'off', label: 'redemption.state.disabled' },
  used: { tone: 'gone', label: 'redemption.state.used' },
  expired: { tone: 'bad', label: 'state.expired' },
};

export function stateOf({ status, expired_time }: Redemption, now: number): RedemptionState {
  if (status === REDEMPTION_STATUS.used) return 'used';
  if (status === REDEMPTION_STATUS.disabled) return 'disabled';
  return expired_time !== NEVER && expired_time <= now ? 'expired' : 'unused';
}

/** Why it cannot be edited; undefined when it can. */
export const editObstacle = ({ status }: Redemption): TextKey | undefined => {
  if (status === REDEMPTION_STATUS.used) return 'redemption.usedNoEdit';
  return status === REDEMPTION_STATUS.disabled ? 'redemption.disabledNoEdit' : undefined;
};

/** Why it can neither be enabled nor disabled; undefined when it can. */
export const switchObstacle = ({ status }: Redemption): TextKey | undefined =>
  status === REDEMPTION_STATUS.used ? 'redemption.usedNoSwitch' : undefined;
