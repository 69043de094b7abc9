/** A file on its way from an upstream to its caller, each piece when he has taken the one before: none of it is kept. */
import { limits } from '../../core/limits.ts';
import {
  endOfWriting,
  pieceMs,
  type Writing,
  type WritingEnds,
  within,
} from '../../platform/large-answer.ts';
import { type PaceTerms, ReaderPace, type StandsStill } from '../../platform/reader-pace.ts';
import { closing, streamAnswer } from '../../platform/streamed.ts';

export interface PassingOn extends Pick<Writing, 'written'> {
  /** The response; called once. It breaks off where `pieces` throw. */
  answerOf(pieces: AsyncIterable<Uint8Array>, init?: ResponseInit): Response;
}

export interface PassingEnds
  extends Pick<WritingEnds, 'left' | 'cut' | 'idleMs' | 'wholeMs'>,
    Partial<PaceTerms> {
  /** Of the file, where that is told; else it has the pace of the largest answers. */
  bytes?: number | null;
  standsStill?: StandsStill;
}

export function passOn(ends: PassingEnds): PassingOn {
  const { written, resolve } = endOfWriting(ends);
  return {
    written,
    answerOf(pieces, init = {}) {
      const source = {
        written,
        async write(sink: Sink) {
          const terms = { ...ends, end: resolve };
          const isWhole = await passAll(pieces, sink, written, terms).catch(() => false);
          resolve();
          return isWhole ? null : new Error('the file was not passed on to its end');
        },
        cancel: () => resolve(),
      };
      return closing(streamAnswer(source, init));
    },
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
    slowBytes = limits.readerSlowBytes,
    standsStill,
    end = () => undefined,
    ...paceTerms
  }: Omit<PassingEnds, 'left' | 'cut'> & { end?: () => void },
): Promise<boolean> {
  const whole = bytes || limits.upstreamPlainBytes;
  const pace = new ReaderPace(standsStill, { ...paceTerms, slowBytes });
  let passed = 0;
  /** For the caller alone: that its upstream is slow is not his doing. */
  let waitedMs = 0;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for await (const piece of partsOf(pieces, slowBytes)) {
    const taken = sink.write(piece);
    sink.flush();
    // A number where the socket has taken it.
    passed += piece.byteLength;
    if (typeof taken === 'object') {
      const from = performance.now();
      const ms = pieceMs(Math.min(passed / whole, 1), waitedMs, { idleMs, wholeMs });
      const waited = pace.waits(end);
      const isTaken = await within(ms, taken, over);
      waited();
      if (!isTaken) return false;
      waitedMs += performance.now() - from;
    }
    if (isOver) return false;
    pace.took(piece.byteLength);
  }
  return true;
}

/** None longer than this, so that it is seen how much of it was taken. */
async function* partsOf(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += most) yield piece.subarray(at, at + most);
  }
}
