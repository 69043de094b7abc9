/** The end of a session with a tool service, as its client asks for it (DELETE); it costs nothing. */
import { fail } from '../../core/errors.ts';
import { mcp, SESSION } from '../../dialects/plain/mcp.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import { endSession } from '../attempt/ask-tool.ts';
import type { RelayDeps } from '../deps.ts';
import { authenticate } from './admit.ts';
import type { Slot } from './call-gate.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';
import { serviceFor, takeFreeMessage } from './tool-service.ts';
import { ownerOf, sessionIn } from './tool-sessions.ts';

export interface SessionEnd {
  request: Request;
  ip: string;
  /** The service's. */
  name: string;
}

/** Never rejects. */
export async function endToolSession({ request, ip, name }: SessionEnd, deps: RelayDeps): Promise<Response> {
  const { headers } = request;
  const report = startReport(request, ip, deps);
  let slot: Slot | undefined;
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    slot = deps.calls.enter(ip);
    const { caller } = await authenticate({ headers, ip }, deps);
    slot.of(caller.userId);
    const service = serviceFor(name, caller, deps);
    const session = sessionIn(headers, ownerOf(caller, name), deps);
    if (!session) throw noSession();
    await takeFreeMessage(caller, deps);
    await endSession(session.own, headers, service, deps);
    report.ended({ status: 204, userId: caller.userId, tokenId: caller.tokenId });
    const { 'content-type': _, ...told } = answerHeaders(report.id, mcp);
    return new Response(null, { status: 204, headers: told });
  } catch (thrown) {
    return refusal(thrown, mcp, report, deps);
  } finally {
    slot?.release();
  }
}

const noSession = () =>
  fail('invalid_request', {
    field: SESSION,
    params: { reason: { zh: '缺少 Mcp-Session-Id 请求头', en: 'the header Mcp-Session-Id is missing' } },
  });
