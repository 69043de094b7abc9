import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { BodyBudget, type HeldBytes, type Holder, together } from './body-budget.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** True when it found room. */
function got(held: HeldBytes, bytes: number): boolean {
  try {
    held.grow(bytes);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'OVERLOADED') return false;
    throw error;
  }
}

/** A body that is coming, and why it was ended. */
function coming(budget: BodyBudget, holder: Holder) {
  const held = budget.hold(holder);
  const ends: AppError[] = [];
  const hasCome = held.comes((why) => void ends.push(why));
  return { held, ends, hasCome };
}

/** Takes all that it gets, in ever smaller bodies. */
function takeAll(budget: BodyBudget, holder: Holder, hold: () => HeldBytes = () => budget.hold(holder)) {
  for (let bytes = budget.most; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    while (got(hold(), bytes));
  }
}

describe('room for bodies', () => {
  it.each([20, 200])('that %d greedy holders keep has the first bytes of a newcomer', (count) => {
    const budget = new BodyBudget(64 * MIB);
    for (let n = 0; n < count; n++) takeAll(budget, n);
    expect(budget.bytes).toBeGreaterThan(0.87 * budget.most);
    expect(budget.bytes).toBeLessThanOrEqual(budget.most);
    expect(got(budget.hold('newcomer'), limits.firstBytes)).toBe(true);
  });

  it('is given by the largest to who has less, as long as his body is coming', () => {
    const budget = new BodyBudget(MIB);
    const largest = coming(budget, 1);
    largest.held.grow(500 * KIB);
    const second = coming(budget, 2);
    second.held.grow(50 * KIB);
    expect(largest.ends).toEqual([]);
    const third = coming(budget, 3);
    third.held.grow(200 * KIB);
    expect(largest.ends).toMatchObject([{ code: 'OVERLOADED' }]);
    expect([second.ends, third.ends]).toEqual([[], []]);
    expect(budget.bytes).toBe(250 * KIB);
    expect(() => largest.held.grow(1)).toThrow(largest.ends[0]);
    largest.held.release();
    expect(budget.bytes).toBe(250 * KIB);
  });

  it('is not given by a body that has come, nor to who holds as much', () => {
    const budget = new BodyBudget(MIB);
    const one = coming(budget, 1);
    one.held.grow(500 * KIB);
    one.hasCome();
    expect(got(budget.hold(2), 300 * KIB)).toBe(false);
    const other = coming(budget, 2);
    other.held.grow(60 * KIB);
    expect(got(budget.hold(3), 200 * KIB)).toBe(false);
    expect([one.ends, other.ends]).toEqual([[], []]);
  });

  it('is shared by a network with the larger one around it', () => {
    const budget = new BodyBudget(MIB);
    const within = 'provider';
    for (let n = 0; n < 100; n++) takeAll(budget, { name: `n${n}`, within });
    expect(budget.bytes).toBeLessThanOrEqual(MIB / 2);
    expect(got(budget.hold('elsewhere'), 60 * KIB)).toBe(true);
  });

  it('is not taken by a few: once it is scarce, each has a small part', () => {
    const budget = new BodyBudget(64 * MIB);
    for (let n = 0; n < 5; n++) takeAll(budget, n);
    expect(got(budget.hold('newcomer'), 4 * MIB)).toBe(true);
    const other = budget.hold('other');
    expect(got(other, 4 * MIB + 1)).toBe(false);
    expect(got(other, 4 * MIB)).toBe(true);
  });

  it('is given back in parts', () => {
    const budget = new BodyBudget(MIB);
    const held = budget.hold(1);
    held.grow(500 * KIB);
    held.keep(600 * KIB);
    expect(budget.bytes).toBe(500 * KIB);
    held.keep(100 * KIB);
    expect([budget.bytes, got(budget.hold(2), 400 * KIB)]).toEqual([100 * KIB, true]);
    held.release();
    held.keep(1);
    expect(budget.bytes).toBe(400 * KIB);
  });

  it('is not made where that is in vain', () => {
    const budget = new BodyBudget(MIB);
    const one = coming(budget, 1);
    one.held.grow(300 * KIB);
    for (let n = 2; n < 8; n++) expect(got(budget.hold(n), n === 2 ? 200 * KIB : 60 * KIB)).toBe(true);
    expect([got(budget.hold(8), 100 * KIB), one.ends]).toEqual([false, []]);
  });

  it('is left in all when a body gives way in one of several', () => {
    const [ofUsers, ofNetworks] = [new BodyBudget(MIB), new BodyBudget(4 * MIB)];
    const hold = (user: number) => together(ofUsers.of(user), ofNetworks.of(`n${user}`)).hold();
    const held = hold(1);
    const ends: AppError[] = [];
    held.comes((why) => void ends.push(why));
    held.grow(500 * KIB);
    expect([ofUsers.bytes, ofNetworks.bytes]).toEqual([500 * KIB, 500 * KIB]);
    hold(2).grow(200 * KIB);
    expect([ends.length, ofUsers.bytes, ofNetworks.bytes]).toEqual([1, 200 * KIB, 200 * KIB]);
    held.release();
    expect(ofNetworks.bytes).toBe(200 * KIB);
  });

  it('is given by the largest within a larger network to his neighbour', () => {
    const budget = new BodyBudget(MIB);
    const within = 'provider';
    const greedy = coming(budget, { name: 'greedy', within });
    greedy.held.grow(300 * KIB);
    const small = coming(budget, { name: 'small', within });
    small.held.grow(200 * KIB);
    expect(got(budget.hold({ name: 'neighbour', within }), 100 * KIB)).toBe(true);
    expect([greedy.ends.length, small.ends.length]).toEqual([1, 0]);
  });

  const step = fc.record({
    who: fc.integer({ min: 0, max: 199 }),
    isOfProvider: fc.boolean(),
    bytes: fc.integer({ min: 1, max: 300 * KIB }),
    after: fc.constantFrom('stays', 'stays', 'grows', 'leaves'),
  });

  it('is never exceeded, is given back, and has some for the next one whatever is still coming', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.integer({ min: 1, max: 256 }), (steps, small) => {
        const budget = new BodyBudget(MIB);
        const bodies: HeldBytes[] = [];
        for (const { who, isOfProvider, bytes, after } of steps) {
          const holder = isOfProvider ? { name: `of ${who}`, within: 'provider' } : who;
          const { held } = coming(budget, holder);
          bodies.push(held);
          const fits = got(held, bytes) && (after !== 'grows' || got(held, bytes));
          if (!fits || after === 'leaves') held.release();
          expect(budget.bytes).toBeLessThanOrEqual(budget.most);
        }
        const newcomer = budget.hold('newcomer');
        expect(got(newcomer, small)).toBe(true);
        for (const held of [...bodies, newcomer]) held.release();
        expect(budget.bytes).toBe(0);
        expect(got(budget.hold(1), MIB / 2)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('has the first bytes of the next one whatever has come, of fewer than it is kept for', () => {
    const kept = Math.floor((4 * MIB * limits.firstBytesPart) / limits.firstBytes);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: kept - 2 }), fc.integer({ min: 1, max: MIB })), {
          maxLength: 300,
        }),
        fc.integer({ min: 1, max: limits.firstBytes }),
        (taken, small) => {
          const budget = new BodyBudget(4 * MIB);
          for (const [who, bytes] of taken) got(budget.hold(who), bytes);
          for (let who = 0; who < kept - 1; who++) takeAll(budget, who);
          expect(budget.bytes).toBeLessThanOrEqual(budget.most);
          expect(got(budget.hold('newcomer'), small)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});
