/** What a film claims of its length is held, however few bytes it has: one picture may be shown for an hour. */
import { expect, it } from 'bun:test';
import { soundFile } from '../../../tests/support/sound.ts';
import { audioSeconds, lengthsOf } from './audio-length.ts';

const lengthOf = (file: Uint8Array) => lengthsOf([file]).film;
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
  /** How many of them there are said to be. */
  told?: number;
  media?: number;
  times?: number;
  delay?: number;
  /** Behind the tables, behind the head of the pictures, behind the track, and what holds the fragments' heads. */
  more?: Uint8Array[];
  heads?: Uint8Array[];
  last?: Uint8Array[];
  mvex?: Uint8Array[];
  fragment?: Uint8Array[];
}
const SCALE = 1000;
const HOUR = 3_600 * SCALE;

function mp4({
  movie = 0,
  track = 0,
  edits = [],
  told = edits.length,
  media = 0,
  times = 1,
  delay = 0,
  more = [],
  heads = [],
  last = [],
  mvex = [],
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
    ...heads,
    box('hdlr', u32(0, 0), Buffer.from('vide'), Buffer.alloc(12)),
    box('minf', stbl),
  );
  const edts = box('edts', box('elst', u32(0, told, ...edits.flatMap((ticks) => [ticks, 0, 65_536]))));
  const trak = box('trak', box('tkhd', u32(0, 0, 0, 1, 0, track, 0, 0, 0)), edts, mdia);
  const mvhd = box('mvhd', u32(0, 0, 0, SCALE, movie), Buffer.alloc(80));
  const moov = box('moov', mvhd, trak, box('mvex', ...mvex), ...last);
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
  ['a head that another would make shorter', { media: HOUR, heads: [box('mdhd', u32(0, 0, 0, 1e9, 1, 0))] }],
  ['the head of its fragments', { mvex: [box('mehd', u32(0, HOUR), Buffer.alloc(8))] }],
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
  ['more samples than have times', { times: SCALE, more: [box('stsz', u32(0, 1, 3_600))] }],
  [
    'fragments that go on behind its tables',
    { times: HOUR / 2, fragment: [box('trun', u32(0x100, 1, HOUR / 2))] },
  ],
  ['a scale that is taken for one', { heads: [box('mdhd', u32(0, 0, 0, 2 ** 31, HOUR / SCALE, 0))] }],
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
  ['with packed heads', { movie: 1, last: [box('cmov', Buffer.alloc(40))] }],
  ['with more that is shown than it says', { movie: 1, edits: [1, HOUR], told: 1 }],
  ['with more times than its table has', { movie: 1, more: [box('stts', u32(0, 2, 1, 1))] }],
  ['with more pictures shown later than its table has', { movie: 1, more: [box('ctts', u32(0, 2, 1, 1))] }],
  // The rate of its codec may then tell of any time (FFmpeg).
  ['with a picture that is shown for no time', { movie: 1, times: 0 }],
  ['with one behind another', { movie: 1, more: [box('stts', u32(0, 1, 1, 0))] }],
  ['with one in a fragment', { movie: 1, fragment: [box('trun', u32(0x100, 1, 0), Buffer.alloc(8))] }],
  [
    'with one that is also called a sound',
    { movie: 1, times: 0, heads: [box('hdlr', u32(0, 0), Buffer.from('soun'))] },
  ],
  ['with more pictures than a fragment has', { movie: 1, fragment: [box('trun', u32(0x900, 2, 1, 1, 1))] }],
])('an MP4 %s is not read', (_what, claims) => {
  expect(lengthOf(mp4(claims))).toBeNull();
});

/** A box of another name. */
const renamed = (file: Buffer, from: string, to: string) => {
  const copy = Buffer.from(file);
  copy.write(to, copy.indexOf(from, 0, 'latin1'), 'latin1');
  return copy;
};
const SECOND = { movie: SCALE, track: SCALE, media: SCALE };
const lasting = (claims: Claims = {}) => mp4({ ...SECOND, ...claims });
const moovOf = (file: Buffer) => file.subarray(file.indexOf('moov') - 4);
/** A box with a false size. */
const sized = (size: number, name: string) => Buffer.concat([u32(size), Buffer.from(name), u32(0)]);
const RUN = box('trun', u32(0x100, 1, HOUR));
const AN_HOUR = box('stts', u32(0, 1, 1, HOUR));

it.each<[string, Buffer]>([
  ...['hoov', 'free', 'skip'].map((name): [string, Buffer] => [
    `a head named \`${name}\` before its own`,
    Buffer.concat([renamed(mp4({ times: HOUR }), 'moov', name), moovOf(lasting())]),
  ]),
  ['two heads', Buffer.concat([lasting(), moovOf(mp4({ times: HOUR }))])],
  // FFmpeg steps into all of these, wherever they stand.
  ...['minf', 'stbl'].flatMap((from) =>
    ['udta', 'dinf', 'tref', 'sinf', 'schi', 'meta', 'wide'].map((to): [string, Buffer] => [
      `its \`${from}\` named \`${to}\``,
      renamed(lasting({ times: HOUR }), from, to),
    ]),
  ),
  ...['udta', 'dinf', 'iprp', 'edts', 'gmhd'].map((name): [string, Buffer] => [
    `a table inside \`${name}\``,
    lasting({ more: [box(name, AN_HOUR)] }),
  ]),
  ['a table inside `meta`', lasting({ more: [box('meta', box('hdlr', Buffer.alloc(24)), AN_HOUR)] })],
  [
    'a table inside the description of its pictures',
    lasting({ more: [box('stsd', u32(0, 1), box('avc1', Buffer.alloc(78), AN_HOUR))] }),
  ],
  ['a track of its own', Buffer.concat([lasting(), box('trak', box('tkhd', u32(0, 0, 0, 2, 0, HOUR)))])],
  // FFmpeg ends them with what they are in.
  ...[0, 4, 0x7fffffff].map((size): [string, Buffer] => [
    `a last box of ${size} bytes before fragments`,
    lasting({ last: [sized(size, 'abcd')], fragment: [RUN] }),
  ]),
  ['a fragment before its head', Buffer.concat([lasting({ fragment: [RUN] }), moovOf(lasting())].reverse())],
  ['a fragment of no track', renamed(lasting({ fragment: [RUN] }), 'tkhd', 'tkxx')],
  ['a run before the head of its fragment', lasting({ fragment: [box('tfhd', u32(8, 1, 1)), RUN] })],
  ['a time of a fragment behind its run', lasting({ fragment: [RUN, box('tfdt', u32(0, HOUR, 0))] })],
])('an MP4 that readers read in different ways does not tell: %s', (_what, file) => {
  // As a sound it is held for the longest, and is not charged as that.
  expect(lengthsOf([file])).toMatchObject({ sound: file.length / 25, film: null });
  expect(audioSeconds([file])).toBeNull();
});

it('an MP4 may have boxes that nobody knows, and end before they do', () => {
  const last = [box('abcd', u32(1, 2)), box('udta', box('name', u32(1)), u32(0, 0, 0))];
  expect(lengthOf(lasting({ last }))).toBe(1);
  const file = lasting({ fragment: [box('trun', u32(0x100, 1, 1))] });
  expect(lengthOf(file.subarray(0, -300))).toBe(1);
  expect(lengthOf(Buffer.concat([file, u32(0)]))).toBe(1);
});

it.each([
  ['in ticks of its own', 1_000_000, 3_600_000_000],
  // FFmpeg takes them for those of the track.
  ['in others', 1_000_000, HOUR],
])('a list of the fragments of an MP4 tells how long they are: %s', (_what, scale, ticks) => {
  const sidx = box('sidx', u32(0, 1, scale, 0, 0, 1, 1, ticks, 0));
  expect(lengthOf(Buffer.concat([lasting(), sidx]))).toBeWithin(3_599, 3_600_001);
  expect(lengthOf(Buffer.concat([sidx, lasting()]))).toBeNull();
});

it('the head of a fragmented MP4 may tell how long its samples last before it tells of its tracks', () => {
  const trex = box('mvex', box('trex', u32(0, 1, 1, HOUR, 0, 0)));
  const fragment = [box('trun', u32(0, 1))];
  const file = lasting({ fragment });
  const tfhd = file.indexOf('tfhd') + 4;
  file.writeUInt32BE(0, tfhd);
  const mvhd = file.indexOf('mvhd') - 4;
  const end = mvhd + file.readUInt32BE(mvhd);
  const first = Buffer.concat([file.subarray(0, end), trex, file.subarray(end)]);
  first.writeUInt32BE(file.readUInt32BE(mvhd - 8) + trex.length, mvhd - 8);
  expect(lengthOf(first)).toBeCloseTo(3_600, 0);
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
  /** At the end of each picture. */
  more?: Uint8Array;
  /** Before its last cluster. */
  between?: Uint8Array;
}

function webm({
  head = [],
  track = [],
  behind = [],
  codec = 'V_VP8',
  times = [0],
  group = [],
  packets = '00',
  more = Buffer.alloc(0),
  between = Buffer.alloc(0),
}: Film) {
  const block = element('a0', element('a1', Buffer.from(`810000${packets}aabbcc`, 'hex'), more), ...group);
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
      ...times.flatMap((time, n) => [
        n === times.length - 1 ? between : Buffer.alloc(0),
        element('1f43b675', element('e7', u32(time)), block),
      ]),
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
  ['the usual scale behind another', { head: [element('2ad7b1', u32(1)), element('2ad7b1')], times: [HOUR] }],
  ['the time of its last picture', { times: [HOUR] }],
  ['how long a picture is shown', { times: [1], group: [element('9b', u32(HOUR))] }],
  ['how long each of a hundred packets is shown', { track: [eachFor(36e9)], times: [1], packets: '0463' }],
  [
    'how many of its pictures are shown a second',
    { track: [element('e0', element('2383e3', f32(1 / 3_600)))], times: [1] },
  ],
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

/** The same without the sizes of what holds all of it and the clusters, as it is while it is recorded. */
const live = (file: Buffer) => {
  const copy = Buffer.from(file);
  for (const id of ['18538067', '1f43b675']) {
    const bytes = Buffer.from(id, 'hex');
    for (let at = copy.indexOf(bytes); at >= 0; at = copy.indexOf(bytes, at + 4))
      copy.write('01ffffffffffffff', at + 4, 'hex');
  }
  return copy;
};
const NANO = element('2ad7b1', u32(1));
const HIDDEN = element(
  '1f43b675',
  element('e7', u32(HOUR)),
  element('a3', Buffer.from('81000080aabbcc', 'hex')),
);
const A_SECOND = { head: [element('4489', f32(1_000))], times: [0, HOUR] };

it.each<[string, string]>([
  ['sixteen bytes of nothing', '00'.repeat(16)],
  ['a filler that is longer than the file', 'ec0100010000000000'],
  ['an element that nobody knows', '42ff82abcd'],
  ['one that is longer than the file', '42ff0100010000000000'],
  ['a size that is none', 'ec00'],
  ['a size of nobody knows what', 'ecff'],
  ['an id that is none', '01010101'],
  ['another head', '1549a96680'],
])('a WebM with %s before a cluster does not tell', (_what, hex) => {
  const file = webm({ ...A_SECOND, between: Buffer.from(hex, 'hex') });
  expect(lengthOf(file)).toBeNull();
  expect(lengthOf(live(file))).toBeNull();
});

it.each<[string, Buffer]>([
  ['a cluster of another time behind its pictures', webm({ ...A_SECOND, group: [element('e7', u32(HOUR))] })],
  [
    'a time of more bytes than a number has',
    renamed(webm(A_SECOND), '\xe7\x01\0\0\0\0\0\0\x04', '\xe7\x01\0\0\0\0\0\0\x0c'),
  ],
  [
    'a number of five bytes in its head',
    webm({ head: [element('4489', Buffer.alloc(5)), NANO], times: [HOUR] }),
  ],
  // FFmpeg finds a cluster in all that it cannot read.
  ['pictures that it does not tell apart', webm({ times: [1], packets: '0407', more: HIDDEN })],
  [
    'packed pictures',
    webm({ times: [1], track: [element('6d80', element('6240', element('5034')))], more: HIDDEN }),
  ],
  ['tags that are none', webm({ times: [0, 1], between: element('1254c367', HIDDEN) })],
  [
    "a picture of no track's number",
    webm({ times: [0, 1], between: element('a3', Buffer.alloc(1), HIDDEN) }),
  ],
  ['a picture of no cluster', webm({ ...A_SECOND, between: Buffer.from('a384810e1000', 'hex') })],
  [
    'two heads, of which the last counts',
    webm({ head: [NANO], times: [HOUR], between: element('1549a966') }),
  ],
  ['no head', renamed(webm(A_SECOND), '\x15\x49\xa9\x66', '\x11\x4d\x9b\x74')],
  ['pictures of a track that is not there', renamed(webm(A_SECOND), '\x81\0\0', '\x82\0\0')],
])('a WebM with %s does not tell', (_what, file) => {
  expect(lengthOf(file)).toBeNull();
});

it('a WebM may be of unknown size, and end before its last picture does', () => {
  const file = webm({ times: [0, HOUR, HOUR + 1_000] });
  for (const each of [file, live(file)]) {
    expect(lengthOf(each)).toBeCloseTo(2 * 3_600 + 1, 0);
    for (const cut of [1, 4, 12, 20]) expect(lengthOf(each.subarray(0, -cut))).toBeWithin(3_600, 7_202);
  }
  expect(lengthOf(webm({ times: [HOUR], more: HIDDEN }))).toBeCloseTo(3_600, 0);
  // What is left may be a picture, and another reader finds a cluster in it.
  const hiding = Buffer.concat([live(webm(A_SECOND)), Buffer.from('a3010001000000000081000000', 'hex')]);
  expect(lengthOf(Buffer.concat([hiding, Buffer.alloc(10_000, 7)]))).not.toBeNull();
  expect(lengthOf(Buffer.concat([hiding, file.subarray(file.indexOf('1f43b675', 0, 'hex'))]))).toBeNull();
});

it('real films are as long as they are, and what is no film tells nothing', async () => {
  expect(lengthOf(await soundFile('film.mp4'))).toBeCloseTo(3, 1);
  expect(lengthOf(await soundFile('speech.mp3'))).toBeNull();
  expect(lengthOf(await soundFile('vorbis.ogg'))).toBeNull();
});
