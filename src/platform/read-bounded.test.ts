import { describe, expect, it } from 'bun:test';
import { codeOf } from '../../tests/support/code-of.ts';
import { readBounded } from './read-bounded.ts';

describe('an answer', () => {
  it('is read up to its bound, whatever its length is said to be', async () => {
    const text = 'x'.repeat(100);
    expect(await readBounded(new Response(text), 100)).toBe(text);
    expect(await codeOf(readBounded(new Response(text), 99))).toBe('upstream_error');
    const lying = new Response(text, { headers: { 'content-length': '5', 'content-encoding': 'gzip' } });
    expect(await codeOf(readBounded(lying, 99))).toBe('upstream_error');
    const announced = new Response(text, { headers: { 'content-length': '100' } });
    expect(await codeOf(readBounded(announced, 99))).toBe('upstream_error');
  });

  it('beyond its bound is not left to come', async () => {
    for (const header of ['content-length', 'content-encoding']) {
      const cancelled = Promise.withResolvers<void>();
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(50)),
        cancel: () => cancelled.resolve(),
      });
      expect(await codeOf(readBounded(new Response(body, { headers: { [header]: '100' } }), 99))).toBe(
        'upstream_error',
      );
      await cancelled.promise;
    }
  });
});
