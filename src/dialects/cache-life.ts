/** How long an upstream is asked to keep what it writes to a cache, in the words of any wire. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { CacheLife } from '../core/price-bound.ts';
import { OPAQUE } from './body-rules.ts';
import { isAbsent } from './bounds.ts';

/**
 * The lives whose price is known: Anthropic's, which Moonshot and Alibaba have too, and OpenAI's. The usual one goes without
 * saying.
 */
const PRICED: ReadonlyMap<unknown, CacheLife> = new Map([
  ['5m', 'minutes'],
  ['30m', 'minutes'],
  ['1h', 'hour'],
  ['12h', 'hour'],
]);

/** Vendors have ever new lives: whichever is unknown counts as the longest, which costs the most. */
export const lifeOf = (ttl: unknown): CacheLife => (isAbsent(ttl) ? 'minutes' : (PRICED.get(ttl) ?? 'hour'));

const isPriced = (ttl: unknown): boolean => isAbsent(ttl) || PRICED.has(ttl);

/** Whose marks are read: OpenAI's models know no others than its own. */
export type Marks = 'any' | 'of-openai';

/** The same of a part, a tool or a request as the wires have it whose makers charge for writing; undefined for no mark. */
function markedLife(
  {
    cache_control: control,
    prompt_cache_options: options,
    prompt_cache_breakpoint: breakpoint,
    // Bedrock's, which stands behind what is kept.
    cachePoint: point,
  }: JsonObject,
  marks: Marks,
): CacheLife | undefined {
  // Who knows these words writes unasked, so that only what is kept longer is marked by them.
  if ([options, breakpoint].some((cache) => isObject(cache) && lifeOf(cache.ttl) === 'hour')) return 'hour';
  if (marks === 'of-openai') return undefined;
  if (isObject(control)) return lifeOf(control.ttl);
  return isObject(point) ? lifeOf(point.ttl) : undefined;
}

/**
 * The longest that anything in a body is to be kept: it costs the most. Vendors and gateways read marks in ever new places,
 * so that none is looked for in particular.
 */
export function longestLife(value: Json | undefined, marks: Marks = 'any'): CacheLife | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  let life = Array.isArray(value) ? undefined : markedLife(value as JsonObject, marks);
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (life === 'hour') break;
    life = longestLife(inner, marks) ?? life;
  }
  return life;
}

/** What asks a cache to keep something, on any wire. */
const MARKS: ReadonlySet<string> = new Set([
  'cache_control',
  'prompt_cache_options',
  'prompt_cache_breakpoint',
  'cachePoint',
]);

/** By which nothing is written that was not written unasked. */
const OF_OPENAI: ReadonlySet<string> = new Set(['prompt_cache_options', 'prompt_cache_breakpoint']);

/** What holds the caller's own names, among which that of a mark is none. */
const CALLERS: ReadonlySet<string> = new Set([...OPAQUE, 'args', 'arguments', 'metadata']);
/** Of a call that was made earlier, what the tool was told. */
const isCallsInput = (name: string, { type }: JsonObject): boolean =>
  name === 'input' && typeof type === 'string' && type.endsWith('tool_use');

/** What was left out of a body's marks; the body is the same object where nothing was. */
export interface PricedMarks {
  body: JsonObject;
  dropped: readonly string[];
}

/**
 * The body without what its marks ask for at a price that nobody knows: a life that is none of those above, and each mark
 * where `stores` says that whatever is marked is kept by the hour; nor, where `marks` are `of-openai`, any but OpenAI's own.
 */
export function withPricedMarks(
  body: JsonObject,
  { stores, marks = 'any' }: { stores: boolean; marks?: Marks },
): PricedMarks {
  const dropped = new Set<string>();
  const priced = withMarks(body, (mark, name) => {
    if (stores || (marks === 'of-openai' && !OF_OPENAI.has(name))) {
      dropped.add(name);
      return undefined;
    }
    if (!isObject(mark) || isPriced(mark.ttl)) return mark;
    dropped.add(`${name}.ttl`);
    const { ttl, ...rest } = mark as JsonObject;
    return rest;
  });
  return { body: priced, dropped: [...dropped] };
}

/** The body with what becomes of each mark, wherever one may stand; the same object where nothing does. */
export function withMarks(
  body: JsonObject,
  kept: (mark: Json, name: string) => Json | undefined,
): JsonObject {
  const object = (held: JsonObject): JsonObject => {
    let out = held;
    for (const name of Object.keys(held)) {
      if (CALLERS.has(name) || (held !== body && isCallsInput(name, held))) continue;
      const value = held[name];
      const left = MARKS.has(name) && !isAbsent(value) ? kept(value, name) : any(value);
      if (left === value) continue;
      if (out === held) out = { ...held };
      if (left === undefined) delete out[name];
      else out[name] = left;
    }
    return out;
  };

  const list = (held: Json[]): Json[] => {
    let out = held;
    for (const [at, value] of held.entries()) {
      const left = any(value);
      if (left === value) continue;
      if (out === held) out = [...held];
      out[at] = left ?? null;
    }
    return out;
  };

  const any = (value: Json | undefined): Json | undefined => {
    if (Array.isArray(value)) return list(value);
    return isObject(value) ? object(value as JsonObject) : value;
  };

  return object(body);
}
