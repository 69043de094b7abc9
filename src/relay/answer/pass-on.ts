/** A file on its way from an upstream to its caller, each piece when he has taken the one before: none of it is kept. */
import { limits } from '../../core/limits.ts';
import {
  directStream,
  endOfWriting,
  type Writing,
  type WritingEnds,
  within,
} from '../../platform/large-answer.ts';

export interface PassingOn extends Pick<Writing, 'written'> {
  /** The body of the response; called once. It breaks off where `pieces` throw. */
  bodyOf(pieces: AsyncIterable<Uint8Array>): ReadableStream;
}

export function passOn(ends: Pick<WritingEnds, 'left' | 'cut' | 'wholeMs'>): PassingOn {
  const { written, resolve } = endOfWriting(ends);
  return {
    written,
    bodyOf: (pieces) =>
      directStream({
        type: 'direct',
        async pull(controller) {
          const isWhole = await passAll(pieces, controller, written).catch(() => false);
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
async function passAll(pieces: AsyncIterable<Uint8Array>, sink: Sink, over: Promise<void>): Promise<boolean> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  for await (const piece of pieces) {
    const taken = sink.write(piece);
    sink.flush();
    // A number where the socket has taken it.
    if (typeof taken === 'object' && !(await within(limits.writeIdleMs, taken, over))) return false;
    if (isOver) return false;
  }
  return true;
}
