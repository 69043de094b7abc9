/**
 * A model provider that misbehaves on demand. It speaks the OpenAI wire and records every request. What it does with
 * a chat call is said by the model's name (`gpt-4o@cut`), by `next` (one entry a call, in order) or by `always`.
 * It runs on node:http because only that lets a test reset or cut the socket.
 */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { isObject, type JsonObject, parseObject } from '../../src/core/json.ts';
import { patience } from './patience.ts';

/**
 * - `401`, `500`, … : that status with an OpenAI error body; `429` also with `Retry-After: 7`
 * - `hang`: takes the request and never answers · `hang-mid`: half a stream (or only headers), then silence
 * - `reset`: RST before headers · `reset-headers`: RST after headers · `cut`: the socket closes half-way
 * - `bad-json`, `html`, `empty` (200 without a body), `error-mid` (an error event inside a 200 stream), `garbage` (one frame is no JSON)
 * - `gzip`: a compressed answer · `utf8`: a character split over two chunks · `crlf`: lines end in CR LF
 * - `no-usage`, `usage-zero`, `no-done` (no `[DONE]` at the end), `endless`: a stream without end, `slow`: 50 ms between frames
 * - `flood`: a plain answer, or one frame, larger than any bound
 * - `held`: answers when `release()` is called
 */
export type Behaviour =
  | `${number}`
  | 'hang'
  | 'hang-mid'
  | 'reset'
  | 'reset-headers'
  | 'cut'
  | 'bad-json'
  | 'html'
  | 'empty'
  | 'error-mid'
  | 'garbage'
  | 'gzip'
  | 'utf8'
  | 'crlf'
  | 'no-usage'
  | 'usage-zero'
  | 'no-done'
  | 'endless'
  | 'slow'
  | 'flood'
  | 'held'
  | 'ok';

export interface Seen {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
  body: JsonObject;
  model: string;
  /** performance.now() when the request was whole. */
  at: number;
  /** The caller closed the connection before the answer was whole. */
  leftEarly: boolean;
  /** Frames of a stream handed to the socket so far. */
  framesSent: number;
}

export interface UpstreamSettings {
  /** Words of an answer, each one completion token. */
  words: number;
  promptTokens: number;
  /** Milliseconds between the frames of a stream. */
  delayMs: number;
}

const FLOOD_BYTES = 80 * 1024 * 1024;
const SLOW_MS = 50;

export async function startUpstream(given: Partial<UpstreamSettings> = {}): Promise<Upstream> {
  const upstream = new Upstream({ words: 20, promptTokens: 17, delayMs: 0, ...given });
  await upstream.listen();
  return upstream;
}

export class Upstream {
  readonly seen: Seen[] = [];
  /** Behaviours of the coming calls, taken one by one. */
  readonly next: Behaviour[] = [];
  /** The behaviour of every call that neither its model nor `next` decides. */
  always: Behaviour = 'ok';
  /** What `error-mid` tells. */
  errorMid: JsonObject = { message: 'mock failure', type: 'server_error', code: 'mock' };
  base = '';
  readonly #sockets = new Set<Socket>();
  readonly #server: http.Server;
  #held: (() => void)[] = [];
  #watchers: (() => void)[] = [];

  constructor(readonly settings: UpstreamSettings) {
    this.#server = http.createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.base = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Chat calls got so far. */
  get chats(): Seen[] {
    return this.seen.filter((entry) => isChat(entry));
  }

  get heldNow(): number {
    return this.#held.length;
  }

  /** Answers everything that is held. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const go of held) go();
  }

  /** Resolves when the condition holds; looked at whenever a request came, was held, sent a frame or was left. */
  async until(condition: (upstream: Upstream) => boolean, quietMs = 10_000): Promise<void> {
    const withinMs = patience(quietMs);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => {
      if (condition(this)) resolve();
    };
    const timer = setTimeout(
      () => reject(new Error(`the upstream did not see that in ${withinMs} ms`)),
      withinMs,
    );
    this.#watchers.push(look);
    look();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers = this.#watchers.filter((watcher) => watcher !== look);
    }
  }

  async close(): Promise<void> {
    this.release();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #changed(): void {
    for (const look of this.#watchers) look();
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    try {
      const raw = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
      const url = new URL(request.url ?? '/', 'http://upstream');
      const body = parseObject(raw.toString()) ?? {};
      const entry: Seen = {
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: request.headers,
        raw,
        body,
        model: typeof body.model === 'string' ? body.model : '',
        at: performance.now(),
        leftEarly: false,
        framesSent: 0,
      };
      response.on('close', () => {
        entry.leftEarly = !response.writableFinished;
        this.#changed();
      });
      this.seen.push(entry);
      this.#changed();
      await this.#answer(entry, request, response);
    } catch {
      // The caller went away while its request or the answer was under way; `leftEarly` says so.
      request.socket.destroy();
    }
  }

  async #answer(entry: Seen, request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (entry.method === 'GET' && entry.path.endsWith('/models')) {
      const data = ['mock-a', 'mock-b'].map((id) => ({ id, object: 'model' }));
      return sendJson(response, 200, { object: 'list', data });
    }
    // OpenAI's dashboard: a hundred dollars, eleven of them spent.
    if (entry.path.endsWith('/billing/subscription')) return sendJson(response, 200, { hard_limit_usd: 100 });
    if (entry.path.endsWith('/billing/usage')) return sendJson(response, 200, { total_usage: 1_100 });
    if (!isChat(entry)) return sendError(response, 404);
    const behaviour = (entry.model.split('@')[1] ?? this.next.shift() ?? this.always) as Behaviour;
    const stream = entry.body.stream === true;
    if (behaviour === 'held') {
      await new Promise<void>((resolve) => {
        this.#held.push(resolve);
        this.#changed();
      });
    }
    if (/^\d{3}$/.test(behaviour)) return sendError(response, Number(behaviour));
    switch (behaviour) {
      case 'hang':
        return;
      case 'reset':
        return void request.socket.resetAndDestroy();
      case 'reset-headers':
        response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
        response.flushHeaders();
        await Bun.sleep(20);
        return void request.socket.resetAndDestroy();
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' });
        return void response.end('<html><body>Bad gateway</body></html>');
      case 'empty':
        response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
        return void response.end();
    }
    return stream
      ? this.#stream(entry, behaviour, request, response)
      : this.#plain(entry, behaviour, request, response);
  }

  #usage(behaviour: Behaviour) {
    const { promptTokens, words } =
      behaviour === 'usage-zero' ? { promptTokens: 0, words: 0 } : this.settings;
    return {
      prompt_tokens: promptTokens,
      completion_tokens: words,
      total_tokens: promptTokens + words,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
  }

  async #plain(
    entry: Seen,
    behaviour: Behaviour,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const words = Array.from({ length: this.settings.words }, (_, i) => `w${i}`).join(' ');
    const content = behaviour === 'utf8' ? '汉字' : behaviour === 'flood' ? 'x'.repeat(FLOOD_BYTES) : words;
    const answer = JSON.stringify({
      id: 'chatcmpl-mock',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: entry.model,
      choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
      ...(behaviour === 'no-usage' ? {} : { usage: this.#usage(behaviour) }),
    });
    const half = answer.slice(0, answer.length / 2);
    switch (behaviour) {
      case 'bad-json':
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(half);
      case 'hang-mid':
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.write(half);
      case 'cut':
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(half);
        await Bun.sleep(20);
        return void request.socket.destroy();
      case 'gzip':
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        return void response.end(gzipSync(answer));
      case 'utf8':
        response.writeHead(200, { 'content-type': 'application/json' });
        await writeSplit(response, Buffer.from(answer), '汉');
        return void response.end();
      default:
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(answer);
    }
  }

  async #stream(
    entry: Seen,
    behaviour: Behaviour,
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const { words, delayMs } = this.settings;
    const newline = behaviour === 'crlf' ? '\r\n' : '\n';
    const frame = (data: JsonObject | string) =>
      `data: ${typeof data === 'string' ? data : JSON.stringify(data)}${newline}${newline}`;
    const head = { id: 'chatcmpl-mock', object: 'chat.completion.chunk', created: 1_700_000_000 };
    const chunk = (delta: JsonObject, finish: string | null = null) =>
      frame({
        ...head,
        model: entry.model,
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    const asked = isObject(entry.body.stream_options) && entry.body.stream_options.include_usage === true;
    const end = [
      chunk({}, 'stop'),
      ...(asked && behaviour !== 'no-usage'
        ? [frame({ ...head, model: entry.model, choices: [], usage: this.#usage(behaviour) })]
        : []),
      ...(behaviour === 'no-done' ? [] : [frame('[DONE]')]),
    ];
    const send = async (bytes: string | Buffer) => {
      if (!response.write(bytes) && !entry.leftEarly) {
        await new Promise<void>((resolve) => {
          const go = () => {
            response.off('drain', go).off('close', go);
            resolve();
          };
          response.on('drain', go).on('close', go);
        });
      }
      entry.framesSent++;
      this.#changed();
    };

    const encoding = behaviour === 'gzip' ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      ...encoding,
    });
    const first = chunk({ role: 'assistant', content: '' });
    if (behaviour === 'gzip') {
      const all = [first, ...Array.from({ length: words }, (_, i) => chunk({ content: word(i) })), ...end];
      return void response.end(gzipSync(all.join('')));
    }
    await send(first);
    const total = behaviour === 'endless' ? Number.POSITIVE_INFINITY : words;
    const half = Math.floor(words / 2);
    for (let i = 0; i < total && !entry.leftEarly; i++) {
      if (i === half) {
        if (behaviour === 'hang-mid') return;
        if (behaviour === 'cut') {
          await Bun.sleep(20);
          return void request.socket.destroy();
        }
        if (behaviour === 'error-mid') {
          await send(frame({ error: this.errorMid }));
          return void response.end();
        }
        if (behaviour === 'garbage' || behaviour === 'bad-json') await send(frame('{not json'));
        if (behaviour === 'flood') await send(chunk({ content: 'x'.repeat(FLOOD_BYTES) }));
      }
      if (behaviour === 'utf8') await writeSplit(response, Buffer.from(chunk({ content: '汉字' })), '汉');
      else await send(chunk({ content: word(i) }));
      // An endless stream yields to the event loop, or nobody would ever see the caller leave.
      const pauseMs = delayMs || (behaviour === 'slow' ? SLOW_MS : 0);
      if (pauseMs || behaviour === 'endless') await Bun.sleep(pauseMs || 1);
    }
    for (const last of end) await send(last);
    response.end();
  }
}

/** By OpenAI's path, or the one that MiniMax has for the same wire. */
const isChat = ({ path }: Seen): boolean => /\/(chat\/completions|chatcompletion_v2)$/.test(path);

const word = (i: number): string => (i ? ` w${i}` : 'w0');

function sendJson(response: http.ServerResponse, status: number, value: JsonObject, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

function sendError(response: http.ServerResponse, status: number): void {
  const error = { message: `mock ${status}`, type: 'mock_error', param: null, code: 'mock' };
  sendJson(response, status, { error }, status === 429 ? { 'retry-after': '7' } : {});
}

/** Writes `bytes` in two chunks with the border inside the first character `letter`. */
async function writeSplit(response: http.ServerResponse, bytes: Buffer, letter: string): Promise<void> {
  const at = bytes.indexOf(letter) + 1;
  response.write(bytes.subarray(0, at));
  await Bun.sleep(10);
  response.write(bytes.subarray(at));
}
