import { expect, test } from 'bun:test';
import { answerIds, historyIds, isMadeId } from './call-ids.ts';

test('results answer the calls of their name in order, unless an id says which', () => {
  const ids = historyIds();
  const [a, b, c] = [ids.call('f', undefined), ids.call('f', 'own'), ids.call('f', undefined)];
  const other = ids.call('g', undefined);
  expect(new Set([a, b, c, other]).size).toBe(4);
  expect(b).toBe('own');
  expect(ids.response('f', 'own')).toBe('own');
  expect(ids.response('f', undefined)).toBe(a);
  expect(ids.response('g', undefined)).toBe(other);
  expect(ids.response('f', undefined)).toBe(c);
  expect([a, c]).not.toContain(ids.response('f', undefined));
});

test('a history of very many calls is numbered in one go', () => {
  const ids = historyIds();
  const calls = Array.from({ length: 200_000 }, () => ids.call('f', undefined));
  expect(calls.map(() => ids.response('f', undefined))).toEqual(calls);
});

test('calls of an answer without ids are told apart, and an id that was given stays', () => {
  const ids = answerIds('resp-1');
  const first = ids.call('look', undefined);
  const made = [first, ids.call('look', ''), ids.call('look', undefined)];
  expect(new Set(made).size).toBe(3);
  expect(made.every(isMadeId)).toBe(true);
  expect(ids.call('look', 'call_of_its_own')).toBe('call_of_its_own');
  expect(answerIds('resp-1').call('look', undefined)).toBe(first);
  expect(answerIds('resp-2').call('look', undefined)).not.toBe(first);
});
