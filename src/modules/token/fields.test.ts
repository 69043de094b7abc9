import { expect, it, spyOn } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { createBody } from './contract.ts';
import { readFields } from './fields.ts';

const many = (most: number, separator: string) =>
  Array.from({ length: 3 * most }, (_, n) => n).join(separator);

it.each([
  ['a text', { model_limits: many(limits.tokenModels, ',') }, 'TOKEN_MODELS'],
  ['a list of lists', { model_limits: Array(99).fill(many(70, ',').slice(0, 290)) }, 'TOKEN_MODELS'],
  ['lines', { allow_ips: many(limits.tokenNetworks, '\n') }, 'BAD_PARAM'],
])('takes no list apart that is longer than any may be: %s', (_what, sent, code) => {
  const fields = createBody.parse(sent);
  const split = spyOn(String.prototype, 'split');
  expect(() => readFields(fields)).toThrow(expect.objectContaining({ code }));
  expect(split.mock.contexts.filter((text) => String(text).length > 100)).toEqual([]);
  split.mockRestore();
});

it('takes one with as many names as there may be, and some of them twice', () => {
  const names = Array.from({ length: limits.tokenModels }, (_, n) => `m${n}`);
  expect(readFields({ model_limits: `${names.join()},,m0,m1` })).toEqual({ model_limits: names });
});
