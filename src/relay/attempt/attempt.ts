/** One call to one channel. It answers what came of it and never throws for an upstream's fault. */
import { fail } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { own } from '../../core/own.ts';
import type { PaidTools } from '../../core/paid-tools.ts';
import type { ToolUses } from '../../core/price-formula.ts';
import type { Usage } from '../../core/usage.ts';
import type { ReplyFacts } from '../../dialects/dialect.ts';
import { isJson, JoinedStream, type Joiner, type Splitter, splitterFor } from '../../dialects/framing.ts';
import type { Collector, Converted, Passage, PassedReply, StreamPassage } from '../../dialects/passage.ts';
import { ByteSplitter } from '../../dialects/plain/byte-stream.ts';
import { realtimeHeaders } from '../../dialects/plain/openai-realtime.ts';
import { ToolCounter, toolUsesIn } from '../../dialects/tool-uses.ts';
import type { Candidate, RoutedChannel } from '../../modules/channel/model.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import { countAttempt } from '../../platform/request-figures.ts';
import { findProvider } from '../../providers/registry.ts';
import { Drain } from '../answer/drain.ts';
import { StreamMeter } from '../answer/meter.ts';
import { Pump } from '../answer/pump.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs, type RelayRequest } from '../request.ts';
import { judged } from './account-words.ts';
import { Deadlines } from './deadlines.ts';
import { type Failure, failureOfAnswer, failureOfStatus, failureOfTransport } from './outcome.ts';
import { isServed } from './passages.ts';
import { hiddenOf, type Prepared, prepare } from './prepare.ts';
import type { UpstreamSocket } from './socket.ts';
import { failureOfError, transportFaultOf } from './transport-fault.ts';
import { asker } from './vendor.ts';

interface Answer {
  candidate: Candidate;
  /** The upstream's name of the model. */
  model: string;
  /** Set where request and answer were written anew. */
  converted: Converted | null;
  /** Names of what of the request was left out. */
  lost: readonly string[];
  /** The paid tools that it could set off. */
  paid: PaidTools;
  /** What must not be seen of the channel in the upstream's words. */
  hidden(): readonly string[];
}

/** A whole answer, its text in the caller's dialect. */
export interface PlainAnswer extends Answer {
  kind: 'plain';
  facts: ReplyFacts;
  text: string;
  contentType: string;
  /** How often tools of the upstream were used in it. */
  tools?: ToolUses;
  /** The text with usage that was counted here. */
  counted?(usage: Usage): string;
}

/** A stream that has begun. */
export interface StreamAnswer extends Answer {
  kind: 'stream';
  pump: Pump;
  passage: StreamPassage;
  meter: StreamMeter;
  /** Counts the uses of the upstream's tools; absent where none can run. */
  tools?: ToolCounter;
  /** The framing of what comes after the passage has ended. */
  joiner: Joiner | null;
  /** The upstream's own, of an answer of bytes. */
  contentType?: string;
}

/** The caller had gone, and nothing had been produced for him. */
export interface Left {
  kind: 'left';
  /** What the upstream had told of the prompt by then: it has been paid for. */
  told?: Answer & { usage: Usage };
}

/** A websocket that is open at the upstream. */
export interface SocketAnswer extends Answer {
  kind: 'socket';
  socket: UpstreamSocket;
}

export type Outcome = PlainAnswer | StreamAnswer | SocketAnswer | Failure | Left;

/** Four bytes a token is about right for most texts; the bound of the reservation would keep callers out for nothing. */
const roughTokens = ({ facts: { prompt } }: RelayRequest): number =>
  Math.ceil((prompt.textBytes + prompt.toolBytes) / 4);

/** True when the channel's provider serves this operation in a dialect that the caller's can become. */
export function speaks(channel: RoutedChannel, request: RelayRequest): boolean {
  const provider = findProvider(channel.type);
  return provider !== undefined && isServed(provider, request);
}

/** True when the channel can be asked for this. */
export const serves = (channel: RoutedChannel, request: RelayRequest): boolean =>
  speaks(channel, request) && hasRoom(channel, request);

/** True when the prompt is none that its operator keeps from the channel for its length. */
export const hasRoom = ({ maxInputTokens }: RoutedChannel, request: RelayRequest): boolean =>
  maxInputTokens === 0 || roughTokens(request) <= maxInputTokens;

/** Holds quota for the paid tools of what is about to go up; false when there is not enough. */
export type HoldTools = (held: PaidTools) => Promise<boolean>;

/** Nothing is held for a call that nobody pays for: a test, a count. */
const forNobody: HoldTools = async () => true;

export async function attempt(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  hold: HoldTools = forNobody,
): Promise<Outcome> {
  const outcome = await attemptOnce(request, candidate, deps, hold);
  const isRefused = outcome.kind === 'failed' && outcome.status === 401;
  // A token of the key's may have been taken back before its time: with a new one it may go better.
  const isStale = isRefused && findProvider(candidate.channel.type)?.forget?.(candidate.key.value);
  const last = isStale ? await attemptOnce(request, candidate, deps, hold) : outcome;
  if (last.kind !== 'failed') return last;
  return withMappedStatus(judged(last, request, deps), candidate.channel);
}

async function attemptOnce(
  request: RelayRequest,
  candidate: Candidate,
  deps: RelayDeps,
  hold: HoldTools,
): Promise<Outcome> {
  const prepared = await prepare(request, candidate, deps);
  // The grace of a stop is over: nobody is asked any more.
  if (deps.stopping.signal.aborted) return stopped();
  if ('kind' in prepared) return prepared;
  if (!(await hold(prepared.held))) return unaffordable();
  if (request.left.aborted) return { kind: 'left' };
  const startedAt = performance.now();
  const way = request.upgrade ? openSession : request.facts.stream ? openStream : callPlain;
  const outcome = await way(request, prepared, deps);
  countAttempt(deps.metrics, candidate.channel.id, outcome.kind, (performance.now() - startedAt) / 1000);
  if (outcome.kind !== 'failed') return outcome;
  return prepared.passage.converted ? inCallersWords(outcome) : outcome;
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
    if (!response.ok) return await failureOf(response, prepared, deps);
    const collector = isEventStream(response) ? prepared.passage.collect?.() : undefined;
    if (collector) return await collectPlain(response, prepared, collector);
    return readPlain(await readWhole(response, limits.upstreamPlainBytes, deps), prepared);
  } catch (error) {
    if (deps.stopping.signal.aborted) return stopped();
    return failureOfError(error, isLate);
  } finally {
    clearTimeout(timer);
    uncut();
  }
}

function readPlain(text: string, prepared: Prepared): Outcome {
  const body = parseJson(text);
  const { provider, passage } = prepared;
  if (body === undefined) return readText(text, prepared);
  const told = provider.readAnswerError?.(body);
  if (told) return failureOfAnswer({ ...told.error, status: told.status }, hiddenOf(prepared));
  const tools = hasPaid(prepared) ? toolUsesIn(body) : {};
  return withTools(plainOutcome(passage.reply(text, body), prepared), tools);
}

const hasPaid = ({ paid }: Prepared): boolean => paid.tools.length > 0;

const withTools = (outcome: Outcome, tools: ToolUses): Outcome =>
  outcome.kind === 'plain' ? { ...outcome, tools } : outcome;

/** An answer that is no JSON: subtitles, where they were asked for; anything else is a mistake. */
function readText(text: string, prepared: Prepared): Outcome {
  const isText = text.trim() !== '' && !text.trimStart().startsWith('<');
  const { passage } = prepared;
  const facts = isText ? passage.upstream.readText?.(text) : undefined;
  const shown = passage.text?.(text) ?? text;
  if (facts) return plainOutcome({ facts, text: shown }, prepared, 'text/plain; charset=utf-8');
  return failureOfTransport(text.trim() === '' ? 'empty' : 'malformed');
}

const placeOf = (prepared: Prepared): Answer => ({
  candidate: prepared.candidate,
  model: prepared.model,
  converted: prepared.passage.converted ?? null,
  lost: [...new Set([...prepared.dropped, ...(prepared.passage.converted?.lost ?? [])])],
  paid: prepared.paid,
  hidden: () => hiddenOf(prepared),
});

function plainOutcome(answer: PassedReply, prepared: Prepared, contentType = 'application/json'): Outcome {
  const { error, usage } = answer.facts;
  if (error) return failureOfAnswer(error, hiddenOf(prepared));
  if (usage) failpoint('at_usage');
  return { kind: 'plain', ...answer, contentType, ...placeOf(prepared) };
}

const isEventStream = ({ headers }: Response): boolean =>
  /event-?stream/i.test(headers.get('content-type') ?? '');

/** A whole answer from an upstream that streams it. */
async function collectPlain(response: Response, prepared: Prepared, collector: Collector): Promise<Outcome> {
  const splitter = splitterFor(response.headers.get('content-type') ?? '');
  const tools = hasPaid(prepared) ? new ToolCounter() : undefined;
  const fault = (frames: readonly Uint8Array[]): Failure | null => {
    for (const frame of frames) {
      tools?.look(frame);
      const error = collector.push(frame);
      if (error) return failureOfAnswer(error, hiddenOf(prepared));
    }
    return null;
  };
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > limits.upstreamPlainBytes) return failureOfTransport('malformed');
    const failure = fault(splitter.push(part));
    if (failure) return failure;
  }
  const failure = fault(splitter.end());
  if (failure) return failure;
  const answer = collector.end();
  return answer ? withTools(plainOutcome(answer, prepared), tools?.uses ?? {}) : failureOfTransport('empty');
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
  const drain = new Drain(deps.drains, seconds(deps.options.get('DrainSeconds')));
  const stay = leaveWhile(request.left, drain, abort);
  const uncut = deps.cut.onCut(() => (pump ? pump.stop('timeout') : abort.abort()));
  try {
    const response = await send(prepared, { connectMs, signal: abort.signal }, deps);
    if (!response.ok) return await failureOf(response, prepared, deps);
    const stream = streamOf(response, prepared.passage, request);
    if (!stream || !response.body) {
      const whole = readPlain(await readWhole(response, limits.upstreamPlainBytes, deps), prepared);
      const isFine = whole.kind === 'failed' || request.dialect.wholeForStream;
      return isFine ? whole : failureOfTransport('malformed');
    }
    const { passage, splitter, joiner, contentType } = stream;
    const { outputCap, choices } = request.facts;
    const meter = new StreamMeter(outputCap === null ? null : outputCap * choices);
    const tools = hasPaid(prepared) ? new ToolCounter() : undefined;
    pump = new Pump({
      body: response.body,
      splitter,
      passage,
      meter,
      tools,
      deadlines,
      abort,
      left: request.left,
      drain,
      idleMs,
      startedAt: request.startedAt,
    });
    stay();
    const failure = await pump.opened;
    if (!failure) {
      void pump.ended.then(({ end }) => end === 'done' && deps.dialer.wasRead(response));
      return { kind: 'stream', pump, passage, meter, tools, joiner, contentType, ...placeOf(prepared) };
    }
    if (deps.stopping.signal.aborted) return stopped();
    if (failure.kind === 'left') {
      const usage = (await pump.ended).usage ?? passage.promptUsage ?? null;
      return usage ? { kind: 'left', told: { usage, ...placeOf(prepared) } } : { kind: 'left' };
    }
    if (failure.kind === 'error') return failureOfAnswer(failure.error, hiddenOf(prepared));
    if (failure.kind === 'timeout') return failureOfTransport('timeout');
    const fault = transportFaultOf(failure.cause);
    return fault ? failureOfError(failure.cause, false) : failureOfTransport('empty');
  } catch (error) {
    if (deps.stopping.signal.aborted) return stopped();
    return request.left.aborted && !isLate ? { kind: 'left' } : failureOfError(error, isLate);
  } finally {
    stay();
    uncut();
    if (!pump) {
      deadlines.stop();
      drain.end();
    }
  }
}

async function openSession(request: RelayRequest, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  const { candidate, provider, upstream } = prepared;
  const { connectMs, firstContentMs } = deadlinesOf(candidate.channel, request, deps);
  const abort = new AbortController();
  const end = () => abort.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, firstContentMs);
  request.left.addEventListener('abort', end);
  const uncut = deps.cut.onCut(end);
  const { 'content-type': _, accept: __, ...own } = upstream.headers;
  const headers = { ...own, ...realtimeHeaders(request.headers) };
  try {
    const route = { connectMs, signal: abort.signal, channel: candidate.channel };
    const socket = await deps.dialer.socket({ ...upstream, headers }, route);
    if (typeof socket !== 'number') return { kind: 'socket', socket, ...placeOf(prepared) };
    return failureOfStatus(socket, '', provider, null, hiddenOf(prepared));
  } catch (error) {
    if (deps.stopping.signal.aborted) return stopped();
    return request.left.aborted && !isLate ? { kind: 'left' } : failureOfError(error, isLate);
  } finally {
    clearTimeout(timer);
    request.left.removeEventListener('abort', end);
    uncut();
  }
}

/** Cancels a call whose caller has left, as late as the true usage is worth waiting for; the answer ends that. */
function leaveWhile(left: AbortSignal, drain: Drain, abort: AbortController): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onLeft = () => {
    if (drain.begin()) timer = setTimeout(() => abort.abort(), drain.leftMs);
    else abort.abort();
  };
  left.addEventListener('abort', onLeft);
  return () => {
    left.removeEventListener('abort', onLeft);
    clearTimeout(timer);
  };
}

interface OpenedStream {
  passage: StreamPassage;
  splitter: Splitter;
  joiner: Joiner | null;
  contentType?: string;
}

/**
 * How the answer is read as a stream; null when it is none. Some upstreams forget the type of their streams, so that
 * only what is surely something else counts as such.
 */
function streamOf({ headers }: Response, way: Passage, request: RelayRequest): OpenedStream | null {
  const type = headers.get('content-type') ?? '';
  if (request.facts.bytesOut) return bytesOf(type, way, request);
  if (type.includes('html')) return null;
  const passage = isJson(type) ? way.streamOfJson(request.facts) : way.stream(request.facts);
  if (!passage) return null;
  const splitter = splitterFor(type);
  const joiner = request.joiner?.() ?? null;
  return { passage: joiner ? new JoinedStream(passage, joiner) : passage, splitter, joiner };
}

const SOUND = /^(audio\/|video\/|application\/(octet-stream|ogg))/i;

function bytesOf(type: string, way: Passage, { facts }: RelayRequest): OpenedStream | null {
  if (type !== '' && !SOUND.test(type)) return null;
  const contentType = type || 'application/octet-stream';
  return { passage: way.stream(facts), splitter: new ByteSplitter(), joiner: null, contentType };
}

async function send(
  { upstream, form, finish, candidate }: Prepared,
  route: { connectMs: number; signal: AbortSignal },
  { dialer, retries }: RelayDeps,
): Promise<Response> {
  const to = { ...route, channel: candidate.channel };
  const body = form && (() => form.body());
  const response = await dialer.open(upstream, { ...to, body, mayAskAgain: () => retries.spend() });
  failpoint('upstream_headers');
  if (!finish || !response.ok) return response;
  return finish(response, asker(upstream, to, { dialer }));
}

async function readWhole(response: Response, most: number, { dialer }: RelayDeps): Promise<string> {
  const text = await readBounded(response, most);
  dialer.wasRead(response);
  return text;
}

async function failureOf(response: Response, prepared: Prepared, deps: RelayDeps): Promise<Failure> {
  const text = await readWhole(response, limits.upstreamErrorBytes, deps).catch(() => '');
  const retryAfter = response.headers.get('retry-after');
  return failureOfStatus(response.status, text, prepared.provider, retryAfter, hiddenOf(prepared));
}

/** Another channel may bring fewer tools along. */
const unaffordable = (): Failure => ({
  ...failureOfTransport('unserved'),
  error: fail('insufficient_user_quota'),
});

const stopped = (): Failure => ({
  ...failureOfTransport('connect'),
  error: fail('stopping', { retryAfterSec: 5 }),
  retryable: false,
});

/** Classes and fields of another dialect mean nothing to the caller; the codes of many vendors are OpenAI's. */
function inCallersWords(failure: Failure): Failure {
  const { code, detail } = failure.error;
  const said = detail.upstream?.code;
  if (!detail.upstream) return failure;
  const upstream = said !== undefined && /^[a-z][a-z_]*$/.test(said) ? { code: said } : {};
  return { ...failure, error: fail(code, { ...detail, upstream }) };
}

/** The channel's own mapping changes what the caller sees and nothing else; a failure never becomes a success. */
function withMappedStatus(failure: Failure, { statusCodeMapping }: RoutedChannel): Failure {
  const status = own(statusCodeMapping, String(failure.status));
  if (status === undefined || status < 400 || status > 599) return failure;
  const { code, detail } = failure.error;
  return { ...failure, error: fail(code, { ...detail, status }) };
}
