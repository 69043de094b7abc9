import { expect, it } from 'bun:test';
import { Drain, DrainGate } from './drain.ts';

const nothing = () => undefined;

it('takes one place and one deadline, however often it begins and ends', async () => {
  const gate = new DrainGate(2);
  const drain = new Drain(gate, 1, { ms: 10_000, bytes: 5 });
  drain.end();
  expect([drain.begin(nothing), gate.open]).toEqual([true, 1]);
  const { leftMs } = drain;
  await Bun.sleep(5);
  expect([drain.begin(nothing), gate.open]).toEqual([true, 1]);
  expect(drain.leftMs).toBeLessThan(leftMs);
  drain.end();
  drain.end();
  expect(gate.open).toBe(0);
});

it('is refused when all places are taken, or where nothing is to be read on', () => {
  const gate = new DrainGate(1);
  expect(new Drain(gate, 1, { ms: 0, bytes: 5 }).begin(nothing)).toBe(false);
  expect(new Drain(gate, 1, { ms: 10, bytes: 5 }).begin(nothing)).toBe(true);
  const refused = new Drain(gate, 1, { ms: 10, bytes: 5 });
  expect(refused.begin(nothing)).toBe(false);
  refused.end();
  expect(gate.open).toBe(1);
});

it('leaves room for the streams of others', () => {
  const gate = new DrainGate(8);
  const drains = (userId: number) => {
    let n = 0;
    while (new Drain(gate, userId, { ms: 10, bytes: 5 }).begin(nothing)) n++;
    return n;
  };
  expect([drains(1), drains(2), drains(3)]).toEqual([4, 2, 1]);
});

it('has places of each user alone for streams that only their end tells the cost of', () => {
  const gate = new DrainGate(4, 3);
  const drains = (userId: number, toEnd: boolean) => {
    const begun: Drain[] = [];
    for (;;) {
      const drain = new Drain(gate, userId, { ms: 10, toEnd });
      if (!drain.begin(nothing)) return begun;
      begun.push(drain);
    }
  };
  const shared = [1, 2, 3, 4].flatMap((userId) => drains(userId, false));
  expect(shared).toHaveLength(4);
  const own = [drains(1, true), drains(5, true)];
  expect(own.map(({ length }) => length)).toEqual([3, 3]);
  expect(gate.open).toBe(10);
  for (const drain of [...shared, ...own.flat()]) drain.end();
  expect([gate.open, drains(1, true).length]).toEqual([0, 3]);
});

it('tells whoever has begun it last when its time is over, but not once it has ended', async () => {
  const told: string[] = [];
  const [drain, ended] = [1, 2].map((userId) => new Drain(new DrainGate(1), userId, { ms: 10, bytes: 5 }));
  drain?.begin(() => told.push('first'));
  drain?.begin(() => told.push('second'));
  ended?.begin(() => told.push('ended'));
  ended?.end();
  await Bun.sleep(30);
  expect(told).toEqual(['second']);
});

it('says when more has come than may be read', () => {
  const drain = new Drain(new DrainGate(1), 1, { ms: 10, bytes: 5 });
  expect([drain.take(3), drain.take(2), drain.take(1)]).toEqual([true, true, false]);
});
