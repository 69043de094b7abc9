import { expect, it } from 'bun:test';
import { promisesKept } from '../../../tests/support/heap.ts';
import { until } from '../../../tests/support/waits.ts';
import { KIB } from '../../core/limits/sizes.ts';
import { FormReader } from './form-reader.ts';

const HEAD = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const PIECES = 500;
/** Those that are smaller wait for others. */
const PIECE = Buffer.alloc(16 * KIB);

it('keeps nothing of a piece that it has passed on, and tells what is wrong as it waits for the next', async () => {
  let came = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (came > PIECES) await Promise.withResolvers<void>().promise;
      await new Promise<void>((go) => setImmediate(go));
      controller.enqueue(came === 0 ? Buffer.from(HEAD) : PIECE);
    },
  });
  const type = 'multipart/form-data; boundary=b';
  const request = new Request('http://a.example/', {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });
  const spool = {
    size: 0,
    readers: 0,
    write: async () => undefined,
    read: async () => 0,
    release: () => undefined,
  };
  const room = {
    grow: () => undefined,
    keep: () => undefined,
    release: () => undefined,
    comes: () => () => undefined,
  };
  const before = promisesKept();
  const reader = new FormReader(request, spool, room, { came: () => void came++, end: () => undefined });
  const reading = reader.read();
  await until('all has come', () => came > PIECES);
  expect(promisesKept() - before).toBeLessThan(100);
  reader.stop(new Error('enough'));
  reader.stop(new Error('too late'));
  await expect(reading).rejects.toThrow('enough');
  reader.close();
});
