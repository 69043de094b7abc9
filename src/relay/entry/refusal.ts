/** Tells a caller what became of a call without an answer, in his dialect, and ends its report. */
import type { Dialect } from '../../dialects/dialect.ts';
import { errorReply, toRelayError } from '../answer/error-reply.ts';
import { refusingPeer } from '../answer/realtime.ts';
import type { RelayDeps } from '../deps.ts';
import type { Incoming } from './incoming.ts';
import type { Report } from './report.ts';

/** Callers with a key are told it in the websocket that they asked for, because browsers read nothing else. */
export function refuse(
  thrown: unknown,
  { endpoint, upgrade }: Pick<Incoming, 'endpoint' | 'upgrade'>,
  report: Report,
  deps: Pick<RelayDeps, 'log'>,
): Response {
  const reply = refusal(thrown, endpoint.dialect, report, deps);
  if (!report.isKnown || !upgrade) return reply;
  return upgrade(refusingPeer(toRelayError(thrown), report.id), report.id) ? new Response(null) : reply;
}

export function refusal(
  thrown: unknown,
  dialect: Dialect,
  report: Report,
  { log }: Pick<RelayDeps, 'log'>,
): Response {
  const error = toRelayError(thrown);
  const { relayStatus: status, code, detail } = error;
  report.ended({ status, code, failure: { error } });
  if (code === 'internal') log.error('relay.failed', { request_id: report.id, error: detail.cause });
  const reply = errorReply(dialect, error, report.id);
  if (code === 'stopping') reply.headers.set('connection', 'close');
  return reply;
}
