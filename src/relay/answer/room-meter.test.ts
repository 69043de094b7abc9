import { expect, it } from 'bun:test';
import { AppError } from '../../core/errors.ts';
import { BodyBudget } from '../../platform/body-budget.ts';
import type { RelayRequest } from '../request.ts';
import { LackedRoom } from './lacked-room.ts';
import { type NoRoom, RoomMeter } from './room-meter.ts';

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
