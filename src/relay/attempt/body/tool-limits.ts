/**
 * The paid tools of a request as it goes up. Where the caller leaves a number open that nothing could be held for on the
 * way, the request goes up with the number that is held.
 */
import type { JsonObject } from '../../../core/json.ts';
import {
  hasTools,
  NO_TOOLS,
  type PaidTools,
  REFUSED_CONTENT,
  usualUses,
  withoutCallLimit,
} from '../../../core/paid-tools.ts';
import { nowSec } from '../../../core/time.ts';
import { type ReadingTool, usualTokens } from '../../../core/tool-reading.ts';
import type { Vendor, VendorBill } from '../../../core/vendor-bill.ts';
import { withSeveral } from '../../../dialects/agents.ts';
import {
  onceAtLeast,
  onceWhereForced,
  runsCode,
  runsTools,
  withUnasked,
} from '../../../dialects/asked-tools.ts';
import type { DialectId, KnownContainer, RequestFacts, SpokenDialect } from '../../../dialects/dialect.ts';
import { withContainers } from '../../../dialects/named-containers.ts';
import type { RoutedChannel } from '../../../modules/channel/model.ts';
import type { Options } from '../../../options/store.ts';
import type { Provider } from '../../../providers/provider.ts';
import { billOf, vendorAt } from '../../../providers/registry.ts';
import type { RelayRequest } from '../../request.ts';

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
  /** Null for a vendor's own wire: it knows functions alone, and its fields mean something else in a dialect. */
  dialect: SpokenDialect | null;
  provider: Provider;
  /** The caller's name of the model, and the upstream's. */
  requested: string;
  model: string;
  channel: Pick<RoutedChannel, 'baseUrl'>;
  atOnce: boolean;
  /** Pictures of the conversation, as the facts of the request have it. */
  drawnFrom: number | undefined;
  /** In which its tools may run there, as far as it names that. */
  containers?: readonly KnownContainer[] | undefined;
}

/** Of what is known what the account of this channel has, which is one key's. */
export const containersAt = (
  { knownContainers = [] }: RequestFacts,
  { id, keys }: Pick<RoutedChannel, 'id' | 'keys'>,
): readonly KnownContainer[] =>
  knownContainers.filter(({ kept }) => kept.channelId === id && keys.every((key) => key.id === kept.keyId));

/** Whose address a body goes to: null for an operator's own, and unknown before its channel is. */
type Asked = Vendor | null | 'unknown';

/** What a body may set off, as far as it says so in the words of a dialect, and by the names of its model in any. */
export function toolsIn(
  body: JsonObject,
  { dialect, requested, model, drawnFrom, vendor, containers = [] }: ToolsOf,
): PaidTools {
  const names = [model, requested];
  const bill = billOf(vendor);
  const asWritten = dialect?.paidTools?.(body, names, drawnFrom) ?? NO_TOOLS;
  const known = { containers, bill: bill.containers, nowSec: nowSec() };
  const named = withContainers(asBilled(asWritten, bill), body, known);
  if (!dialect) return withSeveral(named, {}, names);
  return withSeveral(asKnown(named, body, { wire: dialect.id, vendor, names }), body, names);
}

/** What a vendor's tools find costs nothing where it is he who bills. */
function asBilled(paid: PaidTools, { freeFinds }: VendorBill): PaidTools {
  if (freeFinds || !paid.reads?.some(({ unbilled }) => unbilled)) return paid;
  return { ...paid, reads: paid.reads.map(({ unbilled: _, ...tool }): ReadingTool => tool) };
}

interface ToolsOf extends Pick<ToolPlace, 'dialect' | 'requested' | 'model' | 'drawnFrom' | 'containers'> {
  vendor: Asked;
}

/** With what the wire alone does not tell: of the model by its names, and of who is asked. */
function asKnown(
  named: PaidTools,
  body: JsonObject,
  { wire, vendor, names }: { wire: DialectId; vendor: Asked; names: readonly string[] },
): PaidTools {
  if (wire === 'openai-chat' || wire === 'openai-plain')
    return vendor === null ? onceAtLeast(named, body, names) : named;
  if (!BESIDE_CHATS.has(wire)) return named;
  const asked = vendor === null ? onceWhereForced(named, body) : named;
  // Perplexity's own Responses search where they are asked to, whatever the model is called.
  const isApart = wire === 'openai-responses' && vendor === 'perplexity';
  return isApart ? asked : withUnasked(asked, body, names);
}

const BESIDE_CHATS: ReadonlySet<DialectId> = new Set(['openai-responses', 'anthropic-messages', 'gemini']);

/**
 * The paid tools of a body in the words of this dialect, of which each has a limit where its provider keeps to one, and
 * what else its upstream charges for, and whether anything runs there at all, or code.
 */
export function withToolsLimited(asked: JsonObject, place: ToolPlace, options: Options): ToolRequest {
  const request = toolsLimited(asked, place, options);
  const refusals = refusalsAt(place, options);
  const { dialect, model, requested } = place;
  const runs = dialect !== null && runsTools(request.body);
  const code = dialect !== null && runsCode(request.body, [model, requested]);
  if (!refusals && !runs && !code) return request;
  const more = { ...(refusals && { refusals }), ...(runs && { runs }), ...(code && { runsCode: code }) };
  return { ...request, paid: { ...request.paid, ...more }, held: { ...request.held, ...more } };
}

/** Those that are paid for, where the operator asks that of his callers. */
const refusalsAt = ({ dialect, provider, model, channel }: ToolPlace, options: Options): RegExp | null =>
  dialect !== null && (options.get('ToolPrices')[REFUSED_CONTENT] ?? 0) > 0
    ? (provider.chargedRefusals?.({ dialect: dialect.id, model, baseUrl: channel.baseUrl }) ?? null)
    : null;

function toolsLimited(asked: JsonObject, place: ToolPlace, options: Options): ToolRequest {
  const { dialect, provider, model, channel, atOnce } = place;
  const body = dialect?.withoutOffTools?.(asked) ?? asked;
  const vendor = vendorAt(provider, channel.baseUrl);
  const paid = toolsIn(body, { ...place, vendor });
  if (!dialect || !hasTools(paid)) return { body, paid, held: paid };
  const most = provider.toolLimit?.({ model, baseUrl: channel.baseUrl }) ?? null;
  if (most === null) {
    const kept = withoutCallLimit(paid, atOnce);
    return { body, paid: kept, held: kept };
  }
  let limited =
    dialect.withReadLimits?.(body, (name) => usualTokens(name, options.get('ToolReadTokens'))) ?? body;
  if (atOnce && dialect.withToolLimits) {
    const usuals = options.get('ToolMaxUses');
    limited = dialect.withToolLimits(limited, paid, (tool) => Math.min(usualUses(tool, usuals), most));
  }
  if (limited === body) return { body, paid, held: paid };
  return { body: limited, paid, held: toolsIn(limited, { ...place, vendor }) };
}
