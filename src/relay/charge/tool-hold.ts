/**
 * What is held for the paid tools of a call before anything of it goes up: with its reservation for whichever channel it
 * may come to, and once more for what only the request as it goes up to one of them brings along. Where the caller leaves
 * a number open that nothing could be held for on the way, the request goes up with the number that is held.
 */
import { toolPrices } from '../../billing/price.ts';
import type { JsonObject } from '../../core/json.ts';
import { own } from '../../core/own.ts';
import { dearestUses, NO_TOOLS, type PaidTools, usualUses, withoutCallLimit } from '../../core/paid-tools.ts';
import { type Quote, type ToolUses, toolCost } from '../../core/price-formula.ts';
import type { SpokenDialect } from '../../dialects/dialect.ts';
import type { RoutedChannel, Tier } from '../../modules/channel/model.ts';
import type { Options } from '../../options/store.ts';
import type { Provider } from '../../providers/provider.ts';
import { findProvider } from '../../providers/registry.ts';
import { modelOptions, upstreamModel } from '../attempt/model-options.ts';
import { overridden } from '../attempt/override.ts';
import { passageTo } from '../attempt/passages.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import type { Call } from './call.ts';
import { extend, lackingFor } from './extend.ts';

/** A request as it goes up, with what it may set off there. */
export interface ToolRequest {
  body: JsonObject;
  /** As the caller and the channel asked for it. */
  paid: PaidTools;
  /** As the upstream is told it, for which is held. */
  held: PaidTools;
}

/** The answer comes as a whole, when all of its tools have run: nothing can be held for them as they begin. */
export const comesAtOnce = ({ facts }: Pick<RelayRequest, 'facts'>, provider?: Provider): boolean =>
  !facts.stream || provider?.plainOnly === true;

/** Where a body goes, as far as the limits of its tools depend on it. */
interface ToolPlace {
  dialect: SpokenDialect;
  provider: Provider;
  /** The upstream's name of the model. */
  model: string;
  channel: Pick<RoutedChannel, 'baseUrl'>;
  atOnce: boolean;
}

/** The paid tools of a body in the words of this dialect, of which each has a limit where its provider keeps to one. */
export function withToolsLimited(
  body: JsonObject,
  { dialect, provider, model, channel, atOnce }: ToolPlace,
  options: Options,
): ToolRequest {
  const paid = dialect.paidTools?.(body, model) ?? NO_TOOLS;
  if (paid.tools.length === 0) return { body, paid, held: paid };
  const most = provider.toolLimit?.({ model, baseUrl: channel.baseUrl }) ?? null;
  if (most === null) {
    const kept = withoutCallLimit(paid, atOnce);
    return { body, paid: kept, held: kept };
  }
  if (!atOnce || !dialect.withToolLimits) return { body, paid, held: paid };
  const usuals = options.get('ToolMaxUses');
  const limited = dialect.withToolLimits(body, paid, (tool) => Math.min(usualUses(tool, usuals), most));
  return { body: limited, paid, held: dialect.paidTools?.(limited, model) ?? paid };
}

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

/**
 * Holds for the paid tools of a request as it is about to go up: the operator's own fields, a conversion, or the name of
 * the model may have brought some along that the caller did not name. False when there is not enough.
 */
export async function holdTools(call: Call, held: PaidTools, deps: RelayDeps): Promise<boolean> {
  if (held.tools.length === 0) return true;
  const uses = dearestUses(held, call.toolPrices, deps.options.get('ToolMaxUses'));
  const amount = lackingFor(call, uses);
  if (amount <= 0) return true;
  if ((await extend(call, amount, deps)) === 'refused') return false;
  call.held += amount;
  call.heldForTools += amount;
  return true;
}
