/** Websockets of the server: each is handed over to its own peer, which says what becomes of it. */
import { limits } from '../core/limits.ts';

export type ServerSocket = Bun.ServerWebSocket<SocketPeer>;

export interface SocketPeer {
  opened(socket: ServerSocket): void;
  message(data: string | Buffer): void;
  /** The caller has taken some of what waited for him. */
  drained?(): void;
  closed(code: number): void;
}

/** For `Bun.serve`. A caller who reads too slowly loses his connection, not we our memory. */
export const sockets: Bun.WebSocketHandler<SocketPeer> = {
  maxPayloadLength: limits.socketMessageBytes,
  backpressureLimit: limits.socketWaitingBytes,
  closeOnBackpressureLimit: true,
  perMessageDeflate: false,
  open: (socket) => socket.data.opened(socket),
  message: (socket, data) => socket.data.message(data),
  drain: (socket) => socket.data.drained?.(),
  close: (socket, code) => socket.data.closed(code),
};
