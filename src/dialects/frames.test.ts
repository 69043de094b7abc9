import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../core/errors.ts';
import { type Frame, FrameSplitter, isComment, KEEP_ALIVE, parseFrame } from './frames.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Cuts at random places, inside characters and line ends too. */
const cuts = fc.array(fc.nat(5000), { maxLength: 30 });
const pieces = (whole: Uint8Array, at: number[]): Uint8Array[] => {
  const borders = [0, ...at.map((n) => n % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return borders.slice(1).map((end, i) => whole.slice(borders[i], end));
};

const split = (chunks: Uint8Array[]): Uint8Array[] => {
  const splitter = new FrameSplitter();
  const frames = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.rest();
  return rest ? [...frames, rest] : frames;
};

const line = fc
  .string({
    unit: fc.constantFrom('a', ' ', ':', '"', '{', '汉', '😀', '\u2028'),
    minLength: 1,
    maxLength: 12,
  })
  .filter((text) => text.trim() !== '');
const event: fc.Arbitrary<Frame> = fc.record({
  event: fc.constantFrom('', 'message_start', 'ping'),
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
});
const write = (frame: Frame, newline: string): string =>
  [
    ...(frame.event ? [`event: ${frame.event}`] : []),
    ...frame.data.split('\n').map((text) => `data: ${text}`),
    '',
    '',
  ].join(newline);

test('events come out whole however the bytes are split, with each line end', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
      cuts,
      (events, newline, mark, at) => {
        const stream = (mark ? '\ufeff' : '') + events.map((frame) => write(frame, newline)).join('');
        const frames = split(pieces(bytes(stream), at));
        expect(frames.map(parseFrame).filter((frame) => frame !== null)).toEqual(events);
      },
    ),
  );
});

test('no byte is lost or changed on the way', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('\n', '\r', ':', 'd', '汉', ' ') }), cuts, (text, at) => {
      expect(Buffer.concat(split(pieces(bytes(text), at))).toString()).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('a chunk that is one frame is passed on without a copy', () => {
  const chunk = bytes('data: {"a":1}\n\n');
  expect(new FrameSplitter().push(chunk)[0]?.buffer).toBe(chunk.buffer);
});

test('a frame comes out when its blank line is complete, not with the next frame', () => {
  const splitter = new FrameSplitter();
  expect(splitter.push(bytes('data: 1\r\n\r'))).toHaveLength(1);
  expect(splitter.push(bytes('\ndata: 2\r\n\r\n'))).toHaveLength(1);
});

test('a frame beyond the bound is refused before it is kept', () => {
  const splitter = new FrameSplitter(100);
  splitter.push(bytes('data: '.padEnd(90, 'x')));
  expect(() => splitter.push(bytes('x'.repeat(20)))).toThrow(AppError);
});

test('signs of life belong to the frame that follows them', () => {
  const splitter = new FrameSplitter();
  expect(splitter.push(bytes(KEEP_ALIVE))).toEqual([]);
  const [frame, ...others] = splitter.push(bytes(`${KEEP_ALIVE}event: a\ndata: 1\n\n`));
  expect(others).toEqual([]);
  expect(isComment(frame ?? bytes(''))).toBe(false);
  expect(parseFrame(frame ?? bytes(''))).toEqual({ event: 'a', data: '1' });
});

test('comments are told from events', () => {
  expect(isComment(bytes(': keep-alive\n\n'))).toBe(true);
  expect(isComment(bytes('\n\n'))).toBe(true);
  expect(isComment(bytes(': note\ndata: 1\n\n'))).toBe(false);
  expect(isComment(bytes('data: 1\n\n'))).toBe(false);
});

test('field lines are read as the standard says', () => {
  expect(parseFrame(bytes('data:no space\nid: 7\nretry: 5\ndata:  two spaces\ndata\n\n'))).toEqual({
    event: '',
    data: 'no space\n two spaces\n',
  });
  expect(parseFrame(bytes('event: ping\n\n'))).toEqual({ event: 'ping', data: '' });
  expect(parseFrame(bytes('id: 7\n\n'))).toBeNull();
});
