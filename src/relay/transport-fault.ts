/** What an exception says of a call that got no answer. */
import { AppError } from '../core/errors.ts';
import { OutgoingError } from '../platform/outgoing.ts';
import { ConnectTimeout } from './dial.ts';
import { type Failure, failureOfTransport, type TransportFault } from './outcome.ts';

/** A connection that was kept open may have been closed at the other end meanwhile; that says nothing about the upstream. */
export const isReset = (error: unknown): boolean => codeOf(error) === 'ECONNRESET';

/** The failure that an exception means; `isLate` when the call's own deadline caused it. */
export function failureOfError(error: unknown, isLate: boolean): Failure {
  if (error instanceof AppError) return { ...failureOfTransport('malformed'), error };
  return failureOfTransport(isLate ? 'timeout' : faultOf(error), error);
}

function faultOf(error: unknown): Exclude<TransportFault, 'error-in-answer'> {
  if (error instanceof ConnectTimeout) return 'connect-timeout';
  if (error instanceof OutgoingError) return error.fault === 'unresolvable' ? 'connect' : 'refused';
  return isReset(error) ? 'reset' : 'connect';
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
