/** Callers who ask for what is theirs beside calls: lists of models, balances, tasks. They are let in and answered alike. */
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { readBy } from '../../platform/answer-room.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import type { RelayDeps } from '../deps.ts';
import type { Admitted } from '../request.ts';
import { bodyTurn, comingBodyRoom } from '../shares.ts';
import { authenticate } from './admit.ts';
import { readRequestBody } from './body.ts';
import { takeOfMinute } from './rate-limit.ts';
import { refusal } from './refusal.ts';
import { type Report, startReport } from './report.ts';

export interface Question {
  request: Request;
  ip: string;
  /** Of the address, where one may stand there. */
  key?: string | null;
}

/** How often one user may ask, by the name of what he asks. */
export interface Pace {
  name: string;
  aMinute: number;
}

/** Who asks, and what he sends with his question, if anything does. */
export interface Asking extends Admitted {
  body(): Promise<JsonObject>;
}

/**
 * Who asks, once he has a turn of his own, and a place among the calls under way where he may bring a body. The front counts
 * all other answers beside calls (`open-answers.ts`): for what is read here nobody's call gives way. Throws what is wrong with
 * him, OVERLOADED, `rate_limit_exceeded`, `stopping`.
 */
export async function letIn(
  { request, ip, key }: Question,
  { name, aMinute }: Pace,
  report: Report,
  deps: RelayDeps,
): Promise<Asking> {
  if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
  const slot = request.method === 'POST' ? deps.calls.enter(ip) : null;
  if (slot) report.hold(slot);
  const admitted = await authenticate({ headers: request.headers, ip, key }, deps);
  const { userId } = admitted.caller;
  slot?.of(userId);
  report.isKnown = true;
  await takeOfMinute(name, aMinute, admitted.caller, deps);
  const body = async () => {
    slot?.wait();
    const room = comingBodyRoom({ userId, ip }, deps);
    const came = await readRequestBody(request, room, bodyTurn({ userId, ip }, deps));
    came.held.release();
    slot?.of(userId);
    return came.body;
  };
  return { ...admitted, body };
}

/** Answers a caller who is let in with what `render` makes for him. Never rejects. */
export async function answerReader(
  question: Question,
  { dialect, pace }: { dialect: Dialect; pace: Pace },
  deps: RelayDeps,
  render: (asking: Asking) => Promise<object>,
): Promise<Response> {
  const { request, ip } = question;
  const report = startReport(request, ip, deps);
  try {
    const asking = await letIn(question, pace, report, deps);
    const { userId, tokenId } = asking.caller;
    readBy(request, userId);
    const body = await render(asking);
    report.ended({ status: 200, userId, tokenId });
    return Response.json(body, { headers: answerHeaders(report.id, dialect) });
  } catch (thrown) {
    return refusal(thrown, dialect, report, deps);
  }
}
