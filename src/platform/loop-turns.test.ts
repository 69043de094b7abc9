import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { codeOf } from '../../tests/support/code-of.ts';
import { type Asker, LoopTurns, type LoopTurnsBounds } from './loop-turns.ts';

const BOUNDS = {
  atOnce: 1,
  mostAtOnce: 1,
  withinOneMs: 0,
  rests: false,
  waitingMax: 100,
  ofOneWaitingMax: 100,
  withinMs: 60_000,
};
/** Goes on by what works alone. */
let clock = 0;
const turnsOf = (bounds: Partial<LoopTurnsBounds> = {}) =>
  new LoopTurns({ ...BOUNDS, ...bounds }, () => clock);
const stays = new AbortController().signal;
const asker = (who: string, network = `of ${who}`): Asker => ({ who, network });

/** Who had his turn, in order, where all ask at once and each works for so long. */
async function order(turns: LoopTurns, asks: readonly (Asker & { ms?: number })[]): Promise<string[]> {
  const had: string[] = [];
  const asked = asks.map(async (each) => {
    await turns.take(each, stays);
    had.push(each.who);
    clock += each.ms ?? 1;
  });
  await Promise.all(asked);
  return had;
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

it.each([
  ['no rest', false],
  ['a rest', true],
])('the others have theirs between two turns, with %s', async (_, rests) => {
  const turns = turnsOf({ rests, atOnce: 2 });
  const had: string[] = [];
  setImmediate(() => had.push('others'));
  const taken = ['first', 'second', 'third'].map(async (name) => {
    await turns.take(asker(name), stays);
    had.push(name);
  });
  await Promise.all(taken);
  expect(had).toEqual(['first', 'second', 'others', 'third']);
});

describe('turns are fair', () => {
  it('to one beside another who asks for many', async () => {
    const had = await order(turnsOf(), [...times(20, () => asker('many')), asker('one')]);
    expect(had.indexOf('one')).toBeLessThanOrEqual(1);
  });

  it('to one beside somebody of many networks', async () => {
    const many = times(20, (n) => asker('many', `n${n}`));
    expect((await order(turnsOf(), [...many, asker('one'), asker('one')])).lastIndexOf('one')).toBeLessThan(
      6,
    );
  });

  it('to one beside many who ask from one network', async () => {
    const many = times(20, (n) => asker(`many ${n}`, 'theirs'));
    const ones = times(3, () => asker('one'));
    expect((await order(turnsOf(), [...many, ...ones])).lastIndexOf('one')).toBeLessThan(7);
  });

  it('to one beside his neighbour who asks for many', async () => {
    const many = times(20, () => asker('many', 'same'));
    expect((await order(turnsOf(), [...many, asker('one', 'same')])).indexOf('one')).toBeLessThan(3);
  });

  it('by how long they took: many short ones go beside one that is long', async () => {
    const long = times(4, () => ({ ...asker('long'), ms: 40 }));
    const short = times(10, () => ({ ...asker('short'), ms: 1 }));
    const had = await order(turnsOf(), [...long, ...short]);
    // One may have begun, and one comes between.
    expect(had.lastIndexOf('short')).toBeLessThan(12);
  });

  it('to all who come: each has his in the end', async () => {
    const who = fc.record({ who: fc.constantFrom('a', 'b', 'c'), network: fc.constantFrom('n', 'm') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(who, { maxLength: 30 }),
        fc.integer({ min: 1, max: 5 }),
        async (asks, atOnce) => {
          const had = await order(turnsOf({ atOnce }), asks);
          expect(had.toSorted()).toEqual(asks.map((each) => each.who).toSorted());
        },
      ),
      { numRuns: 30 },
    );
  });
});

it('as many have theirs at once as take no longer than a turn may, and some at least', async () => {
  const turns = turnsOf({ atOnce: 2, mostAtOnce: 8, withinOneMs: 16 });
  const atOnce = async (ms: number) => {
    let had = 0;
    const before = new Promise<number>((resolve) => setImmediate(() => resolve(had)));
    const taken = times(8, async () => {
      await turns.take(asker('one'), stays);
      clock += ms;
      had++;
    });
    await Promise.all(taken);
    return await before;
  };
  // What they take is known afterwards.
  expect(await atOnce(4)).toBe(8);
  expect(await atOnce(20)).toBe(4);
  expect(await atOnce(0)).toBe(2);
  for (let turn = 0; turn < 40; turn++) await atOnce(0);
  expect(await atOnce(0)).toBe(8);
});

it('who leaves before his turn is passed over, and who leaves in it keeps it from nobody', async () => {
  const turns = turnsOf();
  const leaving = new AbortController();
  await turns.take(asker('one'), leaving.signal);
  const waits = codeOf(turns.take(asker('one'), leaving.signal));
  const next = turns.take(asker('other'), stays);
  leaving.abort();
  expect(await waits).toBe('OVERLOADED');
  await next;
});

it('who waits too long is refused', async () => {
  const turns = turnsOf({ withinMs: 1, rests: true });
  const first = turns.take(asker('one'), stays).then(() => {
    clock += 30;
  });
  expect(await codeOf(turns.take(asker('other'), stays))).toBe('OVERLOADED');
  await first;
});

it('more than may wait of one are refused, with when to come again', async () => {
  const turns = turnsOf({ ofOneWaitingMax: 1 });
  const taken = times(2, () => turns.take(asker('one'), stays));
  await expect(turns.take(asker('one'), stays)).rejects.toMatchObject({
    code: 'RATE_LIMIT',
    detail: { retryAfterSec: expect.any(Number) },
  });
  await Promise.all(taken);
});

it('of more than may wait of all who has most gives way to who has less', async () => {
  const turns = turnsOf({ waitingMax: 4 });
  const many = times(5, (n) => codeOf(turns.take(asker(`many ${n}`, 'theirs'), stays)));
  const last = codeOf(turns.take(asker('last', 'theirs'), stays));
  const one = codeOf(turns.take(asker('one'), stays));
  expect(await Promise.all([...many, last, one])).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
    'OVERLOADED',
    'OVERLOADED',
    'ok',
  ]);
});
