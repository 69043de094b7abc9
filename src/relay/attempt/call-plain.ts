/** Asks for a whole answer. */
import { splitterFor } from '../../dialects/framing.ts';
import type { Collector, StreamPassage } from '../../dialects/passage.ts';
import { ToolCounter } from '../../dialects/tool-uses.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { inRoom, type Reading, readInRoom, readTaken, type Unkept } from './answer-room.ts';
import { deadlinesOf, inCancelScope } from './cancel-scope.ts';
import { type Failure, failureOfAnswer, failureOfTransport, type Outcome } from './outcome.ts';
import { hasPaid, hiddenOf, type Prepared } from './prepared.ts';
import { plainOutcome, withTools } from './read-plain.ts';
import { failureOf, send } from './send.ts';

/** It is waited for though its caller leaves: the upstream has done the work. */
export function callPlain(request: RelayRequest, prepared: Prepared, deps: RelayDeps): Promise<Outcome> {
  const { connectMs, totalMs } = deadlinesOf(prepared.candidate.channel, request, deps);
  return inCancelScope({ totalMs, whenLeft: 'goes-on' }, request, deps, async ({ signal }) => {
    const response = await send(prepared, { connectMs, signal }, deps);
    if (!response.ok) return await failureOf(response, prepared, deps);
    if (request.operation === 'task') return await readTaken(response, prepared, deps);
    const collector = isEventStream(response) ? prepared.passage.collect?.() : undefined;
    if (!collector) return await readInRoom(response, request, prepared, deps);
    return await inRoom(request, prepared, deps, (reading) =>
      collectPlain(response, request, prepared, collector, reading),
    );
  });
}

const isEventStream = ({ headers }: Response): boolean =>
  /event-?stream/i.test(headers.get('content-type') ?? '');

/** A whole answer from an upstream that streams it. */
async function collectPlain(
  response: Response,
  { facts }: Pick<RelayRequest, 'facts'>,
  prepared: Prepared,
  collector: Collector,
  reading: Reading,
): Promise<Outcome | Unkept> {
  const splitter = splitterFor(response.headers.get('content-type') ?? '');
  const tools = hasPaid(prepared) ? new ToolCounter() : undefined;
  /** Takes what comes when there is no room for more of the answer. */
  let unkept: StreamPassage | null = null;
  let saidBytes = 0;
  reading.told = () => ({
    promptUsage: unkept?.usage ?? unkept?.promptUsage ?? null,
    bytes: saidBytes + Buffer.byteLength(collector.produced().text),
  });
  const fault = (frames: readonly Uint8Array[]): Failure | null => {
    for (const frame of frames) {
      if (unkept) {
        saidBytes += saidIn(frame, unkept);
        continue;
      }
      tools?.look(frame);
      const error = collector.push(frame);
      if (error) return failureOfAnswer(error, hiddenOf(prepared));
    }
    return null;
  };
  for await (const part of response.body ?? []) {
    if (!reading.grow(part.byteLength)) unkept ??= prepared.passage.stream(facts, true);
    const failure = fault(splitter.push(part));
    if (failure) return failure;
  }
  const failure = fault(splitter.end());
  if (failure) return failure;
  if (unkept) return { kind: 'unkept', usage: unkept.usage };
  const answer = collector.end();
  return answer ? withTools(plainOutcome(answer, prepared), tools?.uses ?? {}) : failureOfTransport('empty');
}

/** Bytes of text in a frame. */
function saidIn(frame: Uint8Array, passage: StreamPassage): number {
  const { content, produced } = passage.push(frame);
  return content ? Buffer.byteLength((produced ?? passage.produced(frame)).text) : 0;
}
