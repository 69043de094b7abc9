import { expect, it } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { normalised } from './normalised.ts';

it.each([
  ['of two classes', '\u0301\u0316'],
  ['of such as become some', '\uff9e\u0301'],
  ['of such as become several', '\u0344\u0316'],
])('sorts no endless runs of marks, %s', (_which, pair) => {
  const text = normalised(`a${pair.repeat(1_000)}b`);
  const runs = text.split('\u034f');
  expect(runs.length).toBeGreaterThan(60);
  expect(Math.max(...runs.map(({ length }) => length))).toBeLessThan(100);
  // Each of a quarter of a million would be compared with all before it.
  expect(normalised(pair.repeat(125_000)).length).toBeGreaterThan(250_000);
});

it('says of all that is written what the engine says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite' }), (text) => {
      expect(normalised(text)).toBe(text.normalize('NFKC'));
      expect(normalised(text, 'NFKD')).toBe(text.normalize('NFKD'));
    }),
  );
});

it('is the one place that asks the engine', () => {
  const source = join(import.meta.dir, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const asking = files.filter((file) => readFileSync(join(source, file), 'utf8').includes('.normalize('));
  expect(asking).toEqual([join('core', 'normalised.ts')]);
});
