/**
 * A large whole answer on its way to its caller, piece by piece as he reads: a body that is given to the server at once is
 * kept by it as a whole until the last byte is taken, which who does not read never lets happen.
 */
import { limits } from '../../core/limits.ts';
import type { RelayDeps } from '../deps.ts';

export interface Writing {
  /** What the answer takes is held until then. Never rejects. */
  written: Promise<void>;
  /** Must be called once where the answer is not shown after all. */
  abandon(): void;
  /** The body of the response. */
  bodyOf(answer: string | Uint8Array): ReadableStream;
}

/** What may end it before its end. */
export interface WritingEnds {
  /** Aborts when the caller leaves. */
  left: AbortSignal;
  cut: RelayDeps['cut'];
  /** So long a piece waits for a caller who does not read. */
  idleMs?: number;
  /** And so long the whole, for one who reads a little now and then. */
  wholeMs?: number;
}

export function writeLarge({
  left,
  cut,
  idleMs = limits.writeIdleMs,
  wholeMs = limits.writeWholeMs,
}: WritingEnds): Writing {
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const uncut = cut.onCut(resolve);
  const timer = setTimeout(resolve, wholeMs);
  left.addEventListener('abort', () => resolve());
  if (left.aborted) resolve();
  void written.then(() => {
    clearTimeout(timer);
    uncut();
  });
  return {
    written,
    abandon: resolve,
    bodyOf: (answer) =>
      directStream({
        type: 'direct',
        async pull(controller) {
          const isWhole = await writeAll(answer, controller, { over: written, idleMs });
          resolve();
          if (isWhole) controller.close();
          else controller.close(new Error('the caller does not read'));
        },
        cancel: () => resolve(),
      }),
  };
}

/** Bun's own kind of stream, whose writes go straight to the socket. The DOM's types do not know it, hence the reflection. */
export const directStream = (source: Bun.DirectUnderlyingSource): ReadableStream =>
  Reflect.construct(ReadableStream, [source]);

interface Sink {
  write(piece: string | Uint8Array): number | Promise<number>;
  flush(): unknown;
}

/** False when it ended before. */
async function writeAll(
  answer: string | Uint8Array,
  sink: Sink,
  { over, idleMs }: { over: Promise<void>; idleMs: number },
): Promise<boolean> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for (const piece of typeof answer === 'string' ? piecesOf(answer) : partsOf(answer)) {
    const taken = sink.write(piece);
    sink.flush();
    // A number where the socket has taken it.
    if (typeof taken === 'object' && !(await within(idleMs, taken, over))) return false;
    if (isOver) return false;
  }
  return true;
}

/** Whether the one comes before the other, and in time. */
function within(ms: number, taken: Promise<unknown>, over: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  taken.then(
    () => resolve(true),
    () => resolve(false),
  );
  void over.then(() => resolve(false));
  void promise.then(() => clearTimeout(timer));
  return promise;
}

/** The second half of a surrogate pair belongs to what is before it. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = at + limits.writePieceChars;
    if ((text.charCodeAt(end) & 0xfc00) === 0xdc00) end++;
    yield text.slice(at, end);
    at = end;
  }
}

/** Views, no copies. */
function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += limits.writePieceBytes) {
    yield bytes.subarray(at, at + limits.writePieceBytes);
  }
}
