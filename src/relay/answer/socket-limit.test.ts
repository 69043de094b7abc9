import { expect, test } from 'bun:test';
import { SocketLimit } from './socket-limit.ts';

test('one user takes so many sockets, whatever their networks', () => {
  const sockets = new SocketLimit(30, 2);
  const enter = (userId: number, n: number) => sockets.enter({ userId, ip: `198.51.100.${n}` });
  const leave = enter(1, 1);
  expect([enter(1, 2), enter(1, 3)]).toEqual([expect.any(Function), null]);
  expect(enter(2, 4)).not.toBeNull();
  expect(sockets.open).toBe(3);
  leave?.();
  expect(sockets.open).toBe(2);
  expect(enter(1, 5)).not.toBeNull();
});

test('one network leaves some to the others, however many accounts it has', () => {
  const sockets = new SocketLimit(8, 100);
  const entered = (ip: string) =>
    Array.from({ length: 8 }, (_, userId) => sockets.enter({ userId, ip })).filter((leave) => leave !== null);
  const first = entered('198.51.100.7');
  expect(first).toHaveLength(4);
  expect(entered('203.0.113.9')).toHaveLength(2);
  for (const leave of first) leave();
  expect(sockets.open).toBe(2);
  expect(entered('198.51.100.7')).toHaveLength(3);
});
