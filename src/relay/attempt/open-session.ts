/** Asks for a websocket. */
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import { realtimeHeaders } from '../../dialects/plain/openai-realtime.ts';
import { Drain } from '../answer/drain.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { modelOptions } from './body/model-options.ts';
import { ALL_SEEN, deadlinesOf, inCancelScope } from './cancel-scope.ts';
import { judged } from './judged.ts';
import {
  failureOfAnswer,
  failureOfStatus,
  type OnFailure,
  type Outcome,
  wordsForCallers,
} from './outcome.ts';
import { answerTo, hiddenOf, type Prepared } from './prepared.ts';

/** What of a session is read on to its end. */
const THOUGHTS = { ...ALL_SEEN, thoughts: true };

export function openSession(
  request: RelayRequest,
  prepared: Prepared,
  deps: RelayDeps,
  onFailure: OnFailure,
): Promise<Outcome> {
  const { candidate, provider, upstream } = prepared;
  const { connectMs, firstContentMs } = deadlinesOf(candidate.channel, request, deps);
  return inCancelScope({ totalMs: firstContentMs, whenLeft: 'ends' }, request, deps, async ({ signal }) => {
    const { 'content-type': _, accept: __, ...own } = upstream.headers;
    const headers = { ...own, ...realtimeHeaders(request.headers) };
    const route = { connectMs, signal, channel: candidate.channel };
    const socket = await deps.dialer.socket({ ...upstream, headers }, route);
    if (typeof socket === 'number') return failureOfStatus(socket, '', provider, null, hiddenOf(prepared));
    const told = toldIn(request, prepared, deps, onFailure);
    const nameOf = (model: string) => modelOptions(deps.options).upstreamOf(candidate.channel, model).model;
    const { readOn } = deadlinesOf(candidate.channel, request, deps, THOUGHTS);
    const drain = new Drain(deps.drains, request.userId, readOn);
    return { kind: 'socket', socket, drain, ...answerTo(prepared), told, nameOf };
  });
}

/** Codes may condemn the key; words may be the caller's own. */
const toldIn =
  (request: RelayRequest, prepared: Prepared, deps: RelayDeps, onFailure: OnFailure) =>
  (error: UpstreamErrorBody) => {
    const hidden = hiddenOf(prepared);
    const failure = judged(failureOfAnswer(error, hidden), request, deps);
    onFailure({ ...failure, finalWords: null });
    return { error: failure.error, message: wordsForCallers(error.message, hidden) };
  };
