import { describe, expect, it } from 'bun:test';
import { readBounded } from './body.ts';

const request = (body: ReadableStream) => new Request('http://localhost/', { method: 'POST', body });

describe('reading a body', () => {
  it('gives up on one that does not arrive in time', async () => {
    const stalled = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"a":'));
      },
    });
    await expect(readBounded(request(stalled), 1_000, 20)).rejects.toMatchObject({ code: 'BODY_TIMEOUT' });
  });

  it('puts together what comes in pieces', async () => {
    const bytes = new TextEncoder().encode('{"name":"汉字"}');
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(new TextDecoder().decode(await readBounded(request(pieces), 1_000, 1_000))).toBe(
      '{"name":"汉字"}',
    );
  });
});
