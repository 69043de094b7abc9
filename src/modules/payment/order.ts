/** An order as it is kept, and what its state says. */
import type { topups } from '../../db/schema/index.ts';
import { isCredited, type TopupStatus } from './facts.ts';

export type OrderRow = typeof topups.$inferSelect;

type InState = Pick<OrderRow, 'status'>;

/** What can still become a credit by itself: late money is money. */
export const UNPAID: readonly string[] = ['pending', 'expired', 'failed'] satisfies TopupStatus[];

export const isUnpaid = ({ status }: InState): boolean => UNPAID.includes(status);
export const isVoided = ({ status }: InState): boolean => status === 'voided';
/** A payment for it is known, though nobody may have the quota of one that was voided. */
export const isPaid = (order: InState & Pick<OrderRow, 'paid_at'>): boolean =>
  isCredited(order) || (isVoided(order) && order.paid_at > 0);
