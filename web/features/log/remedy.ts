/** Where a call that was refused leads to: what its owner can do about it. */
import { own } from '@core/own.ts';
import { useBoot } from '@/lib/page-context.ts';
import { type LogRow, readFacts } from './log-row.ts';

const REMEDIES = {
  insufficient_user_quota: { to: '/topup', label: 'log.toWallet' },
  token_quota_exhausted: { to: '/token', label: 'log.toTokens' },
} as const;

type Remedy = (typeof REMEDIES)[keyof typeof REMEDIES];

/** Undefined for other errors, and for the calls of others: their wallet is not the reader's. */
export function useRemedy(row: LogRow): Remedy | undefined {
  const { user } = useBoot();
  return row.user_id === user?.id ? own(REMEDIES, readFacts(row).error) : undefined;
}
