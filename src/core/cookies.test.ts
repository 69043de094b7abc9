import { expect, it } from 'bun:test';
import { cookiesIn } from './cookies.ts';

it.each([
  ['a', '1'],
  ['theme', 'dark'],
  ['empty', ''],
  ['eme', null],
  ['no-value', null],
  ['__proto__', null],
  ['none', null],
])('of a header that a browser sends, %p has the value %p', (name, value) => {
  const header = 'a=1;  theme=dark; xtheme=light; empty=; no-value; theme=late; b==2';
  expect(cookiesIn(header)(name)).toBe(value);
});

it('finds nothing in an empty header', () => {
  expect(cookiesIn('')('a')).toBeNull();
});
