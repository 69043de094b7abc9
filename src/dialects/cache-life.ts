/** How long an upstream is asked to keep what it writes to a cache, in the words of any wire. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CacheLife } from '../core/price-formula.ts';
import { isAbsent } from './bounds.ts';

/** What costs no more than the usual life, which goes without saying. */
const SHORT: ReadonlySet<unknown> = new Set(['5m', '30m']);

/** Vendors have ever new lives: whichever is unknown counts as the longest, which costs the most. */
export const lifeOf = (ttl: unknown): CacheLife => (isAbsent(ttl) || SHORT.has(ttl) ? 'minutes' : 'hour');

/** The same of a part, a tool or a request as the wires have it whose makers charge for writing; undefined for no mark. */
function markedLife({
  cache_control: control,
  prompt_cache_options: options,
  prompt_cache_breakpoint: breakpoint,
  // Bedrock's, which stands behind what is kept.
  cachePoint: point,
}: JsonObject): CacheLife | undefined {
  // Who knows these words writes unasked, so that only what is kept longer is marked by them.
  if ([options, breakpoint].some((cache) => isObject(cache) && lifeOf(cache.ttl) === 'hour')) return 'hour';
  if (isObject(control)) return lifeOf(control.ttl);
  return isObject(point) ? lifeOf(point.ttl) : undefined;
}

/**
 * The longest that anything in a body is to be kept: it costs the most. Vendors and gateways read marks in ever new places,
 * so that none is looked for in particular.
 */
export function longestLife(value: Json | undefined): CacheLife | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  let life = Array.isArray(value) ? undefined : markedLife(value as JsonObject);
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (life === 'hour') break;
    life = longestLife(inner) ?? life;
  }
  return life;
}
