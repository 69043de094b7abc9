/** Makes what goes up to one channel of what a caller asks: each change of a body is a step, and here is their order. */
import type { JsonObject } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { namesGemini } from '../../../core/model-families.ts';
import type { ThinkingWish } from '../../../core/model-variant.ts';
import { own } from '../../../core/own.ts';
import { NO_TOOLS, type PaidTools } from '../../../core/paid-tools.ts';
import { type Marks, withPricedMarks } from '../../../dialects/cache-life.ts';
import type { StandingContainer } from '../../../dialects/dialect.ts';
import type { MediaPlace } from '../../../dialects/media-kind.ts';
import { containersStanding } from '../../../dialects/named-containers.ts';
import {
  bringsReasoning,
  type OwnMarks,
  type SealedBy,
  sealedByOthers,
  withoutSeals,
} from '../../../dialects/sealed-reasoning.ts';
import { withoutSummingUp } from '../../../dialects/summed-up.ts';
import { protectedIn } from '../../../modules/channel/fields.ts';
import type { RoutedChannel } from '../../../modules/channel/model.ts';
import type { Provider, UpstreamCall } from '../../../providers/provider.ts';
import { unaskedAt } from '../../../providers/registry.ts';
import { limitOf } from '../../charge/thoughts-beside.ts';
import type { RelayDeps } from '../../deps.ts';
import type { Form, RelayRequest } from '../../request.ts';
import { withMedia } from './media.ts';
import { overridden, withFields, wordsAt } from './override.ts';
import { type Way, wantsThoughts, writtenIn } from './passages.ts';
import { type Sold, soldAt, withoutSurcharges, withoutUntoldTools } from './surcharge.ts';
import { comesAtOnce, containersAt, withToolsLimited } from './tool-limits.ts';

/** Where a body goes, and what is to become of it on the way. */
export interface BodyWay extends Omit<Way, 'effort'> {
  request: RelayRequest;
  /** The same as who is asked reads it; its caller loses nothing by that. */
  asRead: RelayRequest;
  channel: RoutedChannel;
  provider: Provider;
  call: Omit<UpstreamCall, 'body'>;
  /** What the model's name asks of thinking, and of a cap on output what that may take; null for nothing. */
  wish: { wish: ThinkingWish; share: number } | null;
  /** Nobody could open the reasoning that it brings back: it goes up without. */
  leavesReasoning: boolean;
  /** Who has sealed it, and by which marks this one knows its own; undefined where nobody else can have sealed anything. */
  seals: { by: SealedBy; own: OwnMarks } | undefined;
}

/** A body on its way, and at its end. */
export interface UpstreamBody {
  body: JsonObject;
  /** Characters of what was fetched and put into it. */
  inlined: number;
  /** Goes up instead of the body. */
  form?: Form;
  /** Fields that were left out: what they ask for costs beyond the price. */
  dropped: readonly string[];
  /** The paid tools that it may set off, as they were asked for. */
  paid: PaidTools;
  /** The same with the limits that go up with them: so much is held. */
  held: PaidTools;
  /** It brings reasoning back that its upstream may be unable to open. */
  bringsReasoning: boolean;
  /** What stands in it of what its caller had made there before. */
  containers: readonly StandingContainer[];
}

/** Changes the draft; no step changes the body of the request itself. */
type Step = (draft: UpstreamBody, way: BodyWay, deps: RelayDeps) => Promise<void> | undefined;

/** Calls whose bodies may bring messages along: the old words pass whatever stands beside a prompt. */
const IS_CHAT: ReadonlySet<RelayRequest['operation']> = new Set(['chat', 'completions']);

const STEPS: readonly Step[] = [
  // In the words of the caller's dialect.
  leaveOutSurcharges,
  addSystemPrompt,
  fetchMedia,
  // From here on in those of the upstream's.
  sayAsUpstream,
  leaveOutReasoning,
  leaveOutUntold,
  writeThinkingWish,
  suitProvider,
  declineUnasked,
  // What the operator writes stands.
  setChannelsFields,
  limitThoughts,
  limitTools,
];

/** The fields of a form go up beside its files. */
const STEPS_OF_FORM: readonly Step[] = [leaveOutSurcharges, makeForm];

/** Throws `invalid_request` for what the upstream has no word for. */
export async function upstreamBody(way: BodyWay, deps: RelayDeps): Promise<UpstreamBody> {
  const { request, asRead } = way;
  const draft: UpstreamBody = {
    body: asRead.body,
    inlined: 0,
    dropped: [],
    paid: NO_TOOLS,
    held: NO_TOOLS,
    bringsReasoning: false,
    containers: [],
  };
  for (const step of request.upload ? STEPS_OF_FORM : STEPS) {
    const waiting = step(draft, way, deps);
    if (waiting) await waiting;
  }
  return draft;
}

/** Its caller loses nothing by it. */
function leaveOutSurcharges(draft: UpstreamBody, way: BodyWay, { options }: RelayDeps): undefined {
  const { request, channel, provider, call } = way;
  if (channel.setting.allowSurcharges) return;
  const sold = soldAt(provider, call.channel, options);
  const usual = withoutSurcharges(draft.body, request, sold);
  draft.body = usual.body;
  draft.dropped = usual.dropped;
  if (!IS_CHAT.has(request.operation)) return;
  const marks = marksAt(way, sold);
  const marked = withPricedMarks(draft.body, { stores: storesUntold(way), marks });
  const { body, dropped } = tellsSummaries(way)
    ? { body: marked.body, dropped: [] }
    : withoutSummingUp(marked.body);
  draft.body = body;
  draft.dropped = [...usual.dropped, ...marked.dropped, ...dropped];
}

/**
 * OpenAI reads none but its own, and LiteLLM has a Claude answer at Responses, too, whose usage tells no writes there. In other
 * words those of other makers are not said to OpenAI anyhow.
 */
function marksAt({ call: { dialect }, passage }: BodyWay, { vendor }: Sold): Marks {
  const isOpenAi = vendor === 'openai' && !passage.converted;
  return isOpenAi || (vendor === null && dialect.id === 'openai-responses') ? 'of-openai' : 'any';
}

/**
 * What is read and written to sum a conversation up is told beside the call's own usage, in a field of Anthropic's alone:
 * whoever puts its answers into other words tells of the last call. OpenAI's own usage is of all.
 */
function tellsSummaries({ provider, call: { dialect, channel } }: BodyWay): boolean {
  if (dialect.id === 'openai-responses') return provider.tellsSummaries?.(channel.baseUrl) === true;
  return dialect.id === 'anthropic-messages';
}

/**
 * Gateways have Google store what is marked: it takes a fee by the hour, for as many as they are told, and no usage tells
 * of it.
 */
const storesUntold = ({ provider, call: { requested, model } }: BodyWay): boolean =>
  !provider.tellsStores && [requested, model].some(namesGemini);

function addSystemPrompt(draft: UpstreamBody, { request, channel, asItCame }: BodyWay): undefined {
  const { systemPrompt, systemPromptOverride } = channel.setting;
  if (asItCame || systemPrompt === '') return;
  draft.body = request.dialect.addSystem(draft.body, systemPrompt, systemPromptOverride);
}

function fetchMedia(
  draft: UpstreamBody,
  { request, provider, passage, call: { model } }: BodyWay,
  deps: RelayDeps,
): Promise<void> | undefined {
  const { inline } = passage;
  if (!provider.inlineMedia || !inline) return;
  const taken = (place: MediaPlace) => provider.mediaBytes?.({ model, place }) ?? limits.inlineMediaBytes;
  return withMedia(request, deps, taken, (load) => inline(draft.body, load)).then((chars) => {
    draft.inlined = chars;
  });
}

function sayAsUpstream(draft: UpstreamBody, { passage, provider, call }: BodyWay): undefined {
  const { model, stream, channel } = call;
  draft.body = passage.request(draft.body, {
    model,
    stream,
    askUsage: provider.streamUsage,
    wantsThoughts: wantsThoughts({ provider, channel, model }),
  });
}

function leaveOutReasoning(draft: UpstreamBody, { call, leavesReasoning, seals }: BodyWay): undefined {
  const { body } = draft;
  const { id } = call.dialect;
  if (!bringsReasoning(body, id)) return;
  const isOthers = leavesReasoning ? () => true : seals && sealedByOthers(seals.by, seals.own);
  const opened = isOthers ? withoutSeals(body, isOthers) : { body, dropped: [] };
  draft.body = opened.body;
  draft.bringsReasoning = bringsReasoning(opened.body, id);
  draft.dropped = [...draft.dropped, ...opened.dropped];
}

function leaveOutUntold(draft: UpstreamBody, way: BodyWay, { options }: RelayDeps): undefined {
  const { request, channel, provider, passage, call } = way;
  if (channel.setting.allowSurcharges || !IS_CHAT.has(request.operation)) return;
  const dialect = writtenIn(provider, passage);
  if (!dialect) return;
  const names = [call.model, call.requested];
  const told = withoutUntoldTools(draft.body, { dialect, names }, soldAt(provider, call.channel, options));
  draft.body = told.body;
  draft.dropped = [...draft.dropped, ...told.dropped];
}

function writeThinkingWish(draft: UpstreamBody, { wish, provider, call }: BodyWay): undefined {
  if (!wish) return;
  const { model, dialect } = call;
  const { extensions } = provider;
  dialect.writeWish?.(draft.body, wish.wish, { model, share: wish.share, extensions });
}

function suitProvider(draft: UpstreamBody, { provider, call }: BodyWay): undefined {
  draft.body = provider.adjustBody?.(draft.body, call) ?? draft.body;
}

/** Whatever is no text may be a file: only its bytes tell what lies at an address. */
function declineUnasked(draft: UpstreamBody, { request, provider, call }: BodyWay): undefined {
  const { images, files, unseen } = request.facts.prompt;
  if (!IS_CHAT.has(request.operation) || (images.length + files === 0 && !unseen)) return;
  draft.body = unaskedAt(provider, call.channel.baseUrl)?.decline(draft.body, call.model) ?? draft.body;
}

function setChannelsFields(draft: UpstreamBody, way: BodyWay, deps: RelayDeps): undefined {
  const { overrides, request } = way;
  if (!overrides) return;
  const { body, leftOut } = withFields(draft.body, overrides, wordsAt(way, request));
  draft.body = body;
  warnOfLeftOut(leftOut, way, deps);
}

/** Of channels' fields, how many of those were told that do nothing. */
const told = new WeakMap<object, number>();

/**
 * Says once of a channel which of its fields do nothing, being older than the form's rule or no words of the wire: its
 * operator may look for them in vain.
 */
function warnOfLeftOut(fields: readonly string[], { overrides, channel }: BodyWay, { log }: RelayDeps): void {
  if (!overrides || fields.length <= (told.get(overrides) ?? 0)) return;
  told.set(overrides, fields.length);
  log.warn('relay.param_override', { channel_id: channel.id, left_out: fields });
}

/** What is thought beside the answer's limit is told to this upstream as it takes it, where it takes any. */
function limitThoughts(draft: UpstreamBody, { request, provider, call }: BodyWay): undefined {
  const tokens = request.facts.thoughts?.cap;
  if (tokens === undefined) return;
  const { dialect, model, stream, channel } = call;
  const limit = limitOf(provider, { dialect: dialect.id, model, baseUrl: channel.baseUrl, stream });
  if (limit === null || limit === 'none' || limit === 'unknown') return;
  draft.body = dialect.withThoughtLimit?.(draft.body, tokens, limit) ?? draft.body;
}

function limitTools(
  draft: UpstreamBody,
  { request, channel: routed, provider, passage, call }: BodyWay,
  { options }: RelayDeps,
): undefined {
  const { requested, model, channel } = call;
  const dialect = writtenIn(provider, passage);
  const atOnce = comesAtOnce(request, provider);
  const { drawnFrom } = request.facts;
  const containers = containersAt(request.facts, routed);
  const place = { dialect, provider, requested, model, channel, atOnce, drawnFrom, containers };
  Object.assign(draft, withToolsLimited(draft.body, place, options));
  draft.containers = containersStanding(draft.body, containers);
}

/** What the gateway says beside the fields of a form, and instead of them. */
const addedTo = ({ body, upload }: BodyWay['request']): JsonObject =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => own(upload?.fields ?? {}, name) !== value),
  );

function makeForm(draft: UpstreamBody, way: BodyWay, deps: RelayDeps): undefined {
  const { asRead, overrides, call } = way;
  if (overrides) warnOfLeftOut(protectedIn(overrides), way, deps);
  draft.form = asRead.upload?.formFor({
    model: call.model,
    fields: draft.body,
    set: { ...addedTo(asRead), ...(overrides && overridden({}, overrides)) },
  });
}
