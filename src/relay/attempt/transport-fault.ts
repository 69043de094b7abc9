/** What an exception says of a call that got no answer. */
import { AppError } from '../../core/errors.ts';
import { OutgoingError, type OutgoingFault } from '../../platform/outgoing.ts';
import { BadPacking } from '../../platform/unpack.ts';
import { UnsendableHeaders } from './dial.ts';
import { type Failure, failureOfTransport, type TransportFault } from './outcome.ts';
import { ConnectTimeout } from './reach.ts';
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
  const fault = isLate && isForeign(error) ? 'timeout' : transportFaultOf(error);
  if (!fault) throw error;
  return failureOfTransport(fault, error, fault === 'tls' ? codeOf(error) : '');
}

type Fault = Exclude<TransportFault, 'error-in-answer'>;

/** Bun's and BoringSSL's codes; those of certificates are words of their own. */
const FAULT_OF: readonly [RegExp, Fault][] = [
  [/^ECONNREFUSED$/, 'connect-refused'],
  [/^(ENOTFOUND|EAI_\w+)$|^DNS_/, 'no-host'],
  [/^(EPROTO|ERR_(TLS|SSL)_\w+)$|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$/, 'tls'],
  [/^ERR_PROXY_/, 'proxy'],
  [/^ECONNRESET$/, 'reset'],
  [/^Malformed_HTTP_Response$|^InvalidHTTP/, 'no-http'],
];

const FAULT_OF_OUTGOING: Readonly<Partial<Record<OutgoingFault, Fault>>> = {
  unresolvable: 'no-host',
  busy: 'connect',
  encoding: 'encoding',
};

/** What an exception says of the network; null for what comes from no network. */
export function transportFaultOf(error: unknown): Fault | null {
  if (error instanceof ConnectTimeout) return 'connect-timeout';
  if (error instanceof OutgoingError) return FAULT_OF_OUTGOING[error.fault] ?? 'refused';
  if (error instanceof BadPacking) return 'encoding';
  if (error instanceof UnsendableHeaders) return 'bad-headers';
  if (!isForeign(error)) return null;
  const code = codeOf(error);
  return FAULT_OF.find(([pattern]) => pattern.test(code))?.[1] ?? 'connect';
}

/** Errors of the network have a code; what was cancelled is told by the DOM's exception. */
const isForeign = (error: unknown): boolean =>
  codeOf(error) !== '' ||
  error instanceof SocketLost ||
  error instanceof DOMException ||
  error instanceof ConnectTimeout ||
  error instanceof OutgoingError ||
  error instanceof BadPacking ||
  error instanceof UnsendableHeaders;

/** Of a socket that was lost, that of what it was lost by. */
function codeOf(error: unknown): string {
  const at = error instanceof SocketLost ? error.cause : error;
  return at instanceof Error && 'code' in at && typeof at.code === 'string' ? at.code : '';
}
