import { describe, expect, it, spyOn } from 'bun:test';
import { byteByByte } from '../../../tests/support/byte-by-byte.ts';
import { codeOf } from '../../../tests/support/code-of.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { BodyBudget, type Room } from '../../platform/body-budget.ts';
import { ComingBodies } from '../../platform/coming-bodies.ts';
import { readRequestBody } from './body.ts';

const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', { method: 'POST', body, headers });

/** Whose turn it is at once. */
const read = (asked: Request, room: Room, times: Parameters<typeof readRequestBody>[3] = {}) =>
  readRequestBody(asked, room, () => Promise.resolve(), times);

/** A body that sends its pieces and then nothing. */
const unfinished = (...pieces: string[]) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
    },
  });

describe('a request body', () => {
  it('takes room until it is given back', async () => {
    const budget = new BodyBudget(100);
    const { body, held } = await read(request('{"a":"汉"}'), budget.of(1));
    expect(body).toEqual({ a: '汉' });
    expect(budget.bytes).toBe(Buffer.byteLength('{"a":"汉"}'));
    held.release();
    held.release();
    expect(budget.bytes).toBe(0);
  });

  it('waits for a turn to be read by its length, and takes no room without', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const lengths: number[] = [];
    const full = (chars: number) => {
      lengths.push(chars);
      return Promise.reject(fail('OVERLOADED'));
    };
    expect(await codeOf(readRequestBody(request('{"a":1}  '), budget.of(1), full))).toBe('OVERLOADED');
    expect([lengths, budget.bytes]).toEqual([[9], 0]);
  });

  it('weighs nothing for its blanks once it is parsed', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    await read(request('{"a":1}'.padEnd(1_000_000)), budget.of(1));
    expect(budget.bytes).toBeLessThan(100);
    await read(request(`{"a":"${'a'.repeat(1_000_000)}"}`), budget.of(2));
    expect(budget.bytes).toBeGreaterThanOrEqual(1_000_000);
  });

  it('is refused with 503 when there is no room, announced or not, and then takes none', async () => {
    const budget = new BodyBudget(5);
    expect(await codeOf(read(request('{"a":1}'), budget.of(1)))).toBe('OVERLOADED');
    const announced = request('{"a":1}', { 'content-length': '7' });
    expect(await codeOf(read(announced, budget.of(1)))).toBe('OVERLOADED');
    expect(budget.bytes).toBe(0);
  });

  it('is refused with 408 when it does not come in time', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    expect(await codeOf(read(request(unfinished('{"a"')), budget.of(1), { withinMs: 30 }))).toBe(
      'body_timeout',
    );
    expect(budget.bytes).toBe(0);
  });

  it('is refused with 408 when it comes too slowly, however much came before', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const stalled = request(unfinished('x'.repeat(limits.bodyBytesASecond)), { 'content-length': '1000000' });
    const reading = read(stalled, budget.of(1), { withinMs: 60_000, paceMs: 30 });
    expect(await codeOf(reading)).toBe('body_timeout');
    expect(budget.bytes).toBe(0);
  });

  it('that is small is refused with 408 when it is not there soon, long before a large one would be', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const ofBytes = (bytes: number) => request(unfinished('{"a"'), { 'content-length': String(bytes) });
    const times = { withinMs: 60_000, atOnceMs: 30, paceMs: 60_000 };
    const large = codeOf(
      read(ofBytes(limits.bodyAtOnceBytes + 1), budget.of(1), { ...times, withinMs: 300 }),
    );
    const small = codeOf(read(ofBytes(limits.bodyAtOnceBytes), budget.of(2), times));
    expect(await Promise.race([large.then(() => 'large'), small.then(() => 'small')])).toBe('small');
    expect([await small, await large]).toEqual(['body_timeout', 'body_timeout']);
    expect(budget.bytes).toBe(0);
    // What nobody names is the named limit.
    expect(limits.bodyAtOnceMs).toBeLessThan(limits.bodyReadMs);
  });

  it('that stands still gives way to one of who holds less', async () => {
    const budget = new BodyBudget(1_000);
    const large = request(unfinished('x'.repeat(450)), { 'content-length': '1000000' });
    const small = request('{"a":1}'.padEnd(300), { 'content-length': '300' });
    const reading = codeOf(read(large, budget.of(1)));
    while (budget.bytes < 450) await Bun.sleep(1);
    const third = await read(request('{}'.padEnd(200), {}), budget.of(3));
    const second = await read(small, budget.of(2));
    expect(await reading).toBe('OVERLOADED');
    expect([second.body, third.body]).toEqual([{ a: 1 }, {}]);
    expect(budget.bytes).toBe(500);
  });

  it('takes no room for what comes too late', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    expect(await codeOf(read(request(readable), budget.of(1), { withinMs: 30 }))).toBe('body_timeout');
    await writer.write(new TextEncoder().encode('{"a"')).catch(() => undefined);
    expect(await codeOf(writer.write(new Uint8Array(1)))).not.toBe('ok');
    expect(budget.bytes).toBe(0);
  });

  it('is looked at many pieces at once, however small they are', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const room = budget.hold(1);
    const grown = spyOn(room, 'grow');
    const sent = { messages: 'x'.repeat(10_000) };
    const { body, held } = await byteByByte(JSON.stringify(sent), 'application/json', (asked) =>
      read(asked, { hold: () => room }),
    );
    expect(body).toEqual(sent);
    expect(grown.mock.calls.length).toBeLessThan(1_000);
    held.release();
  });

  it('takes room for what has come, not for what it announces', async () => {
    const budget = new BodyBudget(limits.relayBodiesBytes);
    const idle = request(unfinished('{'), { 'content-length': String(1024 * 1024) });
    const reading = codeOf(read(idle, budget.of(1), { withinMs: 100 }));
    await Bun.sleep(20);
    expect(budget.bytes).toBeLessThan(1024);
    expect(await reading).toBe('body_timeout');
    const text = JSON.stringify({ a: 'x'.repeat(200_000) });
    const { held } = await read(request(text, { 'content-length': String(text.length) }), budget.of(1));
    expect(budget.bytes).toBe(text.length);
    held.release();
    expect(budget.bytes).toBe(0);
  });

  it('that is small is told by the piece where places for it are few, and read at once where they are not', async () => {
    for (const [most, told] of [
      [1, [1, 4, 2]],
      [1_000, [7]],
    ] as const) {
      const held = new ComingBodies(() => most).of('a').hold();
      const grown = spyOn(held, 'grow');
      const pieces = new TransformStream<Uint8Array, Uint8Array>();
      const asked = request(pieces.readable, { 'content-length': '7' });
      const reading = read(asked, { hold: () => held });
      const writer = pieces.writable.getWriter();
      // Each waits until it is asked for.
      for (const piece of ['{', '"a":', '1}']) await writer.write(new TextEncoder().encode(piece));
      await writer.close();
      expect((await reading).body).toEqual({ a: 1 });
      expect(grown.mock.calls.map(([bytes]) => bytes)).toEqual([...told]);
    }
  });

  it('of one user never takes more room than it leaves for others', () => {
    const budget = new BodyBudget(100);
    const one = [budget.of(1).hold(), budget.of(1).hold()] as const;
    one[0].grow(30);
    one[1].grow(20);
    expect(() => one[1].grow(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    const other = budget.of(2).hold();
    // His first bytes, while it is scarce.
    other.grow(12);
    expect(() => other.grow(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    one[0].release();
    one[0].release();
    other.grow(15);
    expect(budget.bytes).toBe(47);
    one[1].release();
    other.release();
    expect(budget.bytes).toBe(0);
    budget.of(1).hold().grow(50);
  });

  it.each([
    ['gzip', 'body_encoding'],
    ['identity', 'ok'],
  ])('of the encoding %s is %s', async (encoding, code) => {
    const encoded = request('{}', { 'content-encoding': encoding });
    expect(await codeOf(read(encoded, new BodyBudget(limits.relayBodiesBytes).of(1)))).toBe(code);
  });
});
