import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { secondsOf } from '../../tests/support/sound.ts';
import { audioSeconds } from './audio-length.ts';

const HEAD = 4096;
const lengthOf = (file: Uint8Array) => audioSeconds(file.subarray(0, HEAD), file.length);

/** MPEG 1, layer 3, 128 kbit/s, 44,100 Hz, mono. */
const FRAME = [0xff, 0xfb, 0x90, 0xc0];

describe('the length of a sound', () => {
  it('of a WAV file is exact', () => {
    expect(lengthOf(secondsOf(12.5))).toBe(12.5);
  });

  it('of a WAV file that was streamed, without a size in its header, is that of what came', () => {
    const file = secondsOf(3);
    file.writeUInt32LE(0xffffffff, 40);
    expect(lengthOf(file)).toBe(3);
  });

  it('of a WAV file goes by what decoders go by', () => {
    const falseRate = secondsOf(100);
    falseRate.writeUInt32LE(0xffffffff, 28);
    expect(lengthOf(falseRate)).toBe(100);
    const noSize = secondsOf(100);
    noSize.writeUInt32LE(0, 40);
    expect(lengthOf(noSize)).toBe(100);
    const packed = secondsOf(100);
    packed.writeUInt16LE(0, 34);
    expect(lengthOf(packed)).toBe(100);
  });

  it('is never shorter than what so many bytes can hold, whatever a header claims', () => {
    const falseSamples = secondsOf(100);
    falseSamples.writeUInt32LE(0xffffffff, 24);
    expect(lengthOf(falseSamples)).toBe(falseSamples.length / 400_000);
    const falseCount = Buffer.alloc(3_200_000);
    falseCount.write('fLaC');
    falseCount.writeUIntBE((16_000 << 4) | 0, 18, 3);
    falseCount.writeUInt8(15 << 4, 21);
    falseCount.writeUInt32BE(1, 22);
    expect(lengthOf(falseCount)).toBe(100);
    const falseFrames = Buffer.alloc(4_000_000);
    Buffer.from(FRAME).copy(falseFrames);
    falseFrames.write('Xing', 4 + 17);
    falseFrames.writeUInt32BE(1, 4 + 17 + 4);
    falseFrames.writeUInt32BE(1, 4 + 17 + 8);
    expect(lengthOf(falseFrames)).toBe(100);
  });

  it('of an MP3 file follows its bit rate, behind its tags', () => {
    const frames = Buffer.concat([Buffer.from(FRAME), Buffer.alloc(16_000 * 7 - 4)]);
    expect(lengthOf(frames)).toBe(7);
    const tag = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 0, 20, ...Buffer.alloc(20)]);
    expect(lengthOf(Buffer.concat([tag, frames]))).toBe(7);
  });

  it('of an MP3 file of varying rate is told by the count of its frames', () => {
    const file = Buffer.alloc(9000);
    Buffer.from(FRAME).copy(file);
    file.write('Xing', 4 + 17);
    file.writeUInt32BE(1, 4 + 17 + 4);
    file.writeUInt32BE(441, 4 + 17 + 8);
    expect(lengthOf(file)).toBe((441 * 1152) / 44_100);
  });

  it('of a FLAC file stands in its header', () => {
    const file = Buffer.alloc(100);
    file.write('fLaC');
    file.writeUIntBE(16_000 << 4, 18, 3);
    file.writeUInt32BE(16_000 * 9, 22);
    expect(lengthOf(file)).toBe(9);
  });

  it('of anything else is guessed on the long side', () => {
    expect(lengthOf(new Uint8Array(40_000).fill(7))).toBe(10);
  });

  it('is never negative, endless or none, whatever the bytes are', () => {
    const starts = ['RIFF....WAVE', 'fLaC', 'ID3', 'ÿû', ''];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const seconds = lengthOf(Buffer.concat([Buffer.from(start, 'latin1'), rest]));
        expect(Number.isFinite(seconds) && seconds >= 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
