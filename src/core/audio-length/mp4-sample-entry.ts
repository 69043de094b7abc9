/**
 * How an MP4 describes the samples of a track (ISO/IEC 14496-12, 8.5.2): its codec, and what that makes of each of them.
 */
import { type Feed, Untold } from './feed.ts';
import { headOf } from './flac.ts';
import type { FrameKind } from './frames.ts';
import type { Track } from './mp4-track.ts';
import { AAC_SAMPLES, aacConfigured, aacFrames } from './mpeg.ts';
import { VorbisPackets } from './vorbis.ts';

/** What stands in the description of a track's samples. */
export function* enterDescription(
  feed: Feed,
  name: string,
  size: number,
  track: Track,
): Generator<void, boolean> {
  switch (name) {
    case 'dfLa': {
      // Frames are refused that are longer than the head tells.
      const head = (yield* feed.need(26)) ? headOf(feed.bytes(4, 22)) : null;
      if (head && head.rate > 0) {
        checkRate(track, head.rate);
        const seconds = Math.max(head.most / head.rate, track.kind?.seconds ?? 0);
        track.kind = { seconds, bytesMost: head.most * head.sampleBytes + FLAC_FRAME_HEAD };
      }
      return false;
    }
    case 'pcmC':
      // Readers go by either.
      if (!(yield* feed.need(6)) || feed.u8(5) !== track.sampleBits) throw new Untold();
      return false;
    case 'damr':
      // How many of the codec's frames stand in a sample.
      if (track.kind && (yield* feed.need(9))) track.kind = times(track.kind, Math.max(feed.u8(8), 1));
      return false;
    case 'esds':
      feed.step(DESCRIPTOR_STEPS);
      if (yield* feed.need(Math.min(size, DESCRIPTORS_MOST))) {
        const kind = frameOfConfig(feed, Math.min(size, DESCRIPTORS_MOST), track.kind?.seconds ?? 0);
        if (kind !== 'untold') track.kind = kind;
      }
      return false;
    default:
      return yield* enterSound(feed, name, size, track);
  }
}

const FLAC_FRAME_HEAD = 64;

/** Rates stand in sixteen bits; of those that do not fit a part or nothing is told. */
const RATE_MOST = 65_535;

/** A description says the rate, and its codec's own once more: readers go by either. */
function checkRate({ rate }: Track, own: number): void {
  if (own <= RATE_MOST && Math.floor(rate) !== own) throw new Untold();
}

const times = (kind: FrameKind, frames: number): FrameKind => ({
  ...kind,
  seconds: kind.seconds * frames,
  bytesMost: kind.bytesMost * frames,
});

/** What a codec packs into a sample of the file: samples of a channel, and the most bytes of them. */
interface Packing extends Omit<FrameKind, 'seconds'> {
  samples: number;
}
const ONE = Number.POSITIVE_INFINITY;
const PACKED: Readonly<Record<string, Packing>> = {
  mp4a: { ...aacFrames(0), samples: AAC_SAMPLES },
  // MPEG sound at 384 kbit/s.
  '.mp3': { samples: 1152, bytesMost: 1729 },
  // Decoders take one frame of these and pass over the rest.
  alac: { samples: 4096, bytesMost: ONE },
  fLaC: { samples: 4096, bytesMost: 4096 * 8 + FLAC_FRAME_HEAD },
  // A packet of 20 ms, as nearly all are, up to one of 120: the first byte of each tells, which need not have come yet.
  Opus: { samples: 960, bytesMost: 0, secondsMost: 0.12 },
  'ac-3': { samples: 1536, bytesMost: 3840 },
  'ec-3': { samples: 1536, bytesMost: 2 * 4096 },
  // The slowest frames of speech have 13 and 18 bytes.
  samr: { samples: 160, bytesMost: 32, slowest: 650 },
  sawb: { samples: 320, bytesMost: 61, slowest: 900 },
};
/** Samples as they are: bits of a sample that may be told, and those that it has whatever is told. */
interface Plain {
  told: readonly number[];
  bits?: number;
}
const PLAIN: Readonly<Record<string, Plain>> = {
  sowt: { told: [8, 16, 24, 32] },
  twos: { told: [8, 16, 24, 32] },
  lpcm: { told: [8, 16, 24, 32, 64] },
  ipcm: { told: [16, 24, 32] },
  fpcm: { told: [32, 64] },
  'raw ': { told: [8] },
  ulaw: { told: [8, 16], bits: 8 },
  alaw: { told: [8, 16], bits: 8 },
  in24: { told: [16, 24], bits: 24 },
  in32: { told: [16, 32], bits: 32 },
  fl32: { told: [16, 32], bits: 32 },
  fl64: { told: [16, 64], bits: 64 },
};
/** Codecs that last no longer than their bytes can as a rule. */
const NEVER_SLOW = /^(dts[cehlx]|mlpa)$/;
const SOUND_HEAD = 28;
/** What QuickTime's own two versions have more. */
const MORE: readonly number[] = [0, 16, 36];

/** The description of a track's sound, in which boxes follow that say more of the codec. */
function* enterSound(feed: Feed, name: string, size: number, track: Track): Generator<void, boolean> {
  const packing = PACKED[name];
  const plain = PLAIN[name];
  track.isNeverSlow ||= NEVER_SLOW.test(name);
  if ((!packing && !plain) || size < SOUND_HEAD || !(yield* feed.need(SOUND_HEAD))) return false;
  // Boxes inside may have the codec's name once more; that of ALAC says how long its frames are.
  if (track.kind) {
    if (name === 'alac') track.kind = alacFrames(feed, track, track.kind);
    return false;
  }
  const version = feed.u16(8);
  const isSecond = version === 2 && (yield* feed.need(SOUND_HEAD + 36));
  const rate = isSecond ? feed.f64(SOUND_HEAD + 4) : feed.u32(24) / 65_536;
  if (rate > 0 && Number.isFinite(rate)) {
    track.rate = rate;
    if (packing) track.kind = packedAt(packing, rate);
    else if (plain) track.kind = plainAt(feed, isSecond, plain, track);
  }
  feed.skip(SOUND_HEAD + (MORE[version] ?? 0));
  return true;
}

const packedAt = ({ samples, ...packing }: Packing, rate: number): FrameKind => ({
  ...packing,
  seconds: samples / rate,
});

/** Of so many bytes for all channels, whatever a table says of their size. */
function plainAt(feed: Feed, isSecond: boolean, plain: Plain, track: Track): FrameKind {
  const channels = isSecond ? feed.u32(SOUND_HEAD + 12) : feed.u16(16);
  const told = isSecond ? feed.u32(SOUND_HEAD + 20) : feed.u16(18);
  if (!plain.told.includes(told) || channels === 0 || channels > CHANNELS_MOST) throw new Untold();
  track.sampleBits = plain.bits ?? told;
  const bytes = (channels * track.sampleBits) / 8;
  return { seconds: 1 / track.rate, bytesMost: bytes, slowest: bytes * track.rate };
}
const CHANNELS_MOST = 64;

/** Apple's description of its codec: the samples of a frame, and behind seventeen bytes more the rate. */
function alacFrames(feed: Feed, track: Track, kind: FrameKind): FrameKind {
  const [samples, rate] = [feed.u32(4), feed.u32(24)];
  checkRate(track, rate);
  return rate > 0 ? { ...kind, seconds: Math.max(kind.seconds, samples / rate) } : kind;
}

// ---- The configuration of AAC (ISO/IEC 14496-1, 7.2.6; 14496-3, 1.6.2.1) -------------------------------------------

const DESCRIPTORS_MOST = 128;
/** What it takes to read them. */
const DESCRIPTOR_STEPS = 8;
const CONFIG_BYTES = 5;
const AAC_TYPES: ReadonlySet<number> = new Set([0x40, 0x66, 0x67, 0x68]);
/** Samples of a frame, by the types of others: MP3, AC-3 and E-AC-3, and DTS at its longest. */
const OF_TYPES: Readonly<Record<number, number>> = {
  105: 1152,
  107: 1152,
  165: 1536,
  166: 1536,
  169: 4096,
};

/** The largest of them: DTS in films. */
const OTHER_FRAME_BYTES = 4096;

/** Packets that are as long as any, where the configuration holds the first head of Vorbis. */
function vorbisFrames(config: Buffer): FrameKind | null {
  const at = config.indexOf('\x01vorbis', 0, 'latin1');
  const seconds = at < 0 ? 0 : new VorbisPackets(config.subarray(at)).longest;
  return seconds > 0 ? { seconds, bytesMost: ONE } : null;
}

/**
 * What a sample is by its decoder's configuration, which players follow; null of a codec that is not counted. `described`
 * is what a sample of AAC would last at the rate of the track's description.
 */
function frameOfConfig(feed: Feed, size: number, described: number): FrameKind | null | 'untold' {
  let at = 4;
  let type = 0;
  while (at + 2 < size) {
    const tag = feed.u8(at++);
    let more = true;
    for (let n = 0; more && n < 4; n++) more = feed.u8(at++) > 127;
    if (tag === 3) at += 3;
    else if (tag === 4) {
      type = feed.u8(at);
      const samples = OF_TYPES[type];
      if (samples !== undefined) {
        return described > 0
          ? { seconds: (described * samples) / AAC_SAMPLES, bytesMost: OTHER_FRAME_BYTES }
          : null;
      }
      at += 13;
    } else if (tag === 5 && feed.has(at + CONFIG_BYTES)) {
      const config = feed.bytes(at, Math.max(size - at, CONFIG_BYTES));
      return AAC_TYPES.has(type) ? aacConfigured(config) : vorbisFrames(config);
    } else break;
  }
  return type === 0 || AAC_TYPES.has(type) ? 'untold' : null;
}
