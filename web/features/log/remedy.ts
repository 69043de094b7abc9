/** Where a call that was refused leads to: what its owner can do about it. */
import { own } from '@core/own.ts';
import { useBoot } from '@/lib/page-context.ts';
import type { TextKey } from '@/lib/text-key.ts';
import { type LogRow, readFacts } from './log-row.ts';

const REMEDIES = {
  insufficient_user_quota: { to: '/topup', label: 'log.toWallet' },
  token_quota_exhausted: { to: '/token', label: 'log.toTokens' },
  own_key_refused: { to: '/custom-models', label: 'log.toOwnKeys' },
  own_key_needed: { to: '/custom-models', label: 'log.toOwnKeys' },
} as const;

type Remedy = (typeof REMEDIES)[keyof typeof REMEDIES];

/** Undefined for other errors, in a frame of an application, and for the calls of others: their wallet is not the reader's. */
export function useRemedy(row: LogRow): Remedy | undefined {
  const { user } = useBoot();
  return user?.may.act && row.user_id === user.id ? own(REMEDIES, readFacts(row).reason) : undefined;
}

/** What can be done about a refusal, by our code; codes that say it themselves have none. */
const ADVICE = {
  invalid_request: 'log.advice.request',
  upstream_rejected: 'log.advice.request',
  context_length_exceeded: 'log.advice.shorter',
  model_not_found: 'log.advice.model',
  model_not_allowed: 'log.advice.token',
  group_not_allowed: 'log.advice.token',
  ip_not_allowed: 'log.advice.token',
  token_disabled: 'log.advice.token',
  token_expired: 'log.advice.token',
  token_quota_exhausted: 'log.advice.limit',
  insufficient_user_quota: 'log.advice.topUp',
  price_not_configured: 'log.advice.operator',
  no_available_channel: 'log.advice.operator',
  upstream_auth: 'log.advice.operator',
  supplier_disabled: 'log.advice.operator',
  user_disabled: 'log.advice.operator',
  internal: 'log.advice.operator',
  rate_limit_exceeded: 'log.advice.slower',
  too_many_streams: 'log.advice.slower',
  upstream_busy: 'log.advice.later',
  upstream_error: 'log.advice.later',
  upstream_timeout: 'log.advice.later',
  upstream_cut: 'log.advice.later',
  client_gone: 'log.advice.client',
} as const satisfies Record<string, TextKey>;

export const adviceFor = (code: string): TextKey | undefined => own(ADVICE, code);
