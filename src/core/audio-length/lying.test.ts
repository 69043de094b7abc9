/**
 * Files that hold far more sound than their tables say: what decoders play counts, and where nobody can tell without
 * decoding, the most that so many bytes last. Whatever a header says, a length is never below that of the densest sound.
 */
import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { mp3Frames, oggPage, opusFile, soundFile, summed } from '../../../tests/support/sound.ts';
import { audioSeconds, lengthsOf } from './audio-length.ts';

const lengthOf = (file: Uint8Array): number => {
  const seconds = audioSeconds([file]);
  if (seconds === null) throw new Error('it does not tell');
  return seconds;
};

const u32 = (...values: number[]) => {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) buffer.writeUInt32BE(value, 4 * n);
  return buffer;
};
const u16 = (...values: number[]) => {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [n, value] of values.entries()) buffer.writeUInt16BE(value, 2 * n);
  return buffer;
};

// ---- MP4 ---------------------------------------------------------------------------------------------------------

const box = (name: string, ...inside: Uint8Array[]) => {
  const body = Buffer.concat(inside);
  return Buffer.concat([u32(8 + body.length), Buffer.from(name, 'latin1'), body]);
};

/** A description of sound by its codec, with boxes inside. */
const entry = (name: string, rate: number, channels: number, bits: number, ...inside: Uint8Array[]) =>
  box(name, Buffer.alloc(8), Buffer.alloc(8), u16(channels, bits, 0, 0), u32(rate * 65_536), ...inside);

/** The configuration of AAC at 48,000 a second, for so many channels. */
const aacEntry = (channels = 2) => {
  const config = [(2 << 3) | (3 >> 1), ((3 & 1) << 7) | (channels << 3), 0, 0, 0];
  const decoder = [4, 13 + 2 + config.length, 0x40, ...Array(12).fill(0), 5, config.length, ...config];
  const descriptor = [3, 3 + decoder.length, 0, 0, 0, ...decoder];
  return entry('mp4a', 48_000, channels, 16, box('esds', u32(0), Buffer.from(descriptor)));
};

interface Tables {
  entries: Uint8Array[];
  /** Sizes of samples: of all the same, with their count, or of each. */
  sizes: [each: number, count: number] | number[];
  chunks?: number;
  /** Bytes of the sound. */
  data: number;
}

const stsz = (sizes: Tables['sizes'], isUniform: boolean) =>
  box('stsz', isUniform ? u32(0, ...sizes) : u32(0, 0, sizes.length, ...sizes));

function mp4(
  { entries, sizes, chunks = 1, data }: Tables,
  isUniform = false,
  more: Uint8Array[] = [],
): Buffer {
  const stbl = box(
    'stbl',
    box('stsd', u32(0, entries.length), ...entries),
    box('stts', u32(0, 1, 1, 1)),
    stsz(sizes, isUniform),
    box('stco', u32(0, chunks, ...Array<number>(chunks).fill(2_000))),
  );
  const times = Buffer.alloc(24);
  times.writeUInt32BE(48_000, 12);
  const mdia = box(
    'mdia',
    box('mdhd', times, u32(0, 0)),
    box('hdlr', u32(0, 0), Buffer.from('soun')),
    box('minf', stbl),
  );
  const tkhd = box('tkhd', u32(0, 0, 0, 1, 0, 0));
  const moov = box('moov', box('mvhd', Buffer.alloc(32)), box('trak', tkhd, mdia), ...more);
  return Buffer.concat([box('ftyp', Buffer.from('M4A ')), moov, box('mdat', Buffer.alloc(data, 7))]);
}

/** The same in one fragment; sizes stand in the run, in the fragment's head, or in that of all. */
function fragmented(kind: 'run' | 'fragment' | 'movie', size: number, count: number): Buffer {
  const trex = box('trex', u32(0, 1, 1, 1024, kind === 'movie' ? size : 0, 0));
  const movie = mp4({ entries: [aacEntry()], sizes: [], data: 0 }, false, [box('mvex', trex)]);
  const tfhd = box('tfhd', kind === 'fragment' ? u32(0x10, 1, size) : u32(0, 1));
  const sizes = kind === 'run' ? u32(...Array<number>(count).fill(size)) : u32();
  const trun = box('trun', u32(kind === 'run' ? 0x200 : 0, count), sizes);
  const moof = box('moof', box('traf', tfhd, trun));
  return Buffer.concat([movie, moof, box('mdat', Buffer.alloc(size * count, 7))]);
}

describe('a sample of MP4 that holds more than one frame', () => {
  const WHOLE = 100_000;

  it.each([1, 2, 6])('lasts as long as its bytes can: AAC of %d channels', (channels) => {
    const file = mp4({ entries: [aacEntry(channels)], sizes: [WHOLE], data: WHOLE });
    expect(lengthOf(file)).toBeCloseTo(100, 0);
  });

  it('of the size of all does, too', () => {
    const file = mp4({ entries: [aacEntry()], sizes: [10_000, 10], data: WHOLE }, true);
    expect(lengthOf(file)).toBeCloseTo(100, 0);
  });

  it.each(['run', 'fragment', 'movie'] as const)('in a fragment does, its size told by the %s', (kind) => {
    expect(lengthOf(fragmented(kind, 20_000, 5))).toBeCloseTo(100, 0);
    // Frames as they are.
    expect(lengthOf(fragmented(kind, 300, 100))).toBeCloseTo((100 * 1024) / 48_000, 3);
  });

  it.each(['.mp3', 'ac-3', 'ec-3', 'fLaC', 'samr', 'sawb'])('does of %s', (name) => {
    const file = mp4({ entries: [entry(name, 48_000, 2, 16)], sizes: [WHOLE], data: WHOLE });
    expect(lengthOf(file)).toBeGreaterThanOrEqual(100);
  });

  it('of AAC is not denser than anybody sends it', () => {
    const file = mp4({ entries: [aacEntry(6)], sizes: Array(20).fill(4_000), data: 80_000 });
    expect(lengthOf(file)).toBeCloseTo(2, 1);
  });

  it('may be told for AMR, and is believed no further than its bytes', () => {
    const amr = (frames: number) =>
      entry('samr', 8_000, 1, 16, box('damr', u32(0), u16(0, 0), Buffer.from([frames])));
    const of = (frames: number) =>
      lengthOf(mp4({ entries: [amr(frames)], sizes: Array(10).fill(320), data: 3_200 }));
    expect(of(10)).toBeCloseTo(2);
    expect(of(1)).toBeGreaterThan(4);
  });
});

describe('other tables of MP4 that do not win', () => {
  it('packets of Opus of 120 ms, taken for such of 20', () => {
    const opus = (size: number) =>
      lengthOf(
        mp4({ entries: [entry('Opus', 48_000, 2, 16)], sizes: Array(100).fill(size), data: 100 * size }),
      );
    expect(opus(600)).toBeCloseTo(12);
    expect(opus(10_000)).toBeCloseTo(12);
    // So slow none is.
    expect(opus(10)).toBeCloseTo(2);
  });

  it('frames of ALAC of any length', () => {
    const cookie = box('alac', u32(0, 65_536), Buffer.alloc(16), u32(8_000));
    const alac = entry('alac', 8_000, 1, 16, cookie);
    expect(lengthOf(mp4({ entries: [alac], sizes: Array(10).fill(50), data: 500 }))).toBeCloseTo(81.92);
  });

  it('a size of plain samples that is none', () => {
    const plain = entry('sowt', 8_000, 1, 16);
    expect(lengthOf(mp4({ entries: [plain], sizes: [16_000, 10], data: 160_000 }, true))).toBeCloseTo(10, 1);
    // QuickTime tells one byte for each.
    expect(lengthOf(mp4({ entries: [plain], sizes: [1, 8_000], data: 16_000 }, true))).toBeCloseTo(1, 1);
  });

  it('chunks that share their bytes', () => {
    // A thousand frames of silence, played two hundred times.
    const shared = {
      entries: [aacEntry()],
      sizes: [8, 200_000] as [number, number],
      chunks: 200,
      data: 8_000,
    };
    expect(lengthOf(mp4(shared, true))).toBeCloseTo((200_000 * 1024) / 48_000, 0);
  });
});

// ---- Matroska ----------------------------------------------------------------------------------------------------

const sized = (size: number) => u32(0x10000000 + size);
const element = (id: string, ...inside: Uint8Array[]) => {
  const body = Buffer.concat(inside);
  return Buffer.concat([Buffer.from(id, 'hex'), sized(body.length), body]);
};
const byte = (...values: number[]) => Buffer.from(values);

function mkv(codec: string, more: Uint8Array[], blocks: Uint8Array[]): Buffer {
  const track = element(
    'ae',
    element('d7', byte(1)),
    element('83', byte(2)),
    element('86', Buffer.from(codec)),
    ...more,
  );
  const cluster = element('1f43b675', element('e7', byte(0)), ...blocks);
  const inside = [element('1549a966'), element('1654ae6b', track), cluster];
  return Buffer.concat([element('1a45dfa3'), element('18538067', ...inside)]);
}
const head = (flags: number) => byte(0x81, 0, 0, flags);
const block = (...packet: Uint8Array[]) => element('a3', head(0x80), ...packet);
const AAC_PRIVATE = element('63a2', byte((2 << 3) | (3 >> 1), ((3 & 1) << 7) | (2 << 3)));

/** What was done to packets before they were written: by these numbers, each with settings. */
const encodings = (...algorithms: (number | null)[]) =>
  element(
    '6d80',
    ...algorithms.map((algorithm) =>
      element('6240', element('5034', ...(algorithm === null ? [] : [element('4254', byte(algorithm))]))),
    ),
  );

describe('blocks of Matroska that hold more than they say', () => {
  it('one packet of AAC with many frames', () => {
    expect(lengthOf(mkv('A_AAC', [AAC_PRIVATE], [block(Buffer.alloc(100_000, 7))]))).toBeCloseTo(100, 0);
  });

  /** Packets of one byte, and a large one as the last: Xiph's and EBML's ways to say so. */
  const laced = (lacing: 'xiph' | 'ebml', packets: number, last: Uint8Array) => {
    const sizes =
      lacing === 'xiph' ? Buffer.alloc(packets - 1, 1) : byte(0x81, ...Array(packets - 2).fill(0xbf));
    const flags = lacing === 'xiph' ? 0x82 : 0x86;
    return element('a3', head(flags), byte(packets - 1), sizes, Buffer.alloc(packets - 1, 7), last);
  };

  it.each(['xiph', 'ebml'] as const)('a large packet of AAC among small ones: %s', (lacing) => {
    const file = mkv('A_AAC', [AAC_PRIVATE], [laced(lacing, 200, Buffer.alloc(100_000, 7))]);
    expect(lengthOf(file)).toBeWithin(100, 105);
  });

  it.each([
    ['of the same size', 0x84, Buffer.alloc(0)],
    ['of sizes by Xiph', 0x82, byte(...Array(9).fill(3))],
    ['of sizes by EBML', 0x86, byte(0x83, ...Array(8).fill(0xbf))],
  ])('long packets of Opus behind a short one: %s', (_, flags, sizes) => {
    // 2.5 ms, and nine times two frames of 60.
    const packets = Buffer.concat([byte(16 << 3, 0, 0), ...Array(9).fill(byte((3 << 3) | 1, 0, 0))]);
    const file = mkv('A_OPUS', [], [element('a3', head(flags), byte(9), sizes, packets)]);
    expect(lengthOf(file)).toBeCloseTo(0.0025 + 9 * 0.12, 4);
  });

  it('packets whose beginning was taken away', () => {
    // What is left of each looks like a frame of 2.5 ms.
    const blocks = Array.from({ length: 100 }, () => block(Buffer.alloc(500, 16 << 3)));
    expect(lengthOf(mkv('A_OPUS', [encodings(3)], blocks))).toBeCloseTo(50, 0);
  });

  it.each<[what: string, algorithms: (number | null)[]]>([
    ['zlib', [0]],
    ['nothing told, which is zlib', [null]],
    ['bzip2', [1]],
    ['LZO', [2]],
    ['two ways', [3, 0]],
  ])('packets that were packed once more: %s', (_, algorithms) => {
    const pcm = [element('e1', element('9f', byte(1)), element('6264', byte(16)))];
    const blocks = [block(Buffer.alloc(10_000, 7))];
    expect(lengthOf(mkv('A_PCM/INT/LIT', [...pcm, encodings(...algorithms)], blocks))).toBeCloseTo(400, -1);
  });

  it('silence in the leanest codecs, which so many bytes would not tell', () => {
    const wavpack = Buffer.alloc(20);
    wavpack.writeUInt32LE(24_000, 0);
    wavpack.writeUInt32LE(1 << 23, 4);
    expect(lengthOf(mkv('A_WAVPACK4', [], Array(20).fill(block(wavpack))))).toBeCloseTo(60);
    expect(lengthOf(mkv('A_TTA1', [], Array(20).fill(block(Buffer.alloc(12)))))).toBeCloseTo(20.898, 2);
  });
});

// ---- Ogg ---------------------------------------------------------------------------------------------------------

/** A page with one packet of any size, by whatever flags. */
function pageOf(body: Uint8Array, { serial = 1, flags = 0, version = 0 } = {}): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head.writeUInt8(version, 4);
  head.writeUInt8(flags, 5);
  head.writeUInt32LE(serial, 14);
  const lacing = Buffer.alloc(Math.floor(body.length / 255) + 1, 255);
  lacing.writeUInt8(body.length % 255, lacing.length - 1);
  head.writeUInt8(lacing.length, 26);
  return summed(Buffer.concat([head, lacing, body]));
}
const BEGINS = 2;
const falsely = (page: Buffer<ArrayBuffer>) => Buffer.from(page).fill(7, 22, 26);

/** A page that begins a stream with a packet of 255 bytes that goes on. */
function unended(head: Buffer): Buffer {
  const page = pageOf(Buffer.concat([head, Buffer.alloc(254 - head.length)]), { flags: BEGINS });
  page.writeUInt8(255, 27);
  return summed(Buffer.concat([page, byte(0)]));
}

const OPUS_HEAD = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1');
const OPUS_TAGS = Buffer.from('OpusTags');

/** The pages of so many seconds of Opus, behind those of its heads. */
const opusPages = (seconds: number, serial = 1) =>
  opusFile(50 * seconds, 0, serial).subarray(opusFile(0, 0, serial).length);
const opus = (seconds: number) => opusFile(50 * seconds, 0);

function speexHead({ rate = 8_000, samples = 160, comments = 0 } = {}): Buffer {
  const head = Buffer.alloc(80);
  head.write('Speex   ');
  for (const [at, value] of [
    [36, rate],
    [56, samples],
    [64, 1],
    [68, comments],
  ] as const)
    head.writeUInt32LE(value, at);
  return head;
}
const FAST_SPEEX = speexHead({ rate: 2 ** 31 });
const speex = (head: Buffer) => [
  oggPage([head], { begins: true }),
  oggPage([byte(0), ...Array<Buffer>(100).fill(byte(1))]),
];

const silence = Buffer.from(await soundFile('silence.flac'));
const flacHead = Buffer.concat([Buffer.from('\x7fFLAC\x01\0\0\0', 'latin1'), silence.subarray(0, 42)]);
/** A head that tells of sixteen samples in each frame. */
flacHead.writeUInt16BE(16, 9 + 8 + 2);

describe('Ogg that not every reader takes alike lasts as long as the longest of them plays:', () => {
  it.each<[what: string, seconds: number, file: Uint8Array[]]>([
    ['pages within a false one', 10, [opus(1), falsely(pageOf(opusPages(9), { serial: 9 }))]],
    [
      'pages within one that is cut',
      10,
      [opus(1), pageOf(Buffer.alloc(65_000)).subarray(0, 282), opusPages(9)],
    ],
    ['pages within one of another version', 10, [opus(1), pageOf(opusPages(9), { version: 1 })]],
    ['pages whose sum is false', 10, [opus(1), ...Array<Buffer>(9).fill(falsely(opusPages(1)))]],
    [
      'a stream that no page begins',
      10,
      [opus(1), oggPage([OPUS_HEAD, OPUS_TAGS], { serial: 2 }), opusPages(9, 2)],
    ],
    [
      'a second head of the same number',
      10,
      [opus(1), oggPage([FAST_SPEEX], { begins: true }), opusPages(9)],
    ],
    ['a head on a false page', 10, [falsely(oggPage([FAST_SPEEX], { begins: true })), opus(10)]],
    ['a head that does not end', 10, [unended(FAST_SPEEX), opus(10)]],
    ['packets that are told to be comments', 2, speex(speexHead({ comments: 1_000 }))],
    ['frames that are told to be short', 2, speex(speexHead({ samples: 1 }))],
    ['frames of FLAC in one packet', 3, [pageOf(flacHead, { flags: BEGINS }), pageOf(silence)]],
    [
      'what nobody here knows, beside what is known',
      6,
      [
        opus(1),
        pageOf(Buffer.from('CELT    '), { serial: 2, flags: BEGINS }),
        pageOf(Buffer.alloc(5_000), { serial: 2 }),
      ],
    ],
  ])('%s', (_, seconds, file) => {
    expect(lengthOf(Buffer.concat(file))).toBeWithin(seconds - 0.01, seconds + 0.5);
  });

  it('pictures beside it are none of the sound', () => {
    const picture = [pageOf(Buffer.from('\x80theora', 'latin1'), { serial: 2, flags: BEGINS })];
    picture.push(pageOf(Buffer.alloc(60_000), { serial: 2 }));
    expect(lengthOf(Buffer.concat([...picture, opus(2)]))).toBeCloseTo(2);
  });
});

// ---- Frames without a container ----------------------------------------------------------------------------------

/** A frame of AAC, 8,000 samples a second. */
function adts(bytes: number, body: Uint8Array = Buffer.alloc(Math.max(bytes - 7, 0)), rate = 11): Buffer {
  const head = byte(
    0xff,
    0xf1,
    0x40 | (rate << 2),
    0x40 | (bytes >> 11),
    bytes >> 3,
    (bytes << 5) | 0x1f,
    0xfc,
  );
  return Buffer.concat([head, body]);
}
const times = (count: number, ...parts: Uint8Array[]) => Array<Uint8Array[]>(count).fill(parts).flat();
/** 384 kbit/s at 32,000 a second: 1,728 bytes. */
const LAYER2 = byte(0xff, 0xfd, 0xe8, 0xc0);
const A_FRAME = 1024 / 8_000;

describe('frames that not every decoder takes last as long as the longest of them plays:', () => {
  it.each<[what: string, seconds: number, file: Uint8Array[]]>([
    ['MP3 behind heads of AAC', 11 * 7.2, [mp3Frames(100), ...times(10, adts(7_207, mp3Frames(100), 0))]],
    ['MP3 behind heads of another layer', 11 * 1.728, [mp3Frames(24), ...times(10, LAYER2, mp3Frames(24))]],
    [
      'AAC behind heads of another rate',
      200 * A_FRAME,
      [adts(9), adts(9), ...times(2, adts(7 + 99 * 9, Buffer.concat(times(99, adts(9))), 3))],
    ],
    ['AAC within frames of its own', 101 * A_FRAME, [adts(907, Buffer.concat(times(100, adts(9))))]],
    [
      'AAC within frames of MP3',
      44 * A_FRAME,
      [byte(0xff, 0xfb, 0x90, 0x64), ...times(44, adts(9)), Buffer.alloc(17), byte(0xff, 0xfb, 0x90, 0x64)],
    ],
    ['AAC behind another byte', 100 * A_FRAME, [byte(7), ...times(100, adts(9))]],
    ['AAC of more blocks than are told', 98.3, times(12, adts(8_191))],
    [
      'AAC behind a tag of no size',
      100 * A_FRAME,
      [Buffer.from('ID3\x04\0\0\xff\xff\xff\xff', 'latin1'), ...times(100, adts(9))],
    ],
  ])('%s', (_, seconds, file) => {
    expect(lengthOf(Buffer.concat(file))).toBeWithin(seconds - 0.4, 1.3 * seconds);
  });
});

// ---- FLAC --------------------------------------------------------------------------------------------------------

describe('heads of FLAC that do not win:', () => {
  it('a faster rate of the frames than of all', () => {
    const slow = Buffer.from(silence);
    const rate = slow.readUIntBE(18, 3) >> 4;
    slow.writeUIntBE(((rate / 2) << 4) | (slow.readUIntBE(18, 3) & 15), 18, 3);
    // Nor is there a count of samples that would tell as much.
    slow.fill(0, 22, 26);
    expect(lengthOf(slow)).toBeCloseTo(6);
  });
});

// ---- Heads that not every reader takes alike -----------------------------------------------------------------------

const u16le = (...values: number[]) => u16(...values).swap16();
const u32le = (...values: number[]) => u32(...values).swap32();
const chunk = (name: string, body: Uint8Array, size = body.length) =>
  Buffer.concat([Buffer.from(name), u32le(size), body]);
const DATA = Buffer.alloc(8_000, 7);

interface WaveHead {
  tag?: number;
  channels?: number;
  bits?: number;
  align?: number;
  adds?: Uint8Array;
  rate?: number;
}
const fmt = ({ tag = 1, channels = 1, bits = 8, align = 1, adds = u16le(), rate = 8_000 }: WaveHead = {}) =>
  chunk('fmt ', Buffer.concat([u16le(tag, channels), u32le(rate, 1), u16le(align, bits), adds]));
const wav = (parts: Uint8Array[], start = 'RIFF') =>
  Buffer.concat([Buffer.from(start), u32le(0), Buffer.from('WAVE'), ...parts]);
const wave = (head: WaveHead) => wav([fmt(head), chunk('data', DATA)]);
/** `bits`: those that count. */
const named = (tag: number, bits: number) =>
  Buffer.concat([u16le(22, bits, 4, 0, tag, 0), Buffer.from('00001000800000aa00389b71', 'hex')]);
const ds64 = (size: number) => chunk('ds64', u32le(0, 0, size, 0, 0, 0, 0));
/** What a recorder of dictation writes. */
const dictated = wave({});
dictated.fill(0, 44).writeUInt8(0x84, 256);

const chunkOfAiff = (name: string, body: Uint8Array) =>
  Buffer.concat([Buffer.from(name), u32(body.length), body]);
const aiff = (...parts: Uint8Array[]) => {
  const body = Buffer.concat([Buffer.from('AIFC'), ...parts]);
  return Buffer.concat([Buffer.from('FORM'), u32(body.length), body]);
};
/** One channel of 16,000 samples a second, of which the head tells one. */
const comm = (packing: string, bits: number, channels = 1) =>
  chunkOfAiff(
    'COMM',
    Buffer.concat([
      u16(channels),
      u32(1),
      u16(bits),
      Buffer.from('400cfa00000000000000', 'hex'),
      Buffer.from(packing),
      byte(0, 0),
    ]),
  );
const SOUND = chunkOfAiff('SSND', Buffer.alloc(8 + 8_000));
const asAiff = (file: Buffer) => Buffer.from(file).fill('AIFF', 8, 12);

const f64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
const audio = (bits: number, ...more: Uint8Array[]) =>
  element('e1', element('b5', f64(8_000)), element('9f', byte(1)), element('6264', byte(bits)), ...more);
const pcm = (codec: string, ...more: Uint8Array[]) => mkv(codec, more, [block(DATA)]);

const of = (...entries: Uint8Array[]) => mp4({ entries, sizes: [1, 8_000], data: 8_000 }, true);
const flac = (rate: number) =>
  of(entry('fLaC', 8_000, 1, 16, box('dfLa', u32(0), silence.subarray(4, 18), u32(rate << 12), u32(0, 0))));
const [flacStart, flacInfo, flacRest] = [[0, 4], [4, 42], [42]].map(([from, to]) =>
  silence.subarray(from, to),
);
const flacOf = (...infos: Uint8Array[]) =>
  Buffer.concat([flacStart ?? DATA, ...infos.map(notLast), flacRest ?? DATA]);
const notLast = (info: Uint8Array) => Buffer.from(info).fill((info[0] ?? 0) & 127, 0, 1);

describe('a head tells where all readers take it alike:', () => {
  it.each<[what: string, seconds: number, file: Uint8Array]>([
    ['WAVE', 1, wave({})],
    ['of a size in its second form', 1, wave({ adds: u16le(0) })],
    ['of mu-law', 1, wave({ tag: 7 })],
    ['of floating numbers', 0.25, wave({ tag: 3, bits: 32, align: 4 })],
    ['named behind its fields', 0.5, wave({ tag: 0xfffe, bits: 16, align: 2, adds: named(1, 16) })],
    // Some readers take the bytes that count for all that a sample has.
    [
      'of which three bytes of four count',
      4 / 3,
      wave({ tag: 0xfffe, bits: 32, align: 4, rate: 2_000, adds: named(1, 24) }),
    ],
    [
      'of which 20 bits of three bytes count',
      4 / 3,
      wave({ tag: 0xfffe, bits: 24, align: 3, rate: 2_000, adds: named(1, 20) }),
    ],
    ['packed by the IMA', 2, wave({ tag: 0x11, bits: 4, align: 256, adds: u16le(2, 505) })],
    ['of GSM', 8_000 / 1_625, wave({ tag: 0x31, bits: 0, align: 65, adds: u16le(2, 320) })],
    ['beyond four gigabytes', 1, wav([ds64(8_000), fmt(), chunk('data', DATA, 0xffffffff)], 'RF64')],
    ['of AIFF-C', 0.25, aiff(comm('NONE', 16), SOUND)],
    ['of AIFF-C by a law', 0.5, aiff(comm('ulaw', 16), SOUND)],
    ['of AIFF-C that is packed', 8_000 / 8_500, aiff(comm('ima4', 16), SOUND)],
    ['of Matroska', 0.5, pcm('A_PCM/INT/LIT', audio(16))],
    ['of MP4', 1, of(entry('ulaw', 8_000, 1, 16))],
  ])('%s', (_, seconds, file) => {
    expect(audioSeconds([file])).toBeCloseTo(seconds, 2);
  });
});

describe('a head tells nothing, and is held as the longest:', () => {
  it.each<[what: string, file: Uint8Array]>([
    ['bits that a law has not', wave({ tag: 7, bits: 400 })],
    ['no bits', wave({ bits: 0 })],
    ['fewer bytes of a sample than of its bits', wave({ bits: 16 })],
    ['a size without bits', wav([chunk('fmt ', fmt().subarray(8, 22)), chunk('data', DATA)])],
    ['more bits that count than there are', wave({ tag: 0xfffe, bits: 8, adds: named(1, 16) })],
    ['other bits behind the fields', wave({ tag: 0xfffe, bits: 65_528, adds: named(1, 8) })],
    [
      'more channels than are packed',
      wave({ tag: 0x31, channels: 300, bits: 0, align: 65, adds: u16le(2, 320) }),
    ],
    ['fewer samples than a block has', wave({ tag: 0x11, bits: 4, align: 256, adds: u16le(2, 5) })],
    ['a packing that is not known', wave({ tag: 0x45, bits: 2 })],
    ['a rate that nobody has', wave({ rate: 0xffffffff })],
    ['two heads', wav([fmt(), fmt({ tag: 0x55 }), chunk('data', DATA)])],
    ['two sizes', wav([ds64(8_000), fmt(), chunk('data', DATA, 16)], 'RF64')],
    ['a long size of a short form', wav([ds64(8_000), fmt(), chunk('data', DATA)])],
    ['another codec beside', wav([fmt(), chunk('XMA2', DATA.subarray(0, 44)), chunk('data', DATA)])],
    ['a recorder of dictation', dictated],
    ['a codec wrapped as samples', wav([fmt(), chunk('data', Buffer.from(DATA).fill('72f81f4e', 'hex'))])],
    ['the order of bytes', wav([fmt(), chunk('data', DATA)], 'RIFX')],
    ['a file of Sun', Buffer.concat([Buffer.from('.snd'), u32(24, 8_000, 1, 100, 1), DATA])],
    ['AIFF-C of more bits than its own', aiff(comm('fl32', 65_535), SOUND)],
    ['of more than any has', aiff(comm('NONE', 65_535), SOUND)],
    ['of other bits than its own', aiff(comm('raw ', 32), SOUND)],
    ['of more channels than are packed', aiff(comm('GSM ', 0, 300), SOUND)],
    ['of a packing that is not known', aiff(comm('what', 16), SOUND)],
    ['of two heads', aiff(comm('NONE', 16), comm('NONE', 16), SOUND)],
    ['of another version', aiff(chunkOfAiff('FVER', u32(1)), comm('ulaw', 8), SOUND)],
    ['of AIFF with a word', asAiff(aiff(comm('fl64', 8), SOUND))],
    ['Matroska of more bits than any has', pcm('A_PCM/INT/LIT', audio(255))],
    ['of two counts of bits', pcm('A_PCM/INT/LIT', audio(8, element('6264', byte(16))))],
    ['of another rate to be played', pcm('A_PCM/INT/LIT', audio(8, element('78b5', f64(4_000))))],
    ['of a codec that is not counted', pcm('A_MS/ACM', audio(8))],
    ['of AAC without its configuration', pcm('A_AAC', audio(8))],
    ['MP4 of more bits than any has', of(entry('sowt', 8_000, 1, 255))],
    ['of a codec that is not counted', of(entry('ima4', 8_000, 1, 16))],
    ['of two descriptions', of(entry('samr', 65_535, 1, 16), entry('samr', 8_000, 1, 16))],
    ['of other bits of samples', of(entry('ipcm', 8_000, 1, 16, box('pcmC', u32(0), byte(1, 24))))],
    ['of two rates', flac(16_000)],
    ['FLAC of two heads', flacOf(flacInfo ?? DATA, flacInfo ?? DATA)],
    [
      'a stream of MPEG behind frames',
      Buffer.concat([mp3Frames(2), Buffer.alloc(188 * 100, Buffer.alloc(188).fill('G', 0, 1))]),
    ],
    ['few frames among other bytes', Buffer.concat([mp3Frames(20), Buffer.alloc(40_000, 7)])],
  ])('%s', (_, file) => {
    expect(lengthsOf([file]).sound).toBeCloseTo(file.length / 25);
    expect(audioSeconds([file])).toBeNull();
  });
});

it('modes of Vorbis that only look like some from behind are none', () => {
  const packed = (...fields: [value: number, bits: number][]) => {
    const all = fields
      .map(([value, bits]) => [...value.toString(2).padStart(bits, '0')].reverse().join(''))
      .join('');
    return Buffer.from(
      all.match(/.{1,8}/g)?.map((bits) => Number.parseInt([...bits].reverse().join(''), 2)) ?? [],
    );
  };
  const head = Buffer.concat([
    Buffer.from('\x01vorbis', 'latin1'),
    u32le(0),
    byte(1),
    u32le(8_000, 0, 0, 0),
    byte(0xd6, 1),
  ]);
  const [book, time] = [
    [
      [0x564342, 24],
      [1, 16],
      [2, 24],
      [0, 2],
      [0, 10],
      [0, 4],
    ],
    [
      [0, 6],
      [0, 16],
    ],
  ] as const;
  const floor = [
    [0, 6],
    [1, 16],
    [0, 5],
    [0, 2],
    [0, 4],
  ] as const;
  const residue = [
    [0, 6],
    [0, 16],
    [0, 24],
    [0, 24],
    [0, 24],
    [0, 6],
    [0, 8],
    [0, 3],
    [0, 1],
  ] as const;
  // Two parts, of which the first has a bit in a byte that nobody reads: before it, a count of two.
  const mapping = [
    [0, 6],
    [0, 16],
    [1, 1],
    [1, 4],
    [0, 1],
    [0, 2],
    [0, 4],
    [0x80, 8],
    [0, 40],
  ] as const;
  const mode = [
    [0, 6],
    [1, 1],
    [0, 32],
    [1, 8],
    [1, 1],
  ] as const;
  const fields = [[0, 8], ...book, ...time, ...floor, ...residue, ...mapping, ...mode] as [number, number][];
  const setUp = Buffer.concat([Buffer.from('\x05vorbis', 'latin1'), packed(...fields)]);
  const sound = oggPage(Array<Buffer>(100).fill(byte(0)));
  const file = Buffer.concat([
    oggPage([head], { begins: true }),
    oggPage([Buffer.from('\x03vorbis', 'latin1'), setUp]),
    sound,
  ]);
  expect(lengthOf(file)).toBeCloseTo((99 * 4_096) / 8_000);
});

// ---- Whatever a header says --------------------------------------------------------------------------------------

const SOUNDS = [
  'whole.m4a',
  'fragments.mp4',
  'vorbis.mp4',
  'opus.mp4',
  'opus-fragments.mp4',
  'ac3.mp4',
  'silence-alac.m4a',
  'recorded.webm',
  'vorbis.webm',
  'aac.mka',
  'mp3.mka',
  'flac.mka',
  'pcm.mka',
  'ac3.mka',
  'silence-wavpack.mka',
  'silence-tta.mka',
];
const sounds = await Promise.all(SOUNDS.map(soundFile));
/** What says of a track that it is sound, and not a picture beside it. */
const KINDS = [Buffer.from('soun'), Buffer.from('838102', 'hex'), Buffer.from('ae', 'hex')];
const LEAST_A_BYTE = 1 / 400_000;

describe('whatever a header says', () => {
  it('the length is never below that of the densest sound', () => {
    const changes = fc.array(
      fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 127, 128, 254, 255))),
      { minLength: 1, maxLength: 40 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...sounds), changes, fc.nat(200_000), (file, all, more) => {
        const changed = Buffer.concat([file, Buffer.alloc(more, 7)]);
        const kept = KINDS.flatMap((kind) => {
          const at = Buffer.from(file).indexOf(kind);
          return at < 0 ? [] : [[at, kind] as const];
        });
        // The heads, and the rest of the file.
        for (const [n, [at, value]] of all.entries())
          changed[at % (n % 2 === 0 ? 1_000 : changed.length)] = value;
        for (const [at, kind] of kept) kind.copy(changed, at);
        const seconds = audioSeconds([changed]);
        if (seconds !== null) expect(seconds).toBeGreaterThanOrEqual(changed.length * LEAST_A_BYTE * 0.999);
      }),
      { numRuns: 3_000 },
    );
  });

  it('samples of any sizes last at least as long as their bytes', () => {
    const names = fc.constantFrom(
      '.mp3',
      'alac',
      'fLaC',
      'Opus',
      'ac-3',
      'ec-3',
      'samr',
      'sawb',
      'sowt',
      'mp4a',
    );
    fc.assert(
      fc.property(
        names,
        fc.constantFrom(8_000, 48_000, 65_535),
        fc.integer({ min: 1, max: 64 }),
        fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 }),
        (name, rate, channels, sizes) => {
          const data = sizes.reduce((sum, size) => sum + size, 0);
          const file = mp4({ entries: [entry(name, rate, channels, 16)], sizes, data });
          expect(lengthOf(file)).toBeGreaterThanOrEqual(data * LEAST_A_BYTE);
        },
      ),
      { numRuns: 500 },
    );
  });
});
