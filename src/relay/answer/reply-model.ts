/** Gives a model's answer to the caller, in the order that keeps money right: what was used is settled before the end is shown. */
import { type AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { endOfWriting, writeLarge, writePart } from '../../platform/large-answer.ts';
import { streamAnswer } from '../../platform/streamed.ts';
import type { Call } from '../charge/call.ts';
import { extendAsItGrows } from '../charge/extend.ts';
import type { RelayDeps } from '../deps.ts';
import { answerHeaders, lostHeaders } from './answer-headers.ts';
import type { PlainAnswer, StreamAnswer } from './answers.ts';
import { charged, publicError, toRelayError } from './error-reply.ts';
import type { Ending, Sink } from './pump.ts';
import { settlePlain, settleStream } from './settle.ts';
import { endUnsettled } from './unsettled.ts';

function headersOf(
  { request: { id, dialect }, ticket }: Call,
  answer: PlainAnswer | StreamAnswer,
  contentType: string,
): Record<string, string> {
  return Object.assign(answerHeaders(id, dialect, contentType), ticket.headers, lostHeaders(answer));
}

function headersOfPlain(call: Call, answer: PlainAnswer, paid: number): Record<string, string> {
  const headers = headersOf(call, answer, answer.contentType);
  if (call.request.wantsCost) headers['x-gateway-cost'] = String(paid);
  return headers;
}

// ---- Whole answers -----------------------------------------------------------------------------------------------

export async function replyPlain(call: Call, answer: PlainAnswer, deps: RelayDeps): Promise<Response> {
  if (answer.text.length <= limits.answerAtOnceChars) {
    const { paid, text } = await settlePlain(call, answer, deps);
    return new Response(text, { headers: headersOfPlain(call, answer, paid) });
  }
  const { request } = call;
  const { left, standsStill } = request;
  const writing = writeLarge({ left, cut: deps.cut, held: answer.held, standsStill });
  request.heldUntil(writing.written);
  try {
    const { paid, text } = await settlePlain(call, answer, deps);
    void deps.stopping.track(writing.written);
    return writing.answerOf(text, { headers: headersOfPlain(call, answer, paid) });
  } catch (error) {
    writing.abandon();
    throw error;
  }
}

// ---- Streams -----------------------------------------------------------------------------------------------------

/** The answer begins at once; what it costs is settled when its stream has ended, whether or not anybody still reads it. */
export function replyStream(call: Call, answer: StreamAnswer, deps: RelayDeps): Response {
  const { request } = call;
  const { pump } = answer;
  extendAsItGrows(call, answer, deps);
  const uncut = deps.cut.onCut(() => pump.stop('timeout'));
  const finished = deps.stopping.track(finish(call, answer, deps).finally(uncut));
  // Its end may be large, and is written behind its settlement.
  request.heldUntil(finished.then(() => undefined));
  const contentType = answer.contentType ?? answer.joiner?.contentType ?? request.dialect.streamContentType;
  const headers = headersOf(call, answer, contentType);
  const source = {
    written: finished,
    async write(sink: Sink) {
      pump.attach(sink);
      const isWhole = await Promise.race([finished, pump.broken.then(() => false)]);
      return isWhole ? null : new Error('the answer broke off');
    },
    cancel: () => pump.leave(),
  };
  return streamAnswer(source, { headers: { ...headers, 'x-accel-buffering': 'no' } });
}

/**
 * Reads to the end, settles, then shows the end. False where its caller, who may be there though he was taken for gone, has
 * neither the whole nor an error. Never rejects.
 */
async function finish(call: Call, answer: StreamAnswer, deps: RelayDeps): Promise<boolean> {
  const { pump, passage, joiner, room } = answer;
  const { bytesOut } = call.request.facts;
  const ending = await pump.ended;
  const error = errorOf(ending, answer, deps);
  let tail: Uint8Array | string | null = error && errorFrame(call, answer, error);
  let cost: string | null = null;
  let isWhole = error === null;
  try {
    const { paid, counted } = await settleStream(call, answer, ending, error, deps);
    if (!error) {
      // Only event streams have comments.
      if (call.request.wantsCost && !joiner && !bytesOut) cost = `: cost=${paid}\n\n`;
      tail = passage.ending(counted);
      if (ending.end === 'done') room.fitted();
    }
  } catch (fault) {
    // An answer whose price is lost does not end well.
    tail = errorFrame(call, answer, await endUnsettled(call, fault, deps, ending.end));
    isWhole = false;
  }
  // Its end, good or bad, has its place behind all that was held.
  await pump.given;
  writeTo(pump.sink, cost);
  const isTaken = await writeEnd(call, answer, tail, deps);
  room.release();
  // Bytes have no words for an error.
  const isTold = isWhole || !bytesOut;
  const isTakenForGone = ending.end === 'client_gone' && !call.request.left.aborted;
  return isTold && isTaken && !pump.isBroken && !isTakenForGone;
}

/** Writes what ends a stream; what is large, piece by piece as its caller reads. False where that broke off. */
async function writeEnd(
  call: Call,
  answer: StreamAnswer,
  tail: Uint8Array | string | null,
  { cut }: Pick<RelayDeps, 'cut'>,
): Promise<boolean> {
  const { room } = answer;
  const { sink } = answer.pump;
  if (tail === null || sink === null || tail.length <= limits.answerAtOnceChars) {
    writeTo(sink, tail);
    return true;
  }
  try {
    room.holds(tail.length);
  } catch (thrown) {
    // The rest was shown, and all of it is paid.
    writeTo(sink, errorFrame(call, answer, charged(toRelayError(thrown))));
    return true;
  }
  const { written: over, resolve: end } = endOfWriting({ left: call.request.left, cut });
  const terms = { over, end, giveWay: end, held: room, pace: answer.pump.pace };
  const isTaken = await writePart(sink, tail, terms).catch(() => false);
  end();
  return isTaken;
}

/** The error with which a stream ends; null for one that ends well, or for nobody. */
function errorOf(
  { end, error, refused }: Ending,
  { told }: StreamAnswer,
  { stopping }: Pick<RelayDeps, 'stopping'>,
): AppError | null {
  switch (end) {
    case 'done':
    case 'client_gone':
      return null;
    case 'exhausted':
      return fail('insufficient_user_quota');
    case 'no_room':
      return refused && (refused.why === 'others' ? refused.error : charged(refused.error));
    case 'timeout':
      return fail(stopping.signal.aborted ? 'stopping' : 'upstream_timeout');
    case 'upstream_cut':
      return error ? told(error) : fail('upstream_cut');
  }
}

function errorFrame({ request }: Call, { joiner }: StreamAnswer, error: AppError): string | null {
  if (request.facts.bytesOut) return null;
  const frame = request.dialect.errorFrame(publicError(error, request.id));
  return joiner ? joiner.frame(frame) + joiner.close() : frame;
}

function writeTo(sink: Sink | null, bytes: Uint8Array | string | null): void {
  if (bytes === null) return;
  sink?.write(bytes);
  sink?.flush();
}
