/**
 * Answers of other servers are asked for as they are. One that comes packed all the same is unpacked here as its reader
 * takes it, so that no more of it is in memory than was asked for: the runtime would unpack the whole ahead of its reader,
 * gigabytes of a few kilobytes, on the one thread that all calls go by (decision 036).
 */

/** Goes with every call. */
export const NOT_PACKED = { 'accept-encoding': 'identity' } as const;

/** Of every `fetch`, whose answer is for `unpacked`. */
export const AS_IT_COMES = { decompress: false } as const;

/** An answer that is not packed as it says, or in a way that is not known here. */
export class BadPacking extends Error {
  override readonly name = 'BadPacking';
}

/** What is taken of servers that pack and heed no wish. */
interface Packing {
  formats: ReadonlyMap<string, Bun.CompressionFormat>;
  /** How many times what came it may be. */
  timesMost: number;
}

/**
 * Where anybody may name the server: a few kilobytes of memory each. Texts are some ten times what they are packed; what is
 * a thousand times as much was made to be sent on by us, over a line that it has cost nobody else.
 */
const PACKED_BY_ANYBODY: Packing = {
  formats: new Map([
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
  ]),
  timesMost: 32,
};
/** However few came: headers took as much. */
const SMALL_BYTES = 4096;

/** By servers of the operator's. Brotli unpacks 16 MB before it tells the first byte, which takes 35 ms. */
export const PACKED_BY_UPSTREAMS: Packing = {
  formats: new Map([...PACKED_BY_ANYBODY.formats, ['br', 'brotli']]),
  timesMost: Number.POSITIVE_INFINITY,
};

/** A charset stands there where its author has mistaken the header for that of the type. */
const UNPACKED = /^(|identity|utf-?8)$/;

/** Servers may send others, with which no `Response` can be made: these are failures of theirs. */
const [STATUS_MIN, STATUS_MAX] = [200, 599];
const statusOf = ({ status }: Response): number =>
  status < STATUS_MIN || status > STATUS_MAX ? STATUS_MAX : status;

/** The answer, with a body that is not packed. What cannot be unpacked rejects when it is read, with BadPacking. */
export function unpacked(answer: Response, packing: Packing = PACKED_BY_ANYBODY): Response {
  const coding = (answer.headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (!answer.body || UNPACKED.test(coding)) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('content-encoding');
  // That of what was packed.
  headers.delete('content-length');
  const format = packing.formats.get(coding);
  const body = format
    ? unpackedBody(answer.body, format, packing.timesMost)
    : unreadable(answer.body, coding);
  return new Response(body, { status: statusOf(answer), headers });
}

function unpackedBody(
  packed: ReadableStream<Uint8Array<ArrayBuffer>>,
  format: Bun.CompressionFormat,
  timesMost: number,
) {
  const source = packed.getReader();
  let came = 0;
  let gave = 0;
  let lost: { by: unknown } | null = null;
  const told = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (done) controller.close();
        else {
          came += value.byteLength;
          controller.enqueue(value);
        }
      } catch (error) {
        lost = { by: error };
        throw error;
      }
    },
    cancel: (reason) => source.cancel(reason),
  });
  // The DOM's types do not know all of Bun's formats.
  const unpacking: DecompressionStream = Reflect.construct(DecompressionStream, [format]);
  const pieces = told.pipeThrough(unpacking).getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.read();
          gave += value?.byteLength ?? 0;
          if (gave > SMALL_BYTES + timesMost * came) throw new Error('too much of too little');
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // What is left of it is not waited for.
          void pieces.cancel(error).catch(() => undefined);
          throw lost ? lost.by : new BadPacking('not packed as it says', { cause: error });
        }
      },
      cancel: (reason) => pieces.cancel(reason),
    },
    // Nothing ahead of its reader.
    { highWaterMark: 0 },
  );
}

function unreadable(packed: ReadableStream<Uint8Array>, coding: string) {
  void packed.cancel().catch(() => undefined);
  return new ReadableStream<Uint8Array>({
    pull() {
      throw new BadPacking(`packed as ${coding.slice(0, 20)}`);
    },
  });
}
