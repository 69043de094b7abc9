import { expect, test } from 'bun:test';
import { noUsage } from '../core/usage.ts';
import { plausible } from './plausible.ts';

const usage = (output: number, input = 1) => ({ ...noUsage(), input, output });

test('what is within all bounds is believed where no limit was asked for', () => {
  for (const asked of [undefined, { outputCap: null, choices: 1 }, { outputCap: 0, choices: 1 }]) {
    expect(plausible(usage(9_000_000), asked)).not.toBeNull();
    expect(plausible(usage(10_000_001), asked)).toBeNull();
    expect(plausible(usage(1, 10_000_001), asked)).toBeNull();
  }
  expect(plausible(null)).toBeNull();
});

test('what is far beyond the limit that was asked for is not', () => {
  const asked = { outputCap: 100, choices: 3 };
  expect(plausible(usage(2 * 300 + 131_072), asked)).not.toBeNull();
  expect(plausible(usage(2 * 300 + 131_073), asked)).toBeNull();
});
