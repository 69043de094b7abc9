/** What goes up in one try: the upstream's address, headers and body, and how its answer is to be read. */
import { AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isClosedGpt, plainName } from '../../core/model-families.ts';
import type { CacheLife } from '../../core/price-bound.ts';
import { asIs } from '../../core/text.ts';
import { isSameHost } from '../../core/url-path.ts';
import { sureOf } from '../../dialects/asked-tools.ts';
import { longestLife } from '../../dialects/cache-life.ts';
import { editsOf } from '../../dialects/edits.ts';
import { summedUpBefore } from '../../dialects/summed-up.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import { publicAddress } from '../../options/public-address.ts';
import { TokenRefused, type UpstreamCall, type UpstreamRequest } from '../../providers/provider.ts';
import { addressAt, findProvider } from '../../providers/registry.ts';
import { thinkerOf } from '../charge/thinking.ts';
import type { RelayDeps } from '../deps.ts';
import { asReadBy, type RelayRequest } from '../request.ts';
import { countedForm } from './body/media.ts';
import { modelOptions } from './body/model-options.ts';
import { overridden } from './body/override.ts';
import { wayOf, writtenIn } from './body/passages.ts';
import { soldAt, withoutSurcharges } from './body/surcharge.ts';
import { type BodyWay, upstreamBody } from './body/upstream-body.ts';
import { writtenBody } from './body/written-body.ts';
import { type Failure, failureOfToken, failureOfTransport } from './outcome.ts';
import type { Prepared } from './prepared.ts';
import { ownMarks, sealMarks } from './seal-marks.ts';
import { failureOfError } from './transport-fault.ts';
import { vendorCall } from './vendor.ts';

/** What upstreams may know of who calls. */
export const siteOf = (deps: Pick<RelayDeps, 'options' | 'env'>) => ({
  name: deps.options.get('SystemName'),
  address: publicAddress(deps),
});

/** Requests whose reasoning an upstream could not open. */
const unopened = new WeakSet<RelayRequest>();

/** From here on it is asked without the reasoning that it brings back: who could not open it is one of several. */
export const leaveReasoningOut = (request: RelayRequest): void => void unopened.add(request);

/** The upstream's address, headers and body; a failure when the provider cannot make them (a key it cannot use). */
export async function prepare(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
): Promise<Prepared | Failure> {
  const way = wayTo(candidate, request, deps);
  if (!way) return failureOfTransport('unserved');
  try {
    return await preparedFor(way, candidate, deps);
  } catch (error) {
    return failureToPrepare(error, way, candidate);
  }
}

/** The way of a request to this candidate; null when there is none. */
function wayTo(candidate: Candidate, request: RelayRequest, deps: RelayDeps): BodyWay | null {
  const { channel, key } = candidate;
  const provider = findProvider(channel.type);
  const rules = modelOptions(deps.options);
  const { model, variant } = rules.upstreamOf(channel, request.facts.model);
  const markOf = sealMarks(candidate, model, deps);
  const asked = { channel, key: key.value, model, variant, markOf };
  const way = provider && wayOf({ provider, ...asked }, request, deps.options);
  if (!provider || !way) return null;
  const { passage, asItCame, overrides, effort } = way;
  const settings = asItCame ? rules.bareSettings : rules.settings;
  const wish = variant && { wish: variant.wish, share: rules.thinkingShare };
  const target = { provider, dialect: passage.upstream, model, effort, settings, overrides };
  const said = { request, asRead: asReadBy(request, { converted: passage.converted, model, channel }) };
  const call = callTo(candidate, said.asRead, target, deps);
  const leavesReasoning = unopened.has(request);
  const seals = request.sealedBy && { by: request.sealedBy, own: ownMarks(candidate, model, deps) };
  return { ...said, channel, provider, passage, call, asItCame, overrides, wish, leavesReasoning, seals };
}

/** What providers are told of a call before its body is made. */
function callTo(
  { channel, key }: Candidate,
  request: RelayRequest,
  target: Pick<BodyWay, 'provider' | 'overrides'> &
    Pick<UpstreamCall, 'dialect' | 'model' | 'effort' | 'settings'>,
  deps: RelayDeps,
): BodyWay['call'] {
  const { provider, dialect, model, effort, settings } = target;
  const { operation, facts, query, headers, body, upload } = request;
  return {
    operation,
    dialect,
    channel: {
      id: channel.id,
      baseUrl: addressAt(provider, channel.baseUrl),
      key: key.value,
      organization: channel.organization,
      other: channel.other,
      site: siteOf(deps),
    },
    model,
    requested: facts.model,
    effort,
    stream: provider.streamOnly === true || (facts.stream && !provider.plainOnly),
    query,
    headers,
    settings,
    http: vendorCall(channel, deps),
    asked: upload ? askedByForm(request, channel, target, deps) : body,
    askedIn: request.dialect.id,
    form: upload ? countedForm(upload, request, deps) : null,
  };
}

/** Of a form nothing else goes to vendors that want it otherwise. */
function askedByForm(
  request: RelayRequest,
  channel: RoutedChannel,
  { provider, overrides }: Pick<BodyWay, 'provider' | 'overrides'>,
  { options }: RelayDeps,
) {
  const body = channel.setting.allowSurcharges
    ? request.body
    : withoutSurcharges(request.body, request, soldAt(provider, channel, options)).body;
  return overrides ? overridden({ ...body }, overrides) : body;
}

async function preparedFor(way: BodyWay, candidate: Candidate, deps: RelayDeps): Promise<Prepared> {
  const { request, channel, provider, passage, call } = way;
  const draft = await upstreamBody(way, deps);
  const { body: made, form, dropped, paid, held, bringsReasoning, containers } = draft;
  const isConverted = passage.converted !== undefined;
  const body = form ? '' : writtenBody(draft, { request, isConverted }, deps);
  const whole: UpstreamCall = { ...call, body };
  const upstream = await provider.prepare(whole);
  checkStays(upstream, channel);
  const sent = upstream.body === undefined ? form : undefined;
  const headers = Object.assign({ ...upstream.headers }, channel.setting.headers, sent?.headers);
  const finish = provider.finish?.[request.operation];
  if (finish) checkWhole(request);
  return {
    candidate,
    asRead: way.asRead,
    provider,
    passage,
    model: call.model,
    thinker: thinkerOf({ channel, requested: call.requested, model: call.model, variant: way.wish }),
    dropped: [...(request.dropped ?? []), ...dropped],
    upstream: { body, ...upstream, headers },
    paid,
    held,
    bringsReasoning,
    standing: containers,
    summedUpBefore: summedUpBefore(made),
    sealMarks: way.seals?.own,
    foretells: writtenIn(provider, passage)?.foretells?.(made) ?? false,
    edits: editsOf(made),
    cacheLife: cacheLifeOf(request, call, made),
    form: sent,
    finish: finish && ((answer, ask) => finish(answer, whole, ask)),
  };
}

/** A vendor whose answer is told in OpenAI's words speaks all at once, and knows no events. Throws `invalid_request`. */
function checkWhole({ operation, facts }: RelayRequest): void {
  if (operation !== 'speech' || facts.bytesOut) return;
  throw fail('invalid_request', {
    field: 'stream_format',
    params: { reason: { zh: '此渠道的语音没有事件流', en: 'this upstream has no events of speech' } },
  });
}

/** As it was measured, but that other wires may have left out what was to be kept longer, and models may know none of it. */
function cacheLifeOf(
  { facts: { prompt } }: RelayRequest,
  { model, requested }: BodyWay['call'],
  made: JsonObject,
): CacheLife | undefined {
  if (prompt.cacheMarks !== 'hour') return prompt.cacheMarks;
  const isOpenAis = sureOf([model, requested]).some((name) => isClosedGpt(plainName(name)));
  return longestLife(made, isOpenAis ? 'of-openai' : 'any');
}

/** A caller's own key goes to the host that he has given it for, though a vendor has others. Throws `own_key_elsewhere`. */
function checkStays({ url }: UpstreamRequest, { ownKey, baseUrl }: RoutedChannel): void {
  if (ownKey && !isSameHost(url, baseUrl))
    throw fail('own_key_elsewhere', { params: { supplier: asIs(ownKey.supplier) } });
}

/** What another one may have a word for, or fewer words. */
const OF_ITS_WORDS = new Set(['invalid_request', 'own_key_elsewhere', 'body_too_large']);
/** What no other channel would change: this process has no room, the caller has as much in a line as he may, or has gone. */
const OF_NO_CHANNEL = new Set(['OVERLOADED', 'RATE_LIMIT', 'client_gone']);

function failureToPrepare(error: unknown, { provider }: BodyWay, { key }: Candidate): Failure {
  if (error instanceof AppError && OF_NO_CHANNEL.has(error.code)) throw error;
  if (error instanceof AppError && OF_ITS_WORDS.has(error.code)) {
    return { ...failureOfTransport('unserved'), error };
  }
  if (error instanceof TokenRefused) return failureOfToken(error, provider, key.value);
  return failureOfError(error, false);
}
