import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../tests/dialects/accumulate.ts';
import { reply } from '../../tests/dialects/arbitrary.ts';
import { innerObject } from '../core/inner-json.ts';
import { noUsage } from '../core/usage.ts';
import { Accumulator, argumentsOf, eventsOf, joinBase64 } from './accumulate.ts';
import type { StreamEvent } from './neutral.ts';

test('an answer that is taken apart into events comes together the same', () => {
  fc.assert(
    fc.property(reply, (whole) => {
      expect(accumulate(eventsOf(whole))).toEqual(whole);
    }),
  );
});

test('every part begins before its pieces and ends once, and the end comes last', () => {
  fc.assert(
    fc.property(reply, (whole) => {
      const events = eventsOf(whole);
      const open = new Set<number>();
      for (const event of events) {
        if (event.type === 'part-start') open.add(event.index);
        if (event.type === 'part-delta') expect(open.has(event.index)).toBe(true);
        if (event.type === 'part-end') expect(open.delete(event.index)).toBe(true);
      }
      expect(open.size).toBe(0);
      expect(events.at(-1)?.type).toBe('end');
    }),
  );
});

test('interleaved calls are put together by their own pieces', () => {
  const call = (id: string) => ({ type: 'tool-call', id, name: 'f', input: '', kind: 'function' }) as const;
  const piece = (index: number, text: string): StreamEvent => ({
    type: 'part-delta',
    choice: 0,
    index,
    delta: { type: 'input', text },
  });
  const { choices } = accumulate([
    { type: 'part-start', choice: 0, index: 0, part: call('a') },
    { type: 'part-start', choice: 0, index: 1, part: call('b') },
    piece(1, '{"y"'),
    piece(0, '{"x"'),
    piece(0, ':1}'),
    piece(1, ':2}'),
  ]);
  expect(choices[0]?.parts).toEqual([
    { ...call('a'), input: '{"x":1}' },
    { ...call('b'), input: '{"y":2}' },
  ]);
  expect(choices[0]?.stop).toBeNull();
});

test('a broken stream keeps its first error and is not complete', () => {
  const stream = new Accumulator();
  stream.push({ type: 'error', message: 'first', code: 'a' });
  stream.push({ type: 'error', message: 'second' });
  expect(stream.error?.message).toBe('first');
  expect(stream.complete).toBe(false);
});

test('usage is the last total, never a sum', () => {
  const of = (output: number) => ({ ...noUsage(), input: 9, output });
  const { usage } = accumulate([
    { type: 'start', id: '', model: '', created: 0, usage: of(1) },
    { type: 'usage', usage: of(5) },
    { type: 'usage', usage: of(7) },
  ]);
  expect(usage).toEqual(of(7));
});

test('base64 in pieces means the bytes of all pieces', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
      const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
      expect(joinBase64(text(first), text(second))).toBe(text(new Uint8Array([...first, ...second])));
    }),
  );
});

const deep = `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
const large = `{"a":[${'0,'.repeat(100_000)}0]}`;

test.each([
  ['', {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['[1]', { _raw: '[1]' }],
  ['{"a":', { _raw: '{"a":' }],
])('the arguments %p mean %p', (input, expected) => {
  expect(argumentsOf(input, innerObject)).toEqual(expected);
});

// Whoever writes such a value down again follows its nesting, which ends his stack.
test.each([
  ['nested deeper than any body', deep],
  ['with more values than anybody reads', large],
])('arguments %s stay the text that they are', (_what, input) => {
  expect(argumentsOf(input, innerObject)._raw === input).toBe(true);
});
