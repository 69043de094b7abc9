/**
 * What may be thought beside the limit of an answer: several vendors limit by `max_tokens` the answer alone, so that one
 * of a single token would buy any number of thoughts.
 */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { ModelVariant } from '../../core/model-variant.ts';
import type { ThoughtsBeside } from '../../core/price-formula.ts';
import { alwaysThinks, thinksUnlessTold } from '../../core/thinkers.ts';
import { isAbsent } from '../../dialects/bounds.ts';
import type { Dialect, DialectId, ThoughtLimit } from '../../dialects/dialect.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { Provider } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayRequest } from '../request.ts';
import { asksAnyToThink } from './thinking.ts';

type Asked = Pick<RelayRequest, 'operation' | 'dialect' | 'body' | 'facts'>;

/** Which model a channel is asked for, and what the caller's name of it asks besides. */
export type UpstreamOf = (channel: RoutedChannel) => { model: string; variant: ModelVariant | null };

/** The most of all channels; undefined where each of them counts thoughts within the limit, or thinks nothing. */
export function thoughtsBeside(
  request: Asked,
  tiers: readonly Tier[],
  upstreamOf: UpstreamOf,
): ThoughtsBeside | undefined {
  if (request.operation !== 'chat') return undefined;
  const found = tiers.flatMap(({ channels }) =>
    channels.flatMap((channel) => besideAt(channel, request, upstreamOf) ?? []),
  );
  if (found.length === 0) return undefined;
  const mosts = found.flatMap(({ most }) => most ?? []);
  return {
    most: mosts.length === found.length ? Math.max(...mosts) : null,
    canLimit: found.every(({ canLimit }) => canLimit),
  };
}

function besideAt(
  channel: RoutedChannel,
  { dialect, body: said, facts }: Asked,
  upstreamOf: UpstreamOf,
): ThoughtsBeside | null {
  const provider = findProvider(channel.type);
  if (!provider?.thoughtLimit) return null;
  const { model, variant } = upstreamOf(channel);
  const spoken = provider.speaks.chat?.includes(dialect) ? dialect.id : 'openai-chat';
  const limit = limitOf(provider, { dialect: spoken, model, baseUrl: channel.baseUrl, stream: facts.stream });
  if (limit === null) return null;
  const body = { ...said, ...channel.paramOverride };
  if (countsThem(body, limit) || !thinks({ body, model, variant, provider, dialect })) return null;
  return { most: limit === 'apart' ? budgetOf(body, dialect.id) : null, canLimit: limit !== 'none' };
}

/** How the provider is told how much to think; null where its limit of an answer counts thoughts. */
export const limitOf = (
  provider: Provider,
  on: Parameters<NonNullable<Provider['thoughtLimit']>>[0],
): ThoughtLimit | null =>
  provider.thoughtLimit?.({ ...on, baseUrl: on.baseUrl || (provider.baseUrl ?? '') }) ?? null;

/** OpenAI's newer name of the limit counts all that is written, where it is known; many vendors know the older one only. */
const countsThem = ({ max_tokens, max_completion_tokens }: JsonObject, limit: ThoughtLimit): boolean =>
  limit === 'together' && isAbsent(max_tokens) && !isAbsent(max_completion_tokens);

interface Asking {
  body: JsonObject;
  /** The upstream's name of the model. */
  model: string;
  variant: ModelVariant | null;
  provider: Provider;
  dialect: Pick<Dialect, 'id'>;
}

const thinks = (asking: Asking): boolean =>
  asksAnyToThink(asking.body) ||
  asksByName(asking.variant) ||
  alwaysThinks(asking.model) ||
  (thinksUnlessTold(asking.model) && !isToldNot(asking));

const asksByName = (variant: ModelVariant | null): boolean =>
  variant !== null && ('effort' in variant.wish ? variant.wish.effort !== 'none' : variant.wish.thinks);

/**
 * In the word that this upstream is known to go by: another would change nothing there. What is converted has Anthropic's
 * here, where Anthropic's wire says it: on the others nobody reads it, and it does not go up.
 */
function isToldNot({ body, dialect, provider: { extensions } }: Asking): boolean {
  const { enable_thinking: enabled, thinking } = body;
  if (extensions?.has('enable_thinking') && dialect.id === 'openai-chat') return enabled === false;
  const isRead = dialect.id === 'openai-chat' || dialect.id === 'anthropic-messages';
  const isKnown = extensions?.has('enable_thinking') || extensions?.has('thinking');
  return isRead && isKnown === true && isObject(thinking) && thinking.type === 'disabled';
}

/** In the one word of its wire that its upstream ends at. */
function budgetOf({ thinking_budget, thinking }: JsonObject, wire: DialectId): number | null {
  const inThinking = isObject(thinking) ? thinking.budget_tokens : undefined;
  const given = wire === 'openai-chat' ? thinking_budget : wire === 'anthropic-messages' ? inThinking : null;
  return typeof given === 'number' && Number.isSafeInteger(given) && given > 0 ? given : null;
}
