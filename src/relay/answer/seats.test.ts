import { expect, test } from 'bun:test';
import { Seats } from './seats.ts';

test('one user takes so many seats, and all together so many', () => {
  const seats = new Seats(3, 2);
  expect([seats.enter(1), seats.enter(1), seats.enter(1)]).toEqual([true, true, false]);
  expect([seats.enter(2), seats.enter(2)]).toEqual([true, false]);
  expect(seats.open).toBe(3);
  seats.leave(1);
  expect([seats.enter(2), seats.enter(1)]).toEqual([true, false]);
  for (const user of [1, 2, 2]) seats.leave(user);
  expect(seats.open).toBe(0);
  expect([seats.enter(1), seats.enter(1)]).toEqual([true, true]);
});
