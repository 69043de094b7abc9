import { describe, expect, it, jest } from 'bun:test';
import { Deadlines } from './deadlines.ts';

/** Milliseconds until the deadline strikes; signs of life come in between. */
async function strikesAfter(
  totalMs: number,
  pauseMs: number,
  live: (deadlines: Deadlines) => void = () => {},
) {
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  const deadlines = new Deadlines({ totalMs, pauseMs }, () => resolve(performance.now() - startedAt));
  live(deadlines);
  return promise;
}

const every = (ms: number, act: () => void) => {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
};

describe('deadlines', () => {
  it('strike after a pause without a sign of life', async () => {
    const ms = await strikesAfter(10_000, 50);
    expect(ms).toBeGreaterThanOrEqual(49);
    expect(ms).toBeLessThan(2_000);
  });

  it('do not strike while there are signs of life, until the total is over', async () => {
    let stop = () => {};
    const ms = await strikesAfter(300, 100, (deadlines) => {
      stop = every(10, () => deadlines.touch());
    });
    stop();
    expect(ms).toBeGreaterThanOrEqual(299);
  });

  it('follow a shorter pause from when it is set', async () => {
    const ms = await strikesAfter(10_000, 5_000, (deadlines) => deadlines.allowPauses(30));
    expect(ms).toBeLessThan(4_000);
  });

  it('tell once that nothing has begun, which ends nothing, and its end', () => {
    jest.useFakeTimers();
    try {
      const told: string[] = [];
      new Deadlines({ totalMs: 60, stillMs: 20 }, (what) => told.push(what));
      const begun = new Deadlines({ totalMs: 60, stillMs: 20 }, () => told.push('never'));
      begun.begun();
      jest.advanceTimersByTime(59);
      expect(told).toEqual(['still']);
      begun.stop();
      jest.advanceTimersByTime(1);
      expect(told).toEqual(['still', 'goes-on', 'late']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('tell each time that nothing goes down, from when something has, and strike as if they did not', () => {
    jest.useFakeTimers();
    try {
      const told: string[] = [];
      const deadlines = new Deadlines({ totalMs: 1_000, pauseMs: 100, quietMs: 20 }, (what) =>
        told.push(what),
      );
      jest.advanceTimersByTime(30);
      expect(told).toEqual([]);
      deadlines.told();
      jest.advanceTimersByTime(19);
      deadlines.told();
      jest.advanceTimersByTime(19);
      expect(told).toEqual([]);
      jest.advanceTimersByTime(40);
      expect(told).toEqual(['quiet', 'quiet', 'late']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('strike once, and not at all when they are stopped', async () => {
    let strikes = 0;
    const stopped = new Deadlines({ totalMs: 20, pauseMs: 20 }, () => strikes++);
    stopped.stop();
    new Deadlines({ totalMs: 20, pauseMs: 20 }, () => strikes++);
    await Bun.sleep(200);
    expect(strikes).toBe(1);
  });
});
