import { expect, it, mock } from 'bun:test';
import { onceOf } from './once-of.ts';

it('is worked out once of each object, also where that is nothing or false', () => {
  for (const told of [null, false, 0, '']) {
    const work = mock((_: object) => told);
    const known = onceOf(work);
    const [one, other] = [{}, {}];
    expect([one, one, other, one].map(known)).toEqual([told, told, told, told]);
    expect(work.mock.calls).toEqual([[one], [other]]);
  }
});

it('is worked out anew where that went wrong', () => {
  const work = mock((_: object) => 'told').mockImplementationOnce(() => {
    throw new Error('wrong');
  });
  const known = onceOf(work);
  const one = {};
  expect(() => known(one)).toThrow('wrong');
  expect(known(one)).toBe('told');
});
