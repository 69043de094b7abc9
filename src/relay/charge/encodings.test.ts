import { describe, expect, it } from 'bun:test';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import { MIB } from '../../core/limits/sizes.ts';
import { counterOf, type Encoding } from './encodings.ts';

/** Words of a script that tables hardly know, none of them twice. */
function noise(pieces: number): string {
  let state = 1;
  return Array.from({ length: pieces * 256 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(0x3400 + ((state >>> 8) % 6_000));
  }).join('');
}

describe('a table of tokens', () => {
  it.each<Encoding>(['o200k', 'cl100k'])('%s keeps little of noise', async (encoding) => {
    const count = await counterOf(encoding);
    count(noise(100));
    const kept = bytesKeptBy(() => {
      expect(count(noise(6_000))).toBeGreaterThan(1_000_000);
      return count;
    });
    expect(kept).toBeLessThan(20 * MIB);
  });
});
