import { describe, expect, it } from 'bun:test';
import { BY_SECRET, byLowBits, plainNames } from '../../tests/support/alike-names.ts';
import { JsonKeys } from './json-keys.ts';

const counted = () => new JsonKeys({ count: 10 });
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('short values of JSON text', () => {
  it.each([
    ['of one byte a character', BY_SECRET.latin],
    ['of two', BY_SECRET.wide],
    ['in ASCII, by the low bits alone', byLowBits],
  ])('that stand in one place of a table are told, %s', (_what, values) => {
    const [first, others] = [values(12), values(40).slice(12)];
    for (const spelled of [(text: string) => text, escaped]) {
      const keys = counted();
      expect(keys.fault(spelled(JSON.stringify({ input: first })))).toBeNull();
      expect(keys.fault(spelled(JSON.stringify(others.map((id) => ({ id })))))).toBe('alike');
    }
  });

  it('are told among however many others', () => {
    const others = plainNames(200_000);
    expect(counted().fault(JSON.stringify(others))).toBeNull();
    for (const all of [
      [...others, ...BY_SECRET.latin(2_000)],
      // Few, again and again: each is looked for among all of them.
      [...others, ...Array.from({ length: 200 }, () => BY_SECRET.latin(100)).flat()],
    ])
      expect(counted().fault(JSON.stringify(all))).toBe('alike');
  });

  it('may come as often as they like, and longer ones may stand where they like', () => {
    const [alike = ''] = BY_SECRET.latin(1);
    expect(counted().fault(JSON.stringify(Array.from({ length: 5_000 }, () => alike)))).toBeNull();
    const long = BY_SECRET.latin(2_000).map((value) => `${value} and more`);
    expect(counted().fault(JSON.stringify(long))).toBeNull();
  });
});
