/**
 * A tool service that speaks MCP's streamable HTTP: it wants its key and, where one is named, its session. What its tools do
 * is what their names say.
 */
import { isObject, type JsonObject } from '../../src/core/json.ts';

export const MCP_KEY = 'service-key-123';
export const MCP_SESSION = 'session-of-the-service';

export interface Heard {
  method: string;
  headers: Headers;
  body: JsonObject;
}

export interface McpServer {
  /** For the option ToolServices. */
  readonly url: string;
  readonly heard: Heard[];
  /** Calls of tools that ran to their end. */
  served: number;
  /** Calls whose connection was given up by the other side. */
  givenUp: number;
  /** Large events that the other side took, of the tools that send many of them. */
  taken: number;
  /** Sessions that were ended. */
  ended: string[];
  /** What it answers to who wants to end one, in the place of ending it. */
  endsWith: number | null;
  /** Lets what waits go on. */
  release(): void;
  close(): Promise<void>;
}

const TOOLS = [{ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' } }];

/** Together more than sockets hold for somebody who does not read. */
const LARGE_EVENTS = 320;
const LARGE_BYTES = 64 * 1024;
const SMALL_EVERY_MS = 100;

const PROGRESS_TOTAL = 3;

const encoder = new TextEncoder();
const event = (message: object) => encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);

export function startMcpServer(): McpServer {
  let letGo: () => void = () => undefined;
  let waiting = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const answer = (id: unknown, result: object) => ({ jsonrpc: '2.0', id, result });
  const said = (id: unknown, text: string, more: object = {}) =>
    answer(id, { content: [{ type: 'text', text }], ...more });
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
  /** Of the call that gave this token. */
  const progressOf = (params: JsonObject, at: number) => {
    const { progressToken } = isObject(params._meta) ? (params._meta as JsonObject) : {};
    return { ...progress, params: { progressToken, progress: at, total: PROGRESS_TOTAL } };
  };

  const events = (
    signal: AbortSignal,
    write: (out: (bytes: Uint8Array) => void) => Promise<void>,
  ): Response => {
    const body = new ReadableStream<Uint8Array>({
      async start(out) {
        try {
          await write((bytes) => !signal.aborted && out.enqueue(bytes));
          if (!signal.aborted) out.close();
        } catch (error) {
          out.error(error);
        }
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };

  /** Many large events as the other side takes them; then, at last, what `end` gives, or small ones without end. */
  const largeEvents = (signal: AbortSignal, end: (() => object) | null): Response => {
    const large = event({ ...progress, params: { progress: 1, message: 'x'.repeat(LARGE_BYTES) } });
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(out) {
          if (signal.aborted) return out.close();
          if (sent++ < LARGE_EVENTS) {
            server.taken++;
            return out.enqueue(large);
          }
          if (end) {
            out.enqueue(event(end()));
            return out.close();
          }
          await Bun.sleep(SMALL_EVERY_MS);
          out.enqueue(event(progress));
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };

  const callTool = async (id: unknown, params: JsonObject, signal: AbortSignal): Promise<Response> => {
    const text = isObject(params.arguments) ? String(params.arguments.text ?? '') : '';
    signal.addEventListener('abort', () => server.givenUp++);
    switch (params.name) {
      case 'echo':
        server.served++;
        return Response.json(said(id, text));
      case 'listed':
        server.served++;
        return Response.json([said(id, text)]);
      case 'slow':
        await waiting;
        server.served++;
        return Response.json(said(id, text));
      case 'events':
        return events(signal, async (write) => {
          write(encoder.encode(': hello\n\n'));
          write(event(progress));
          // A request of the service's own that happens to have the same id is no answer.
          write(event({ jsonrpc: '2.0', id, method: 'ping' }));
          server.served++;
          write(event(said(id, text)));
        });
      case 'progress':
        return events(signal, async (write) => {
          for (let at = 1; at <= PROGRESS_TOTAL; at++) write(event(progressOf(params, at)));
          server.served++;
          write(event(said(id, text)));
        });
      case 'stray-events':
        return events(signal, async (write) => {
          write(event(said('another', 'of somebody else')));
          write(event(said(id, text)));
          write(event(said(id, 'once more')));
        });
      case 'slow-events':
        return events(signal, async (write) => {
          write(event(progress));
          await waiting;
          server.served++;
          write(event(said(id, text)));
        });
      case 'endless-events':
        return largeEvents(signal, null);
      case 'many-events':
        return largeEvents(signal, () => {
          server.served++;
          return said(id, text);
        });
      case 'cut-events':
        return events(signal, async (write) => write(event(progress)));
      case 'failing-events':
        return events(signal, async (write) => write(event(said(id, 'it broke', { isError: true }))));
      case 'failing':
        return Response.json(said(id, 'it broke', { isError: true }));
      case 'unknown':
        return Response.json({ jsonrpc: '2.0', id, error: { code: -32602, message: 'unknown tool' } });
      case 'other-id':
        return Response.json(said('another', text));
      case 'no-json':
        return new Response('<html>', { headers: { 'content-type': 'application/json' } });
      case 'nothing':
        return new Response(null, { status: 202 });
      case 'moved':
        return new Response(null, {
          status: 307,
          headers: { location: `http://127.0.0.1:${port}/elsewhere` },
        });
      default:
        return new Response(`${MCP_KEY} is of account 42`, { status: Number(params.name) });
    }
  };

  const endSession = (headers: Headers): Response => {
    server.heard.push({ method: 'DELETE', headers, body: {} });
    if (headers.get('authorization') !== `Bearer ${MCP_KEY}`) return new Response('who?', { status: 401 });
    const session = headers.get('mcp-session-id') ?? '';
    if (session !== MCP_SESSION) return new Response('no session', { status: 404 });
    if (server.endsWith !== null) return new Response('not so', { status: server.endsWith });
    server.ended.push(session);
    return new Response(null, { status: 200 });
  };

  const listener = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { headers } = request;
      if (request.method === 'DELETE') return endSession(headers);
      const body = (await request.json()) as JsonObject;
      server.heard.push({ method: String(body.method), headers, body });
      if (headers.get('authorization') !== `Bearer ${MCP_KEY}`) return new Response('who?', { status: 401 });
      if (body.method === 'initialize') {
        const result = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'tools', version: '1' },
        };
        return Response.json(answer(body.id, result), {
          headers: {
            'mcp-session-id': MCP_SESSION,
            'mcp-protocol-version': '2025-06-18',
            'x-of-the-service': 'private',
          },
        });
      }
      const session = headers.get('mcp-session-id');
      if (session !== null && session !== MCP_SESSION) return new Response('no session', { status: 404 });
      if (body.id === undefined || body.method === undefined) return new Response(null, { status: 202 });
      if (body.method === 'tools/list') {
        return events(request.signal, async (write) => write(event(answer(body.id, { tools: TOOLS }))));
      }
      if (body.method === 'ping') return Response.json(answer(body.id, {}));
      return callTool(body.id, isObject(body.params) ? (body.params as JsonObject) : {}, request.signal);
    },
  });
  const { port } = listener;
  const server: McpServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    heard: [],
    served: 0,
    givenUp: 0,
    taken: 0,
    ended: [],
    endsWith: null,
    release() {
      letGo();
      waiting = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    close: () => listener.stop(true),
  };
  return server;
}
