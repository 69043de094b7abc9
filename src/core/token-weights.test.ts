import { expect, test } from 'bun:test';
import { CLAUDE_WEIGHTS, GEMINI_WEIGHTS, type TokenWeights, weighTokens } from './token-weights.ts';

/** Each kind by a power of its own, so that a sum tells what was counted. */
const TRACED: TokenWeights = {
  word: 1,
  number: 10,
  cjk: 100,
  symbol: 1000,
  math: 10_000,
  url: 100_000,
  at: 1e6,
  emoji: 1e7,
  newline: 1e8,
  space: 1e9,
};

test.each([
  ['', 0],
  ['word', 1],
  ['two words', 1e9 + 2],
  ['über naïve', 1e9 + 2],
  ['2026', 10],
  ['gpt4o', 12],
  ['汉字かな한', 500],
  ['a/b?c=1', 13 + 300_000],
  ['a@b.c', 1e6 + 1003],
  ['∑', 10_000],
  ['😀', 1e7],
  ['a\n\tb', 2e8 + 2],
  ['(!)', 3000],
])('%p is counted kind by kind', (text, tokens) => {
  expect(weighTokens(text, TRACED)).toBe(tokens);
});

test('a run too long for a word or a number counts in pieces', () => {
  expect(weighTokens('a'.repeat(12), TRACED)).toBe(1);
  expect(weighTokens('a'.repeat(13), TRACED)).toBe(2);
  expect(weighTokens('a'.repeat(1200), TRACED)).toBe(100);
  expect(weighTokens('1'.repeat(12), TRACED)).toBe(20);
  expect(weighTokens('aaaaaaaaaaaa1aaaaaaaaaaaa', TRACED)).toBe(12);
});

test('fractions are rounded up once', () => {
  expect(weighTokens('hello, world', CLAUDE_WEIGHTS)).toBe(Math.ceil(2 * 1.13 + 0.4 + 0.39));
  expect(weighTokens('hello, world', GEMINI_WEIGHTS)).toBe(Math.ceil(2 * 1.15 + 0.38 + 0.2));
});
