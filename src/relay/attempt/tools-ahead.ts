/** What the paid tools of a call may come to at whichever channel it may go to, before one of them is chosen. */
import { toolPrices } from '../../billing/price.ts';
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { dearestUses, NO_TOOLS, type PaidTools } from '../../core/paid-tools.ts';
import { type Quote, type ToolUses, toolCost } from '../../core/price-formula.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import { findProvider } from '../../providers/registry.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { modelOptions, upstreamModel } from './model-options.ts';
import { overridden } from './override.ts';
import { passageTo } from './passages.ts';
import { comesAtOnce, withToolsLimited } from './tool-limits.ts';

/** The dearest uses that any of the channels could come to, known before one of them is chosen. */
export function usesToHold(
  request: RelayRequest,
  quote: Quote,
  tiers: readonly Tier[],
  deps: RelayDeps,
): ToolUses {
  const { dialect, body, facts } = request;
  const { options } = deps;
  const asWritten = dialect.paidTools?.(body, facts.model) ?? NO_TOOLS;
  if (asWritten.tools.length === 0 && !mayBring(tiers, facts.model)) return {};
  const prices = toolPrices(options);
  const usual = options.get('ToolMaxUses');
  const written: Written = new Map();
  const all = distinct(tiers, facts.model).map(
    (channel) => toolsAt(channel, request, written, deps) ?? asWritten,
  );
  return all
    .map((paid) => dearestUses(paid, prices, usual))
    .reduce((a, b) => (toolCost(quote, b, prices) > toolCost(quote, a, prices) ? b : a), {});
}

/** A request in the words of each wire that its channels speak: a long one is not written anew for every channel. */
type Written = Map<string, JsonObject>;

/** What is held for the paid tools of a request at one channel; null where it cannot be written for it. */
function toolsAt(
  channel: RoutedChannel,
  request: RelayRequest,
  known: Written,
  { options }: RelayDeps,
): PaidTools | null {
  const provider = findProvider(channel.type);
  const { model } = upstreamModel(channel, request.facts.model, modelOptions(options));
  const key = channel.keys[0]?.value ?? '';
  const passage = provider && passageTo({ provider, channel, key, model }, request, options);
  if (!passage) return null;
  const { upstream: dialect } = passage;
  try {
    const wire = provider.wire ? provider.type : dialect.id;
    const way = JSON.stringify([wire, model, passage.converted && [...(provider.extensions ?? [])]]);
    const written =
      known.get(way) ??
      passage.request(request.body, { model, stream: request.facts.stream, askUsage: false });
    known.set(way, written);
    const fields = channel.paramOverride ? overridden({ ...written }, channel.paramOverride) : written;
    const atOnce = comesAtOnce(request, provider);
    return withToolsLimited(fields, { dialect, provider, model, channel, atOnce }, options).held;
  } catch {
    // It has no word for something, and will say so when it is asked.
    return null;
  }
}

/** One channel of all that are alike for this. */
function distinct(tiers: readonly Tier[], model: string): RoutedChannel[] {
  const known = new Map<string, RoutedChannel>();
  for (const channel of tiers.flatMap(({ channels }) => channels)) {
    const { type, baseUrl, modelMapping, paramOverride } = channel;
    known.set(JSON.stringify([type, baseUrl, own(modelMapping, model), paramOverride]), channel);
  }
  return [...known.values()];
}

/** Words of fields that bring tools along, and of models that use some by themselves. */
const BRINGS = /tool|search|prompt|cached|plugins|research|sonar|grok|:online/i;

/** Whether a channel may add tools to a request that names none. */
const bringing = new WeakMap<readonly Tier[], boolean>();

function mayBring(tiers: readonly Tier[], model: string): boolean {
  let may = bringing.get(tiers);
  if (may === undefined) {
    const channels = tiers.flatMap((tier) => tier.channels);
    may = channels.some(({ paramOverride, modelMapping }) =>
      BRINGS.test(`${JSON.stringify(paramOverride ?? {})} ${own(modelMapping, model) ?? ''}`),
    );
    bringing.set(tiers, may);
  }
  return may;
}
