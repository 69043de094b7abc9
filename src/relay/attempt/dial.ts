/** Calls upstreams: by `fetch`, or by a websocket where that is what is asked for. */
import { limits } from '../../core/limits.ts';
import { failpointSoon } from '../../platform/failpoint.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { AS_IT_COMES, NOT_PACKED, PACKED_BY_UPSTREAMS, unpacked } from '../../platform/unpack.ts';
import type { UpstreamRequest } from '../../providers/provider.ts';
import { type Aim, createPathfinder, type Route } from './aim.ts';
import { KeptConnections } from './kept-connections.ts';
import { type Connect, createReach } from './reach.ts';
import { openSocket, type SocketTarget, type UpstreamSocket } from './socket.ts';
import { socketAnswer } from './socket-answer.ts';

/** A key or header that no request can carry, such as one with a line end or a Chinese character in it. */
export class UnsendableHeaders extends Error {
  override readonly name = 'UnsendableHeaders';
}

export interface Dialer {
  /** The answer of any status. Rejects for everything that is none: OutgoingError, ConnectTimeout, UnsendableHeaders, errors of the network. */
  open(request: UpstreamRequest, route: Route): Promise<Response>;
  /** An answer has been read to its end: its connection may serve the next call. */
  wasRead(answer: Response): void;
  /** A websocket, or the status by which it was refused. Rejects like `open`. */
  socket(request: UpstreamRequest, route: Route): Promise<UpstreamSocket | number>;
}

export function createDialer(
  outgoing: Outgoing,
  connect?: Connect,
  remembered: number = limits.resolvedOrigins,
): Dialer {
  const hosts = createReach(remembered, connect);
  const aim = createPathfinder(outgoing, hosts, remembered);
  const kept = new KeptConnections();

  return {
    async socket(request, route) {
      const { target, via, origin } = await aim(request.url, route);
      const to = { ...socketTarget(request, target), ...via };
      const answer = await sending(request.headers, () => openSocket(to, route.signal));
      hosts.hear(origin);
      return answer;
    },
    async open(request, route) {
      const { target, via, origin } = await aim(request.url, route);
      route.goesUp?.();
      if (request.socket) {
        const call = { ...socketCall(request, target, route), ...via };
        const opened = await sending(request.headers, () => socketAnswer(call));
        hosts.hear(origin);
        return opened;
      }
      const ask = (keepalive: boolean) => {
        const answer = sending(request.headers, () =>
          fetch(target.url, {
            method: request.method,
            headers: { ...request.headers, ...target.headers, ...NOT_PACKED },
            body: route.body?.() ?? request.body,
            redirect: 'manual',
            signal: route.signal,
            keepalive,
            ...AS_IT_COMES,
            ...via,
            ...(target.tls ? { tls: target.tls } : {}),
          }),
        );
        failpointSoon('request_written');
        return answer;
      };
      const startedAt = performance.now();
      // Of tunnels through a proxy it is not known which are kept.
      const name = via.proxy ? null : `${origin} ${target.tls?.serverName ?? ''}`;
      const isOfEarlierCalls = name !== null && kept.take(name);
      const response = await ask(true).catch((error: unknown) => {
        if (name === null || !isReset(error)) throw error;
        kept.forget(name);
        const isStale = isOfEarlierCalls && performance.now() - startedAt < limits.staleConnectionMs;
        if (!isStale || route.signal.aborted || !route.mayAskAgain?.()) throw error;
        // By a connection of its own: the next one that was kept may be as old.
        return ask(false);
      });
      hosts.hear(origin);
      const answer = unpacked(response, PACKED_BY_UPSTREAMS);
      if (name !== null) kept.carries(answer, name);
      return answer;
    },
    wasRead: (answer) => kept.free(answer),
  };
}

/** A connection that was kept open may have been closed at the other end meanwhile; that says nothing about the upstream. */
const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

/** Makes a call, and tells headers that cannot be sent, of which the runtime says no more than `TypeError`, from mistakes of ours. */
async function sending<T>(headers: Record<string, string>, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError && !('code' in error) && !areSendable(headers)) {
      throw new UnsendableHeaders('a header has an invalid value', { cause: error });
    }
    throw error;
  }
}

function areSendable(headers: Record<string, string>): boolean {
  try {
    return new Headers(headers) !== null;
  } catch {
    return false;
  }
}

const socketTarget = (request: UpstreamRequest, target: Aim['target']): SocketTarget => ({
  url: target.url.replace(/^http/, 'ws'),
  headers: { ...request.headers, ...target.headers },
  tls: target.tls,
});

const socketCall = (request: UpstreamRequest, target: Aim['target'], route: Route) => ({
  ...socketTarget(request, target),
  message: String(request.body ?? ''),
  isLast: request.socket?.isLast ?? (() => false),
  signal: route.signal,
});
