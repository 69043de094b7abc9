import { describe, expect, it, spyOn } from 'bun:test';
import { byteByByte } from '../../tests/support/byte-by-byte.ts';
import { limits } from '../core/limits.ts';
import { BodyBudget } from '../platform/body-budget.ts';
import { readBounded } from './body.ts';

const request = (body: ReadableStream) => new Request('http://localhost/', { method: 'POST', body });
const within = (deadlineMs: number, held = new BodyBudget(200).hold(1)) => ({
  bytesMax: 1_000,
  deadlineMs,
  held,
});

describe('reading a body', () => {
  it('gives up on one that does not arrive in time', async () => {
    const stalled = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"a":'));
      },
    });
    await expect(readBounded(request(stalled), within(20))).rejects.toMatchObject({ code: 'BODY_TIMEOUT' });
  });

  it('gives up on one that stands still, however much came before', async () => {
    const budget = new BodyBudget(200);
    const held = budget.hold(1);
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(50)) });
    const reading = readBounded(request(stalled), { ...within(60_000, held), paceMs: 20 });
    await expect(reading).rejects.toMatchObject({ code: 'BODY_TIMEOUT' });
  });

  it('ends one that has to give way to who holds less', async () => {
    const budget = new BodyBudget(200);
    const stalled = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(90)) });
    const reading = readBounded(request(stalled), within(60_000, budget.hold(1)));
    while (budget.bytes < 90) await Bun.sleep(1);
    budget.hold(2).grow(50);
    budget.hold(3).grow(40);
    await expect(reading).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(budget.bytes).toBe(90);
  });

  it('puts together what comes in pieces', async () => {
    const bytes = new TextEncoder().encode('{"name":"汉字"}');
    const pieces = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(new TextDecoder().decode(await readBounded(request(pieces), within(1_000)))).toBe(
      '{"name":"汉字"}',
    );
  });

  it('looks at many pieces at once, however small they are', async () => {
    const held = new BodyBudget(limits.guestFormsBytes).hold(1);
    const grown = spyOn(held, 'grow');
    const text = JSON.stringify({ name: 'x'.repeat(10_000) });
    const bytes = await byteByByte(text, 'application/json', (asked) =>
      readBounded(asked, { bytesMax: 20_000, deadlineMs: 60_000, held }),
    );
    expect(new TextDecoder().decode(bytes)).toBe(text);
    expect(grown.mock.calls.length).toBeLessThan(1_000);
  });

  it('takes room as it comes, and reads no further where there is none', async () => {
    const budget = new BodyBudget(200);
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 30;
        controller.enqueue(new Uint8Array(30));
      },
    });
    const held = budget.hold(1);
    await expect(readBounded(request(endless), within(1_000, held))).rejects.toMatchObject({
      code: 'OVERLOADED',
    });
    expect(sent).toBeWithin(60, 181);
    // Nothing is kept of it, and what comes beside it has the room at once.
    expect(budget.bytes).toBe(0);
  });
});
