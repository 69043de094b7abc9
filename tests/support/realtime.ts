/** An upstream that speaks Realtime as a test tells it to, and a client that notes what it gets. */
import type { JsonObject } from '../../src/core/json.ts';
import { parseObject } from '../../src/core/json.ts';

interface UpstreamSession {
  path: string;
  headers: Headers;
  got: (string | Buffer)[];
  send(event: JsonObject): void;
  sendBytes(bytes: Uint8Array): void;
  close(code?: number): void;
  /** The gateway's close, with its code. */
  closed: Promise<number>;
}

export interface RealtimeUpstream {
  base: string;
  sessions: UpstreamSession[];
  /** The session that is opened next. */
  next(): Promise<UpstreamSession>;
  /** Refuses upgrades by this status; null takes them. */
  refuseBy: number | null;
  stop(): Promise<void>;
}

interface Data {
  session: UpstreamSession;
  attach(socket: Bun.ServerWebSocket<Data>): void;
  ended(code: number): void;
}

export function startRealtime(): RealtimeUpstream {
  const sessions: UpstreamSession[] = [];
  let waiting: ((session: UpstreamSession) => void)[] = [];
  const server: Bun.Server<Data> = Bun.serve<Data>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, host) {
      if (upstream.refuseBy) return new Response('no', { status: upstream.refuseBy });
      const data = dataOf(request);
      return host.upgrade(request, { data }) ? undefined : new Response('no websocket', { status: 400 });
    },
    websocket: {
      open(socket) {
        const { session, attach } = socket.data;
        attach(socket);
        // Real services greet at once.
        session.send({ type: 'session.created', event_id: 'event_1' });
        sessions.push(session);
        for (const resolve of waiting) resolve(session);
        waiting = [];
      },
      message: (socket, data) => void socket.data.session.got.push(data),
      close: (socket, code) => socket.data.ended(code),
    },
  });
  const upstream: RealtimeUpstream = {
    base: `http://127.0.0.1:${server.port}`,
    sessions,
    refuseBy: null,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () => server.stop(true),
  };
  return upstream;
}

function dataOf(request: Request): Data {
  const { pathname, search } = new URL(request.url);
  const ended = Promise.withResolvers<number>();
  let socket: Bun.ServerWebSocket<Data> | null = null;
  return {
    attach(given) {
      socket = given;
    },
    ended: ended.resolve,
    session: {
      path: pathname + search,
      headers: request.headers,
      got: [],
      send: (event) => void socket?.send(JSON.stringify(event)),
      sendBytes: (bytes) => void socket?.send(bytes),
      close: (code) => socket?.close(code),
      closed: ended.promise,
    },
  };
}

export interface RealtimeClient {
  socket: WebSocket;
  got: JsonObject[];
  /** Resolves when an event of this type has come. */
  until(type: string): Promise<JsonObject>;
  send(event: JsonObject): void;
  closed: Promise<{ code: number; reason: string }>;
}

/** Rejects when the upgrade is refused. */
export async function connect(
  url: string,
  { headers = {}, protocols = [] }: { headers?: Record<string, string>; protocols?: string[] },
): Promise<RealtimeClient> {
  const socket: WebSocket = Reflect.construct(WebSocket, [
    url.replace(/^http/, 'ws'),
    { headers, protocols },
  ]);
  const got: JsonObject[] = [];
  let watchers: (() => void)[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  socket.onmessage = ({ data }) => {
    got.push(parseObject(String(data)) ?? {});
    for (const look of watchers) look();
  };
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = (event) => reject(new Error('message' in event ? String(event.message) : 'refused'));
  });
  return {
    socket,
    got,
    closed,
    send: (event) => socket.send(JSON.stringify(event)),
    async until(type) {
      for (;;) {
        const found = got.find((event) => event.type === type);
        if (found) return found;
        await new Promise<void>((resolve) => watchers.push(resolve));
        watchers = [];
      }
    },
  };
}
