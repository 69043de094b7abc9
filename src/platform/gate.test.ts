import { describe, expect, it } from 'bun:test';
import { createGate } from './gate.ts';

describe('a gate', () => {
  it('runs no more at once than it may, in order, and refuses what finds the line full', async () => {
    const gate = createGate(2, 2);
    const finish: (() => void)[] = [];
    const started: number[] = [];
    const work = (id: number) =>
      gate.run(() => {
        started.push(id);
        return new Promise<number>((resolve) => finish.push(() => resolve(id)));
      });
    const runs = [1, 2, 3, 4].map(work);
    await expect(work(5)).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(started).toEqual([1, 2]);
    finish[0]?.();
    expect(await runs[0]).toBe(1);
    await Promise.resolve();
    expect(started).toEqual([1, 2, 3]);
    finish[1]?.();
    finish[2]?.();
    await Promise.all([runs[1], runs[2]]);
    finish[3]?.();
    expect(await Promise.all(runs)).toEqual([1, 2, 3, 4]);
  });

  it('gives the place of a work that failed to the next', async () => {
    const gate = createGate(1, 1);
    await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await gate.run(async () => 'yes')).toBe('yes');
  });
});
