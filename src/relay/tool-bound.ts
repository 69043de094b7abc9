/** How often a call can use paid tools at most, on whichever of its channels. */
import { toolPrices } from '../billing/price.ts';
import { own } from '../core/own.ts';
import { dearestUses, NO_TOOLS, type PaidTools } from '../core/paid-tools.ts';
import { type Quote, type ToolUses, toolCost } from '../core/price-formula.ts';
import type { RoutedChannel, Tier } from '../modules/channel/model.ts';
import { findProvider } from '../providers/registry.ts';
import type { RelayDeps } from './deps.ts';
import { modelOptions, upstreamModel } from './model-options.ts';
import { overridden } from './override.ts';
import { passageTo } from './passages.ts';
import type { RelayRequest } from './request.ts';

/** The dearest uses that any of the channels could come to, known before one of them is chosen. */
export function toolBound(
  request: RelayRequest,
  quote: Quote,
  tiers: readonly Tier[],
  deps: RelayDeps,
): ToolUses {
  const { dialect, body, facts } = request;
  const asWritten = dialect.paidTools?.(body, facts.model) ?? NO_TOOLS;
  if (asWritten.tools.length === 0 && !mayBring(tiers, facts.model)) return {};
  const prices = toolPrices(deps.options);
  const usual = deps.options.get('ToolMaxUses');
  const all = distinct(tiers, facts.model).map((channel) => toolsAt(channel, request, deps) ?? asWritten);
  return all
    .map((paid) => dearestUses(paid, prices, usual))
    .reduce((a, b) => (toolCost(quote, b, prices) > toolCost(quote, a, prices) ? b : a), {});
}

/** What a request is for one channel: the paid tools of its body there; null where it cannot be written. */
function toolsAt(channel: RoutedChannel, request: RelayRequest, { options }: RelayDeps): PaidTools | null {
  const provider = findProvider(channel.type);
  const { model } = upstreamModel(channel, request.facts.model, modelOptions(options));
  const key = channel.keys[0]?.value ?? '';
  const passage = provider && passageTo({ provider, channel, key, model }, request, options);
  if (!passage) return null;
  try {
    const written = passage.request(request.body, { model, stream: request.facts.stream, askUsage: false });
    const fields = channel.paramOverride ? overridden(written, channel.paramOverride) : written;
    return passage.upstream.paidTools?.(fields, model) ?? NO_TOOLS;
  } catch {
    // It has no word for something, and will say so when it is asked.
    return null;
  }
}

/** One channel of all that are alike for this. */
function distinct(tiers: readonly Tier[], model: string): RoutedChannel[] {
  const known = new Map<string, RoutedChannel>();
  for (const channel of tiers.flatMap(({ channels }) => channels)) {
    const { type, modelMapping, paramOverride } = channel;
    known.set(JSON.stringify([type, own(modelMapping, model), paramOverride]), channel);
  }
  return [...known.values()];
}

/** Words of fields that bring tools along, and of models that use some by themselves. */
const BRINGS = /tool|search|prompt|cached|plugins|research|sonar|:online/i;

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
