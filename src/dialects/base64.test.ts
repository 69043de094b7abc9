import { expect, it } from 'bun:test';
import { isDigits, isSpacedDigits } from './base64.ts';

it.each([
  ['aGk', true, true],
  ['\n/9j/4A\r\n-_+==\n', true, true],
  ['aG k=\n=', true, false],
  ['aGk===', false, false],
  ['aG=k', false, false],
  ['aG.k', false, false],
])('%j is base64 by its looks: %p, and without blanks: %p', (text, spaced, clean) => {
  expect([isSpacedDigits(text), isDigits(text)]).toEqual([spaced, clean]);
});
