/** A drawing proxy, as far as its wire goes: it takes tasks, and says of each what a test has told it. */
import { type JsonObject, parseObject } from '../../src/core/json.ts';

export const DRAWING_KEY = 'mj-secret-0123456789';

/** One pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export interface DrawingSeen {
  method: string;
  path: string;
  secret: string | null;
  body: JsonObject;
}

export interface DrawingServer {
  base: string;
  seen: DrawingSeen[];
  /** What was submitted, in order. */
  readonly submitted: DrawingSeen[];
  /** What it says to submissions beside `result`, from now on. */
  says: JsonObject;
  /** What it says of all tasks. */
  news: JsonObject;
  /** What callers were told at `/hook`. */
  told: JsonObject[];
  /** What it shows of all tasks. */
  picture: Uint8Array<ArrayBuffer>;
  /** Its picture is no picture. */
  showsHtml: boolean;
  /** The next caller at this path has to wait for its answer. */
  hold(path: string): HeldCall;
  close(): Promise<void>;
}

export interface HeldCall {
  came: Promise<void>;
  /** Somebody still waits. */
  readonly isWaiting: boolean;
  answer(): void;
}

interface Held {
  path: string;
  came: () => void;
  answered: Promise<void>;
  signal: AbortSignal | null;
}

export function startDrawing(): DrawingServer {
  let next = 0;
  let held: Held | null = null;
  const answer = (path: string, body: JsonObject): Response => {
    if (path.endsWith('/image-seed')) return Response.json({ code: 1, description: 'ok', result: '1234567' });
    if (path === '/picture') {
      return server.showsHtml
        ? new Response('<script>1</script>', { headers: { 'content-type': 'text/html' } })
        : new Response(server.picture, { headers: { 'content-type': 'image/png', 'set-cookie': 'a=b' } });
    }
    if (path.startsWith('/film'))
      return new Response(`film ${path}`, { headers: { 'content-type': 'video/mp4' } });
    if (path === '/hook') {
      server.told.push(body);
      return new Response('ok');
    }
    if (path === '/mj/task/list-by-condition') {
      const ids = Array.isArray(body.ids) ? body.ids.map(String) : [];
      return Response.json(ids.map((id) => ({ id, ...server.news })));
    }
    next++;
    return Response.json({
      code: 1,
      description: '提交成功',
      // What is said in a window is drawn under the window's own id.
      result: path === '/mj/submit/modal' ? body.taskId : `vendor-${next}`,
      properties: {},
      ...server.says,
    });
  };
  const listener = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const body = parseObject(await request.text()) ?? {};
      const secret = request.headers.get('mj-api-secret');
      server.seen.push({ method: request.method, path: pathname, secret, body });
      if (held?.path === pathname) {
        const own = held;
        held = null;
        own.signal = request.signal;
        own.came();
        await own.answered;
      }
      return answer(pathname, body);
    },
  });
  const server: DrawingServer = {
    base: `http://127.0.0.1:${listener.port}`,
    seen: [],
    get submitted() {
      return server.seen.filter(({ path }) => /^\/mj\/(submit|insight-face)\//.test(path));
    },
    says: {},
    news: { status: 'IN_PROGRESS', progress: '40%' },
    told: [],
    picture: PNG,
    showsHtml: false,
    hold(path) {
      const came = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const own: Held = { path, came: came.resolve, answered: answered.promise, signal: null };
      held = own;
      return {
        came: came.promise,
        get isWaiting() {
          return own.signal?.aborted === false;
        },
        answer: answered.resolve,
      };
    },
    close: () => listener.stop(true),
  };
  return server;
}
