import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { lettersOf } from './letters.ts';

test.each([
  ['Ｙour credit\u00a0balance, is\ntoo low!', 'yourcreditbalanceistoolow'],
  ['ﬁle №①', 'fileno1'],
  ['Éa e\u0301', 'eae'],
  ['余额：不足。', '余额不足'],
  ['𝐘our 😀', 'your'],
  ['\ud835', ''],
  ['!?', ''],
  ['', ''],
])('of %s are %s', (text, letters) => {
  expect(lettersOf(text)).toBe(letters);
});

test('are the same of a text and of its pieces, however long they become', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
      expect(lettersOf(texts.join(' '))).toBe(texts.map(lettersOf).join(''));
    }),
  );
  expect(lettersOf('㍿'.repeat(1_000))).toBe('株式会社'.repeat(1_000));
});
