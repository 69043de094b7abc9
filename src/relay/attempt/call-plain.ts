/** Asks for a whole answer. */
import { nowSec } from '../../core/time.ts';
import { splitterFor } from '../../dialects/framing.ts';
import type { Collector, PassedReply } from '../../dialects/passage.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { type Grow, inRoom, readInRoom, readTaken } from './answer-room.ts';
import { deadlinesOf, hadTime, inCancelScope } from './cancel-scope.ts';
import { failureOfTransport, type Outcome } from './outcome.ts';
import { type Prepared, toolCounter } from './prepared.ts';
import { plainOutcome } from './read-plain.ts';
import { failureOf, send } from './send.ts';

/** It is waited for though its caller leaves: the upstream has done the work, and somebody pays for it. */
export async function callPlain(
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
): Promise<Outcome> {
  const { connectMs, totalMs, wholeMs } = deadlinesOf(prepared.candidate.channel, request, deps);
  const whenLeft = request.isOwnTest ? 'ends' : 'goes-on';
  const { paid } = prepared;
  let upSince = Number.POSITIVE_INFINITY;
  const outcome = await inCancelScope({ totalMs, whenLeft, paid }, request, deps, async ({ signal }) => {
    const goesUp = () => {
      upSince = Math.min(upSince, performance.now());
    };
    const response = await send(prepared, { request, connectMs, signal, goesUp }, deps);
    if (!response.ok) return await failureOf(response, prepared, deps);
    if (request.operation === 'task') return await readTaken(response, prepared, deps);
    const collector = isEventStream(response) ? prepared.passage.collect?.() : undefined;
    if (!collector) return await readInRoom(response, request, prepared, deps);
    return await inRoom(request, prepared, deps, (grow) => collectPlain(response, prepared, collector, grow));
  });
  const isLate = outcome.kind === 'failed' && outcome.fault === 'timeout';
  return isLate && hadTime(performance.now() - upSince, wholeMs) ? { ...outcome, hadTime: true } : outcome;
}

const isEventStream = ({ headers }: Response): boolean =>
  /event-?stream/i.test(headers.get('content-type') ?? '');

/** A whole answer from an upstream that streams it. */
async function collectPlain(
  response: Response,
  prepared: Prepared,
  collector: Collector,
  grow: Grow,
): Promise<Outcome> {
  const splitter = splitterFor(response.headers.get('content-type') ?? '');
  const tools = toolCounter(prepared);
  const outcomeOf = (reply: PassedReply) => {
    const { uses, drawing, containers } = tools ?? {};
    return plainOutcome(reply, prepared, { tools: uses, drawing, containers });
  };
  const fault = (frames: readonly Uint8Array[]): Outcome | null => {
    for (const frame of frames) {
      tools?.look(frame, nowSec());
      const error = collector.push(frame);
      if (!error) continue;
      tools?.endDrawing();
      return outcomeOf(collector.failed(error));
    }
    return null;
  };
  for await (const part of response.body ?? []) {
    grow(part.byteLength);
    const failure = fault(splitter.push(part));
    if (failure) return failure;
  }
  const failure = fault(splitter.end());
  if (failure) return failure;
  const answer = collector.end();
  return answer ? outcomeOf(answer) : failureOfTransport('empty');
}
