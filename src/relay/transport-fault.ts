/** What an exception says of a call that got no answer. */
import { AppError } from '../core/errors.ts';
import { OutgoingError } from '../platform/outgoing.ts';
import { ConnectTimeout, isReset, UnsendableHeaders } from './dial.ts';
import { type Failure, failureOfTransport, type TransportFault } from './outcome.ts';
import { SocketLost } from './socket.ts';

/**
 * The failure that an exception means; `isLate` when the call's own deadline caused it. Throws on what comes from no
 * network: that is a mistake of ours, and no upstream is to blame for it.
 */
export function failureOfError(error: unknown, isLate: boolean): Failure {
  if (error instanceof AppError) {
    if (error.code === 'internal') throw error;
    return { ...failureOfTransport('malformed'), error };
  }
  const fault = faultOf(error);
  if (!fault) throw error;
  return failureOfTransport(isLate ? 'timeout' : fault, error);
}

function faultOf(error: unknown): Exclude<TransportFault, 'error-in-answer'> | null {
  if (error instanceof ConnectTimeout) return 'connect-timeout';
  if (error instanceof OutgoingError) return error.fault === 'unresolvable' ? 'connect' : 'refused';
  if (error instanceof UnsendableHeaders) return 'bad-headers';
  if (isReset(error)) return 'reset';
  // Errors of the network have a code; what was cancelled is told by the DOM's exception.
  const isForeign = codeOf(error) !== '' || error instanceof SocketLost || error instanceof DOMException;
  return isForeign ? 'connect' : null;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
