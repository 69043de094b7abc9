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

type Formats = ReadonlyMap<string, Bun.CompressionFormat>;

/** What servers pack with that heed no wish, where anybody may name the server: a few kilobytes of memory each. */
const LIGHT: Formats = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/** Of servers of the operator's. Brotli unpacks 16 MB before it tells the first byte, which takes 35 ms. */
export const FORMATS_OF_UPSTREAMS: Formats = new Map([...LIGHT, ['br', 'brotli']]);

/** A charset stands there where its author has mistaken the header for that of the type. */
const UNPACKED = /^(|identity|utf-?8)$/;

/** Servers may send others, with which no `Response` can be made: these are failures of theirs. */
const [STATUS_MIN, STATUS_MAX] = [200, 599];
const statusOf = ({ status }: Response): number =>
  status < STATUS_MIN || status > STATUS_MAX ? STATUS_MAX : status;

/** The answer, with a body that is not packed. What cannot be unpacked rejects when it is read, with BadPacking. */
export function unpacked(answer: Response, formats: Formats = LIGHT): Response {
  const coding = (answer.headers.get('content-encoding') ?? '').trim().toLowerCase();
  if (!answer.body || UNPACKED.test(coding)) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('content-encoding');
  // That of what was packed.
  headers.delete('content-length');
  const format = formats.get(coding);
  const body = format ? unpackedBody(answer.body, format) : unreadable(answer.body, coding);
  return new Response(body, { status: statusOf(answer), headers });
}

function unpackedBody(packed: ReadableStream<Uint8Array<ArrayBuffer>>, format: Bun.CompressionFormat) {
  const source = packed.getReader();
  let lost: { by: unknown } | null = null;
  const told = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (done) controller.close();
        else controller.enqueue(value);
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
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
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
