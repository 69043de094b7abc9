import { estimateShallowMemoryUsageOf, jscDescribe } from 'bun:jsc';
import { expect, it } from 'bun:test';
import { BY_SECRET } from '../../tests/support/alike-names.ts';
import { headOf } from './text-head.ts';

it.each(['plain', 'Zoë ÿ', '中文 and more', '\ud83d half of a pair', 'a NUL \0 in it'])(
  'the beginning of a text is what it was, and takes memory of its own: %p',
  (text) => {
    const head = headOf(text.padEnd(1_000_000, '-'), 1_000);
    expect(head).toBe(text.padEnd(1_000, '-'));
    const bytes = estimateShallowMemoryUsageOf(head);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(2_100);
    expect(headOf(text, text.length)).toBe(text);
  },
);

it.each([...BY_SECRET.latin(1), ...BY_SECRET.wide(1), 'a short one'])(
  'it is none of the short texts of which the parser has a table: %p',
  (text) => {
    const isOfTable = (each: string) => jscDescribe(each).includes('atomic');
    const [parsed = ''] = JSON.parse(JSON.stringify([text]));
    const head = headOf(parsed, 100);
    expect([isOfTable(parsed), isOfTable(head), head]).toEqual([true, false, text]);
  },
);
