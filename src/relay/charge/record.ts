/** What remains of a call: its charge and its log row, with every factor. Never a prompt, an answer or a key. */

import type { MonthTier, Settled, Settlement } from '../../billing/billing.ts';
import type { AppError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { variantOf } from '../../core/model-variant.ts';
import {
  countedCalls,
  type DoneBeside,
  type Quote,
  quotaOf,
  quotesByMonth,
  type ToolUses,
  withTools,
} from '../../core/price-formula.ts';
import { priceRecord } from '../../core/price-record.ts';
import { keptReason } from '../../core/reasons.ts';
import { asIs, filled, type Text } from '../../core/text.ts';
import { allTokens, completionTokens, noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import type { Converted } from '../../dialects/passage.ts';
import { type Candidate, loggedId, type OwnKeyPlace } from '../../modules/channel/model.ts';
import { appRecord } from '../../modules/log/facts.ts';
import type { RelayDeps } from '../deps.ts';
import { type CallEnd, elapsedMs } from '../request.ts';
import type { Call, StreamEnd } from './call.ts';
import { fitting } from './row-bound.ts';
import { noteDoubts } from './suspects.ts';

/** What `frt` says of an answer without content. */
const NO_CONTENT = -1000;

/** Where a usage comes from: what is not told is counted here, or charged as it was held where it cannot be counted. */
export type UsageSource = 'upstream' | 'estimated' | 'held';

/** What an answer came to. */
export interface Produced {
  candidate: Candidate;
  /** The upstream's name of the model. */
  model: string;
  /** Set where request and answer were written anew. */
  converted: Converted | null;
  /** Names of what of the request was left out. */
  dropped?: readonly string[];
  usage: Usage;
  /** What another model wrote down of a session, at its own price. */
  transcribed?: DoneBeside;
  /** What a tool of its upstream has drawn, at the price of the model that drew. */
  drawn?: DoneBeside | undefined;
  usageSource: UsageSource;
  /** What the upstream told was not to be believed. */
  suspect?: boolean;
  /** It told uses of what is sold that the request did not ask for; they are charged to nobody. */
  unasked?: boolean;
  /** Thoughts were seen in it, or may be in what it is charged as held; what is told says so itself. */
  thinks?: boolean;
  /** It ended well, may have thought what nobody saw, and told no usage. */
  untold?: boolean;
  streamEnd: StreamEnd | null;
  firstContentMs: number | null;
  /** Calls that a price a call counts: 0 when nothing came out. */
  calls: number;
  /** Nothing came out, and the prompt alone is charged. */
  promptOnly?: boolean;
  /** Tokens that its upstream has told and bills nobody for: its usage has none of them. */
  unbilledTokens?: number | undefined;
  /** How often paid tools were used, as it is believed. */
  uses?: ToolUses;
  /** What the caller is told instead of it. */
  error?: AppError;
  /** What its log row tells of it besides. */
  noted?: JsonObject | undefined;
}

/** What an answer costs and what its log row says. */
export function settlementOf(call: Call, answer: Produced, deps: RelayDeps): Settlement {
  const { usage, candidate, transcribed, drawn } = answer;
  const quote: Quote = {
    ...withTools(call.quote, answer.uses ?? {}, call.toolPrices),
    ...(transcribed && { transcribed }),
    ...(drawn && { drawn }),
    ...(answer.thinks && { thinks: true }),
  };
  const calls = countedCalls(quote, answer.calls);
  return {
    ...rowOf(call),
    type: LOG_TYPE.consumption,
    charge: quotaOf(quote, usage, calls),
    monthTiers: monthTiers(quote, usage, calls),
    unlogged: isUnlogged(deps),
    channelId: loggedId(candidate.channel),
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    other: otherOf(call, quote, answer),
  };
}

/** Charges an answer; resolves when its end may be shown. */
export async function settleAnswer(
  call: Call,
  answer: Produced,
  deps: RelayDeps,
  settlement = settlementOf(call, answer, deps),
): Promise<Settled> {
  const { request } = call;
  // What a caller's own supplier tells is charged to nobody here.
  if (!answer.candidate.channel.ownKey) noteDoubts(answer.candidate.channel, answer, deps);
  const { usage, candidate, streamEnd, firstContentMs } = answer;
  // What nobody is billed for counts against his limits there, too.
  const passed = allTokens(usage) + (answer.unbilledTokens ?? 0);
  const beside = [answer.transcribed, answer.drawn].map((done) => (done ? allTokens(done.usage) : 0));
  call.ticket.answered(beside.reduce((sum, tokens) => sum + tokens, passed));
  const settled = await settle(call, deps, settlement);
  request.ended({
    status: answer.error?.relayStatus ?? 200,
    code: answer.error?.code,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    channelId: loggedId(candidate.channel),
    ...supplierOf(candidate),
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    quota: settled.paid,
    streamEnd: streamEnd ?? undefined,
    firstContentMs: firstContentMs ?? undefined,
  });
  return settled;
}

/** The log row's `other`: written field by field, as the price's part of it is. */
function otherOf(call: Call, quote: Quote, answer: Produced): JsonObject {
  const { usage, candidate, model, streamEnd, firstContentMs, error, dropped } = answer;
  const { request, heldMs } = call;
  const other = priceRecord(quote, usage, countedCalls(quote, answer.calls));
  if (request.facts.noted) Object.assign(other, request.facts.noted);
  if (answer.noted) Object.assign(other, answer.noted);
  Object.assign(other, appRecord(call.caller));
  if (model !== request.facts.model) {
    other.is_model_mapped = true;
    other.upstream_model_name = model;
    const effort = effortOf(request.facts.model);
    if (effort !== undefined) other.reasoning_effort = effort;
  }
  other.frt = firstContentMs === null ? NO_CONTENT : Math.round(firstContentMs);
  // Where its time went, beside what the tries tell: until quota was held, and in all.
  if (heldMs !== undefined) other.held_ms = Math.round(heldMs);
  other.total_ms = Math.round(elapsedMs(request));
  // Its settlement gives back what of this it does not charge.
  other.held = call.held;
  other.usage_source = answer.usageSource;
  if (answer.suspect || answer.unasked) other.usage_suspect = true;
  if (answer.promptOnly) other.prompt_only = true;
  if (answer.unbilledTokens !== undefined) other.unbilled_tokens = answer.unbilledTokens;
  if (error) {
    other.error = error.code;
    // Who has seen some of a stream has had its head too, with 200.
    if (!request.facts.stream || firstContentMs === null) other.status = error.relayStatus;
  }
  if (streamEnd) other.stream_end = streamEnd;
  // What of the request the upstream's wire had no word for, or was not to be asked.
  if (dropped && dropped.length > 0) other.lost = [...dropped];
  if (candidate.channel.ownKey) Object.assign(other, ownKeyRecord(candidate.channel.ownKey));
  other.admin_info = adminInfo(call, candidate, answer.converted?.to);
  // Only these are words of others; to weigh each row of a usual call would take as long as to write it.
  const words = request.facts.noted ?? answer.noted ?? dropped?.[0] ?? call.failed[0];
  if (words === undefined) return other;
  return fitting(other, priceRecord(quote, usage, countedCalls(quote, answer.calls)));
}

/** Charges a call of a tool service that answered well; resolves when the answer may be shown. */
export async function settleTool(call: Call, deps: RelayDeps): Promise<Settled> {
  const { request, caller, quote } = call;
  const usage = noUsage();
  const price = priceRecord(quote, usage, 1);
  call.ticket.answered(0);
  const settled = await settle(call, deps, {
    ...rowOf(call),
    type: LOG_TYPE.consumption,
    charge: quotaOf(quote, usage),
    unlogged: isUnlogged(deps),
    channelId: 0,
    promptTokens: 0,
    completionTokens: 0,
    other: fitting(
      {
        ...price,
        ...request.facts.noted,
        ...appRecord(caller),
        frt: Math.round(elapsedMs(request)),
      },
      price,
    ),
  });
  request.ended({ status: 200, userId: caller.userId, tokenId: caller.tokenId, quota: settled.paid });
  return settled;
}

/** The operator may want no rows of charged calls. */
const isUnlogged = ({ options }: RelayDeps): true | undefined =>
  options.get('LogConsumeEnabled') ? undefined : true;

/** Of a price by the month what each tier charges and how its row tells it: the settlement knows which it is. */
function monthTiers(quote: Quote, usage: Usage, calls: number): MonthTier[] | undefined {
  const tiers = quotesByMonth(quote);
  if (tiers.length === 0) return undefined;
  return tiers.map(({ upTo, quote: each }) => ({
    up_to: upTo,
    charge: quotaOf(each, usage, calls),
    other: priceRecord(each, usage, calls),
  }));
}

/** Gives everything back for a call that came to nothing. The log says why, beside the money. */
export async function settleFailure(
  call: Call,
  error: AppError,
  deps: RelayDeps,
  streamEnd: StreamEnd | null = null,
): Promise<void> {
  const last = call.failed.at(-1)?.candidate;
  const channelId = last ? loggedId(last.channel) : 0;
  call.ticket.failed();
  await settle(call, deps, {
    ...rowOf(call),
    type: LOG_TYPE.system,
    charge: 0,
    unlogged: true,
    channelId,
    promptTokens: 0,
    completionTokens: 0,
    other: {},
  });
  call.request.ended({
    status: error.relayStatus,
    code: error.detail.upstream?.code ?? error.code,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    channelId,
    ...(last && supplierOf(last)),
    ...(streamEnd ? { streamEnd } : {}),
    failure: { error, adminInfo: adminInfo(call, null) },
  });
}

/** From here on it is the settlement's matter, also when it fails. */
function settle(call: Call, { billing }: RelayDeps, settlement: Settlement): Promise<Settled> {
  call.isSettled = true;
  return billing.settle(settlement);
}

function rowOf({ request, caller, quote }: Call) {
  return {
    id: request.id,
    modelName: request.facts.model,
    sold: quote.sold,
    useTimeSec: Math.round(elapsedMs(request) / 1000),
    isStream: request.facts.stream,
    username: caller.username,
    tokenName: caller.tokenName,
    groupName: caller.group,
    ip: request.ip,
    content: '',
  } satisfies Partial<Settlement>;
}

/** The effort that the model's name asked for. */
function effortOf(name: string): string | undefined {
  const wish = variantOf(name)?.wish;
  return wish && 'effort' in wish ? wish.effort : undefined;
}

const OWN_KEY: Text = {
  zh: '使用用户自己的密钥调用供应商 {supplier}',
  en: 'Called with the user’s own key at {supplier}',
};

/** That it was the caller's own key, in words for every reader of the row, and at which supplier. */
const ownKeyRecord = ({ supplier }: OwnKeyPlace): JsonObject => ({
  byok: true,
  supplier,
  text: { ...filled(OWN_KEY, { supplier: asIs(supplier) }) },
});

const supplierOf = ({ channel: { ownKey } }: Candidate): Pick<CallEnd, 'supplier'> =>
  ownKey ? { supplier: ownKey.supplier } : {};

/** Only administrators see which channels were asked, and in which dialect. */
function adminInfo({ failed }: Call, answered: Candidate | null, convertedTo?: string): JsonObject {
  const asked: string[] = [];
  for (const { candidate } of failed) asked.push(String(loggedId(candidate.channel)));
  if (answered) asked.push(String(loggedId(answered.channel)));
  const info: JsonObject = { use_channel: asked };
  // The cost price of the channel that answered, as it is now.
  const ratio = answered?.channel.setting.costRatio;
  if (ratio !== undefined) info.cost_ratio = ratio;
  if (convertedTo !== undefined) info.converted_to = convertedTo;
  if (failed.length > 0) {
    info.attempts = failed.map(({ candidate, failure, ms }) => ({
      channel: loggedId(candidate.channel),
      key: loggedId(candidate.key),
      status: failure.status,
      blame: failure.blame,
      ms: Math.round(ms),
      reason: keptReason(failure.reason),
    }));
  }
  return info;
}
