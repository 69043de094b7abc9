/**
 * Counting limits: how often something happened in a window that begins with its first count, and how much of it is
 * going on now. Redis counts for all processes; without Redis, or while it is away, each process counts on its own.
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
  /** What one take counts; 1 unless given. */
  cost?: number;
}

export interface LimitState {
  ok: boolean;
  remaining: number;
  /** Seconds until it fits; 0 when ok. */
  retryAfterSec: number;
  /** Seconds until the window is over and everything fits again. */
  resetSec: number;
}

/** A place among so many at once; `id` is its holder's. */
export interface Slot {
  key: string;
  limit: number;
  id: string;
}

export interface Limiter {
  /** Counts and says whether it still fits; what does not fit is not counted. */
  take(rule: LimitRule): Promise<LimitState>;
  /** The same for several, of which all are counted or none: some may fit while another does not. */
  takeAll(rules: readonly LimitRule[]): Promise<LimitState[]>;
  /** Says whether one would fit, without counting it. */
  peek(rule: LimitRule): Promise<LimitState>;
  /** Counts afterwards what was not known before, whether or not it fits; less than nothing gives back. */
  add(rule: Pick<LimitRule, 'key' | 'windowSec'>, amount: number): Promise<void>;
  clear(key: string): Promise<void>;
  /** Takes a place; false when all are taken. */
  enter(slot: Slot): Promise<boolean>;
  leave(slot: Slot): Promise<void>;
}

/** What a count means for a rule; `counted` includes what is asked for. */
export function limitState({ limit }: LimitRule, counted: number, leftMs: number): LimitState {
  const ok = counted <= limit;
  const resetSec = Math.max(Math.ceil(leftMs / 1000), 1);
  return { ok, remaining: Math.max(limit - counted, 0), retryAfterSec: ok ? 0 : resetSec, resetSec };
}
