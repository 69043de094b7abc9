/**
 * Counting limits: how often something happened in a window. Redis counts for all processes; without Redis, or while
 * it is away, each process counts on its own.
 */
import { parseAddress } from './networks.ts';

/** What an address is counted by: an IPv6 subscriber holds a whole /64, so its lower half says nothing. */
export function addressSubject(ip: string): string {
  const address = parseAddress(ip);
  if (!address || address.kind() === 'ipv4') return address?.toString() ?? ip;
  return `${address.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}

export interface LimitRule {
  /** Name and subject, like `login:account:root`. */
  key: string;
  limit: number;
  windowSec: number;
}

export interface LimitState {
  ok: boolean;
  remaining: number;
  /** Seconds until the next one fits; 0 when ok. */
  retryAfterSec: number;
}

export interface Limiter {
  /** Counts one and says whether it still fits. */
  take(rule: LimitRule): Promise<LimitState>;
  /** Says whether one would fit, without counting it. */
  peek(rule: LimitRule): Promise<LimitState>;
  clear(key: string): Promise<void>;
}
