import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { mp3Frames, oggPage, opusFile, secondsOf, soundFile } from '../../../tests/support/sound.ts';
import { MeasuringBudget } from '../measuring-budget.ts';
import { AudioLength, audioSeconds, lengthsOf } from './audio-length.ts';
import { Feed, Untold } from './feed.ts';

const lengthOf = (...pieces: Uint8Array[]) => audioSeconds(pieces);

/** Names, and what their encoders leave of three seconds at the ends. */
const FILES: readonly [name: string, seconds: number][] = [
  ['speech.mp3', 3],
  ['layer2.mp2', 3.024],
  ['frames.aac', 3.072],
  ['speech.opus', 3],
  ['vorbis.ogg', 3],
  ['speex.ogg', 2.995],
  ['flac.oga', 3],
  ['silence.flac', 3],
  ['streamed.flac', 3],
  ['whole.m4a', 3],
  ['fragments.mp4', 3.072],
  ['film.mp4', 3],
  ['recorded.webm', 3.008],
  ['streamed.webm', 3.02],
  ['vorbis.webm', 3.016],
  ['silence.webm', 3.003],
  ['vorbis.mp4', 3],
  ['aac.mka', 3.064],
  ['mp3.mka', 3.069],
  ['flac.mka', 3],
  ['pcm.mka', 3],
  // Fewer bytes than seconds times 25, which is the most that claims are believed.
  ['silence-flac.mka', 60],
  ['silence-flac.mp4', 60],
  ['packed.wav', 3.072],
  ['mp3.wav', 3.168],
  ['ac3.mka', 3.024],
  ['eac3.mka', 3.024],
  ['ac3.mp4', 3.016],
  ['silence-tta.mka', 3],
  ['silence-wavpack.mka', 60],
  // Whole frames, the last of which is not filled.
  ['silence-alac.mka', 60.416],
  ['silence-alac.m4a', 60.416],
];
const files = await Promise.all(FILES.map(async ([name]) => soundFile(name)));
const fileNamed = (name: string) => files[FILES.findIndex(([each]) => each === name)] ?? new Uint8Array(0);

const word = (value: number, bytes = 4) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

describe('the length of a sound', () => {
  it.each(FILES)('in %s is found, in whatever pieces it comes', (name, seconds) => {
    const file = fileNamed(name);
    expect(lengthOf(file)).toBeCloseTo(seconds, 2);
    for (const size of [1, 7, 1000]) {
      const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, n) =>
        file.subarray(n * size, (n + 1) * size),
      );
      expect(audioSeconds(pieces)).toBe(lengthOf(file));
    }
  });

  it('is that of all files where several follow one another', () => {
    const twice = (name: string) => lengthOf(fileNamed(name), fileNamed(name));
    for (const name of ['speech.mp3', 'speech.opus', 'vorbis.ogg', 'silence.flac', 'frames.aac']) {
      expect(twice(name)).toBeWithin(5.9, 6.4);
    }
    expect(lengthOf(secondsOf(3), secondsOf(4))).toBeCloseTo(7, 2);
    expect(lengthOf(opusFile(100, 96_312), opusFile(150, 144_312, 2))).toBeCloseTo(5);
  });

  it('of AMR is 20 ms a frame', () => {
    const frames = Buffer.alloc(13 * 100, Buffer.concat([Buffer.from([4]), Buffer.alloc(12)]));
    expect(lengthOf(Buffer.from('#!AMR\n'), frames)).toBe(2);
  });

  it('of AIFF is exact', () => {
    const rate = Buffer.from('400bfa00000000000000', 'hex');
    const head = Buffer.concat([word(1, 2), word(16_000), word(16, 2), rate]);
    const chunks = [Buffer.from('AIFF'), chunk('COMM', head), chunk('SSND', Buffer.alloc(8 + 32_000))];
    expect(lengthOf(chunk('FORM', Buffer.concat(chunks)))).toBe(2);
  });

  it('of WAV goes by what decoders go by', () => {
    const changed = (change: (file: Buffer) => void, seconds = 100) => {
      const file = secondsOf(seconds);
      change(file);
      return lengthOf(file);
    };
    expect(lengthOf(secondsOf(12.5))).toBe(12.5);
    // The rate in bytes, the size of the data.
    expect(changed((file) => file.writeUInt32LE(0xffffffff, 28))).toBe(100);
    for (const size of [0, 0xffffffff]) expect(changed((file) => file.writeUInt32LE(size, 40))).toBe(100);
    // An extensible format names what is meant behind its own fields.
    expect(lengthOf(extensible(secondsOf(100)))).toBe(100);
  });

  it('is not known of what is no sound', () => {
    for (const text of [
      '',
      'RIFF',
      'hello, this is a text',
      '%PDF-1.7 and more of it',
      '\x89PNG\r\n\x1a\n....',
    ]) {
      expect(lengthOf(Buffer.from(text, 'latin1'))).toBeNull();
    }
    expect(lengthOf(new Uint8Array(40_000).fill(7))).toBeNull();
  });
});

describe('a header that tells less than is there does not win:', () => {
  it('the size of the data in WAV', () => {
    const small = secondsOf(100);
    small.fill(0, 50);
    small.writeUInt32LE(4, 40);
    expect(lengthOf(small)).toBeCloseTo(100, 0);
    const pieces = [secondsOf(1), ...Array.from({ length: 9 }, () => secondsOf(1).subarray(36))];
    expect(lengthOf(...pieces)).toBe(10);
  });

  it("the count of frames in MP3, and the first frame's rate", () => {
    const first = Buffer.alloc(1008);
    first.set([0xff, 0xe3, 0xb8, 0xc0]);
    for (const name of ['Xing', 'Info']) {
      first.write(name, 13);
      first.writeUInt32BE(1, 17);
      first.writeUInt32BE(1, 21);
      expect(lengthOf(first, mp3Frames(1000))).toBeCloseTo(72, 0);
    }
  });

  it('a tag in the midst of MP3, or bytes of nothing', () => {
    const tag = Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1');
    const half = mp3Frames(500);
    expect(lengthOf(half, tag, half)).toBeCloseTo(72);
    expect(
      lengthOf(...Array.from({ length: 1000 }, () => [mp3Frames(2), Buffer.from('junk!')]).flat()),
    ).toBeCloseTo(144);
  });

  it('the position in Ogg', () => {
    expect(lengthOf(opusFile(1000, 1))).toBeCloseTo(20);
    for (const name of ['vorbis.ogg', 'flac.oga', 'speex.ogg']) {
      const file = Buffer.from(fileNamed(name));
      for (let at = file.indexOf('OggS'); at >= 0; at = file.indexOf('OggS', at + 4))
        file.fill(0, at + 6, at + 14);
      expect(lengthOf(file)).toBeWithin(2.9, 3.6);
    }
  });

  it('the samples of all in FLAC', () => {
    const file = Buffer.from(fileNamed('silence.flac'));
    file.fill(0, 4 + 4 + 14, 4 + 4 + 18);
    file.writeUInt8(1, 4 + 4 + 17);
    expect(lengthOf(file)).toBeCloseTo(3);
  });

  it('the durations and the times in MP4, whole and in fragments', () => {
    const whole = Buffer.from(fileNamed('whole.m4a'));
    whole.writeUInt32BE(0, whole.indexOf('mvhd') + 4 + 16);
    whole.writeUInt32BE(0, whole.indexOf('mdhd') + 4 + 16);
    const times = whole.indexOf('stts') + 4 + 8;
    whole.fill(0, times, times + 8);
    expect(lengthOf(whole)).toBeCloseTo(3.072, 1);
    const fragments = Buffer.from(fileNamed('fragments.mp4'));
    for (const name of ['trex', 'tfhd']) {
      const at = fragments.indexOf(name) + 4;
      // What each sample lasts stands at the end of the one and somewhere in the other.
      fragments.fill(0, at + 12, at + 16);
    }
    expect(lengthOf(fragments)).toBeCloseTo(3.072, 1);
  });

  it('the duration and the times in WebM', () => {
    const file = Buffer.from(fileNamed('recorded.webm'));
    const duration = file.indexOf(Buffer.from('448988', 'hex')) + 3;
    file.fill(0, duration, duration + 8);
    for (let at = file.indexOf('A_OPUS'); at < file.length - 4; at++) {
      if (file[at] === 0xa3 && file[at + 2] === 0x81) file.fill(0, at + 3, at + 5);
    }
    expect(lengthOf(file)).toBeCloseTo(3, 1);
  });

  it.each([
    ['vorbis.webm', 3],
    ['silence.webm', 3],
    ['aac.mka', 3],
    ['mp3.mka', 3],
    ['silence-flac.mka', 60],
  ])('the duration and the times in Matroska, by the packets of %s', (name, seconds) => {
    const file = Buffer.from(fileNamed(name));
    const duration = file.indexOf(Buffer.from('448988', 'hex')) + 3;
    file.fill(0, duration, duration + 8);
    for (let at = file.indexOf(Buffer.from('1f43b675', 'hex')); at < file.length - 8; at++) {
      const isBlock = file[at] === 0xa3 && (file[at + 1] ?? 0) > 0x7f && file[at + 2] === 0x81;
      const isLong = file[at] === 0xa3 && ((file[at + 1] ?? 0) & 0xc0) === 0x40 && file[at + 3] === 0x81;
      if (isBlock || isLong) file.fill(0, at + (isBlock ? 3 : 4), at + (isBlock ? 5 : 6));
    }
    expect(lengthOf(file)).toBeWithin(seconds - 0.05, seconds + 0.1);
  });

  it('the type of AAC, which may stand in more bits, and that of another codec', () => {
    const whole = Buffer.from(fileNamed('whole.m4a'));
    const config = whole.indexOf(Buffer.from([0x05, 0x80, 0x80, 0x80])) + 5;
    // Type 42 at 16,000 a second; read as one of five bits, it would be 64,000.
    whole.writeUInt16BE(0b11111_001010_1000_0, config);
    expect(lengthOf(whole)).toBeCloseTo((48 * 4096) / 16_000);
    whole[whole.indexOf(Buffer.from([0x04, 0x80, 0x80, 0x80])) + 4 + 1] = 0xe1;
    for (const name of ['mvhd', 'mdhd']) whole.writeUInt32BE(0, whole.indexOf(name) + 4 + 16);
    const times = whole.indexOf('stts') + 4 + 8;
    whole.fill(0, times, times + 8);
    expect(lengthOf(whole)).toBeNull();
  });

  it.each(['A_DTS', 'A_MPEG/L3'])('the times in WebM of %s, which is not counted', (codec) => {
    const size = 20_000;
    const block = Buffer.concat([Buffer.from('a3', 'hex'), sized(4 + size), Buffer.from('81000080', 'hex')]);
    const track = Buffer.concat([
      element('d7', Buffer.from([1])),
      element('83', Buffer.from([2])),
      element('86', Buffer.from(codec)),
    ]);
    const cluster = Buffer.concat([element('e7', Buffer.from([0])), block, Buffer.alloc(size, 7)]);
    const info = element('1549a966', Buffer.alloc(0));
    const inside = [info, element('1654ae6b', element('ae', track)), element('1f43b675', cluster)];
    const file = [element('1a45dfa3', Buffer.alloc(0)), element('18538067', Buffer.concat(inside))];
    expect(lengthOf(...file)).toBeCloseTo(20, 1);
    expect(lengthOf(...Array.from(Buffer.concat(file), (byte) => Uint8Array.of(byte)))).toBe(
      lengthOf(...file),
    );
    // A block may claim more bytes than there are.
    expect(lengthOf(...file.map((part) => part.subarray(0, 2000)))).toBeCloseTo(2, 1);
  });

  it('the times in MP4 of a codec that is not counted', () => {
    const whole = Buffer.from(fileNamed('whole.m4a'));
    for (const name of ['mvhd', 'mdhd']) whole.writeUInt32BE(0, whole.indexOf(name) + 4 + 16);
    const times = whole.indexOf('stts') + 4 + 8;
    whole.fill(0, times, times + 8);
    whole.write('dtsc', whole.indexOf('mp4a'));
    expect(lengthOf(whole)).toBeCloseTo(whole.length / 1000);
  });

  it('and one that tells more than can be there tells nothing', () => {
    const whole = Buffer.from(fileNamed('whole.m4a'));
    whole.writeUInt32BE(0x7fffffff, whole.indexOf('mvhd') + 4 + 16);
    expect(lengthOf(whole)).toBe(whole.length / 25);
  });
});

describe('whatever the bytes are', () => {
  const sane = (file: Uint8Array) => {
    const seconds = lengthOf(file);
    expect(seconds === null || (Number.isFinite(seconds) && seconds >= 0)).toBe(true);
  };
  const STARTS = [
    'RIFF....WAVE',
    'RF64....WAVE',
    'fLaC',
    'ID3',
    'ÿû',
    'ÿñ',
    'OggS',
    '....ftyp',
    '....moov',
    '#!AMR\n',
  ];
  STARTS.push('\x1aEß£', 'FORM....AIFF', 'FORM....AIFC', '');

  it('it is never negative, endless or none', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STARTS), fc.uint8Array({ maxLength: 400 }), (start, rest) =>
        sane(Buffer.concat([Buffer.from(start, 'latin1'), rest])),
      ),
      { numRuns: 3000 },
    );
  });

  it('boxes of any size in any order are read to their ends', () => {
    const NAMES = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf', 'tfhd', 'trun', 'trex', 'mvex'];
    NAMES.push('mvhd', 'mdhd', 'hdlr', 'stsd', 'stts', 'stsz', 'tkhd', 'mdat', 'free');
    const box = fc
      .tuple(fc.constantFrom(...NAMES), fc.nat(60), fc.uint8Array({ maxLength: 40 }))
      .map(([name, size, rest]) => {
        const head = Buffer.alloc(8);
        head.writeUInt32BE(size);
        head.write(name, 4, 'latin1');
        return Buffer.concat([head, rest]);
      });
    fc.assert(
      fc.property(fc.array(box, { minLength: 1, maxLength: 12 }), (boxes) => sane(Buffer.concat(boxes))),
      { numRuns: 3000 },
    );
    const ends = ['moof', 'traf', 'tfhd'].map((name) => Buffer.from(`\0\0\0\b${name}`, 'latin1'));
    sane(Buffer.concat(ends));
  });

  it('it can be counted with, however slow a rate is claimed', () => {
    const speex = Buffer.alloc(80, 0xff);
    speex.write('Speex   ');
    speex.writeUInt32LE(1, 36);
    speex.writeUInt32LE(0, 68);
    const packets = Array.from({ length: 200 }, () => Buffer.from([1]));
    const file = Buffer.concat([oggPage([speex], { begins: true }), oggPage(packets), oggPage(packets)]);
    expect(lengthOf(file)).toBe(10 * file.length);
  });

  it('real files may be cut anywhere', () => {
    for (const file of files) {
      // Heads at every byte, what repeats itself less often.
      for (let end = 0; end < file.length; end += end < 600 ? 1 : 29) sane(file.subarray(0, end));
    }
  });

  it('and changed anywhere', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 127, 128, 254, 255)), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, (file, all) => {
        const changed = Uint8Array.from(file);
        for (const [at, value] of all) changed[at % changed.length] = value;
        sane(changed);
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['fLaC', 'ff'],
    ['ID3\x04\0\0\0\0\0\0', 'ff'],
    ['ID3\x04\0\0\0\0\0\0', 'ff00'],
    ['ID3\x04\0\0\0\0\0\0', 'fffb00c0'],
    // Pages without a packet, with empty ones, with many of four bytes, and such as begin streams.
    ['', `4f676753${'00'.repeat(22)}ff${'00'.repeat(255)}`],
    ['', `4f676753${'00'.repeat(22)}ff${'04'.repeat(255)}${'00'.repeat(1020)}`],
    ['', `4f6767530002${'00'.repeat(21)}`],
    ['', `4f676753${'00'.repeat(22)}ff${'ff'.repeat(255)}`],
    ['RIFF....WAVE', '4c49535400000000'],
    ['\x1aEß£\x80', 'ec80'],
    ['\x1aEß£\x80', 'a381'],
    ['\0\0\0\x08ftyp', '0000000866726565'],
    ['FORM....AIFF', '5858585800000000'],
    ['#!AMR\n', '7c'],
  ])('a file that only keeps busy tells nothing, and is held as the longest: %# of %j', (start, again) => {
    const file = Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(2_000_000, again, 'hex')]);
    const length = new AudioLength();
    length.push(file);
    expect([length.end(), length.held()]).toEqual([null, file.length / 25]);
  });

  it('a film that only keeps busy is given up, too, though all of it is in its place', () => {
    const box = (name: string, ...inside: Uint8Array[]) => {
      const size = inside.reduce((sum, { length }) => sum + length, 8);
      return Buffer.concat([word(size), Buffer.from(name), ...inside]);
    };
    const moof = box('moof', box('traf', box('tfhd', word(0), word(1)), box('trun', word(0), word(1))));
    const tkhd = box('tkhd', word(0), word(0), word(0), word(1), word(0), word(0));
    const moov = box('moov', box('mvhd', Buffer.alloc(100, 1)), box('trak', tkhd));
    const track = Buffer.from('d78101838102', 'hex');
    const webm = Buffer.concat([
      Buffer.from('1a45dfa3801853806701ffffffffffffff1549a96680', 'hex'),
      element('1654ae6b', element('ae', track)),
      Buffer.from('1f43b67501ffffffffffffffe78100', 'hex'),
    ]);
    const packets = Buffer.concat([
      Buffer.from('a34105810000 04ff'.replace(' ', ''), 'hex'),
      Buffer.alloc(256),
    ]);
    for (const [start, again] of [
      [Buffer.concat([box('ftyp', word(1)), moov]), moof],
      // Packets of one byte each, and of none.
      [webm, packets],
      [webm, Buffer.from('a38681000004ff00', 'hex')],
    ] as const) {
      const file = Buffer.concat([start, Buffer.alloc(2_000_000, again)]);
      expect(lengthsOf([file])).toMatchObject({ sound: file.length / 25, film: null });
    }
  });
});

it('a file that is read beyond its end does not tell, and a fault of ours is none of its', () => {
  const feed = new Feed();
  feed.push(new Uint8Array(9));
  feed.skip(8);
  for (const number of ['u16', 'u32', 'u64', 'f32', 'f64', 'u16le', 'u32le'] as const)
    expect(() => feed[number](0)).toThrow(Untold);
  const budget = new MeasuringBudget();
  budget.spend = () => {
    throw new RangeError('ours');
  };
  expect(() => audioSeconds([opusFile(1, 960)], budget)).toThrow('ours');
});

/** A size of WebM in four bytes. */
const sized = (size: number) => word(0x10000000 + size);
const element = (id: string, inside: Uint8Array) =>
  Buffer.concat([Buffer.from(id, 'hex'), sized(inside.length), inside]);

function chunk(name: string, inside: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(name), word(inside.length), inside]);
}

/** A WAV file whose format is named behind its own fields. */
function extensible(file: Buffer): Buffer {
  const format = Buffer.concat([
    file.subarray(20, 36),
    Buffer.from('16000800040000000100000000001000800000aa00389b71', 'hex'),
  ]);
  format.writeUInt16LE(0xfffe, 0);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(format.length);
  return Buffer.concat([file.subarray(0, 16), size, format, file.subarray(36)]);
}
