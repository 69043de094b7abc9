/**
 * A call that submits a task. It is held and charged like any other call, at its price a call; its work goes on after it,
 * under an id of ours, and what becomes of that is the engine's matter (`modules/task/jobs.ts`). A row stands before
 * anything goes up, so that nothing is charged of which nobody knows.
 */
import type { Settlement } from '../billing/billing.ts';
import type { CallQuote } from '../billing/price.ts';
import { type AppError, fail } from '../core/errors.ts';
import { hexText } from '../core/ids.ts';
import { type JsonObject, parseObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { noUsage } from '../core/usage.ts';
import { isUnreachable } from '../db/statement.ts';
import { isAbsent } from '../dialects/bounds.ts';
import { objectOf } from '../dialects/fields.ts';
import { isTaskDialect, type TakenTask, type TaskDialect } from '../dialects/plain/task.ts';
import type { Tier } from '../modules/channel/model.ts';
import {
  claimWindow,
  type NewTask,
  openTask,
  reopenWindow,
  taskRefused,
  taskTaken,
} from '../modules/task/service.ts';
import type { Caller } from '../modules/token/callers.ts';
import { failpoint } from '../platform/failpoint.ts';
import { answerHeaders, lostHeaders } from './answer/answer-headers.ts';
import type { Answer, PlainAnswer, Unshown } from './answer/answers.ts';
import { charged, toRelayError } from './answer/error-reply.ts';
import { hiddenOfChannel } from './attempt/hidden.ts';
import { taskWords, withWords } from './attempt/task-words.ts';
import type { Call } from './charge/call.ts';
import { type Produced, settleAnswer, settleFailure, settlementOf } from './charge/record.ts';
import { priceMissing, quoteOf } from './charge/reserve.ts';
import { makeable } from './choose/film-length.ts';
import { checkServed } from './choose/served.ts';
import { notOpen, placed } from './choose/task-place.ts';
import { askInTurn, lastError, type Plan } from './choose/turns.ts';
import type { RelayDeps } from './deps.ts';
import { takeTicket } from './entry/rate-limit.ts';
import { hookOf, withTaskId } from './entry/task-request.ts';
import { openCall } from './open-call.ts';
import { type Admitted, elapsedMs, type RelayRequest } from './request.ts';

const PUBLIC_ID_DIGITS = 32;

/** Throws what refuses it or went wrong, and then nothing is held any more and there is no task. */
export async function submitTask(
  asked: RelayRequest,
  admitted: Admitted,
  deps: RelayDeps,
): Promise<Response> {
  const { dialect } = asked;
  if (!isTaskDialect(dialect)) throw fail('operation_not_supported');
  const { caller, pinned } = admitted;
  const id = hexText(PUBLIC_ID_DIGITS);
  const hook = hookOf(asked, dialect, deps);
  const place = await placed(withTaskId(asked, dialect, id, deps), dialect, admitted, deps);
  const { input, window } = place;
  checkServed(place.request, place.tiers);
  const { request, tiers, chosen } = makeable(
    place.request,
    place.tiers,
    !isAbsent(asked.body.seconds),
    deps,
  );
  const opening: Opening = {
    publicId: id,
    platform: dialect.task.platform,
    action: dialect.task.action(asked.body),
    input: { ...dialect.task.input(asked.body), ...input, ...(chosen && { seconds: chosen }) },
    hook,
    window,
  };
  const ticket = await takeTicket(request, caller, deps);
  const call = await openCall(
    { request, caller, ticket },
    () => ({ quote: callQuote(request, caller, tiers, deps) }),
    deps,
  );
  const answer = await takenOf(
    call,
    opening,
    { tiers, retries: pinned ? 0 : deps.options.get('RetryTimes') },
    deps,
  );
  // From here on an upstream works: whatever goes wrong with us, it is charged.
  const submitted = { id, call, dialect, action: opening.action, window };
  if (answer.kind === 'unshown') throw await keepUnshown(submitted, answer, deps);
  return keepTaken(submitted, answer, deps);
}

/** A call that an upstream has taken. */
interface Submitted {
  id: string;
  call: Call;
  dialect: TaskDialect;
  action: string;
  window: string | null;
}

/** Nobody counts what a task uses: only a price a call prices it. */
function callQuote(
  request: RelayRequest,
  caller: Caller,
  tiers: readonly Tier[],
  deps: RelayDeps,
): CallQuote {
  const quote = quoteOf(request, caller, tiers, deps);
  if (quote.price.kind === 'call') return quote;
  throw priceMissing(request.facts.model, 'call');
}

/** What is written down of it before it goes up. */
type Opening = Pick<NewTask, 'publicId' | 'platform' | 'action' | 'input' | 'hook'> & {
  window: string | null;
};

/** The answer of the first channel that takes it; where none does, nothing is held or written down any more. */
async function takenOf(
  call: Call,
  { window, ...opening }: Opening,
  plan: Pick<Plan, 'tiers' | 'retries'>,
  deps: RelayDeps,
): Promise<PlainAnswer | Unshown> {
  const { request, caller, held, failed } = call;
  const { userId, tokenId, appId } = caller;
  const { model } = request.facts;
  try {
    const of = { modelName: model, userId, tokenId, appId, requestId: request.id, quota: held };
    if (!(await openTask(deps.db, { ...opening, ...of })))
      throw fail('too_many_tasks', { retryAfterSec: 60 });
    // Once, however many say something in it at the same time.
    if (window !== null && !(await claimWindow(deps.db, window, opening.publicId))) throw notOpen();
    const outcome = await askInTurn(request, { caller, ...plan, failed }, deps);
    if (outcome?.kind === 'plain' || outcome?.kind === 'unshown') return outcome;
    if (outcome?.kind === 'left') throw fail('client_gone');
    throw lastError(call);
  } catch (error) {
    // One that stays, because the database is away, is failed by the engine.
    await taskRefused(deps.db, opening.publicId).catch(() => undefined);
    // Where it is not this one's, it stays as it is.
    if (window !== null) await reopenWindow(deps.db, window, opening.publicId).catch(() => undefined);
    await settleFailure(call, toRelayError(error), deps);
    throw error;
  }
}

/** Notes the task, charges it, then tells its caller. */
async function keepTaken(submitted: Submitted, answer: PlainAnswer, deps: RelayDeps): Promise<Response> {
  const { call, dialect } = submitted;
  const { request, ticket } = call;
  const said = parseObject(answer.text) ?? {};
  const noted = dialect.task.told?.(said, request.body);
  const seen = { firstContentMs: elapsedMs(request), noted };
  const charge = chargeOf(call, answer, seen, deps);
  const body = await noteSaid(submitted, answer, { said, charge: charge.settlement }, deps).catch(
    async (fault: unknown) => {
      const { answerId } = answer.facts;
      throw await keepUnshown(submitted, { answer, error: toRelayError(fault) }, deps, answerId);
    },
  );
  failpoint('task_taken');
  const { paid } = await settleAnswer(call, charge.produced, deps, charge.settlement);
  const headers = {
    ...answerHeaders(request.id, request.dialect),
    ...ticket.headers,
    ...lostHeaders(answer),
    ...(request.wantsCost && { 'x-gateway-cost': String(paid) }),
  };
  return Response.json(body, { headers });
}

/** Notes what the upstream has said of it; what its caller is told. */
async function noteSaid(
  { id, call, dialect: { task }, action, window }: Submitted,
  answer: PlainAnswer,
  { said, charge }: { said: JsonObject; charge: Settlement },
  deps: RelayDeps,
): Promise<JsonObject> {
  const clean = wordsCleaned(said, task, answer);
  const body = task.reply(id, clean, action, call.request.body);
  const taken = { upstreamId: answer.facts.answerId ?? '', ...task.taken?.(clean, action) };
  await noteTaken(id, answer, { ...taken, charge, window }, deps);
  return body;
}

/** A database that is away for a moment is waited for: what is not written down nobody can ask after. */
async function noteTaken(
  id: string,
  { candidate }: Answer,
  taken: Pick<TakenTask, 'upstreamId'> & Partial<TakenTask> & { charge: Settlement; window: string | null },
  { db }: RelayDeps,
): Promise<void> {
  const place = { channelId: candidate.channel.id, keyId: candidate.key.id };
  for (let tries = 1; ; tries++) {
    try {
      if (await taskTaken(db, id, { ...place, ...taken })) return;
      throw fail('upstream_timeout');
    } catch (error) {
      if (tries === limits.taskNoteTries || !isUnreachable(error)) throw error;
      await Bun.sleep(limits.taskNoteAgainMs);
    }
  }
}

/**
 * The upstream works, though its answer cannot be read or written down: the task stays and is charged, and without a name
 * nobody can ask after it. Answers what its caller is told.
 */
async function keepUnshown(
  { id, call }: Submitted,
  { answer, error }: Pick<Unshown, 'answer' | 'error'>,
  deps: RelayDeps,
  upstreamId = '',
): Promise<AppError> {
  const { produced, settlement } = chargeOf(call, answer, { firstContentMs: null, error }, deps);
  // One that is not noted at all is found by its charge.
  await noteTaken(id, answer, { upstreamId, charge: settlement, window: null }, deps).catch(
    (fault: unknown) => deps.log.error('relay.task_unnoted', { request_id: call.request.id, error: fault }),
  );
  await settleAnswer(call, produced, deps, settlement);
  return charged(error);
}

/** The upstream's words in its answer, as its caller may read them. */
function wordsCleaned(said: JsonObject, task: TaskDialect['task'], { candidate }: Answer): JsonObject {
  const { channel, key } = candidate;
  const hidden = hiddenOfChannel(channel, key.value, channel.baseUrl);
  const clean = (text: string) => taskWords(text, hidden);
  return objectOf(withWords(said, task.words ?? [], clean)) ?? {};
}

interface TaskCharge {
  produced: Produced;
  settlement: Settlement;
}

/** What a task costs. It is written down with the task before it is charged: between the two a process may die. */
function chargeOf(
  call: Call,
  { candidate, model, converted, dropped }: Answer,
  seen: Pick<Produced, 'firstContentMs' | 'error' | 'noted'>,
  deps: RelayDeps,
): TaskCharge {
  const produced: Produced = {
    candidate,
    model,
    converted,
    dropped,
    usage: noUsage(),
    usageSource: 'upstream',
    calls: 1,
    streamEnd: null,
    ...seen,
  };
  return { produced, settlement: settlementOf(call, produced, deps) };
}
