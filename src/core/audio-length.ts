/** How long a sound is, read from the first bytes of its file. */

/** Speech is seldom stored below 32 kbit/s; what the file does not tell is guessed on the long side. */
const GUESSED_BYTES_A_SECOND = 4_000;

/**
 * No sound that is sent to be understood has more: uncompressed stereo of studio quality. A header may claim a shorter
 * one, by a false rate or count, and the upstream would hear it all.
 */
const MOST_BYTES_A_SECOND = 400_000;

/** Seconds of a file that begins with `head` and has `bytes` in all; guessed where its head does not tell. */
export function audioSeconds(
  head: Uint8Array,
  bytes: number,
  guessedBytesASecond = GUESSED_BYTES_A_SECOND,
): number {
  const view = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const told = wavSeconds(view, bytes) ?? flacSeconds(view, bytes) ?? mp3Seconds(view, bytes);
  const seconds = told !== null && Number.isFinite(told) ? told : bytes / guessedBytesASecond;
  return Math.max(seconds, bytes / MOST_BYTES_A_SECOND);
}

const isWord = (view: Buffer, at: number, word: string): boolean =>
  view.toString('latin1', at, at + word.length) === word;

/** What streams write who do not know yet how much will come. */
const UNKNOWN_SIZES: readonly number[] = [0, 0xffffffff];

/** Decoders go by samples, channels and bits; the header's own bytes a second is a fourth number that nobody reads. */
function wavSeconds(view: Buffer, bytes: number): number | null {
  if (!isWord(view, 0, 'RIFF') || !isWord(view, 8, 'WAVE')) return null;
  let bytesASecond = 0;
  for (let at = 12; at + 8 <= view.length; ) {
    const size = view.readUInt32LE(at + 4);
    if (isWord(view, at, 'fmt ') && at + 24 <= view.length) bytesASecond = wavRate(view, at);
    if (isWord(view, at, 'data') && bytesASecond > 0) {
      const rest = Math.max(bytes - at - 8, 0);
      return (UNKNOWN_SIZES.includes(size) ? rest : Math.min(size, rest)) / bytesASecond;
    }
    at += 8 + size + (size % 2);
  }
  return bytesASecond > 0 ? bytes / bytesASecond : null;
}

/** Packed formats know no bits a sample; they alone tell their rate. */
function wavRate(view: Buffer, at: number): number {
  const told = view.readUInt16LE(at + 10) * view.readUInt32LE(at + 12) * (view.readUInt16LE(at + 22) / 8);
  return told > 0 ? told : view.readUInt32LE(at + 16);
}

/** Packing never makes a sound larger, so that its bytes tell the least of it. */
function flacSeconds(view: Buffer, bytes: number): number | null {
  if (!isWord(view, 0, 'fLaC') || view.length < 26) return null;
  const rate = view.readUIntBE(18, 3) >> 4;
  const channels = ((view.readUInt8(20) >> 1) & 7) + 1;
  const bits = (((view.readUInt8(20) & 1) << 4) | (view.readUInt8(21) >> 4)) + 1;
  const samples = (view.readUInt8(21) & 0x0f) * 2 ** 32 + view.readUInt32BE(22);
  if (rate === 0 || samples === 0) return null;
  return Math.max(samples / rate, bytes / ((rate * channels * bits) / 8));
}

const BITRATES = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const MP3_KILOBITS_MOST = 320;
const RATES = [44_100, 48_000, 32_000] as const;
/** Of Xing's header: the count of frames is there. */
const HAS_FRAMES = 1;

/** The second layer's and the first's are not met any more. */
function mp3Seconds(view: Buffer, bytes: number): number | null {
  const at = isWord(view, 0, 'ID3') && view.length > 10 ? 10 + syncSafe(view, 6) : 0;
  if (at + 4 > view.length || view[at] !== 0xff) return null;
  const second = view.readUInt8(at + 1);
  const third = view.readUInt8(at + 2);
  const isLayer3 = (second & 0xe6) === 0xe2;
  if (!isLayer3) return null;
  const version = (second >> 3) & 3;
  const isFirst = version === 3;
  const kilobits = BITRATES[isFirst ? 'first' : 'second'][third >> 4];
  const rate = (RATES[(third >> 2) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (!kilobits || rate === 0) return null;
  const isMono = view.readUInt8(at + 3) >> 6 === 3;
  const xing = at + 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  const hasXing = isWord(view, xing, 'Xing') || isWord(view, xing, 'Info');
  if (hasXing && xing + 12 <= view.length && view.readUInt32BE(xing + 4) & HAS_FRAMES) {
    const told = (view.readUInt32BE(xing + 8) * (isFirst ? 1152 : 576)) / rate;
    return Math.max(told, (bytes - at) / (MP3_KILOBITS_MOST * 125));
  }
  return Math.max(bytes - at, 0) / (kilobits * 125);
}

/** Four bytes of seven bits each. */
const syncSafe = (view: Buffer, at: number): number =>
  [0, 1, 2, 3].reduce((sum, n) => sum * 128 + ((view[at + n] ?? 0) & 127), 0);
