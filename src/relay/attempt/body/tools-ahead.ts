/** What the tools of a call may come to at whichever channel it may go to, before one of them is chosen. */
import { toolPrices } from '../../../billing/price.ts';
import type { JsonObject } from '../../../core/json.ts';
import { dearestUses, hasTools, type PaidTools } from '../../../core/paid-tools.ts';
import { type Quote, type ToolUses, toolCost } from '../../../core/price-formula.ts';
import { mostOfReadings, NO_READING } from '../../../core/tool-reading.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { openaiChat } from '../../../dialects/openai-chat/dialect.ts';
import type { Passage } from '../../../dialects/passage.ts';
import { SEARCHES_FILES } from '../../../dialects/tool-words.ts';
import type { Tier } from '../../../modules/channel/model.ts';
import type { Options } from '../../../options/store.ts';
import { findProvider } from '../../../providers/registry.ts';
import { readingToHold, type ToolNeed, usualReading } from '../../charge/tool-need.ts';
import { type Upstream, type Upstreams, upstreamsOf } from '../../charge/upstreams.ts';
import type { RelayDeps } from '../../deps.ts';
import type { RelayRequest } from '../../request.ts';
import { modelOptions } from './model-options.ts';
import { withFields, wordsAt } from './override.ts';
import { wayOf, writtenIn } from './passages.ts';
import { type Sold, soldAt, withoutSurcharges, withoutUntoldTools } from './surcharge.ts';
import { comesAtOnce, containersAt, toolsIn, withToolsLimited } from './tool-limits.ts';

/** The same, and whether a refusal may cost something. */
export interface ToolsAhead extends ToolNeed {
  refusals: boolean;
}

/** The dearest that tools could come to at any of the channels, known before one of them is chosen. */
export function toolsToHold(
  request: RelayRequest,
  quote: Quote,
  tiers: readonly Tier[],
  deps: RelayDeps,
): ToolsAhead {
  const { dialect, body, facts } = request;
  const { options } = deps;
  const upstreams = upstreamsOf(facts.model, tiers, modelOptions(options).upstreamOf);
  const { model: requested, drawnFrom, knownContainers: containers } = facts;
  const place = { dialect, requested, model: requested, drawnFrom, vendor: 'unknown', containers } as const;
  const asWritten = toolsIn(body, place);
  if (!hasTools(asWritten) && !mayBring(upstreams, request)) return NOTHING;
  const prices = toolPrices(options);
  const usual = usualReading(options);
  const written: Written = new Map();
  const all = distinct(upstreams).map((upstream) => {
    const paid = toolsAt(upstream, request, written, deps) ?? asWritten;
    const atOnce = comesAtOnce(request, findProvider(upstream.channel.type));
    const uses = dearestUses(paid, prices, usual.uses);
    return { uses, reading: readingToHold(paid, usual, atOnce), refusals: paid.refusals !== undefined };
  });
  const dearer = (a: ToolUses, b: ToolUses) =>
    toolCost(quote, b, prices) > toolCost(quote, a, prices) ? b : a;
  return {
    uses: all.map(({ uses }) => uses).reduce(dearer, {}),
    reading: all.map(({ reading }) => reading).reduce(mostOfReadings, NO_READING),
    refusals: all.some(({ refusals }) => refusals),
  };
}

const NOTHING: ToolsAhead = { uses: {}, reading: NO_READING, refusals: false };

/** A request in the words of each wire that its channels speak: a long one is not written anew for every channel. */
type Written = Map<string, JsonObject>;

/** What is held for the paid tools of a request at one channel; null where it cannot be written for it. */
function toolsAt(
  upstream: Upstream,
  request: RelayRequest,
  known: Written,
  { options }: RelayDeps,
): PaidTools | null {
  const way = wayAhead(upstream, request, options);
  if (!way) return null;
  const { channel, requested, model } = upstream;
  const { provider, passage, dialect, overrides } = way;
  try {
    const wire = dialect?.id ?? provider.type;
    const sold = channel.setting.allowSurcharges ? null : soldAt(provider, channel, options);
    const words = JSON.stringify([
      wire,
      model,
      passage.converted && [...(provider.extensions ?? [])],
      sold !== null,
      sold?.host?.host.source,
      sold?.vendor,
    ]);
    const written = known.get(words) ?? writtenFor({ upstream, passage, dialect }, request, sold);
    known.set(words, written);
    const own = wordsAt({ provider, channel, passage }, request);
    const fields = overrides ? withFields({ ...written }, overrides, own).body : written;
    const atOnce = comesAtOnce(request, provider);
    const { drawnFrom } = request.facts;
    const containers = containersAt(request.facts, channel);
    const place = { dialect, provider, requested, model, channel, atOnce, drawnFrom, containers };
    return withToolsLimited(fields, place, options).held;
  } catch {
    // It has no word for something, and will say so when it is asked.
    return null;
  }
}

/** The request without what is not sold there, in the words of its wire. */
function writtenFor(
  { upstream: { model, requested }, passage, dialect }: WayAhead,
  request: RelayRequest,
  sold: Sold | null,
): JsonObject {
  const usual = sold ? withoutSurcharges(request.body, request, sold).body : request.body;
  const body = passage.request(usual, { model, stream: request.facts.stream, askUsage: false });
  if (!sold || !dialect) return body;
  return withoutUntoldTools(body, { dialect, names: [model, requested] }, sold).body;
}

interface WayAhead {
  upstream: Upstream;
  passage: Passage;
  dialect: SpokenDialect | null;
}

/** The way to one channel, and in which dialect the request is written there; null where there is none. */
export function wayAhead(upstream: Upstream, request: RelayRequest, options: Options) {
  const { channel } = upstream;
  const provider = findProvider(channel.type);
  const key = channel.keys[0]?.value ?? '';
  const way = provider && wayOf({ ...upstream, provider, key }, request, options);
  return way ? { ...way, provider, dialect: writtenIn(provider, way.passage) } : null;
}

/** One channel of all that are alike for this. */
export function distinct({ all }: Upstreams): Upstream[] {
  const known = new Map<string, Upstream>();
  for (const upstream of all) {
    const { type, baseUrl, paramOverride, setting } = upstream.channel;
    const kind = [type, baseUrl, upstream.model, paramOverride, setting.allowSurcharges];
    known.set(JSON.stringify(kind), upstream);
  }
  return [...known.values()];
}

/** Words of fields that bring tools along, and of models that use some by themselves. */
const BRINGS = /tool|search|mcp|prompt|cached|plugins|research|sonar|grok|agent|mode"/i;

/** Whether a model uses tools by itself, by either of its names, or looks into files or charges for what it refuses, as xAI's. */
const usesUnasked = ({ requested, model }: Upstream): boolean =>
  SEARCHES_FILES.test(model) ||
  hasTools(toolsIn({}, { dialect: openaiChat, requested, model, drawnFrom: undefined, vendor: 'unknown' }));

/**
 * Whether channels may add tools to a request that names none, or charge for a refusal of it: at all, and where its own
 * model's are not read yet. It goes by words and names alone, so that few requests are written ahead. What these miss,
 * such as a vendor whom his address tells, is held when the request is about to go up.
 */
const bringing = new WeakMap<Upstreams, { always: boolean; unread: boolean }>();

function mayBring(
  upstreams: Upstreams,
  { dialect, facts }: Pick<RelayRequest, 'dialect' | 'facts'>,
): boolean {
  let may = bringing.get(upstreams);
  if (may === undefined) {
    may = {
      always: upstreams.all.some(
        (upstream) =>
          BRINGS.test(JSON.stringify(upstream.channel.paramOverride ?? {})) ||
          (upstream.model !== facts.model && usesUnasked(upstream)),
      ),
      unread: upstreams.all.some(usesUnasked),
    };
    bringing.set(upstreams, may);
  }
  // Chats alone tell by the model's name what it uses by itself: most calls are that, and are not written for it.
  return may.always || (dialect.id !== 'openai-chat' && may.unread);
}
