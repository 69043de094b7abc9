/** What a film claims of its length is held, however few bytes it has: one picture may be shown for an hour. */
import { expect, it } from 'bun:test';
import { soundFile } from '../../../tests/support/sound.ts';
import { filmSeconds } from './audio-length.ts';

const lengthOf = (file: Uint8Array) => filmSeconds([file]);
const u32 = (...values: number[]) => {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) buffer.writeUInt32BE(value, 4 * n);
  return buffer;
};
const box = (name: string, ...inside: Uint8Array[]) => {
  const body = Buffer.concat(inside);
  return Buffer.concat([u32(8 + body.length), Buffer.from(name, 'latin1'), body]);
};

/** Where a film of one picture says that it lasts an hour, in ticks of a thousandth of a second. */
interface Claims {
  movie?: number;
  track?: number;
  edits?: number[];
  media?: number;
  times?: number;
  delay?: number;
  /** Behind the tables. */
  more?: Uint8Array[];
  fragment?: Uint8Array[];
}
const SCALE = 1000;
const HOUR = 3_600 * SCALE;

function mp4({
  movie = 0,
  track = 0,
  edits = [],
  media = 0,
  times = 1,
  delay = 0,
  more = [],
  fragment,
}: Claims) {
  const stbl = box(
    'stbl',
    box('stsd', u32(0, 1), box('avc1', Buffer.alloc(78))),
    box('stts', u32(0, 1, 1, times)),
    box('ctts', u32(0, 1, 1, delay)),
    box('stsz', u32(0, 700, 1)),
    ...more,
  );
  const mdia = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, SCALE, media, 0)),
    box('hdlr', u32(0, 0), Buffer.from('vide'), Buffer.alloc(12)),
    box('minf', stbl),
  );
  const edts = box(
    'edts',
    box('elst', u32(0, edits.length, ...edits.flatMap((ticks) => [ticks, 0, 65_536]))),
  );
  const trak = box('trak', box('tkhd', u32(0, 0, 0, 1, 0, track, 0, 0, 0)), edts, mdia);
  const moov = box('moov', box('mvhd', u32(0, 0, 0, SCALE, movie), Buffer.alloc(80)), trak);
  const moof = fragment ? [box('moof', box('traf', box('tfhd', u32(8, 1, 1)), ...fragment))] : [];
  return Buffer.concat([box('ftyp', Buffer.from('isom')), moov, ...moof, box('mdat', Buffer.alloc(700, 1))]);
}

it.each<[string, Claims]>([
  ['the head of the whole', { movie: HOUR }],
  ['the head of its track', { track: HOUR }],
  ['what is shown when', { edits: [HOUR - 1000, 1000] }],
  ['the head of its pictures', { media: HOUR }],
  ['the table of times', { times: HOUR }],
  ['the table of what is shown later', { delay: HOUR }],
  ['a head that another would make shorter', { media: HOUR, more: [box('mdhd', u32(0, 0, 0, 1e9, 1, 0))] }],
  ['the head of its fragments', { more: [box('mehd', u32(0, HOUR), Buffer.alloc(8))] }],
  [
    'where a fragment begins',
    { fragment: [box('tfdt', u32(0, HOUR)), box('trun', u32(0x100, 1, 1), Buffer.alloc(8))] },
  ],
  ['the time of a fragment', { fragment: [box('trun', u32(0x100, 1, HOUR), Buffer.alloc(8))] }],
  ['what of a fragment is shown later', { fragment: [box('trun', u32(0x800, 1, HOUR), Buffer.alloc(8))] }],
  ['a picture that is shown earlier, and all others later', { delay: 2 ** 32 - HOUR }],
  [
    'the same in a fragment',
    { fragment: [box('trun', u32(0x01000800, 1, 2 ** 32 - HOUR), Buffer.alloc(8))] },
  ],
  ['a scale that is taken for one', { more: [box('mdhd', u32(0, 0, 0, 2 ** 31, HOUR / SCALE, 0))] }],
])('an MP4 of a kilobyte lasts an hour by %s', (_where, claims) => {
  expect(lengthOf(mp4(claims))).toBeCloseTo(3_600, 0);
});

it.each<[string, Claims]>([
  ['by its tables', { times: HOUR, delay: HOUR }],
  ['by tables in another order', { delay: HOUR, more: [box('stts', u32(0, 1, 1, HOUR))] }],
  [
    'by where its fragment begins',
    { fragment: [box('tfdt', u32(0, HOUR)), box('trun', u32(0x900, 1, 1, HOUR), Buffer.alloc(8))] },
  ],
  ['by the time of its fragment', { fragment: [box('trun', u32(0x900, 1, HOUR, HOUR), Buffer.alloc(8))] }],
])('a picture that lasts an hour and is shown an hour later ends after two: %s', (_where, claims) => {
  expect(lengthOf(mp4(claims))).toBeCloseTo(7_200, 0);
});

it('how much later a picture of a fragment is shown has no sign in the first version', () => {
  const fragment = [box('trun', u32(0x800, 1, 2 ** 32 - 1), Buffer.alloc(8))];
  expect(lengthOf(mp4({ fragment }))).toBeGreaterThan(4_294_967);
});

it.each<[string, Claims]>([
  ['with packed heads', { movie: 1, more: [box('cmov', Buffer.alloc(40))] }],
  ['with more times than its table has', { movie: 1, more: [box('stts', u32(0, 2, 1, 1))] }],
  ['with more pictures shown later than its table has', { movie: 1, more: [box('ctts', u32(0, 2, 1, 1))] }],
  // The rate of its codec may then tell of any time (FFmpeg).
  ['with a picture that is shown for no time', { movie: 1, times: 0 }],
  ['with one behind another', { movie: 1, more: [box('stts', u32(0, 1, 1, 0))] }],
  ['with one in a fragment', { movie: 1, fragment: [box('trun', u32(0x100, 1, 0), Buffer.alloc(8))] }],
  [
    'with one that is also called a sound',
    { movie: 1, times: 0, more: [box('hdlr', u32(0, 0), Buffer.from('soun'))] },
  ],
  ['with more pictures than a fragment has', { movie: 1, fragment: [box('trun', u32(0x900, 2, 1, 1, 1))] }],
])('an MP4 %s is not read', (_what, claims) => {
  expect(lengthOf(mp4(claims))).toBeNull();
});

/** An element of EBML with a size of eight bytes. */
const element = (id: string, ...inside: Uint8Array[]) => {
  const body = Buffer.concat(inside);
  return Buffer.concat([
    Buffer.from(id, 'hex'),
    Buffer.from('0100000000', 'hex'),
    u32(body.length).subarray(1),
    body,
  ]);
};
const f32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatBE(value);
  return buffer;
};

/** A WebM whose pictures are shown at these times, in ticks of a thousandth of a second. */
interface Film {
  head?: Uint8Array[];
  track?: Uint8Array[];
  behind?: Uint8Array[];
  codec?: string;
  times?: number[];
  group?: Uint8Array[];
  packets?: string;
}

function webm({
  head = [],
  track = [],
  behind = [],
  codec = 'V_VP8',
  times = [0],
  group = [],
  packets = '00',
}: Film) {
  const block = element('a0', element('a1', Buffer.from(`810000${packets}aabbcc`, 'hex')), ...group);
  return Buffer.concat([
    element('1a45dfa3', Buffer.alloc(4)),
    element(
      '18538067',
      element('1549a966', ...head),
      element(
        '1654ae6b',
        element(
          'ae',
          element('d7', Buffer.from([1])),
          element('83', Buffer.from([1])),
          element('86', Buffer.from(codec)),
          ...track,
        ),
        ...behind,
      ),
      ...times.map((time) => element('1f43b675', element('e7', u32(time)), block)),
    ),
  ]);
}

/** Nanoseconds that each packet is shown. */
const eachFor = (ns: number) => element('23e383', u32(Math.floor(ns / 2 ** 32), ns % 2 ** 32));

it.each<[string, Film]>([
  ['its head', { head: [element('4489', f32(HOUR))] }],
  ['a head that another would make shorter', { head: [element('4489', f32(HOUR)), element('4489', f32(1))] }],
  [
    'a scale that another would make smaller',
    { head: [element('4489', f32(HOUR)), element('2ad7b1', u32(1e6)), element('2ad7b1', u32(1))] },
  ],
  ['the time of its last picture', { times: [HOUR] }],
  ['how long a picture is shown', { times: [1], group: [element('9b', u32(HOUR))] }],
  ['how long each of a hundred packets is shown', { track: [eachFor(36e9)], times: [1], packets: '0463' }],
  ['times that are drawn out', { track: [element('23314f', f32(3_600))], times: [1_000] }],
  [
    'packets that are drawn out',
    { track: [element('23314f', f32(3_600)), eachFor(0.9e9)], times: [100], packets: '00' },
  ],
  // Where nothing is told, a picture is shown as long as the one before it (FFmpeg).
  ['the time between its pictures', { times: [0, HOUR / 2] }],
  ['the longest that one of its pictures is shown', { times: [0, HOUR / 2 - 1, HOUR / 2] }],
  ['the same for each of a hundred packets', { times: [0, Math.round(HOUR / 101)], packets: '0463' }],
])('a WebM of a few bytes lasts an hour by %s', (_where, film) => {
  expect(lengthOf(webm(film))).toBeCloseTo(3_600, 0);
});

it.each<[string, Film]>([
  ['by nothing else', {}],
  ['beside times that are shorter than a tick', { track: [eachFor(1e9), eachFor(1_000)] }],
  ['beside times of nine bytes', { track: [element('23e383', u32(1, 1, 1).subarray(3))] }],
  ['beside times of no track', { behind: [eachFor(1e9)] }],
  [
    'beside times of something in its track',
    { track: [element('6d80', element('5034', Buffer.alloc(0)), eachFor(1e9))] },
  ],
])('a codec may tell for how long its pictures are shown, which is not read: %s', (_what, film) => {
  const h264 = { codec: 'V_MPEG4/ISO/AVC', times: [0, 1_000] };
  expect(lengthOf(webm({ ...h264, ...film }))).toBeNull();
  expect(lengthOf(webm({ ...h264, track: [eachFor(1e9)] }))).toBeCloseTo(2, 1);
});

it('real films are as long as they are, and what is no film tells nothing', async () => {
  expect(lengthOf(await soundFile('film.mp4'))).toBeCloseTo(3, 1);
  expect(lengthOf(await soundFile('speech.mp3'))).toBeNull();
  expect(lengthOf(await soundFile('vorbis.ogg'))).toBeNull();
});
