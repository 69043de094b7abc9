/**
 * What may be thought beside the limit of an answer: several vendors limit by `max_tokens` the answer alone, so that one
 * of a single token would buy any number of thoughts.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { ThoughtsBeside } from '../../core/price-bound.ts';
import { pricesThoughts, type Quote } from '../../core/price-formula.ts';
import { type Thinks, thinkingOf } from '../../core/thinkers.ts';
import { severalAt } from '../../dialects/agents.ts';
import { isAbsent } from '../../dialects/bounds.ts';
import type { Dialect, DialectId, ThoughtLimit } from '../../dialects/dialect.ts';
import type { Provider } from '../../providers/provider.ts';
import { addressAt, findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { asksAnyToThink, asksByName } from './thinking.ts';
import type { Upstream, Upstreams } from './upstreams.ts';

type Asked = Pick<RelayRequest, 'operation' | 'dialect' | 'body' | 'facts'>;

/** The most of all channels; undefined where each of them counts thoughts within the limit, or thinks nothing. */
export function thoughtsBeside(request: Asked, upstreams: Upstreams): ThoughtsBeside | undefined {
  if (request.operation !== 'chat') return undefined;
  const { dialect, body, facts } = request;
  // What several write for an answer no limit of it counts.
  if (severalAt(body, [])) return { most: null, canLimit: false };
  const found = placesOf(upstreams, dialect, facts.stream).flatMap((place) => besideAt(place, body) ?? []);
  if (found.length === 0) return undefined;
  const mosts = found.flatMap(({ most }) => most ?? []);
  return {
    most: mosts.length === found.length ? Math.max(...mosts) : null,
    canLimit: found.every(({ canLimit }) => canLimit),
  };
}

/**
 * The quote of a call. Where thoughts have a price of their own, and each of its channels is known to let it think nothing,
 * they are not held for. Where a limit of an answer counts thoughts nobody looks whether there are any.
 */
export const quoteOfThinker = <Q extends Quote>(quote: Q, request: Asked, upstreams: () => Upstreams): Q =>
  pricesThoughts(quote) && thinksNothing(request, upstreams()) ? { ...quote, thinks: false } : quote;

function thinksNothing({ operation, dialect, body, facts }: Asked, { all }: Upstreams): boolean {
  if (operation !== 'chat' || severalAt(body, [])) return false;
  const places = all.map((upstream) => placeOf(upstream, dialect, facts.stream));
  return places.every((place) => place !== null && !thinks(place, withOverrides(place, body)));
}

/** Where something may be thought beside the limit, as far as that is no matter of what a body says. */
interface Place {
  wire: DialectId;
  limit: ThoughtLimit;
  thinks: Thinks;
  /** The word by which it is told not to; null where it knows none. */
  off: 'enable_thinking' | 'thinking' | null;
  overrides: JsonObject | null;
}

/** By wire and way of answering: many channels of a model are few places, and most are none. */
const known = new WeakMap<Upstreams, Map<string, readonly Place[]>>();

function placesOf(upstreams: Upstreams, dialect: Dialect, stream: boolean): readonly Place[] {
  let byWire = known.get(upstreams);
  if (byWire === undefined) {
    byWire = new Map();
    known.set(upstreams, byWire);
  }
  const asked = `${dialect.id} ${stream}`;
  let places = byWire.get(asked);
  if (places === undefined) {
    const all = upstreams.all.flatMap((upstream) => placeOf(upstream, dialect, stream) ?? []);
    places = [...new Map(all.map((place) => [JSON.stringify(place), place])).values()];
    byWire.set(asked, places);
  }
  return places;
}

function placeOf(
  { channel, requested, model, variant }: Upstream,
  dialect: Dialect,
  stream: boolean,
): Place | null {
  const { type, baseUrl, paramOverride: overrides } = channel;
  if (severalAt(overrides ?? {}, [requested, model])) {
    return { wire: dialect.id, limit: 'none', thinks: 'always', off: null, overrides };
  }
  const provider = findProvider(type);
  if (!provider?.thoughtLimit) return null;
  const spoken = provider.speaks.chat?.includes(dialect) ? dialect.id : 'openai-chat';
  const limit = limitOf(provider, { dialect: spoken, model, baseUrl, stream });
  if (limit === null) return null;
  const thinks = asksByName(variant) ? 'always' : thinkingOfNames(requested, model, limit);
  return { wire: dialect.id, limit, thinks, off: offWordOf(provider, model, dialect), overrides };
}

/**
 * The dearer of what its two names tell, since an operator's own for it may look like one that is known. What nobody knows
 * the upstream's name of thinks where a limit is known to count no thoughts: makers name their models as they like, and a
 * list of them is always behind. Elsewhere such a limit is the exception, for models that are known to think.
 */
function thinkingOfNames(requested: string, model: string, limit: ThoughtLimit): Thinks {
  const isException = limit === 'unknown' || limit === 'max_tokens';
  const known = [thinkingOf(requested), thinkingOf(model) ?? (isException ? null : 'unless-told')];
  return DEAREST_FIRST.find((thinks) => known.includes(thinks)) ?? 'when-asked';
}

const DEAREST_FIRST: readonly Thinks[] = ['always', 'unless-told'];

/** How the provider is told how much to think; null where its limit of an answer counts thoughts. */
export const limitOf = (
  provider: Provider,
  on: Parameters<NonNullable<Provider['thoughtLimit']>>[0],
): ThoughtLimit | null =>
  provider.thoughtLimit?.({ ...on, baseUrl: addressAt(provider, on.baseUrl) }) ?? null;

/**
 * The word that this upstream is known to go by: another would change nothing there. What is converted has Anthropic's
 * here, where Anthropic's wire says it: on the others nobody reads it, and it does not go up.
 */
function offWordOf(provider: Provider, model: string, { id }: Dialect): Place['off'] {
  const { extensions } = provider;
  if (provider.canSwitchThoughts?.(model) === false) return null;
  if (extensions?.has('enable_thinking') && id === 'openai-chat') return 'enable_thinking';
  const isRead = id === 'openai-chat' || id === 'anthropic-messages';
  const isKnown = extensions?.has('enable_thinking') || extensions?.has('thinking');
  return isRead && isKnown ? 'thinking' : null;
}

const withOverrides = ({ overrides }: Place, body: JsonObject): JsonObject =>
  overrides ? { ...body, ...overrides } : body;

function besideAt(place: Place, said: JsonObject): ThoughtsBeside | null {
  const { limit, wire } = place;
  const body = withOverrides(place, said);
  if (countsThem(body, limit) || !thinks(place, body)) return null;
  return {
    most: limit === 'apart' ? budgetOf(body, wire) : null,
    canLimit: limit !== 'none' && limit !== 'unknown',
  };
}

/** Where the caller's limit is in the field that counts all. OpenAI's newer name is passed over by those who know the older. */
function countsThem(
  { max_tokens: older, max_completion_tokens: newer }: JsonObject,
  limit: ThoughtLimit,
): boolean {
  if (limit === 'max_tokens') return !isAbsent(older);
  return limit === 'max_completion_tokens' && isAbsent(older) && !isAbsent(newer);
}

const thinks = (place: Place, body: JsonObject): boolean =>
  place.thinks === 'always' ||
  (place.thinks === 'unless-told' && !isToldNot(place, body)) ||
  asksAnyToThink(body);

const isToldNot = ({ off }: Place, { enable_thinking: enabled, thinking }: JsonObject): boolean =>
  off === 'enable_thinking'
    ? enabled === false
    : off === 'thinking' && isObject(thinking) && thinking.type === 'disabled';

/** In the one word of its wire that its upstream ends at. */
function budgetOf({ thinking_budget, thinking }: JsonObject, wire: DialectId): number | null {
  const inThinking = isObject(thinking) ? thinking.budget_tokens : undefined;
  const given = wire === 'openai-chat' ? thinking_budget : wire === 'anthropic-messages' ? inThinking : null;
  return typeof given === 'number' && Number.isSafeInteger(given) && given > 0 ? given : null;
}
