/** The states of a token. Only enabled and disabled are stored; expired and exhausted follow from the row and the clock. */

import { NEVER, nowSec } from '../../core/time.ts';
import { TOKEN_STATUS } from './facts.ts';

/** The token id of calls without one: from the console, under a session. */
export const NO_TOKEN = 0;

export interface TokenFacts {
  status: number;
  expired_time: number;
  unlimited_quota: boolean;
  /** What it may still spend, with what calls under way hold. */
  remain_quota: number;
}

export const isExpired = ({ expired_time }: Pick<TokenFacts, 'expired_time'>, now = nowSec()): boolean =>
  expired_time !== NEVER && expired_time <= now;

export const isExhausted = ({
  unlimited_quota,
  remain_quota,
}: Pick<TokenFacts, 'unlimited_quota' | 'remain_quota'>): boolean => !unlimited_quota && remain_quota <= 0;

/** One of TOKEN_STATUS, as it is now. */
export function statusNow(token: TokenFacts, now = nowSec()): number {
  if (token.status !== TOKEN_STATUS.enabled) return token.status;
  if (isExpired(token, now)) return TOKEN_STATUS.expired;
  return isExhausted(token) ? TOKEN_STATUS.exhausted : TOKEN_STATUS.enabled;
}
