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
  let users = 0;
  const entered = (ip: string) =>
    Array.from({ length: 8 }, () => sockets.enter({ userId: ++users, ip }, session())).filter(
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

test('none gives way in vain', () => {
  const sockets = new SocketLimit(4, { mostOfUser: 1 });
  const one = session(1e9);
  sockets.enter({ userId: 1, ip: '203.0.1.1' }, one);
  expect(sockets.enter({ userId: 1, ip: '203.0.1.1' }, session())).toBeNull();
  expect(one.isGone).toBe(false);
});

test('whoever has most gives way, though he was answered lately, until others have as much', () => {
  const { enter, gone } = full([50, 55, 50, 50]);
  expect(enter(4)).not.toBeNull();
  expect(gone()).toEqual([false, true, false, false]);
  // Each has one, which he keeps as long as he is answered.
  expect(enter(5)).toBeNull();
  expect(gone()).toEqual([false, true, false, false]);
});

test.each([
  ['nine networks', (n: number) => `198.51.100.${Math.floor(n / 256)}`],
  ['as many networks as there are places', (n: number) => `198.51.100.${n}`],
])('four accounts at %s keep nobody from as much as they have', (_, ip) => {
  const sockets = new SocketLimit(256, { mostOfUser: 64 });
  const theirs: ReturnType<typeof session>[] = [];
  for (let n = 0; sockets.open < 256; n++) {
    const one = session(10);
    if (sockets.enter({ userId: n % 4, ip: ip(n) }, one)) theirs.push(one);
  }
  const staying = (all: typeof theirs) => all.filter(({ isGone }) => !isGone).length;
  expect(staying(theirs)).toBe(256);
  const his = Array.from({ length: 64 }, () => session(10));
  const got = his.filter((one) => sockets.enter({ userId: 9, ip: '203.0.113.9' }, one) !== null);
  expect(got.length).toBeWithin(50, 53);
  expect([staying(got), staying(theirs), sockets.open]).toEqual([got.length, 256 - got.length, 256]);
});

test('many accounts at one network take no more from another than they have together', () => {
  const sockets = new SocketLimit(8, { mostOfUser: 4 });
  const [first, second] = [session(), session()];
  for (const one of [first, second]) sockets.enter({ userId: 1, ip: '203.0.113.9' }, one);
  let users = 1;
  const enter = (ip: string, one = session()) => sockets.enter({ userId: ++users, ip }, one);
  const entered = ['198.51.100.7', '198.51.100.8', '198.51.100.9', '198.51.100.10'].flatMap((ip) =>
    Array.from({ length: 4 }, () => enter(ip)),
  );
  expect(entered.filter((leave) => leave !== null)).toHaveLength(6);
  expect([sockets.open, enter('198.51.100.7'), first.isGone, second.isGone]).toEqual([8, null, false, false]);
});

test('within a network whoever has most gives way to others of it', () => {
  const sockets = new SocketLimit(8);
  const ip = '198.51.100.7';
  const theirs = [session(20), session(30), session(10), session(10)];
  for (const one of theirs) expect(sockets.enter({ userId: 1, ip }, one)).not.toBeNull();
  const gone = () => theirs.map(({ isGone }) => isGone);
  for (const expected of [
    [false, true, false, false],
    [true, true, false, false],
  ]) {
    expect(sockets.enter({ userId: 2, ip }, session())).not.toBeNull();
    expect(gone()).toEqual(expected);
  }
  expect(sockets.enter({ userId: 2, ip }, session())).toBeNull();
});

test('a network takes no place of one that has less than it has itself', () => {
  const { enter, gone } = full([10, 10, 90, 90]);
  expect(enter(2)).not.toBeNull();
  expect(gone()).toEqual([false, false, true, false]);
  expect(enter(1)).toBeNull();
  expect(gone()).toEqual([false, false, true, false]);
});

test('whoever has most keeps what is answered while others have what is quiet', () => {
  const sockets = new SocketLimit(256, { mostOfUser: 64, quietMs: 60 });
  const his = Array.from({ length: 20 }, () => session(10));
  for (const one of his) expect(sockets.enter({ userId: 1, ip: '203.0.113.9' }, one)).not.toBeNull();
  for (let n = 0; sockets.open < 256; n++)
    sockets.enter({ userId: 100 + Math.floor(n / 5), ip: `198.51.${Math.floor(n / 5)}.7` }, session(500));
  for (let n = 0; n < 20; n++)
    expect(sockets.enter({ userId: 900 + n, ip: `198.18.${n}.7` }, session())).not.toBeNull();
  expect(his.filter(({ isGone }) => isGone)).toEqual([]);
});

test('what is quiet is given to others who have as much', () => {
  const { enter, gone } = full([10, 10, 10, 90]);
  expect(enter(2)).not.toBeNull();
  expect(gone()).toEqual([false, false, false, true]);
});

test('within a network nobody takes what is quiet of a neighbour who has less than he', () => {
  const sockets = new SocketLimit(8, { quietMs: 60 });
  const only = session(90);
  const enter = (userId: number, one = session()) => sockets.enter({ userId, ip: '198.51.100.7' }, one);
  enter(1, only);
  for (const n of [2, 2, 3]) expect(enter(n)).not.toBeNull();
  expect([enter(2), only.isGone]).toEqual([null, false]);
  expect([enter(3), only.isGone]).toEqual([expect.any(Function), true]);
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

test('of the room for what may be coming on them one user has a quarter, and one network half', () => {
  const MIB = 1024 * 1024;
  const { socketMessageBytes } = limits;
  const coming = (holder: (n: number) => { userId: number; ip: string }) => {
    const sockets = new SocketLimit();
    while (sockets.enter(holder(sockets.open), session())) {}
    return (sockets.open * socketMessageBytes) / MIB;
  };
  expect(coming((n) => ({ userId: 1, ip: `198.51.${n}.7` }))).toBe(256);
  expect(coming((n) => ({ userId: n, ip: '198.51.100.7' }))).toBe(512);
});

// A minute of plain sound at 24 kHz and a picture of three megabytes, each in base64, with what stands around it.
test.each([60 * 48_000, 3_000_000])('%d bytes of a medium fit into one message', (bytes) => {
  expect((bytes * 4) / 3 + 100_000).toBeLessThan(limits.socketMessageBytes);
});
