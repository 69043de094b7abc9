/**
 * Counting limits: how often something happened in a window that begins with its first count, and how much of it is
 * going on now. Redis counts for all processes; without Redis, or while it is away, each process counts on its own.
 */
import { LRUCache } from 'lru-cache';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { parseAddress } from './networks.ts';

/** What an address is counted by: an IPv6 subscriber holds a whole /64, so its lower half says nothing. */
export function addressSubject(ip: string): string {
  const address = parseAddress(ip);
  if (!address || address.kind() === 'ipv4') return address?.toString() ?? ip;
  return `${address.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}

/** A network that an address lies in. */
interface Network {
  subject: string;
  /** How many times as much as one subscriber all of it may do. */
  times: number;
}

/**
 * The networks that an address is counted in. One IPv4 address is a subscriber; of IPv6, providers give away a /64 up to
 * a /48, and a /32 to whoever becomes one: who holds many small networks is bounded by the larger ones around them.
 */
function networksOf(ip: string): readonly Network[] {
  // Every call asks, and most callers call again.
  let networks = known.get(ip);
  if (!networks) {
    networks = networksAround(ip);
    known.set(ip, networks);
  }
  return networks;
}

const known = new LRUCache<string, readonly Network[]>({ max: limits.addressesKnown });

function networksAround(ip: string): readonly Network[] {
  const own = { subject: addressSubject(ip), times: 1 };
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv6') return [own];
  const parts = address.toNormalizedString().split(':');
  return [
    own,
    { subject: `${parts.slice(0, 3).join(':')}::/48`, times: 8 },
    { subject: `${parts.slice(0, 2).join(':')}::/32`, times: 64 },
  ];
}

/**
 * Whose turn it is where networks take turns. Of IPv6 it is the most that one subscriber is commonly given, a /48, so
 * that who has many small networks stands in one line; by a /32 a whole provider would.
 */
export function turnSubject(ip: string): string {
  const [own, larger = own] = networksOf(ip);
  return larger?.subject ?? ip;
}

/** The addresses that are commonly hired together: a /24 of IPv4, a /48 of IPv6. */
export function rangeSubject(ip: string): string {
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv4') return turnSubject(ip);
  return `${address.toString().split('.').slice(0, 3).join('.')}.0/24`;
}

/**
 * The network of the provider that an address belongs to, as far as an address tells: a /32 of IPv6, a /16 of IPv4. Much
 * smaller ones are for hire by the hour.
 */
export function providerSubject(ip: string): string {
  const address = parseAddress(ip);
  if (address?.kind() !== 'ipv4') return networksOf(ip).at(-1)?.subject ?? ip;
  return `${address.toString().split('.').slice(0, 2).join('.')}.0.0/16`;
}

/** The /32 of IPv6 around an address, and how many times as much it may do; of IPv4 none. */
export const providerNetwork = (ip: string): Network | undefined => networksOf(ip).at(2);

/**
 * `limit` in `windowSec` seconds for each network around the address, of which a larger one may do so many times as much:
 * the one form in which anything is counted by where it comes from.
 */
export const networkRules = (name: string, limit: number, windowSec: number, ip: string): LimitRule[] =>
  networksOf(ip).map(({ subject, times }) => ({
    key: `${name}:${subject}`,
    limit: limit * times,
    windowSec,
  }));

/** Several limits taken together: the last to end says when it fits again. */
export const allFit = (states: readonly LimitState[]): Pick<LimitState, 'ok' | 'retryAfterSec'> => ({
  ok: states.every(({ ok }) => ok),
  retryAfterSec: Math.max(0, ...states.map(({ retryAfterSec }) => retryAfterSec)),
});

/** The ways in which something may count, of which the first that has room takes it. */
export type Ways = readonly [readonly LimitRule[], ...(readonly LimitRule[])[]];

/** Takes of all rules of the first way that has room, and says which; where none has, when the soonest will. */
export async function takeFirst(
  limiter: Pick<Limiter, 'takeAll'>,
  ways: Ways,
): Promise<Pick<LimitState, 'ok' | 'retryAfterSec'> & { taken: readonly LimitRule[] }> {
  const waits: number[] = [];
  for (const rules of ways) {
    const { ok, retryAfterSec } = allFit(await limiter.takeAll(rules));
    if (ok) return { ok, retryAfterSec, taken: rules };
    waits.push(retryAfterSec);
  }
  return { ok: false, retryAfterSec: Math.min(...waits), taken: [] };
}

/** Takes of the first of the ways that has room, or throws RATE_LIMIT. */
export async function requireFit(limiter: Pick<Limiter, 'takeAll'>, ...ways: Ways): Promise<void> {
  const { ok, retryAfterSec } = await takeFirst(limiter, ways);
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

const NAMED = 'named:';

/**
 * The name of a counter whose subjects callers choose, such as user names that they only write down. These stand apart, so
 * that whoever invents names pushes out no counter of a site, a network or an account.
 */
export const named = (name: string): string => NAMED + name;

export const isNamed = (key: string): boolean => key.startsWith(NAMED);

export interface LimitRule {
  /** Name and subject, like `login:account:root`. */
  key: string;
  limit: number;
  windowSec: number;
  /** What one take counts; 1 unless given. */
  cost?: number;
}

/** Who is known, by the names of his counters. */
export interface Known {
  /** Of the session, the token, the key or the browser that he comes with. */
  own: string;
  /** Of all that he may come with: he has more of them made at will. */
  all: string;
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
  /** How much is counted now. */
  counted(key: string): Promise<number>;
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
