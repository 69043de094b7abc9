import { afterEach, describe, expect, it } from 'bun:test';
import { socketAnswer } from './socket-answer.ts';

type Handler = (socket: Bun.ServerWebSocket<undefined>, message: string) => void;

const open: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(true);
});

/** A vendor's socket; refuses the upgrade when it is given a status. */
function vendor(onMessage: Handler, { status, onClose }: { status?: number; onClose?: () => void } = {}) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      if (status) return Response.json({ message: 'no' }, { status });
      return self.upgrade(request) ? undefined : new Response('no socket', { status: 400 });
    },
    websocket: {
      message: (socket, message) => onMessage(socket, String(message)),
      close: () => onClose?.(),
    },
  });
  open.push(server);
  return `ws://127.0.0.1:${server.port}/chat`;
}

const ask = (url: string, signal = new AbortController().signal) =>
  socketAnswer({ url, message: 'question', isLast: (message) => message === 'end', signal });

describe('an answer over a websocket', () => {
  it('is an event stream that ends with the last message', async () => {
    const closed = Promise.withResolvers<void>();
    const url = vendor(
      (socket, message) => {
        for (const text of [`got ${message}`, 'two\nlines', 'end']) socket.send(text);
      },
      { onClose: closed.resolve },
    );
    const answer = await ask(url);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(await answer.text()).toBe('data: got question\n\ndata: two lines\n\ndata: end\n\n');
    await closed.promise;
  });

  it('ends where the vendor closes before the last message', async () => {
    const url = vendor((socket) => {
      socket.send('half');
      socket.close();
    });
    expect(await (await ask(url)).text()).toBe('data: half\n\n');
  });

  it('has the status by which the socket was refused', async () => {
    const answer = await ask(vendor(() => undefined, { status: 403 }));
    expect([answer.ok, answer.status]).toEqual([false, 403]);
  });

  it('is none where nobody listens, and none any more once it is not wanted', async () => {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
    const url = `ws://127.0.0.1:${server.port}/`;
    await server.stop(true);
    await expect(ask(url)).rejects.toThrow();
    const abort = new AbortController();
    abort.abort();
    await expect(
      ask(
        vendor(() => undefined),
        abort.signal,
      ),
    ).rejects.toThrow();
  });

  it('is cut off at the vendor when its reader goes', async () => {
    const closed = Promise.withResolvers<void>();
    const url = vendor((socket) => void socket.send('first'), { onClose: closed.resolve });
    const abort = new AbortController();
    const answer = await ask(url, abort.signal);
    const reader = answer.body?.getReader();
    await reader?.read();
    abort.abort();
    await closed.promise;
    await expect(reader?.read()).rejects.toThrow();
  });
});
