/** A file on its way from an upstream to its caller, each piece when he has taken the one before: none of it is kept. */
import { limits } from '../../core/limits.ts';
import {
  directStream,
  endOfWriting,
  pieceMs,
  type Writing,
  type WritingEnds,
  within,
} from '../../platform/large-answer.ts';

export interface PassingOn extends Pick<Writing, 'written'> {
  /** The body of the response; called once. It breaks off where `pieces` throw. */
  bodyOf(pieces: AsyncIterable<Uint8Array>): ReadableStream;
}

export interface PassingEnds extends Pick<WritingEnds, 'left' | 'cut' | 'idleMs' | 'wholeMs'> {
  /** Of the file, where that is told; else it has the pace of the largest answers. */
  bytes?: number | null;
  /** Told when its reader has taken nothing for `slowMs`: what ends it. It answers what is called when he goes on. */
  standsStill?: (end: () => void) => () => void;
  slowMs?: number;
}

export function passOn(ends: PassingEnds): PassingOn {
  const { written, resolve } = endOfWriting(ends);
  return {
    written,
    bodyOf: (pieces) =>
      directStream({
        type: 'direct',
        async pull(controller) {
          const terms = { ...ends, end: resolve };
          const isWhole = await passAll(pieces, controller, written, terms).catch(() => false);
          resolve();
          if (isWhole) controller.close();
          else controller.close(new Error('the file was not passed on to its end'));
        },
        cancel: () => resolve(),
      }),
  };
}

interface Sink {
  write(piece: Uint8Array): number | Promise<number>;
  flush(): unknown;
}

/** False when it ended before. */
export async function passAll(
  pieces: AsyncIterable<Uint8Array>,
  sink: Sink,
  over: Promise<void>,
  {
    bytes,
    idleMs = limits.writeIdleMs,
    wholeMs = limits.writeWholeMs,
    slowMs = limits.videoSlowMs,
    standsStill,
    end = () => undefined,
  }: Omit<PassingEnds, 'left' | 'cut'> & { end?: () => void },
): Promise<boolean> {
  const whole = bytes || limits.upstreamPlainBytes;
  let passed = 0;
  /** For the caller alone: that its upstream is slow is not his doing. */
  let waitedMs = 0;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for await (const piece of pieces) {
    const taken = sink.write(piece);
    sink.flush();
    // A number where the socket has taken it.
    passed += piece.byteLength;
    if (typeof taken === 'object') {
      const from = performance.now();
      const ms = pieceMs(Math.min(passed / whole, 1), waitedMs, { idleMs, wholeMs });
      let goesOn = (): void => undefined;
      const slow = setTimeout(() => {
        goesOn = standsStill?.(end) ?? goesOn;
      }, slowMs);
      const isTaken = await within(ms, taken, over);
      clearTimeout(slow);
      goesOn();
      if (!isTaken) return false;
      waitedMs += performance.now() - from;
    }
    if (isOver) return false;
  }
  return true;
}
