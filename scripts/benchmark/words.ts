/**
 * What it costs to look through a prompt for 10,000 sensitive words, none of which it holds: 4 KB and 1 MB of English,
 * and 1 MB of Chinese. By itself it prints its lines.
 */
import { createWordMatcher } from '../../src/core/word-matcher.ts';

const WORDS = 10_000;
const ROUNDS = 50;
const LATIN = [...'abcdefghijklmnopqrstuvwxyz'];
/** The 2,000 characters from the first of the block on stand for those in use. */
const HAN = Array.from({ length: 2_000 }, (_, i) => String.fromCharCode(0x4e00 + i));

export interface Scan {
  name: string;
  /** Milliseconds of CPU: the least of all rounds, because what disturbs one only ever adds. */
  ms: number;
}

/** The same numbers in each run. */
function chance(): () => number {
  let seed = 1;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return seed / 0x7fff_ffff;
  };
}

const random = chance();
const pick = (letters: readonly string[]): string => letters[Math.floor(random() * letters.length)] ?? '';
const spell = (letters: readonly string[], length: number): string =>
  Array.from({ length }, () => pick(letters)).join('');

const words = Array.from({ length: WORDS }, (_, i) =>
  i % 2 === 0 ? spell(LATIN, 5 + Math.floor(random() * 8)) : spell(HAN, 2 + Math.floor(random() * 3)),
);

/** Text of so many characters in which no word is left. */
function cleanText(letters: readonly string[], length: number): string {
  const text = [...spell(letters, length)];
  for (const { end } of createWordMatcher(words).scanner().push(text.join(''))) text[end - 1] = '.';
  return text.join('');
}

export function measureWords(): Scan[] {
  const matcher = createWordMatcher(words);
  const english = [...LATIN, ' ', ' ', ' ', ' ', '.'];
  const texts: [string, string, number][] = [
    ['4 KB of English', cleanText(english, 4_096), 256],
    ['1 MB of English', cleanText(english, 1_048_576), 1],
    ['1 MB of Chinese', cleanText(HAN, Math.floor(1_048_576 / 3)), 1],
  ];
  return texts.map(([name, text, times]) => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      for (let time = 0; time < times; time++) {
        if (matcher.find(text) !== null) throw new Error('the text is not clean');
      }
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1_000 / times);
    }
    return { name, ms: least };
  });
}

if (import.meta.main) {
  for (const { name, ms } of measureWords())
    console.log(`${WORDS} words against ${name}: ${ms.toFixed(2)} ms`);
}
