/** One call to one channel. It answers what came of it and never throws for an upstream's fault. */
import { AppError, fail } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import type { ReplyFacts } from '../dialects/dialect.ts';
import { type Passage, type StreamPassage, samePassage } from '../dialects/passage.ts';
import { PROTECTED_FIELDS } from '../modules/channel/fields.ts';
import type { RoutedChannel } from '../modules/channel/model.ts';
import { failpoint } from '../platform/failpoint.ts';
import { OutgoingError } from '../platform/outgoing.ts';
import { countAttempt } from '../platform/request-figures.ts';
import type { Provider, UpstreamCall, UpstreamRequest } from '../providers/provider.ts';
import { findProvider } from '../providers/registry.ts';
import { readBounded } from './body.ts';
import type { Candidate } from './candidates.ts';
import { Deadlines } from './deadlines.ts';
import type { RelayDeps } from './deps.ts';
import { ConnectTimeout } from './dial.ts';
import { StreamMeter } from './meter.ts';
import {
  type Failure,
  failureOfAnswer,
  failureOfStatus,
  failureOfTransport,
  type TransportFault,
} from './outcome.ts';
import { Pump } from './pump.ts';
import { elapsedMs, type RelayRequest } from './request.ts';

interface Answer {
  candidate: Candidate;
  /** The upstream's name of the model. */
  model: string;
}

/** A whole answer, its text in the caller's dialect. */
export interface PlainAnswer extends Answer {
  kind: 'plain';
  facts: ReplyFacts;
  text: string;
}

/** A stream that has begun. */
export interface StreamAnswer extends Answer {
  kind: 'stream';
  pump: Pump;
  passage: StreamPassage;
  meter: StreamMeter;
}

/** The caller had gone, and nothing had been produced for him. */
export interface Left {
  kind: 'left';
}

export type Outcome = PlainAnswer | StreamAnswer | Failure | Left;

/** The way from the caller's dialect to one that the provider speaks; null when there is none. */
const passageTo = (provider: Provider, { operation, dialect }: RelayRequest): Passage | null =>
  provider.speaks[operation]?.includes(dialect) ? samePassage(dialect) : null;

/** Four bytes a token is about right for most texts; the bound of the reservation would keep callers out for nothing. */
const roughTokens = ({ facts }: RelayRequest): number => Math.ceil(facts.prompt.textBytes / 4);

/** True when the channel's provider serves this operation in a dialect that the caller's can become. */
export function speaks(channel: RoutedChannel, request: RelayRequest): boolean {
  const provider = findProvider(channel.type);
  return provider !== undefined && passageTo(provider, request) !== null;
}

/** True when the channel can be asked for this. */
export const serves = (channel: RoutedChannel, request: RelayRequest): boolean =>
  speaks(channel, request) &&
  (channel.maxInputTokens === 0 || roughTokens(request) <= channel.maxInputTokens);

/** Names come from callers: `constructor` must not find what every object has. */
const upstreamModel = ({ modelMapping }: RoutedChannel, model: string): string =>
  (Object.hasOwn(modelMapping, model) ? modelMapping[model] : undefined) ?? model;

interface Prepared extends Answer {
  provider: Provider;
  passage: Passage;
  upstream: UpstreamRequest;
  /** The channel's address, its provider's when it has none. */
  baseUrl: string;
}

/** What must not be seen of the channel in an upstream's words. */
const hiddenOf = ({ candidate, baseUrl }: Prepared): string[] => [
  candidate.key.value,
  ...(URL.canParse(baseUrl) ? [new URL(baseUrl).hostname] : []),
];

export async function attempt(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
): Promise<Outcome> {
  const prepared = await prepare(request, candidate, deps);
  if ('kind' in prepared) return prepared;
  if (request.left.aborted) return { kind: 'left' };
  const startedAt = performance.now();
  const outcome = await (request.facts.stream ? openStream : callPlain)(request, prepared, deps);
  countAttempt(deps.metrics, candidate.channel.id, outcome.kind, (performance.now() - startedAt) / 1000);
  return outcome.kind === 'failed' ? withMappedStatus(outcome, candidate.channel) : outcome;
}

/** What upstreams may know of who calls. */
export const siteOf = ({ options, env }: Pick<RelayDeps, 'options' | 'env'>) => ({
  name: options.get('SystemName'),
  address: env.SERVER_ADDRESS || options.get('ServerAddress'),
});

/** The upstream's address, headers and body; a failure when the provider cannot make them (a key it cannot use). */
async function prepare(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
): Promise<Prepared | Failure> {
  const { channel, key } = candidate;
  const provider = findProvider(channel.type);
  const passage = provider && passageTo(provider, request);
  if (!provider || !passage) return failureOfTransport('unserved');
  const model = upstreamModel(channel, request.facts.model);
  const baseUrl = channel.baseUrl || provider.baseUrl || '';
  const call: Omit<UpstreamCall, 'body'> = {
    operation: request.operation,
    dialect: passage.upstream,
    channel: {
      id: channel.id,
      baseUrl,
      key: key.value,
      organization: channel.organization,
      other: channel.other,
      site: siteOf(deps),
    },
    model,
    stream: request.facts.stream,
    query: request.query,
    headers: request.headers,
  };
  try {
    const body = JSON.stringify(bodyFor(request, channel, provider, passage, call));
    const upstream = await provider.prepare({ ...call, body });
    const headers = { ...upstream.headers, ...channel.setting.headers };
    return {
      candidate,
      provider,
      passage,
      model,
      upstream: { body, ...upstream, headers },
      baseUrl,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') {
      return { ...failureOfTransport('unserved'), error, retryable: false };
    }
    return failureOfTransport('connect', error);
  }
}

/** Looked at here too, because rows may be older than the form's rule. */
const PROTECTED: ReadonlySet<string> = new Set(PROTECTED_FIELDS);

function bodyFor(
  request: RelayRequest,
  channel: RoutedChannel,
  provider: Provider,
  passage: Passage,
  call: Omit<UpstreamCall, 'body'>,
): JsonObject {
  const { systemPrompt, systemPromptOverride } = channel.setting;
  const told =
    systemPrompt === ''
      ? request.body
      : request.dialect.addSystem(request.body, systemPrompt, systemPromptOverride);
  const forwarded = passage.request(told, {
    model: call.model,
    stream: call.stream,
    askUsage: provider.streamUsage,
  });
  const body = provider.adjustBody?.(forwarded, call) ?? forwarded;
  for (const [field, value] of Object.entries(channel.paramOverride ?? {})) {
    if (!PROTECTED.has(field)) body[field] = value;
  }
  return body;
}

const seconds = (option: number): number => option * 1000;

function deadlinesOf({ setting }: RoutedChannel, request: RelayRequest, { options }: RelayDeps) {
  const own = setting.deadlines;
  const totalMs = own.totalMs ?? seconds(options.get('RelayTotalTimeout'));
  return {
    connectMs: own.connectMs ?? seconds(options.get('RelayConnectTimeout')),
    firstContentMs: own.firstContentMs ?? seconds(options.get('RelayFirstContentTimeout')),
    idleMs: own.idleMs ?? seconds(options.get('RelayIdleTimeout')),
    /** What is left of the whole call's time. */
    totalMs: Math.max(totalMs - elapsedMs(request), 0),
  };
}

async function callPlain(request: RelayRequest, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  const { channel } = prepared.candidate;
  const { connectMs, totalMs } = deadlinesOf(channel, request, deps);
  const abort = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort.abort();
  }, totalMs);
  const uncut = deps.cut.onCut(() => abort.abort());
  try {
    const response = await send(prepared, { connectMs, signal: abort.signal }, deps);
    if (!response.ok) return await failureOf(response, prepared);
    return readPlain(await readBounded(response, limits.upstreamPlainBytes), prepared);
  } catch (error) {
    // The grace of a stop is over: nobody is asked any more.
    if (deps.stopping.signal.aborted) return stopped();
    return failureOfError(error, isLate);
  } finally {
    clearTimeout(timer);
    uncut();
  }
}

function readPlain(text: string, prepared: Prepared): Outcome {
  const body = parseJson(text);
  if (body === undefined) return failureOfTransport(text.trim() === '' ? 'empty' : 'malformed');
  const answer = prepared.passage.reply(text, body);
  const { error } = answer.facts;
  if (error) return failureOfAnswer(error, hiddenOf(prepared));
  if (answer.facts.usage) failpoint('at_usage');
  return { kind: 'plain', ...answer, candidate: prepared.candidate, model: prepared.model };
}

async function openStream(request: RelayRequest, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  const { channel } = prepared.candidate;
  const { connectMs, firstContentMs, idleMs, totalMs } = deadlinesOf(channel, request, deps);
  const abort = new AbortController();
  let pump: Pump | null = null;
  let isLate = false;
  const deadlines = new Deadlines(totalMs, firstContentMs, () => {
    isLate = true;
    if (pump) pump.expire();
    else abort.abort();
  });
  const drainMs = seconds(deps.options.get('DrainSeconds'));
  const stay = leaveWhile(request.left, drainMs, abort);
  const uncut = deps.cut.onCut(() => (pump ? pump.stop('timeout') : abort.abort()));
  try {
    const response = await send(prepared, { connectMs, signal: abort.signal }, deps);
    if (!response.ok) return await failureOf(response, prepared);
    if (!isStream(response) || !response.body) {
      const whole = readPlain(await readBounded(response, limits.upstreamPlainBytes), prepared);
      return whole.kind === 'failed' ? whole : failureOfTransport('malformed');
    }
    const passage = prepared.passage.stream(request.facts);
    const { outputCap, choices } = request.facts;
    const meter = new StreamMeter(outputCap === null ? null : outputCap * choices);
    pump = new Pump({
      body: response.body,
      passage,
      meter,
      deadlines,
      abort,
      left: request.left,
      drains: deps.drains,
      drainMs,
      idleMs,
      startedAt: request.startedAt,
    });
    stay();
    const failure = await pump.opened;
    if (!failure) {
      return { kind: 'stream', pump, passage, meter, candidate: prepared.candidate, model: prepared.model };
    }
    if (deps.stopping.signal.aborted) return stopped();
    if (failure.kind === 'left') return { kind: 'left' };
    if (failure.kind === 'error') return failureOfAnswer(failure.error, hiddenOf(prepared));
    return failureOfTransport(failure.kind === 'timeout' ? 'timeout' : 'empty');
  } catch (error) {
    if (deps.stopping.signal.aborted) return stopped();
    return request.left.aborted && !isLate ? { kind: 'left' } : failureOfError(error, isLate);
  } finally {
    stay();
    uncut();
    if (!pump) deadlines.stop();
  }
}

/** Cancels a call whose caller has left, as late as the true usage is worth waiting for; the answer ends that. */
function leaveWhile(left: AbortSignal, drainMs: number, abort: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onLeft = () => {
    timer = setTimeout(() => abort.abort(), drainMs);
  };
  left.addEventListener('abort', onLeft);
  return () => {
    left.removeEventListener('abort', onLeft);
    clearTimeout(timer);
  };
}

/** Some upstreams forget the type of their streams, so that only what is surely something else counts as such. */
const isStream = ({ headers }: Response): boolean => !/json|html/i.test(headers.get('content-type') ?? '');

/** A connection that was kept open may have been closed at the other end meanwhile; that says nothing about the upstream. */
const isReset = (error: unknown): boolean => codeOf(error) === 'ECONNRESET';

async function send(
  { upstream, candidate }: Prepared,
  route: { connectMs: number; signal: AbortSignal },
  { dialer }: RelayDeps,
): Promise<Response> {
  const to = { ...route, channel: candidate.channel };
  const response = await dialer.open(upstream, to).catch((error: unknown) => {
    if (!isReset(error) || route.signal.aborted) throw error;
    return dialer.open(upstream, to);
  });
  failpoint('upstream_headers');
  return response;
}

async function failureOf(response: Response, prepared: Prepared): Promise<Failure> {
  const text = await readBounded(response, limits.upstreamErrorBytes).catch(() => '');
  const retryAfter = response.headers.get('retry-after');
  return failureOfStatus(response.status, text, prepared.provider, retryAfter, hiddenOf(prepared));
}

const stopped = (): Failure => ({
  ...failureOfTransport('connect'),
  error: fail('stopping', { retryAfterSec: 5 }),
  retryable: false,
});

function failureOfError(error: unknown, isLate: boolean): Failure {
  if (error instanceof AppError) return { ...failureOfTransport('malformed'), error };
  return failureOfTransport(isLate ? 'timeout' : faultOf(error), error);
}

function faultOf(error: unknown): Exclude<TransportFault, 'error-in-answer'> {
  if (error instanceof ConnectTimeout) return 'connect-timeout';
  if (error instanceof OutgoingError) return error.fault === 'unresolvable' ? 'connect' : 'refused';
  return isReset(error) ? 'reset' : 'connect';
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The channel's own mapping changes what the caller sees and nothing else; a failure never becomes a success. */
function withMappedStatus(failure: Failure, { statusCodeMapping }: RoutedChannel): Failure {
  const key = String(failure.status);
  const status = Object.hasOwn(statusCodeMapping, key) ? statusCodeMapping[key] : undefined;
  if (status === undefined || status < 400 || status > 599) return failure;
  const { code, detail } = failure.error;
  return { ...failure, error: fail(code, { ...detail, status }) };
}
