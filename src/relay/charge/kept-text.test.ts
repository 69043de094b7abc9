import { expect, it } from 'bun:test';
import { bytesKeptBy } from '../../../tests/support/heap.ts';
import { limits } from '../../core/limits.ts';
import { KeptText } from './kept-text.ts';

/** As one is read of a large event: of two bytes a character, of which one letter is enough. */
const large = (n: number): string => JSON.parse(JSON.stringify(`中${n}`.padEnd(1_500_000, 'a')));
const keptOf = (...texts: string[]): KeptText => {
  const kept = new KeptText();
  for (const text of texts) kept.add(text);
  return kept;
};

it('keeps as much of a large text as is counted, and nothing else of it in memory', () => {
  const ways: ((n: number) => KeptText)[] = [
    (n) => keptOf(large(n)),
    (n) => keptOf('before', large(n)),
    (n) => keptOf('before').with(keptOf(large(n))),
  ];
  for (const make of ways) {
    let told = 0;
    const kept = bytesKeptBy(() => {
      const all = Array.from({ length: 8 }, (_, n) => make(n));
      told = all.reduce((sum, { bytes }) => sum + bytes, 0);
      return all;
    });
    expect(told).toBeGreaterThanOrEqual(16 * limits.countedChars);
    expect(kept).toBeLessThan(2 * told);
  }
});

it('tells what pieces take that are hardly more than nothing', () => {
  let told = 0;
  const kept = bytesKeptBy(() => {
    const text = keptOf(...Array.from({ length: 20_000 }, () => 'a'));
    told = text.bytes;
    return text;
  });
  expect(kept).toBeLessThan(told);
});
