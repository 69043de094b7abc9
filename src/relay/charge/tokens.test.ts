import { beforeAll, describe, expect, it } from 'bun:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { ANYBODY, allTokenizersReady } from '../../../tests/support/tokenizer.ts';
import { limits } from '../../core/limits.ts';
import { countTokens as countTexts, encodingOf } from './tokens.ts';

beforeAll(allTokenizersReady);

const countTokens = (text: string, model: string) => countTexts([text], model, ANYBODY);

describe('a local count', () => {
  it('agrees with the tokenizer on short texts', async () => {
    for (const text of [
      'hi',
      'Hello, world!',
      '汉字和英文 mixed',
      '😀 emoji',
      'function f(x) {\n  return x;\n}',
    ]) {
      expect(await countTokens(text, 'gpt-4o')).toBe(encode(text).length);
    }
    expect(await countTokens('', 'gpt-4o')).toBe(0);
  });

  it('uses the older tables for older and unknown models', async () => {
    const text = '汉字和英文 mixed text, 2026';
    const older = await countTokens(text, 'gpt-4');
    expect(await countTokens(text, 'some-model')).toBe(older);
    expect(await countTokens(text, 'openai/gpt-4o-mini')).toBe(encode(text).length);
    expect(older).toBeGreaterThan(encode(text).length);
  });

  it('weighs the texts of vendors that have published no tokenizer', async () => {
    expect(
      ['claude-sonnet-4-5', 'anthropic.claude-v2', 'google/gemini-2.5-pro', 'gemma-3-27b-it'].map(encodingOf),
    ).toEqual(['claude', 'claude', 'gemini', 'gemini']);
    expect(await countTokens('hello, world', 'claude-opus-5')).toBe(4);
    expect(await countTokens('数一数', 'gemini-2.5-pro')).toBe(3);
  });

  it('adds up several texts', async () => {
    const [one, two] = ['first text', '第二段'];
    const sum = (await countTokens(one, 'gpt-4o')) + (await countTokens(two, 'gpt-4o'));
    expect(await countTexts([one, '', two], 'gpt-4o', ANYBODY)).toBe(sum);
    expect(await countTexts([], 'gpt-4o', ANYBODY)).toBe(0);
  });

  it('is close for long texts, and quick for a megabyte of one letter', async () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(200);
    const exact = encode(text).length;
    expect(Math.abs((await countTokens(text, 'gpt-4o')) - exact)).toBeLessThan(exact * 0.02);
    const startedAt = performance.now();
    expect(await countTokens('a'.repeat(1_000_000), 'gpt-4o')).toBeGreaterThan(100_000);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  it('takes what looks like a special token as text', async () => {
    expect(await countTokens('<|endoftext|>', 'gpt-4o')).toBeGreaterThan(1);
  });

  it('never cuts a character in two', async () => {
    const text = `a${'😀'.repeat(300)}`;
    expect(await countTokens(text, 'gpt-4o')).toBeLessThan(text.length * 2);
  });

  it('leaves the event loop to others meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await countTokens('word '.repeat(200_000), 'gpt-4o');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});

/** Text that takes a tokenizer longest. */
const noise = (chars: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(Math.min(chars, 65_536))), (byte) =>
    String.fromCharCode(33 + (byte % 94)),
  )
    .join('')
    .repeat(Math.ceil(chars / 65_536))
    .slice(0, chars);

describe('counting much', () => {
  it('goes by evenly spread stretches, whatever the order of the texts', async () => {
    const fox = 'The quick brown fox jumps over the lazy dog. ';
    const chinese = '敏捷的棕色狐狸跳过了那只懒狗。';
    const texts = [fox.repeat(20_000), chinese.repeat(60_000), ...Array<string>(5_000).fill(fox)];
    const exact = encode(fox).length * 25_000 + encode(chinese).length * 60_000;
    for (const order of [texts, texts.toReversed()]) {
      const counted = await countTexts(order, 'gpt-4o', ANYBODY);
      expect(Math.abs(counted - exact)).toBeLessThan(exact * 0.05);
    }
  });

  it('cannot be led to the places where nothing stands', async () => {
    // At even distances, as many and as long as anybody can know of.
    const chars = 4 * 1024 * 1024;
    const distance = (8 * 1024 * chars) / limits.countedChars;
    const dense = noise(distance - 12 * 1024);
    const text = `${' '.repeat(12 * 1024)}${dense}`.repeat(chars / distance);
    const exact = encode(dense.slice(0, 65_536)).length * (dense.length / 65_536) * (chars / distance);
    const counts: number[] = [];
    for (let n = 0; n < 3; n++) counts.push(await countTokens(text, 'gpt-4o'));
    for (const counted of counts) expect(counted).toBeGreaterThan(exact * 0.8);
  });

  it('answers in time, and rather well, what would take minutes', async () => {
    await countTokens('warm', 'gpt-4o');
    const text = noise(4 * 1024 * 1024);
    const startedAt = performance.now();
    const counted = await countTokens(text, 'gpt-4o');
    expect(performance.now() - startedAt).toBeLessThan(2 * limits.countWaitMs);
    const exact = encode(text.slice(0, 65_536)).length * 64;
    expect(Math.abs(counted - exact)).toBeLessThan(exact * 0.05);
  });
});
