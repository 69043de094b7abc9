import { expect, test } from 'bun:test';
import { SocketLimit } from './socket-limit.ts';

test('one user takes so many sockets, and all together so many', () => {
  const sockets = new SocketLimit(3, 2);
  expect([sockets.enter(1), sockets.enter(1), sockets.enter(1)]).toEqual([true, true, false]);
  expect([sockets.enter(2), sockets.enter(2)]).toEqual([true, false]);
  expect(sockets.open).toBe(3);
  sockets.leave(1);
  expect([sockets.enter(2), sockets.enter(1)]).toEqual([true, false]);
  for (const user of [1, 2, 2]) sockets.leave(user);
  expect(sockets.open).toBe(0);
  expect([sockets.enter(1), sockets.enter(1)]).toEqual([true, true]);
});
