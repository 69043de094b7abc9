/** What becomes of a call whose price is lost. */
import type { AppError } from '../../core/errors.ts';
import type { Call, StreamEnd } from '../charge/call.ts';
import { settleFailure } from '../charge/record.ts';
import type { RelayDeps } from '../deps.ts';
import { toRelayError } from './error-reply.ts';

/**
 * Ends a call whose settlement went wrong: neither the database nor the disk took it, or the fault is ours. Answers what
 * the caller is told. Never rejects.
 */
export async function endUnsettled(
  call: Call,
  fault: unknown,
  deps: RelayDeps,
  streamEnd: StreamEnd,
): Promise<AppError> {
  const { request, caller } = call;
  const note = (error: unknown) => deps.log.error('relay.unsettled', { request_id: request.id, error });
  const error = toRelayError(fault);
  note(fault);
  if (!call.isSettled) await settleFailure(call, error, deps, streamEnd).catch(note);
  const { userId, tokenId } = caller;
  request.ended({
    status: error.relayStatus,
    code: error.code,
    userId,
    tokenId,
    streamEnd,
    failure: { error },
  });
  return error;
}
