import { expect, test } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { SocketLimit } from './socket-limit.ts';

/** A session without an answer for so long, and whether it was told to give way. */
function session(quietMs = 0) {
  const one = {
    quietMs,
    isGone: false,
    giveWay() {
      one.isGone = true;
    },
  };
  return one;
}

test('one user takes so many sockets, whatever their networks', () => {
  const sockets = new SocketLimit(30, { mostOfUser: 2 });
  const enter = (userId: number, n: number) => sockets.enter({ userId, ip: `198.51.100.${n}` }, session());
  const leave = enter(1, 1);
  expect([enter(1, 2), enter(1, 3)]).toEqual([expect.any(Function), null]);
  expect(enter(2, 4)).not.toBeNull();
  expect(sockets.open).toBe(3);
  leave?.();
  expect(sockets.open).toBe(2);
  expect(enter(1, 5)).not.toBeNull();
});

test('one network leaves some to the others, however many accounts it has', () => {
  const sockets = new SocketLimit(8, { mostOfUser: 100 });
  const entered = (ip: string) =>
    Array.from({ length: 8 }, (_, userId) => sockets.enter({ userId, ip }, session())).filter(
      (leave) => leave !== null,
    );
  const first = entered('198.51.100.7');
  expect(first).toHaveLength(4);
  expect(entered('203.0.113.9')).toHaveLength(2);
  for (const leave of first) leave();
  expect(sockets.open).toBe(2);
  expect(entered('198.51.100.7')).toHaveLength(3);
});

/** Four places, of which one network has two, another one, and a third one. */
function full(quiet: readonly [number, number, number, number]) {
  const sockets = new SocketLimit(4, { quietMs: 60 });
  const [a, b, c, d] = quiet.map((ms) => session(ms));
  const enter = (n: number, one = session()) => sockets.enter({ userId: n, ip: `203.0.${n}.1` }, one);
  for (const [n, one] of [
    [1, a],
    [1, b],
    [2, c],
    [3, d],
  ] as const)
    expect(enter(n, one)).not.toBeNull();
  expect(sockets.open).toBe(4);
  return { sockets, enter, gone: () => [a, b, c, d].map((one) => one?.isGone) };
}

test('where all are taken, the one that was longest without an answer gives way', () => {
  const { sockets, enter, gone } = full([70, 90, 80, 10]);
  const leave = enter(4);
  expect(leave).not.toBeNull();
  expect(gone()).toEqual([false, true, false, false]);
  expect(sockets.open).toBe(4);
  leave?.();
  expect(sockets.open).toBe(3);
});

test('none gives way that was answered lately, and none in vain', () => {
  const lately = full([50, 50, 50, 50]);
  expect(lately.enter(4)).toBeNull();
  expect(lately.gone()).toEqual([false, false, false, false]);
  const sockets = new SocketLimit(4, { mostOfUser: 1 });
  const one = session(1e9);
  sockets.enter({ userId: 1, ip: '203.0.1.1' }, one);
  expect(sockets.enter({ userId: 1, ip: '203.0.1.1' }, session())).toBeNull();
  expect(one.isGone).toBe(false);
});

test('a network takes no place of one that has no more than it has itself', () => {
  const { enter, gone } = full([10, 10, 90, 90]);
  expect(enter(2)).not.toBeNull();
  expect(gone()).toEqual([false, false, true, false]);
  expect(enter(1)).toBeNull();
  expect(gone()).toEqual([false, false, true, false]);
});

test('a network that has its share goes on by those of its own', () => {
  const sockets = new SocketLimit(8, { quietMs: 60 });
  const quiet = session(90);
  const enter = (ip: string, one = session()) => sockets.enter({ userId: 1, ip }, one);
  const stranger = session(1e9);
  enter('203.0.113.9', stranger);
  enter('198.51.100.7', quiet);
  const leaves = [1, 2].map(() => enter('198.51.100.7'));
  expect(leaves).not.toContain(null);
  expect(enter('198.51.100.7')).not.toBeNull();
  expect([quiet.isGone, stranger.isGone, sockets.open]).toEqual([true, false, 4]);
  expect(enter('198.51.100.7')).toBeNull();
});

test('who has given way leaves no second place behind', () => {
  const sockets = new SocketLimit(1, { quietMs: 60 });
  const leave = sockets.enter({ userId: 1, ip: '203.0.1.1' }, session(90));
  const next = sockets.enter({ userId: 2, ip: '203.0.2.1' }, session());
  leave?.();
  expect(sockets.open).toBe(1);
  next?.();
  expect(sockets.open).toBe(0);
});

test('what may be coming on them has its room, of which one user and one network have a part', () => {
  const MIB = 1024 * 1024;
  const { socketMessageBytes } = limits;
  const coming = (holder: (n: number) => { userId: number; ip: string }) => {
    const sockets = new SocketLimit();
    while (sockets.enter(holder(sockets.open), session())) {}
    return (sockets.open * socketMessageBytes) / MIB;
  };
  expect(coming((n) => ({ userId: 1, ip: `198.51.${n}.7` }))).toBe(256);
  expect(coming((n) => ({ userId: n, ip: '198.51.100.7' }))).toBe(512);
  expect(coming((n) => ({ userId: n, ip: `198.51.${n}.7` }))).toBe(1024);
  // A minute of plain sound at 24 kHz and a picture of three megabytes, each in base64, with what stands around it.
  for (const bytes of [60 * 48_000, 3_000_000])
    expect((bytes * 4) / 3 + 100_000).toBeLessThan(socketMessageBytes);
});
