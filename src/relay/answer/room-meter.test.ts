import { describe, expect, it } from 'bun:test';
import { AppError } from '../../core/errors.ts';
import { BodyBudget } from '../../platform/body-budget.ts';
import type { RelayRequest } from '../request.ts';
import { LackedRoom } from './lacked-room.ts';
import { holdAhead, type NoRoom, RoomMeter } from './room-meter.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Of users who call from one network. */
function meters(lackedRoom = new LackedRoom()) {
  const rooms = {
    answersHeld: new BodyBudget(64 * MIB),
    answersByNetwork: new BodyBudget(8 * MIB),
    lackedRoom,
  };
  return (userId: number) => {
    const request: Pick<RelayRequest, 'userId' | 'ip' | 'hold'> = {
      userId,
      ip: '198.51.100.1',
      hold: () => undefined,
    };
    return new RoomMeter(request, rooms);
  };
}

function refusalOf(meter: RoomMeter, bytes: number): NoRoom['why'] | null {
  try {
    meter.grow(bytes);
    return null;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(AppError);
    return meter.refusedBy(thrown)?.why ?? null;
  }
}

it('charges what is beyond a network’s share to who holds most of it, and to no neighbour', () => {
  const of = meters();
  const greedy = of(1);
  expect(refusalOf(greedy, 4 * MIB)).toBeNull();
  expect(refusalOf(of(2), 100 * KIB)).toBe('others');
  expect(refusalOf(of(1), MIB)).toBe('own-share');
});

it('holds less ahead once an answer as large as the lost one has fitted, and not for a smaller one', () => {
  const lacked = new LackedRoom();
  const of = meters(lacked);
  const greedy = of(1);
  greedy.grow(4 * MIB);
  const lost = of(2);
  expect(refusalOf(lost, 2 * MIB)).toBe('others');
  lost.held.release();
  greedy.held.release();
  expect(lacked.of(2)).toBe(8 * MIB);
  for (const [bytes, ahead] of [
    [MIB, 8 * MIB],
    [3 * MIB, 3 * MIB],
    [MIB, 3 * MIB],
    [2 * MIB, 2 * MIB],
  ] as const) {
    const fits = of(2);
    fits.grow(bytes);
    fits.fitted();
    fits.held.release();
    expect(lacked.of(2)).toBe(ahead);
  }
});

it('lets who holds most of a network and stands still give way to a neighbour', () => {
  const of = meters();
  const greedy = of(1);
  greedy.grow(4 * MIB);
  const stopped: AppError[] = [];
  greedy.held.comes((why) => void stopped.push(why));
  expect(refusalOf(of(2), 100 * KIB)).toBeNull();
  expect(stopped).toHaveLength(1);
});

describe('what is held ahead', () => {
  const rooms = () => ({
    answersHeld: new BodyBudget(512 * MIB),
    answersByNetwork: new BodyBudget(512 * MIB),
    lackedRoom: new LackedRoom(),
  });
  type Rooms = ReturnType<typeof rooms>;
  /** Calls of a user that wait for their answers; how many of them were let in, and null where one was not. */
  const ask = (deps: Rooms, userId: number, ip: string) => {
    try {
      return holdAhead({ userId, ip }, deps);
    } catch (error) {
      expect(error).toMatchObject({ code: 'OVERLOADED' });
      return 'refused';
    }
  };
  const heldFor = ({ answersHeld }: Rooms) => answersHeld.bytes / MIB;

  it('by all calls of a user is no more than his largest answer takes', () => {
    const deps = rooms();
    deps.lackedRoom.noted(1, 64 * MIB);
    const calls = Array.from({ length: 4 }, () => ask(deps, 1, '198.51.100.1'));
    expect(calls.slice(1)).toEqual(['refused', 'refused', 'refused']);
    expect(heldFor(deps)).toBe(64);
    // From another network too.
    expect(ask(deps, 1, '203.0.113.9')).toBe('refused');
    const [first] = calls;
    if (!first || first === 'refused') throw new Error('the first one is let in');
    // What has come of its answer is counted as such, and no longer held ahead.
    first.give(40 * MIB);
    expect([ask(deps, 1, '198.51.100.1'), heldFor(deps)]).toEqual(['refused', 24]);
    first.release();
    expect(ask(deps, 1, '198.51.100.1')).not.toBe('refused');
    expect(heldFor(deps)).toBe(64);
  });

  it('is had by as many calls as it is enough for', () => {
    const deps = rooms();
    deps.lackedRoom.noted(1, 4 * MIB);
    const calls = Array.from({ length: 5 }, () => ask(deps, 1, '198.51.100.1'));
    expect(calls.map((call) => call === 'refused')).toEqual([false, false, false, false, true]);
  });

  it('by all users of a network is a quarter of the room, and no other network’s', () => {
    const deps = rooms();
    const users = [1, 2, 3, 4];
    for (const userId of users) deps.lackedRoom.noted(userId, 64 * MIB);
    const calls = users.map((userId) => ask(deps, userId, '198.51.100.1'));
    expect(calls.slice(2)).toEqual(['refused', 'refused']);
    expect(heldFor(deps)).toBe(128);
    expect(ask(deps, 3, '203.0.113.9')).not.toBe('refused');
  });

  it('is counted nowhere for a call that was refused', () => {
    const deps = rooms();
    for (const userId of [1, 2]) deps.lackedRoom.noted(userId, 64 * MIB);
    const others = deps.answersHeld.hold('others');
    others.grow(200 * MIB);
    // Once half of the room is taken, nobody has so much of it.
    expect([ask(deps, 1, '198.51.100.1'), ask(deps, 2, '198.51.100.1'), heldFor(deps)]).toEqual([
      'refused',
      'refused',
      200,
    ]);
    others.release();
    expect([ask(deps, 1, '198.51.100.1'), ask(deps, 2, '198.51.100.1')]).not.toContain('refused');
  });
});
