import { pageSum } from '../../src/core/audio-length/ogg-sum.ts';

/** A WAV file of silence: 8,000 samples of one byte a second. */
export function secondsOf(seconds: number): Buffer<ArrayBuffer> {
  const data = Buffer.alloc(Math.round(8000 * seconds), 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** A tone or silence of three seconds, as a common encoder packs it. */
export const soundFile = (name: string): Promise<Uint8Array> =>
  Bun.file(new URL(`sounds/${name}`, import.meta.url)).bytes();

/** MPEG 2.5, layer III, 8 kbit/s, 8,000 Hz, mono: 72 ms in 72 bytes of silence. */
export const mp3Frames = (count: number): Buffer<ArrayBuffer> =>
  Buffer.concat(Array.from({ length: count }, () => MP3_FRAME));
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xe3, 0x18, 0xc0]), Buffer.alloc(68)]);

/** A page of Ogg whose packets are shorter than 255 bytes. */
export function oggPage(
  packets: readonly Uint8Array[],
  { serial = 1, begins = false, position = 0 } = {},
): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(27);
  head.write('OggS');
  head[5] = begins ? 2 : 0;
  head.writeBigInt64LE(BigInt(position), 6);
  head.writeUInt32LE(serial, 14);
  head[26] = packets.length;
  return summed(Buffer.concat([head, Uint8Array.from(packets, ({ length }) => length), ...packets]));
}

/** The page with its check sum as it is. */
export function summed(page: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  page.fill(0, 22, 26);
  page.writeUInt32LE(pageSum(page), 22);
  return page;
}

/** A stream of Opus: packets of 20 ms, which the position may tell otherwise. */
export function opusFile(packets: number, position: number, serial = 1): Buffer<ArrayBuffer> {
  const head = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1');
  const sound = Array.from({ length: packets }, () => Buffer.from([1 << 3, 0, 0]));
  const pages = [];
  for (let n = 0; n < packets; n += 50) {
    pages.push(oggPage(sound.slice(n, n + 50), { serial, position }));
  }
  return Buffer.concat([
    oggPage([head], { serial, begins: true }),
    oggPage([Buffer.from('OpusTags')], { serial }),
    ...pages,
  ]);
}

/** A WAV file of silence at the lowest rate that Gemini takes: 1,000 samples of one byte a second. */
export function slowWav(seconds: number): Buffer<ArrayBuffer> {
  const file = secondsOf(seconds / 8);
  for (const at of [24, 28]) file.writeUInt32LE(1000, at);
  return file;
}
