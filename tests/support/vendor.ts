/**
 * Any vendor, spoken to by its own address: it stands as the proxy of a channel, so that calls carry the address and
 * the host that the vendor would see. What it answers is said by `answer`; sockets get what `talk` says.
 */
import { type JsonObject, parseObject } from '../../src/core/json.ts';

export interface VendorCall {
  method: string;
  /** As the vendor sees it. */
  url: URL;
  headers: Record<string, string>;
  text: string;
  body: JsonObject;
}

export interface Vendor {
  base: string;
  seen: VendorCall[];
  answer(call: VendorCall): Response | Promise<Response>;
  /** Messages for one that came over a socket; a status refuses the socket. */
  talk(message: JsonObject): string[];
  socketStatus: number;
  close(): Promise<void>;
}

export function startVendor(): Vendor {
  const record = (request: Request, text: string): VendorCall => {
    const headers = Object.fromEntries(request.headers);
    const call = {
      method: request.method,
      url: new URL(request.url),
      headers,
      text,
      body: parseObject(text) ?? {},
    };
    vendor.seen.push(call);
    return call;
  };
  const server: Bun.Server<VendorCall> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request, self): Promise<Response | undefined> {
      const call = record(request, await request.text());
      if (request.headers.get('upgrade') !== 'websocket') return vendor.answer(call);
      if (vendor.socketStatus !== 101) return Response.json({}, { status: vendor.socketStatus });
      self.upgrade(request, { data: call });
    },
    websocket: {
      message(socket, message) {
        socket.data.text = String(message);
        socket.data.body = parseObject(socket.data.text) ?? {};
        for (const each of vendor.talk(socket.data.body)) socket.send(each);
      },
    },
  });
  const vendor: Vendor = {
    base: `http://127.0.0.1:${server.port}`,
    seen: [],
    answer: () => Response.json({}, { status: 404 }),
    talk: () => [],
    socketStatus: 101,
    close: () => server.stop(true),
  };
  return vendor;
}
