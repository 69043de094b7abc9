/** Asks for a stream, and waits until it begins or fails. */
import { fail } from '../../core/errors.ts';
import type { Usage } from '../../core/usage.ts';
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import { isJson, JoinedStream, type Joiner, type Splitter, splitterFor } from '../../dialects/framing.ts';
import type { Passage, StreamPassage } from '../../dialects/passage.ts';
import { ByteSplitter, ToldStream } from '../../dialects/plain/byte-stream.ts';
import type { Finished } from '../../providers/provider.ts';
import { owedByEmptyStream } from '../answer/failed.ts';
import { StreamMeter } from '../answer/meter.ts';
import { type OpeningFailure, Pump } from '../answer/pump.ts';
import { StreamRoom } from '../answer/stream-room.ts';
import { hasUnseen, type Unseen, unseenOf } from '../charge/unseen.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { readInRoom, withoutRoom } from './answer-room.ts';
import { type CancelScope, deadlinesOf, inCancelScope } from './cancel-scope.ts';
import { errorToTell, judged } from './judged.ts';
import { failureOfAnswer, failureOfTransport, type OnFailure, type Outcome, stopped } from './outcome.ts';
import { answerTo, hiddenOf, type Prepared, toolCounter } from './prepared.ts';
import { failureOf, send } from './send.ts';
import { failureOfError, transportFaultOf } from './transport-fault.ts';

export function openStream(
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
  onFailure: OnFailure,
): Promise<Outcome> {
  const unseen = unseenOf(request, prepared);
  const { connectMs, firstContentMs, idleMs, totalMs, readOn } = deadlinesOf(
    prepared.candidate.channel,
    request,
    deps,
    unseen,
  );
  const mayHaveTold = unseen.reading;
  const terms = { totalMs, pauseMs: firstContentMs, whenLeft: readOn, paid: prepared.paid };
  return inCancelScope(terms, request, deps, async (scope) => {
    const response = await send(prepared, { request, connectMs, signal: scope.signal }, deps);
    if (!response.ok) return await failureOf(response, prepared, deps);
    const stream = streamOf(response, prepared.passage, request, hasUnseen(unseen));
    if (!stream || !response.body) return wholeForStream(response, request, prepared, deps);
    const { passage, splitter, joiner, contentType } = stream;
    const tools = toolCounter(prepared);
    const meter = meterFor(request);
    const room = new StreamRoom(request, deps);
    const { body } = response;
    const keepAlive = joiner || request.facts.bytesOut ? undefined : request.dialect.keepAlive;
    const given = { body, splitter, passage, meter, room, tools, mayHaveTold, keepAlive, idleMs };
    const pump = pumpIn(scope, request, given);
    const failure = await pump.opened;
    if (failure) return outcomeOf(failure, { pump, prepared, unseen }, deps);
    const failureIn = (error: UpstreamErrorBody) =>
      judged(failureOfAnswer(error, hiddenOf(prepared)), request, deps);
    void pump.ended.then(({ end, error }) => {
      if (end === 'done') deps.dialer.wasRead(response);
      if (error) onFailure(failureIn(error));
    });
    return {
      kind: 'stream',
      pump,
      passage,
      meter,
      room,
      thinksUnseen: unseen.thoughts,
      tools,
      joiner,
      contentType,
      ...answerTo(prepared),
      told: (error) => errorToTell(error, hiddenOf(prepared), request, deps),
      blames: (error) => failureIn(error).blame,
    };
  });
}

function meterFor({ facts: { outputCap, thoughts, choices } }: RelayRequest): StreamMeter {
  const beside = thoughts ? thoughts.cap : 0;
  return new StreamMeter(outputCap === null || beside === undefined ? null : (outputCap + beside) * choices);
}

/** The pump that carries the stream from now on, and looks after its own end. */
function pumpIn(
  scope: CancelScope,
  { left, startedAt, standsStill }: RelayRequest,
  stream: Pick<
    ConstructorParameters<typeof Pump>[0],
    'body' | 'splitter' | 'passage' | 'meter' | 'room' | 'tools' | 'mayHaveTold' | 'keepAlive' | 'idleMs'
  >,
): Pump {
  const { deadlines, abort, drain } = scope;
  const pump = new Pump({ ...stream, standsStill, deadlines, abort, left, drain, startedAt });
  scope.handTo(pump);
  return pump;
}

/** An upstream that answers whole where a stream was asked for. */
async function wholeForStream(
  response: Response,
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
): Promise<Outcome> {
  const { dialect } = request;
  return readInRoom(response, request, prepared, deps, (whole) => {
    if (whole.kind !== 'plain' || dialect.wholeForStream || whole.facts.isForLater) return whole;
    return failureOfTransport('malformed');
  });
}

/** What a stream came to that ended before its first content. */
async function outcomeOf(
  failure: OpeningFailure,
  { pump, prepared, unseen }: { pump: Pump; prepared: Prepared; unseen: Unseen },
  deps: RelayDeps,
): Promise<Outcome> {
  if (deps.stopping.signal.aborted) return stopped();
  const ending = await pump.ended;
  const { usage, promptUsage, isCutShort } = ending;
  const answer = answerTo(prepared);
  const unshown = { kind: 'unshown', answer, usage, promptUsage, isCutShort } as const;
  switch (failure.kind) {
    case 'left':
      if (owedByEmptyStream(ending, answer, false) === 'nothing') return { kind: 'left' };
      return { ...unshown, why: 'left', error: fail('client_gone'), blame: 'nobody' };
    case 'no-room': {
      const outcome = withoutRoom(failure.refused, prepared);
      if (outcome.kind !== 'unshown') return outcome;
      // What was told of its answer may be that of its beginning.
      return { ...outcome, promptUsage, usage: null };
    }
    case 'error':
      return failureOfAnswer(failure.error, hiddenOf(prepared));
    case 'timeout': {
      // It has answered, and works: how long a model thinks unseen is up to what it was asked.
      const blame = unseen.thoughts ? 'nobody' : 'late';
      return { ...unshown, why: 'late', error: failureOfTransport('timeout').error, blame };
    }
    case 'broken':
      return transportFaultOf(failure.cause)
        ? failureOfError(failure.cause, false)
        : failureOfTransport('empty');
  }
}

// ---- How an answer is read as a stream ---------------------------------------------------------------------------

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
function streamOf(
  { headers, usage }: Finished,
  way: Passage,
  request: RelayRequest,
  readsOn: boolean,
): OpenedStream | null {
  const type = headers.get('content-type') ?? '';
  if (request.facts.bytesOut) return bytesOf(type, way, request, usage);
  if (type.includes('html')) return null;
  const passage = isJson(type)
    ? way.streamOfJson(request.facts, readsOn)
    : way.stream(request.facts, readsOn);
  if (!passage) return null;
  const splitter = splitterFor(type);
  const joiner = request.joiner?.() ?? null;
  return { passage: joiner ? new JoinedStream(passage, joiner) : passage, splitter, joiner };
}

const SOUND = /^(audio\/|video\/|application\/(octet-stream|ogg))/i;

function bytesOf(
  type: string,
  way: Passage,
  { facts }: RelayRequest,
  usage: Usage | undefined,
): OpenedStream | null {
  if (type !== '' && !SOUND.test(type)) return null;
  const contentType = type || 'application/octet-stream';
  const bytes = way.stream(facts);
  // Where the price counts characters, tokens that were told are no measure, nor the other way round.
  const isMeasure = usage && usage.outputAudio > 0 === facts.audioOut;
  const passage = isMeasure ? new ToldStream(bytes, usage) : bytes;
  return { passage, splitter: new ByteSplitter(), joiner: null, contentType };
}
