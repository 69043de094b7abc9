/** Packed answers: what is taken of them, and by what they fail. */
import { describe, expect, it } from 'bun:test';
import { brotliCompressSync, createGzip, gzipSync } from 'node:zlib';
import { BadPacking, PACKED_BY_UPSTREAMS, unpacked } from './unpack.ts';

const encoder = new TextEncoder();

const GZIP = { 'content-encoding': 'gzip', 'content-length': '7' };

/** An answer whose body is what `pull` gives, so much ahead as streams have by themselves. */
const packed = (
  source: UnderlyingDefaultSource<Uint8Array>,
  headers: Record<string, string> = GZIP,
  packing?: Parameters<typeof unpacked>[1],
) => unpacked(new Response(new ReadableStream<Uint8Array>(source), { status: 201, headers }), packing);

/** A source that says this at once. */
const whole = (bytes: Uint8Array): UnderlyingDefaultSource<Uint8Array> => ({
  start(controller) {
    controller.enqueue(bytes);
    controller.close();
  },
});

const readerOf = (answer: Response) => {
  const reader = answer.body?.getReader();
  if (!reader) throw new Error('no body');
  return reader;
};

describe('a packed answer', () => {
  it('is told piece by piece as it comes, and as an answer that is not packed', async () => {
    const gzip = createGzip();
    const answer = packed({
      start(controller) {
        gzip.on('data', (piece: Buffer) => controller.enqueue(piece));
      },
    });
    expect([answer.status, [...answer.headers]]).toEqual([201, []]);
    const reader = readerOf(answer);
    for (const frame of ['data: 1\n\n', 'data: 汉字\n\n']) {
      gzip.write(frame);
      gzip.flush();
      const { value } = await reader.read();
      expect(new TextDecoder().decode(value)).toBe(frame);
    }
    await reader.cancel();
  });

  it.each([
    [99, 599],
    [205, 205],
    [600, 599],
  ])(
    'with status %i is read as one with %i: servers send what no answer of ours may have',
    async (sent, told) => {
      const whole = new Response(gzipSync('whole'), { headers: { 'content-encoding': 'gzip' } });
      const answer = unpacked(Object.defineProperty(whole, 'status', { value: sent }));
      expect([answer.status, await answer.text()]).toEqual([told, 'whole']);
    },
  );

  it('is unpacked no further than it is read, and ends with its reader', async () => {
    let pulled = 0;
    let isCancelled = false;
    // A megabyte each.
    const piece = gzipSync(Buffer.alloc(1_048_576));
    const reader = readerOf(
      packed(
        {
          pull(controller) {
            pulled++;
            controller.enqueue(piece);
          },
          cancel() {
            isCancelled = true;
          },
        },
        GZIP,
        PACKED_BY_UPSTREAMS,
      ),
    );
    // Of sixteen megabytes, in pieces, no more has come than was read and a little ahead.
    for (let read = 0; read < 16 * 1_048_576; ) {
      const { value } = await reader.read();
      expect(value?.byteLength).toBeLessThanOrEqual(65_536);
      read += value?.byteLength ?? Number.POSITIVE_INFINITY;
      expect(pulled).toBeLessThan(read / 1_048_576 + 8);
    }
    await reader.cancel();
    expect(isCancelled).toBe(true);
  });

  it('is no more than so many times what came, of a server that anybody may name', async () => {
    const piece = gzipSync(Buffer.alloc(1_048_576));
    let isCancelled = false;
    let left = 64;
    const blank: UnderlyingDefaultSource<Uint8Array> = {
      pull(controller) {
        if (left-- > 0) controller.enqueue(piece);
        else controller.close();
      },
      cancel() {
        isCancelled = true;
      },
    };
    const reader = readerOf(packed(blank));
    const reading = async () => {
      for (let read = 0; ; ) {
        const { done, value } = await reader.read();
        if (done) return read;
        read += value.byteLength;
        expect(read).toBeLessThanOrEqual(4096 + 32 * piece.length * (64 - left));
      }
    };
    expect(await reading().catch((error: unknown) => error)).toBeInstanceOf(BadPacking);
    expect(isCancelled).toBe(true);
    const text = Array.from({ length: 20_000 }, (_, n) => `{"id":${n},"name":"a model"}`).join();
    expect(await packed(whole(gzipSync(text))).text()).toBe(text);
    expect(await packed(whole(gzipSync(Buffer.alloc(4096)))).text()).toHaveLength(4096);
  });

  it('fails by what its connection was lost by, else by its packing', async () => {
    const lost = new DOMException('gone', 'AbortError');
    const failing = (source: UnderlyingDefaultSource<Uint8Array>, headers?: Record<string, string>) =>
      packed(source, headers)
        .text()
        .catch((error: unknown) => error);
    const reset = {
      start(controller: ReadableStreamDefaultController<Uint8Array>) {
        controller.enqueue(gzipSync('half').subarray(0, 12));
      },
      pull: () => Promise.reject(lost),
    };
    expect(await failing(reset)).toBe(lost);
    const said = gzipSync('whole');
    for (const bad of [encoder.encode('hello'), said.subarray(0, -4)]) {
      expect(await failing(whole(bad))).toBeInstanceOf(BadPacking);
    }
    for (const coding of ['br', 'zstd', 'gzip, br', 'constructor']) {
      expect(await failing(whole(said), { 'content-encoding': coding })).toBeInstanceOf(BadPacking);
    }
    expect(await failing(whole(encoder.encode('plain')), { 'content-encoding': 'UTF-8' })).toBe('plain');
    const brotli = whole(brotliCompressSync('whole'));
    const upstreams = packed(brotli, { 'content-encoding': 'br' }, PACKED_BY_UPSTREAMS);
    expect(await upstreams.text()).toBe('whole');
  });
});
