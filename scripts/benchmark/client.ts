/**
 * The load: plain calls on a number of kept connections for some seconds, or many streams at once. It speaks HTTP over
 * bare sockets, because on a small machine a client that does more would be most of what is measured. Takes a job as
 * JSON, prints the figures as JSON.
 */
import type { Socket } from 'bun';
import { bodyOf, type CallerDialect, DIALECTS } from './workload.ts';

export interface Job {
  port: number;
  kind: 'plain' | 'streams';
  connections: number;
  /** Of plain calls. */
  seconds: number;
  /** Relay keys, used in turn. */
  keys: string[];
  /** OpenAI's where absent. */
  dialect?: CallerDialect;
}

export interface Figures {
  /** Answered well while it was measured. */
  calls: number;
  /** All that were answered, the warm-up too: what the processes' CPU is divided by. */
  answered: number;
  failed: number;
  /** Microseconds of CPU that the load itself took, once it was connected. */
  loadUs: number;
  /** Of plain calls, a second. */
  rate: number;
  /** Milliseconds: whole calls. */
  p50: number;
  p99: number;
  /** Milliseconds to the first event of a stream. */
  first50: number;
  first99: number;
}

const WARM_UP_MS = 300;
const STREAM_LIMIT_MS = 60_000;
const LAST_CALLS_MS = 5_000;

interface Connection {
  /** Calls this connection has made; picks the next key. */
  turn: number;
  startedAt: number;
  firstAt: number;
  /** What has arrived of the answer under way. */
  parts: Buffer[];
}

const HEAD_END = Buffer.from('\r\n\r\n');
const CHUNKED_END = Buffer.from('0\r\n\r\n');

/** True when the bytes are a whole HTTP answer, by its content-length or its last chunk. */
function isWhole(bytes: Buffer): boolean {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  const length = /content-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) return bytes.subarray(-CHUNKED_END.length).equals(CHUNKED_END);
  return bytes.length >= headEnd + HEAD_END.length + Number(length);
}

const isOk = (bytes: Buffer): boolean => bytes.toString('latin1', 9, 12) === '200';

const requestOf = (path: string, key: string, body: string): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** A sorted list's value at a share of its length. */
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;

function usSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

interface Handlers {
  data(socket: Socket<Connection>, chunk: Buffer): void;
  lost(socket: Socket<Connection>): void;
}

async function connect(port: number, count: number, handlers: Handlers): Promise<Socket<Connection>[]> {
  const sockets: Socket<Connection>[] = [];
  // A hundred at a time, so that no listen queue overflows.
  for (let made = 0; made < count; made += 100) {
    const batch = Array.from({ length: Math.min(100, count - made) }, (_, i) =>
      Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port,
        data: { turn: made + i, startedAt: 0, firstAt: 0, parts: [] },
        socket: { data: handlers.data, close: handlers.lost, error: handlers.lost },
      }),
    );
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

async function plainCalls(job: Job): Promise<Figures> {
  const body = bodyOf(false);
  const { path } = DIALECTS[job.dialect ?? 'openai'];
  const requests = job.keys.map((key) => requestOf(path, key, body));
  const took: number[] = [];
  let failed = 0;
  let answered = 0;
  let counting = false;
  let ended = false;
  let underWay = 0;
  const quiet = Promise.withResolvers<void>();

  const send = (socket: Socket<Connection>) => {
    const { data } = socket;
    const request = requests[data.turn % requests.length];
    data.turn += job.connections;
    data.parts = [];
    data.startedAt = performance.now();
    underWay++;
    if (request) socket.write(request);
  };
  const sockets = await connect(job.port, job.connections, {
    data(socket, chunk) {
      const { data } = socket;
      data.parts.push(chunk);
      const bytes = data.parts.length === 1 ? chunk : Buffer.concat(data.parts);
      if (!isWhole(bytes)) return;
      answered++;
      underWay--;
      if (counting) {
        if (isOk(bytes)) took.push(performance.now() - data.startedAt);
        else failed++;
      }
      if (!ended) send(socket);
      else if (underWay === 0) quiet.resolve();
    },
    lost() {
      if (!ended) failed++;
    },
  });
  const cpuBefore = process.cpuUsage();
  for (const socket of sockets) send(socket);
  await Bun.sleep(WARM_UP_MS);
  counting = true;
  const startedAt = performance.now();
  await Bun.sleep(job.seconds * 1000);
  counting = false;
  const seconds = (performance.now() - startedAt) / 1000;
  ended = true;
  // What is under way would else be done while the next is measured.
  if (underWay > 0) await Promise.race([quiet.promise, Bun.sleep(LAST_CALLS_MS)]);
  took.sort((a, b) => a - b);
  const loadUs = usSince(cpuBefore);
  const figures = { calls: took.length, answered, failed, loadUs, rate: took.length / seconds };
  return { ...figures, p50: at(took, 0.5), p99: at(took, 0.99), first50: Number.NaN, first99: Number.NaN };
}

async function streams(job: Job): Promise<Figures> {
  const body = bodyOf(true);
  const { path, end } = DIALECTS[job.dialect ?? 'openai'];
  const took: number[] = [];
  const first: number[] = [];
  const open = new Set<Socket<Connection>>();
  const all = Promise.withResolvers<void>();
  const close = (socket: Socket<Connection>) => {
    if (open.delete(socket) && open.size === 0) all.resolve();
  };

  const sockets = await connect(job.port, job.connections, {
    data(socket, chunk) {
      const { data } = socket;
      if (data.parts.length === 0 && !isOk(chunk)) return close(socket);
      if (data.firstAt === 0 && chunk.includes('data:')) data.firstAt = performance.now();
      // Only the end is kept: it is what says that the stream is whole.
      data.parts = [...data.parts, chunk].slice(-2);
      if (!chunk.subarray(-CHUNKED_END.length).equals(CHUNKED_END)) return;
      if (Buffer.concat(data.parts).includes(end)) {
        took.push(performance.now() - data.startedAt);
        first.push(data.firstAt - data.startedAt);
      }
      close(socket);
    },
    lost: close,
  });
  const cpuBefore = process.cpuUsage();
  for (const socket of sockets) open.add(socket);
  const requests = job.keys.map((key) => requestOf(path, key, body));
  for (const socket of sockets) {
    const request = requests[socket.data.turn % requests.length];
    socket.data.startedAt = performance.now();
    if (request) socket.write(request);
  }
  const limit = setTimeout(all.resolve, STREAM_LIMIT_MS);
  await all.promise;
  clearTimeout(limit);
  const loadUs = usSince(cpuBefore);
  took.sort((a, b) => a - b);
  first.sort((a, b) => a - b);
  return {
    calls: took.length,
    answered: took.length,
    failed: job.connections - took.length,
    loadUs,
    rate: Number.NaN,
    p50: at(took, 0.5),
    p99: at(took, 0.99),
    first50: at(first, 0.5),
    first99: at(first, 0.99),
  };
}

if (import.meta.main) {
  const job = JSON.parse(await Bun.stdin.text()) as Job;
  const figures = job.kind === 'plain' ? await plainCalls(job) : await streams(job);
  console.log(JSON.stringify(figures));
  process.exit(0);
}
