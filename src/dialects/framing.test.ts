import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { pieces } from '../../tests/dialects/bytes.ts';
import { parseFrame } from './frames.ts';
import { arrayJoiner, isJson, JoinedStream, splitterFor } from './framing.ts';
import { JsonSplitter } from './json-splitter.ts';
import type { StreamPassage } from './passage.ts';

const split = (type: string, chunks: readonly Uint8Array[]): unknown[] => {
  const splitter = splitterFor(type);
  const frames = chunks.flatMap((chunk) => splitter.push(chunk));
  return [...frames, ...splitter.end()]
    .map(parseFrame)
    .filter((frame) => frame !== null)
    .map(({ data }) => JSON.parse(data));
};

const objects = fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { maxLength: 6 });

const framings: [name: string, type: string, write: (values: readonly object[]) => string][] = [
  ['an array', 'application/json; charset=UTF-8', (values) => JSON.stringify(values)],
  [
    'an array on many lines',
    'application/json',
    (values) => JSON.stringify(values, null, 2).replaceAll('\n', '\r\n'),
  ],
  ['lines', 'application/x-ndjson', (values) => values.map((value) => `${JSON.stringify(value)}\n`).join('')],
  [
    'events',
    'text/event-stream',
    (values) => values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join(''),
  ],
];

test.each(framings)('%s: values that arrive in any pieces are the same', (_name, type, write) => {
  fc.assert(
    fc.property(
      objects.chain((values) => fc.tuple(fc.constant(values), pieces(Buffer.from(write(values))))),
      ([values, chunks]) => {
        expect(split(type, chunks)).toEqual(JSON.parse(JSON.stringify(values)));
      },
    ),
  );
});

test('an array that is joined again holds the same values', () => {
  fc.assert(
    fc.property(objects, (values) => {
      const frames = values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`);
      const array = arrayJoiner();
      const joined = frames.map((frame) => array.frame(frame)).join('') + array.close();
      expect(JSON.parse(joined)).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

test('comments are no values', () => {
  const array = arrayJoiner();
  expect(array.frame(': PING\n\n') + array.close()).toBe('[]');
});

test('an object beyond the bound is refused', () => {
  expect(() => new JsonSplitter(10).push(Buffer.from('{"a":"0123456789'))).toThrow();
});

test('half an object at the end is nothing', () => {
  expect(split('application/json', [Buffer.from('[{"a":1},{"b"')])).toEqual([{ a: 1 }]);
});

test('a stream whose caller wants an array is one, whatever the upstream frames at once', () => {
  const out = ['data: {"a":1}\r\n\r\ndata: {"b":2}\r\n\r\n', null, 'data: {"c":3}\r\n\r\n'];
  const inner: StreamPassage = {
    push: () => ({ out: out.shift() ?? null, content: true, last: false, error: null }),
    ending: () => 'data: {"d":4}\r\n\r\n',
    usage: null,
    promptUsage: null,
    heldBytes: 0,
    complete: true,
    produced: () => ({ text: '', toolCalls: 0 }),
  };
  const joined = new JoinedStream(inner, arrayJoiner());
  const steps = [0, 1, 2].map(() => joined.push(new Uint8Array()).out ?? '');
  expect(JSON.parse(steps.join('') + joined.ending())).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }]);
});

test('only a single JSON value counts as one', () => {
  const types = ['application/json; charset=utf-8', 'text/json', 'application/problem+json'];
  expect(types.map(isJson)).toEqual([true, true, true]);
  const others = ['application/x-ndjson', 'application/jsonl', 'text/event-stream', ''];
  expect(others.map(isJson)).toEqual([false, false, false, false]);
});
