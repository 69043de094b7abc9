/** How long an upstream is asked to keep what it writes to a cache, in the words of any wire. */
import type { CacheLife } from '../core/price-formula.ts';
import { isAbsent } from './bounds.ts';

/** What costs no more than the usual life, which goes without saying. */
const SHORT: ReadonlySet<unknown> = new Set(['5m', '30m']);

/** Vendors have ever new lives: whichever is unknown counts as the longest, which costs the most. */
export const lifeOf = (ttl: unknown): CacheLife => (isAbsent(ttl) || SHORT.has(ttl) ? 'minutes' : 'hour');
