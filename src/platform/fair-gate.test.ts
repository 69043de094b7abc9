import { describe, expect, it, jest } from 'bun:test';
import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { createFairGate, type FairGateBounds, type Turn } from './fair-gate.ts';

const bounds: FairGateBounds = { atOnce: 2, ofOneAtOnce: 1, waitingMax: 4, ofOneWaitingMax: 3 };

/** A gate whose works are ended by hand, and what has begun and was refused so far. */
function open(over: Partial<FairGateBounds> = {}) {
  const gate = createFairGate({ ...bounds, ...over });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, turn: Turn) => {
    void gate
      .run(turn, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      })
      .catch((error: { code: string }) => refused.push(`${name} ${error.code}`));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  return { gate, begun, refused, ask, end };
}

describe('a fair gate', () => {
  it('keeps a place for others than the one who asks most', async () => {
    const { begun, ask, end } = open();
    for (const n of [1, 2, 3]) ask(`a${n}`, { who: 'a' });
    ask('b1', { who: 'b' });
    await Bun.sleep(0);
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'a2']);
  });

  it('takes turns between those who wait', async () => {
    const { begun, ask, end } = open({ atOnce: 1 });
    for (const n of [1, 2, 3]) ask(`a${n}`, { who: 'a' });
    ask('b1', { who: 'b' });
    ask('c1', { who: 'c' });
    await Bun.sleep(0);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('refuses the last of the longest line when another needs a place, and tells it', async () => {
    const { gate, begun, refused, ask, end } = open({ atOnce: 1 });
    for (const n of [1, 2, 3, 4]) ask(`a${n}`, { who: 'a' });
    ask('b1', { who: 'b' });
    await Bun.sleep(0);
    expect(refused).toEqual([]);
    ask('c1', { who: 'c' });
    ask('d1', { who: 'd' });
    await Bun.sleep(0);
    expect(refused).toEqual(['a4 OVERLOADED', 'a3 OVERLOADED']);
    ask('e1', { who: 'e' });
    await Bun.sleep(0);
    expect(refused.at(-1)).toBe('e1 OVERLOADED');
    expect(gate.isFullFor({ who: 'e' })).toBe(true);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'd1']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
    expect(gate.size).toBe(0);
  });

  it('refuses one who has too many waiting by his own limit', async () => {
    const { refused, ask } = open({ ofOneWaitingMax: 1, atOnce: 1 });
    for (const n of [1, 2, 3]) ask(`a${n}`, { who: 'a' });
    await Bun.sleep(0);
    expect(refused).toEqual(['a3 RATE_LIMIT']);
  });

  it('lets those ahead in first, whoever fills the line', async () => {
    const { begun, refused, ask, end } = open({ atOnce: 1 });
    for (const n of [1, 2, 3, 4, 5]) ask(`x${n}`, { who: `x${n}` });
    ask('known', { who: 'known', ahead: true });
    await Bun.sleep(0);
    expect(refused).toHaveLength(1);
    await end('x1');
    expect(begun).toEqual(['x1', 'known']);
  });

  it('gives every second turn to those behind, however much waits ahead', async () => {
    const { begun, ask, end } = open({ atOnce: 1, waitingMax: 20, ofOneWaitingMax: 20 });
    ask('known0', { who: 'known', ahead: true });
    for (const n of [1, 2, 3, 4]) ask(`known${n}`, { who: 'known', ahead: true });
    for (const n of [1, 2, 3]) ask(`x${n}`, { who: `x${n}` });
    await Bun.sleep(0);
    for (const name of ['known0', 'known1', 'x1', 'known2', 'x2', 'known3', 'x3']) await end(name);
    expect(begun).toEqual(['known0', 'known1', 'x1', 'known2', 'x2', 'known3', 'x3', 'known4']);
  });

  it('gives it to them too when one ahead asks again as soon as he is done', async () => {
    const { begun, ask, end } = open({ atOnce: 1 });
    ask('known0', { who: 'known', ahead: true });
    for (const n of [1, 2]) ask(`x${n}`, { who: `x${n}` });
    await Bun.sleep(0);
    for (const n of [0, 1, 2]) {
      ask(`known${n + 1}`, { who: 'known', ahead: true });
      await end(`known${n}`);
      await end(begun.at(-1)?.startsWith('x') ? (begun.at(-1) ?? '') : '');
    }
    expect(begun.slice(0, 5)).toEqual(['known0', 'known1', 'x1', 'known2', 'x2']);
  });

  it('keeps half of the places to wait for either side', async () => {
    const { begun, refused, ask, end } = open({ atOnce: 1, ofOneWaitingMax: 4 });
    ask('first', { who: 'first' });
    for (const n of [1, 2, 3, 4]) ask(`x${n}`, { who: `x${n}` });
    for (const n of [1, 2, 3, 4]) ask(`known${n}`, { who: `known${n}`, ahead: true });
    await Bun.sleep(0);
    expect(refused.toSorted()).toEqual(['known3', 'known4', 'x3', 'x4'].map((name) => `${name} OVERLOADED`));
    for (const name of ['first', 'known1', 'x1', 'known2', 'x2']) await end(name);
    expect(begun).toEqual(['first', 'known1', 'x1', 'known2', 'x2']);
  });

  describe('with an end to his patience', () => {
    const patience = () => {
      const leaving = new AbortController();
      const listening = () => getEventListeners(leaving.signal, 'abort').length;
      return { leave: () => leaving.abort(), listening, until: leaving.signal };
    };
    const codeOf = (entering: Promise<unknown>) =>
      entering.then(
        () => 'entered',
        (error: { code: string }) => error.code,
      );

    it('leaves the line when he has left, and enters nowhere afterwards', async () => {
      const { gate, end, ask } = open({ atOnce: 1 });
      const { until, leave, listening } = patience();
      ask('a1', { who: 'a' });
      const waiting = codeOf(gate.enter({ who: 'b' }, { until }));
      expect([gate.size, listening()]).toEqual([2, 1]);
      leave();
      expect([await waiting, gate.size]).toEqual(['OVERLOADED', 1]);
      expect([await codeOf(gate.enter({ who: 'b' }, { until })), gate.size]).toEqual(['OVERLOADED', 1]);
      await end('a1');
      expect([await codeOf(gate.enter({ who: 'b' }, { until })), gate.size]).toEqual(['OVERLOADED', 0]);
    });

    it('leaves the line after so many milliseconds', async () => {
      jest.useFakeTimers();
      try {
        const { gate, ask } = open({ atOnce: 1 });
        ask('a1', { who: 'a' });
        const waiting = codeOf(gate.enter({ who: 'b' }, { withinMs: 1_000 }));
        jest.advanceTimersByTime(999);
        expect(gate.size).toBe(2);
        jest.advanceTimersByTime(1);
        expect([await waiting, gate.size]).toEqual(['OVERLOADED', 1]);
      } finally {
        jest.useRealTimers();
      }
    });

    it('is waited for by nothing once he has entered, or given way', async () => {
      jest.useFakeTimers();
      try {
        const { until, listening } = patience();
        const enter = (gate: ReturnType<typeof open>['gate'], who: string) =>
          codeOf(gate.enter({ who }, { until, withinMs: 1_000 }));
        const { gate } = open({ atOnce: 1, waitingMax: 1 });
        const leave = await gate.enter({ who: 'a' }, { until, withinMs: 1_000 });
        expect([jest.getTimerCount(), listening()]).toEqual([0, 0]);
        const entering = enter(gate, 'b');
        expect([jest.getTimerCount(), listening()]).toEqual([1, 1]);
        leave();
        expect(await entering).toBe('entered');
        expect([jest.getTimerCount(), listening()]).toEqual([0, 0]);
        const twice = open({ atOnce: 1, waitingMax: 2 });
        await twice.gate.enter({ who: 'a' });
        const [, givesWay] = [enter(twice.gate, 'b'), enter(twice.gate, 'b')];
        const next = enter(twice.gate, 'c');
        expect(await givesWay).toBe('OVERLOADED');
        expect([twice.gate.size, jest.getTimerCount(), listening()]).toEqual([3, 2, 2]);
        jest.runAllTimers();
        expect([await next, jest.getTimerCount(), listening()]).toEqual(['OVERLOADED', 0, 0]);
      } finally {
        jest.useRealTimers();
      }
    });
  });

  it('makes one ahead who took all places give way to those behind', async () => {
    const { refused, ask } = open({ atOnce: 1, ofOneWaitingMax: 4 });
    for (const n of [0, 1, 2, 3, 4]) ask(`known${n}`, { who: 'known', ahead: true });
    for (const n of [1, 2]) ask(`x${n}`, { who: `x${n}` });
    await Bun.sleep(0);
    expect(refused.toSorted()).toEqual(['known3 OVERLOADED', 'known4 OVERLOADED']);
  });

  it('keeps places that those behind never take, of which a network has half of theirs', async () => {
    const { begun, ask, end } = open({ atOnce: 6, behindAtOnce: 4, ofOneAtOnce: 4, waitingMax: 20 });
    for (const n of [1, 2, 3]) ask(`a${n}`, { who: 'a', network: 'x' });
    for (const n of [1, 2, 3]) ask(`b${n}`, { who: 'b' });
    for (const n of [1, 2, 3]) ask(`known${n}`, { who: 'known', ahead: true });
    await Bun.sleep(0);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'known1', 'known2']);
    await end('known1');
    await end('a1');
    expect(begun.slice(6)).toEqual(['known3', 'a3']);
  });

  it('counts a place that is given to others as his who had it, until it is given back', async () => {
    const { gate, begun, ask } = open({ atOnce: 1 });
    const leave = await gate.enter({ who: 'a' });
    ask('a2', { who: 'a' });
    for (const n of [1, 2]) ask(`b${n}`, { who: `b${n}` });
    leave.toOthers();
    leave.toOthers();
    await Bun.sleep(0);
    expect(begun).toEqual(['b1']);
    expect(gate.size).toBe(3);
    leave();
    leave();
    await Bun.sleep(0);
    expect(begun).toEqual(['b1']);
  });

  describe('behind a network', () => {
    const wide = { atOnce: 4, ofOneAtOnce: 2, waitingMax: 8, ofOneWaitingMax: 4 };

    it('gives a place to his neighbours as to others', async () => {
      const { gate, begun, ask } = open(wide);
      const turn = { who: 'a', network: 'x' };
      for (const leave of [await gate.enter(turn), await gate.enter(turn)]) leave.toOthers();
      ask('a3', turn);
      for (const n of [1, 2, 3]) ask(`b${n}`, { who: `b${n}`, network: 'x' });
      await Bun.sleep(0);
      expect(begun).toEqual(['b1', 'b2']);
    });

    it('lets all users together run and wait in half of the places', async () => {
      const { begun, refused, ask } = open(wide);
      for (let n = 1; n <= 8; n++) ask(`x${n}`, { who: `x${n}`, network: 'x' });
      ask('y1', { who: 'y1', network: 'y' });
      await Bun.sleep(0);
      expect(begun).toEqual(['x1', 'x2', 'y1']);
      expect(refused).toEqual(['x7 OVERLOADED', 'x8 OVERLOADED']);
    });

    it('takes turns between networks, and between the users of each', async () => {
      const { begun, ask, end } = open({ ...wide, atOnce: 2, waitingMax: 20 });
      for (const n of [1, 2, 3, 4]) ask(`a${n}`, { who: 'a', network: 'x' });
      for (const n of [1, 2]) ask(`b${n}`, { who: 'b', network: 'x' });
      for (const n of [1, 2, 3]) ask(`c${n}`, { who: 'c', network: 'y' });
      await Bun.sleep(0);
      expect(begun).toEqual(['a1', 'c1']);
      for (const name of ['a1', 'c1', 'a2', 'c2', 'b1', 'a3']) await end(name);
      expect(begun).toEqual(['a1', 'c1', 'a2', 'c2', 'b1', 'c3', 'a3', 'b2']);
    });

    it('makes the largest network give way, whoever fills the line', async () => {
      const { begun, refused, ask, end } = open(wide);
      for (const network of ['x', 'y', 'z']) {
        for (let n = 1; n <= 6; n++) ask(`${network}${n}`, { who: `${network}${n}`, network });
      }
      ask('v', { who: 'v', network: 'v' });
      ask('single', { who: 'single' });
      await Bun.sleep(0);
      expect(refused).not.toContain('v OVERLOADED');
      expect(refused).not.toContain('single OVERLOADED');
      for (let at = 0; at < begun.length; at++) await end(begun[at] ?? '');
      expect(begun.indexOf('v')).toBeLessThan(8);
      expect(begun.indexOf('single')).toBeLessThan(9);
    });

    it('makes the longest line of his own network give way to who has a shorter one', async () => {
      const { refused, ask } = open({ ...wide, atOnce: 2 });
      for (const n of [0, 1, 2, 3, 4]) ask(`a${n}`, { who: 'a', network: 'x' });
      for (const n of [1, 2, 3]) ask(`b${n}`, { who: 'b', network: 'x' });
      await Bun.sleep(0);
      expect(refused.toSorted()).toEqual(['a3', 'a4', 'b3'].map((name) => `${name} OVERLOADED`));
    });

    it('finds a place for one of a new network, however the others came, and never more than there are', async () => {
      const turn = fc.record({ network: fc.constantFrom('x', 'y', 'z'), who: fc.nat({ max: 30 }) });
      const step = fc.oneof({ weight: 4, arbitrary: turn }, { weight: 1, arbitrary: fc.constant('end') });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
          const gate = createFairGate(wide);
          const leaves: { network: string; leave: () => void }[] = [];
          let mostOfOne = 0;
          for (const one of steps) {
            if (one === 'end') leaves.shift()?.leave();
            else {
              const { network } = one;
              void gate.enter({ network, who: `${network}${one.who}` }).then(
                (leave) => leaves.push({ network, leave }),
                () => undefined,
              );
            }
            await Promise.resolve();
            const running = Map.groupBy(leaves, ({ network }) => network);
            mostOfOne = Math.max(mostOfOne, ...[...running.values()].map(({ length }) => length));
            expect(leaves.length).toBeLessThanOrEqual(wide.atOnce);
            expect(gate.size).toBeLessThanOrEqual(wide.atOnce + wide.waitingMax);
          }
          expect(mostOfOne).toBeLessThanOrEqual(wide.atOnce / 2);
          expect(gate.isFullFor({ who: 'new', network: 'new' })).toBe(false);
        }),
      );
    });
  });

  it('goes on after a work that fails', async () => {
    const { gate } = open({ atOnce: 1 });
    const failing = gate.run({ who: 'a' }, () => Promise.reject(new Error('no')));
    const next = gate.run({ who: 'b' }, async () => 'done');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(gate.size).toBe(0);
  });
});
