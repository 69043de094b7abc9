import { describe, expect, it } from 'bun:test';
import { codeOf } from '../../../tests/support/code-of.ts';
import { BodyBudget } from '../../platform/body-budget.ts';
import { readRequestBody } from './body.ts';

const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', { method: 'POST', body, headers });

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
    const { body, held } = await readRequestBody(request('{"a":"汉"}'), budget);
    expect(body).toEqual({ a: '汉' });
    expect(budget.bytes).toBe(Buffer.byteLength('{"a":"汉"}'));
    held.release();
    held.release();
    expect(budget.bytes).toBe(0);
  });

  it('is refused with 503 when there is no room, announced or not, and then takes none', async () => {
    const budget = new BodyBudget(5);
    expect(await codeOf(readRequestBody(request('{"a":1}'), budget))).toBe('OVERLOADED');
    const announced = request('{"a":1}', { 'content-length': '7' });
    expect(await codeOf(readRequestBody(announced, budget))).toBe('OVERLOADED');
    expect(budget.bytes).toBe(0);
  });

  it('is refused with 408 when it does not come in time', async () => {
    const budget = new BodyBudget();
    expect(await codeOf(readRequestBody(request(unfinished('{"a"')), budget, 30))).toBe('body_timeout');
    expect(budget.bytes).toBe(0);
  });

  it('takes no room for what comes too late', async () => {
    const budget = new BodyBudget();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    expect(await codeOf(readRequestBody(request(readable), budget, 30))).toBe('body_timeout');
    await writer.write(new TextEncoder().encode('{"a"')).catch(() => undefined);
    expect(await codeOf(writer.write(new Uint8Array(1)))).not.toBe('ok');
    expect(budget.bytes).toBe(0);
  });

  it('takes room for what has come, not for what it announces', async () => {
    const budget = new BodyBudget();
    const idle = request(unfinished('{'), { 'content-length': String(1024 * 1024) });
    const reading = codeOf(readRequestBody(idle, budget, 100));
    await Bun.sleep(20);
    expect(budget.bytes).toBeLessThan(1024);
    expect(await reading).toBe('body_timeout');
    const text = JSON.stringify({ a: 'x'.repeat(200_000) });
    const { held } = await readRequestBody(request(text, { 'content-length': String(text.length) }), budget);
    expect(budget.bytes).toBe(text.length);
    held.release();
    expect(budget.bytes).toBe(0);
  });

  it('of one user never takes more room than it leaves for others', () => {
    const budget = new BodyBudget(100);
    const one = [budget.of(1).hold(), budget.of(1).hold()] as const;
    one[0].grow(30);
    one[1].grow(20);
    expect(() => one[1].grow(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    const other = budget.of(2).hold();
    other.grow(25);
    expect(() => other.grow(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    one[0].release();
    one[0].release();
    other.grow(12);
    expect(budget.bytes).toBe(57);
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
    expect(await codeOf(readRequestBody(encoded, new BodyBudget()))).toBe(code);
  });
});
