/** Websockets to upstreams. */
import { limits } from '../../core/limits.ts';

/** A websocket that did not open, or was given up. */
export class SocketLost extends Error {
  override readonly name = 'SocketLost';
}

export interface SocketTarget {
  url: string;
  headers?: Record<string, string>;
  proxy?: string;
  tls?: { serverName?: string };
}

/**
 * Bun's own WebSocket takes headers, a proxy and the name for TLS, of which the DOM's types know nothing. Packed messages are
 * not offered: whole ones are unpacked whatever they become.
 */
export const dialSocket = ({ url, headers, proxy, tls }: SocketTarget): Bun.WebSocket =>
  Reflect.construct(WebSocket, [url, { headers, proxy, tls, perMessageDeflate: false }]);

/** The status of an upgrade that was refused stands only in the words of the error; null when there is none. */
export function refusedStatus(event: Event): number | null {
  const said = 'message' in event && typeof event.message === 'string' ? event.message : '';
  const status = Number(/status code: ([45]\d\d)/.exec(said)?.[1]);
  return status || null;
}

export interface SocketListener {
  message(data: string | Uint8Array): void;
  closed(code: number): void;
}

/** An open websocket whose first messages wait until somebody listens. */
export class UpstreamSocket {
  readonly #socket: Bun.WebSocket;
  #listener: SocketListener | null = null;
  #early: (string | Uint8Array)[] = [];
  #closedWith: number | null = null;

  constructor(socket: Bun.WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.onmessage = ({ data }) => {
      if (this.#listener) this.#listener.message(data);
      else this.#early.push(data);
    };
    socket.onclose = ({ code }) => {
      this.#closedWith = code;
      this.#listener?.closed(code);
    };
  }

  listen(listener: SocketListener): void {
    const early = this.#early;
    this.#early = [];
    this.#listener = listener;
    for (const data of early) listener.message(data);
    if (this.#closedWith !== null) listener.closed(this.#closedWith);
  }

  /** Bytes that the upstream has not taken yet. */
  get waitingBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** False, and nothing is sent, when more is waiting already than may be. */
  send(data: string | Uint8Array): boolean {
    if (this.waitingBytes > limits.socketWaitingBytes) return false;
    this.#socket.send(data);
    return true;
  }

  close(): void {
    this.#listener = null;
    this.#socket.close(1000);
  }
}

/** Bun tells beside the event what the socket was lost by, as `fetch` does. */
export const lostBy = (event: Event): SocketLost =>
  new SocketLost('no socket', 'error' in event ? { cause: event.error } : undefined);

/** The open socket, or the status by which it was refused. Rejects when nobody answers. */
export function openSocket(target: SocketTarget, signal: AbortSignal): Promise<UpstreamSocket | number> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamSocket | number>();
  const socket = dialSocket(target);
  const end = () => socket.terminate();
  signal.addEventListener('abort', end);
  socket.onopen = () => resolve(new UpstreamSocket(socket));
  socket.onerror = (event) => {
    const status = refusedStatus(event);
    if (status) resolve(status);
    else reject(signal.aborted ? signal.reason : lostBy(event));
  };
  socket.onclose = () => reject(signal.aborted ? signal.reason : new SocketLost('no socket'));
  return promise.finally(() => signal.removeEventListener('abort', end));
}
