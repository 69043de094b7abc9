/**
 * Bodies in pieces that are worth a look. Each chunk of a chunked body comes as a piece of its own, and whoever sends chunks
 * of one byte would have each of them looked at, parsed and written by itself: so what has come is taken together, and who
 * goes on in small pieces is looked at only now and then.
 */
import { limits } from '../core/limits.ts';
import { pause } from './pause.ts';

export interface Pieces {
  /** All that has come; null at the end. */
  next(): Promise<Uint8Array | null>;
  /** What is still to come is not read; a `next` that waits for it has the end. */
  cancel(): void;
}

const rest = (): Promise<void> => Bun.sleep(limits.smallPiecesRestMs);

export function gather(
  body: ReadableStream<Uint8Array> | null,
  { pauses, rests }: { pauses: () => Promise<void>; rests: () => Promise<void> } = {
    pauses: pause,
    rests: rest,
  },
): Pieces {
  const reader = body?.getReader();
  let looks = 0;
  let bytes = 0;
  let isOver = reader === undefined;
  return {
    async next() {
      // Most bodies have come by then, and wait for nothing.
      if (looks >= limits.piecesAtOnce) await (bytes < looks * limits.smallPieceBytes ? rests() : pauses());
      looks++;
      while (reader && !isOver) {
        const { value, done } = await reader.readMany();
        isOver = done;
        const [first, ...more] = value;
        if (!first) continue;
        const piece = more.length === 0 ? first : Buffer.concat(value);
        bytes += piece.byteLength;
        return piece;
      }
      return null;
    },
    cancel() {
      void reader?.cancel().catch(() => undefined);
    },
  };
}
