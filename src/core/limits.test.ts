import { expect, it } from 'bun:test';
import { limits, subjects } from './limits.ts';

it('declares each bound in one file only', () => {
  const all = Object.values(subjects).flatMap((subject) => Object.keys(subject));
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
  expect(new Set(all)).toEqual(new Set(Object.keys(limits)));
});
