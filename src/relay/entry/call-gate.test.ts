import { describe, expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { limitIn, openFilesLimit } from '../../platform/open-files.ts';
import { CallGate, callsWithin } from './call-gate.ts';

describe('the limit of open files', () => {
  it('is read as the system tells it', () => {
    const text = (value: string) =>
      `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${value}                 4096                 files\n`;
    expect(limitIn(text('1024'))).toBe(1_024);
    expect(limitIn(text('unlimited'))).toBe(Number.POSITIVE_INFINITY);
    expect(limitIn('nothing of it')).toBeNull();
    expect(openFilesLimit()).toBeGreaterThan(0);
  });

  it('leaves two sockets for each call, some for media that calls fetch and for bodies, and files for other answers and all else', () => {
    expect([20_000, 4_096, 1_024, 256, 1].map(callsWithin)).toEqual([8_059, 1_248, 128, 32, 1]);
    expect([callsWithin(Number.POSITIVE_INFINITY), callsWithin(null)]).toEqual([
      limits.openReservations,
      limits.openReservations,
    ]);
  });
});

const overloaded = expect.objectContaining({ code: 'OVERLOADED' });
let networks = 0;
/** Of a network that nobody has come from; without a user, a guest. */
const enter = (gate: CallGate, userId?: number) => {
  const ip = `192.0.2.${++networks}`;
  if (userId === undefined) return gate.enterGuest(ip);
  const place = gate.enter(ip);
  place.of(userId);
  return place;
};
/** How many calls of one find a place. */
const fill = (call: () => unknown): number => {
  for (let calls = 0; ; calls++) {
    try {
      call();
    } catch (error) {
      expect(error).toEqual(overloaded);
      return calls;
    }
  }
};

it('refuses the call for which there is no file left, with when to come again, until one has ended', () => {
  const gate = new CallGate(2);
  const [first] = [enter(gate), enter(gate)];
  expect(() => enter(gate)).toThrow(overloaded);
  first.release();
  first.release();
  expect(gate.open).toBe(1);
  enter(gate);
  expect(() => enter(gate)).toThrow(overloaded);
});

describe('the places for calls', () => {
  it('leave some for others, whoever fills his share: a user, or a network before he is known', () => {
    const gate = new CallGate(100);
    expect(fill(() => enter(gate, 1))).toBe(75);
    expect(gate.open).toBe(75);
    expect(fill(() => enter(gate, 2))).toBe(18);
    expect(fill(() => gate.enterGuest('198.51.100.1'))).toBe(5);
    expect(fill(() => gate.enterGuest('198.51.100.2'))).toBe(1);
    expect(gate.open).toBe(99);
  });

  it('count small networks of one subscriber as one', () => {
    const gate = new CallGate(100);
    let n = 0;
    expect(fill(() => gate.enterGuest(`2001:db8:1:${(n++).toString(16)}::1`))).toBe(75);
    gate.enterGuest('2001:db8:2::1');
  });

  it('are no more the network’s once the user is known, and are given back as his', () => {
    const gate = new CallGate(100);
    const users = Array.from({ length: 90 }, (_, userId) => {
      const place = gate.enter('192.0.2.1');
      place.of(userId);
      return place;
    });
    for (const place of users) place.release();
    expect(gate.open).toBe(0);
    expect(fill(() => enter(gate, 1))).toBe(75);
  });

  it('are never all of one network, however many users it has', () => {
    const gate = new CallGate(100);
    const users = Array.from({ length: 90 }, (_, userId) => {
      const place = gate.enter('192.0.2.1');
      place.of(userId);
      return place;
    });
    expect(() => gate.enterGuest('192.0.2.1')).toThrow(overloaded);
    expect(() => gate.enter('192.0.2.1').of(91)).toThrow(overloaded);
    expect(fill(() => enter(gate, 100))).toBe(7);
    for (const place of [...users, ...users]) place.release();
    expect(gate.open).toBe(7);
    gate.enter('192.0.2.1').of(0);
  });

  it('hold no place of a call that was refused for its user, or has ended before he was known', () => {
    const gate = new CallGate(4);
    fill(() => enter(gate, 1));
    expect(gate.open).toBe(3);
    const place = enter(gate);
    expect(() => place.of(1)).toThrow(overloaded);
    place.release();
    place.of(2);
    expect(gate.open).toBe(3);
  });

  it('are given to who finds none by those whose readers stand still, of equals the longest first', () => {
    const gate = new CallGate(4);
    const stopped: number[] = [];
    const standStill = (userId: number) =>
      enter(gate, userId).standsStill(() => stopped.push(userId), performance.now());
    const goesOn = standStill(1);
    standStill(2);
    standStill(3);
    goesOn();
    enter(gate, 4);
    enter(gate, 5);
    enter(gate, 6);
    expect(stopped).toEqual([2, 3]);
    expect(() => enter(gate)).toThrow(overloaded);
    expect(gate.open).toBe(4);
  });

  it('are given by one’s own where his share is full, whatever stands still of others', () => {
    const gate = new CallGate(8);
    const stopped: number[] = [];
    for (const userId of [2, 1]) {
      enter(gate, userId).standsStill(() => stopped.push(userId), performance.now());
    }
    // Whoever stands still leaves his to others, and is one of them himself.
    expect(fill(() => enter(gate, 1))).toBe(6);
    expect(stopped).toEqual([1]);
    expect(gate.open).toBe(7);
  });

  it('are given first by who has most of them, and shares are parts of what others leave who move', () => {
    const gate = new CallGate(100);
    const stopped: string[] = [];
    const standStill = (userId: number, n: number) =>
      enter(gate, userId).standsStill(() => stopped.push(`${userId}`), n);
    standStill(2, -1);
    for (let n = 0; n < 70; n++) standStill(1, n);
    for (let n = 0; n < 29; n++) enter(gate, 3);
    expect([gate.open, stopped]).toEqual([100, []]);
    for (let n = 0; n < 40; n++) enter(gate, 3);
    expect(gate.open).toBe(100);
    expect(new Set(stopped)).toEqual(new Set(['1']));
    expect(stopped).toHaveLength(40);
  });

  /** Others who move, until so many places are taken. */
  const fillUntil = (gate: CallGate, open: number) => {
    for (let userId = 10_000; gate.open < open; userId++) {
      const slot = gate.enter(`198.51.${userId % 250}.${userId % 199}`);
      try {
        slot.of(userId);
      } catch {
        // His network has its share.
      }
    }
  };

  it.each([
    ['a user with calls from everywhere', 40, (n: number) => [`192.0.2.${n}`, 1] as const],
    ['a network of many users', 300, (n: number) => ['192.0.2.1', n] as const],
  ])('go one for one where others leave less by now than one has: %s', (_, calls, callerOf) => {
    for (const still of [0, 8, calls]) {
      const gate = new CallGate(464);
      const stopped: number[] = [];
      const enterAs = (n: number) => {
        const [ip, userId] = callerOf(n);
        const slot = gate.enter(ip);
        slot.of(userId);
        return slot;
      };
      for (let n = 0; n < calls; n++) {
        const slot = enterAs(n);
        if (n < still) slot.standsStill(() => stopped.push(n), n);
      }
      fillUntil(gate, 463);
      const next = () => enterAs(calls);
      if (still === 0) expect(next).toThrow(overloaded);
      else next();
      expect([stopped, gate.open]).toEqual([still === 0 ? [] : [0], 463]);
    }
  });

  it('are given by nobody to who is refused for his network', () => {
    const gate = new CallGate(20);
    const stopped: string[] = [];
    enter(gate, 999).standsStill(() => stopped.push('stranger'), 0);
    for (let n = 0; n < 17; n++) gate.enter('192.0.2.1').of(n + 1);
    enter(gate, 500);
    enter(gate, 501);
    expect(gate.open).toBe(20);
    expect(() => gate.enter('192.0.2.1').of(18)).toThrow(overloaded);
    expect([gate.open, stopped]).toEqual([20, []]);
  });

  it('are taken from nobody by who is not known yet, who goes on without one', () => {
    const gate = new CallGate(4);
    const stopped: number[] = [];
    const still = [1, 2, 3].map((userId) => enter(gate, userId));
    for (const [n, { standsStill }] of still.entries()) standsStill(() => stopped.push(n), performance.now());
    const [first, second] = [gate.enter('198.51.100.1'), gate.enter('198.51.100.1')];
    expect(() => gate.enterGuest('198.51.100.2')).toThrow(overloaded);
    expect([gate.open, stopped]).toEqual([4, []]);
    second.release();
    expect(gate.open).toBe(4);
    first.of(4);
    expect(stopped).toEqual([]);
    gate.enter('198.51.100.2').of(5);
    expect([gate.open, stopped]).toEqual([4, [0]]);
  });

  it('are others’ while a body comes, and taken again where there is one', () => {
    const gate = new CallGate(4);
    const first = enter(gate);
    first.wait();
    first.wait();
    expect([gate.open, gate.free]).toEqual([0, 4]);
    fill(() => enter(gate, 1));
    first.of(2);
    expect(gate.open).toBe(4);
    first.wait();
    fill(() => enter(gate, 3));
    expect(() => first.of(2)).toThrow(overloaded);
    first.release();
    expect(gate.open).toBe(4);
  });

  it('are one at least for everybody while there is any', () => {
    const gate = new CallGate(1);
    enter(gate, 1);
    expect(() => enter(gate, 2)).toThrow(overloaded);
  });
});
