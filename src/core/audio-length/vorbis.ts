/**
 * How long packets of Vorbis are (Vorbis I specification, 4.2 and 4.3): each names a mode, a mode has one of two block
 * sizes, and a packet gives a quarter of its block and of the one before.
 */
import type { MeasuringBudget } from '../measuring-budget.ts';
import { type Modes, modesIn } from './vorbis-setup.ts';

const IDENTIFICATION = 30;
const AUDIO = 0;

/** Counts the samples of a stream, packet by packet. */
export class VorbisPackets {
  readonly rate: number;
  readonly #channels: number;
  readonly #sizes: readonly [short: number, long: number];
  #modes: Modes | null = null;
  #before = 0;

  /** Of the stream's first packet. */
  constructor(head: Buffer) {
    const isWhole = head.length >= IDENTIFICATION;
    this.rate = isWhole ? head.readUInt32LE(12) : 0;
    this.#channels = isWhole ? head.readUInt8(11) : 0;
    const sizes = isWhole ? head.readUInt8(28) : 0;
    this.#sizes = [2 ** (sizes & 15), 2 ** (sizes >> 4)];
  }

  /** The most seconds of a packet, in the middle of long blocks; 0 where the head tells none. */
  get longest(): number {
    return this.rate > 0 ? this.#sizes[1] / 2 / this.rate : 0;
  }

  /** The third packet, at whose end the modes stand. */
  setUp(packet: Buffer, budget: MeasuringBudget): void {
    this.#modes = modesIn(packet, this.#channels, budget);
  }

  /** Samples that a packet adds which begins with this byte. */
  samples(first: number): number {
    if ((first & 1) !== AUDIO) return 0;
    const { bits, isLong } = this.#modes ?? { bits: 0, isLong: [true] };
    const size = this.#sizes[isLong[(first >> 1) & ((1 << bits) - 1)] ? 1 : 0];
    const added = this.#before === 0 ? 0 : (this.#before + size) / 4;
    this.#before = size;
    return added;
  }
}

/** The three heads, as Matroska keeps them: a count, Xiph's sizes of all but the last, and the heads. */
export function vorbisOf(heads: Buffer, budget: MeasuringBudget): VorbisPackets | null {
  let at = 1;
  const sizes = [0, 0].map(() => {
    let size = 0;
    while (heads[at] === 255) size += heads[at++] ?? 0;
    return size + (heads[at++] ?? 0);
  });
  const [first = 0, second = 0] = sizes;
  const head = heads.subarray(at, at + first);
  if (heads[0] !== 2 || head.toString('latin1', 0, 7) !== '\x01vorbis') return null;
  const packets = new VorbisPackets(head);
  packets.setUp(heads.subarray(at + first + second), budget);
  return packets.rate > 0 ? packets : null;
}
