import { describe, expect, it } from 'bun:test';
import { fail } from '../../core/errors.ts';
import { OutgoingError } from '../../platform/outgoing.ts';
import { BadPacking } from '../../platform/unpack.ts';
import { UnsendableHeaders } from './dial.ts';
import { ConnectTimeout } from './reach.ts';
import { SocketLost } from './socket.ts';
import { failureOfError } from './transport-fault.ts';

const coded = (code: string) => Object.assign(new TypeError('fetch failed'), { code });

describe('an exception', () => {
  it.each([
    [coded('ECONNREFUSED'), 'connect-refused'],
    [coded('ENOTFOUND'), 'no-host'],
    [new OutgoingError('unresolvable'), 'no-host'],
    [coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls'],
    [coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
    [coded('EPROTO'), 'tls'],
    [coded('ERR_PROXY_TUNNEL'), 'proxy'],
    [new BadPacking('no gzip'), 'encoding'],
    [new OutgoingError('busy'), 'connect'],
    [new OutgoingError('encoding'), 'encoding'],
    [coded('Malformed_HTTP_Response'), 'no-http'],
    [coded('ESOMETHING'), 'connect'],
    [coded('ECONNRESET'), 'reset'],
    [new DOMException('aborted', 'AbortError'), 'connect'],
    [new ConnectTimeout('late'), 'connect-timeout'],
    [new OutgoingError('private-address'), 'refused'],
    [new SocketLost('no socket'), 'connect'],
    [new SocketLost('no socket', { cause: coded('ECONNREFUSED') }), 'connect-refused'],
    [new UnsendableHeaders('汉字'), 'bad-headers'],
    [fail('upstream_error', { params: { reason: { zh: '过大', en: 'too large' } } }), 'malformed'],
  ] as const)('of the network is the upstream’s failure: %p', (error, fault) => {
    expect(failureOfError(error, false)).toMatchObject({ kind: 'failed', fault });
  });

  it('at the deadline means that the upstream was late', () => {
    expect(failureOfError(new DOMException('aborted', 'AbortError'), true)).toMatchObject({
      fault: 'timeout',
      retryable: false,
    });
  });

  it('of our own is thrown on, late or not', () => {
    const bug = new TypeError('undefined is not an object');
    for (const isLate of [false, true]) expect(() => failureOfError(bug, isLate)).toThrow(bug);
    const internal = fail('internal');
    expect(() => failureOfError(internal, false)).toThrow(internal);
  });
});
