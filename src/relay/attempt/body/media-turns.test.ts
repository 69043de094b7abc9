import { afterEach, beforeEach, describe, expect, it, jest } from 'bun:test';
import { codeOf } from '../../../../tests/support/code-of.ts';
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { MediaTurns } from './media-turns.ts';

const {
  inlineMediaOfOneAtOnce: ofOne,
  inlineMediaAtOnce: atOnce,
  inlineMediaSlowAtOnce: slow,
  inlineMediaSlowMs: slowMs,
} = limits;
/** How long one waits for a turn. */
const WITHIN_MS = 4 * slowMs;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Lets come what needs no time. */
async function settle(): Promise<void> {
  for (let n = 0; n < 100; n++) await null;
}

async function pass(ms: number): Promise<void> {
  await settle();
  jest.advanceTimersByTime(ms);
  await settle();
}

/** Turns in which nothing ever ends by itself, and how many are under way. */
function open() {
  const turns = new MediaTurns();
  const leaving = new AbortController();
  const ends: unknown[] = [];
  let running = 0;
  let waiting = 0;
  const waits = () => {
    waiting++;
    return () => void waiting--;
  };
  const never = async (signal: AbortSignal): Promise<void> => {
    running++;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    running--;
    throw new Error('it was ended');
  };
  const ask = (who: string, network: string, work = never) => {
    const wanted = { over: leaving.signal, withinMs: WITHIN_MS, waits };
    return codeOf(turns.run({ who, network }, wanted, work)).then((end) => void ends.push(end));
  };
  return {
    ask,
    never,
    ends,
    running: () => running,
    waiting: () => waiting,
    leave: () => leaving.abort(fail('client_gone')),
  };
}

describe('turns of media', () => {
  it('are left to others by what takes long, which counts as his who has it', async () => {
    const { ask, ends, running, leave } = open();
    const greedy = Array.from({ length: atOnce }, (_, n) => ask(`greedy-${n % (atOnce / ofOne)}`, `${n}`));
    await settle();
    expect(running()).toBe(atOnce);
    void ask('late', 'late', async () => {});
    await pass(slowMs - 1);
    expect(ends).toEqual([]);
    await pass(1);
    expect([ends, running()]).toEqual([['ok'], atOnce]);
    void ask('greedy-0', 'more');
    await pass(WITHIN_MS);
    expect([ends, running()]).toEqual([['ok', 'OVERLOADED'], atOnce]);
    leave();
    await Promise.all(greedy);
    expect([new Set(ends.slice(2)), running()]).toEqual([new Set(['client_gone']), 0]);
  });

  it('that are slow are so many, and of one network no more than half of what the others leave', async () => {
    const { ask, ends, running, leave } = open();
    const greedy = Array.from({ length: 2 * slow }, (_, n) => ask(`greedy-${n % ofOne}`, 'one'));
    for (let n = 0; n < 4; n++) await pass(slowMs);
    expect(ends).toEqual(Array.from({ length: 2 * slow - slow / 2 }, () => 'OVERLOADED'));
    const other = ask('other', 'another');
    await pass(slowMs);
    expect(running()).toBe(slow / 2 + 1);
    leave();
    await Promise.all([...greedy, other]);
    expect(running()).toBe(0);
    expect(new Set(ends)).toEqual(new Set(['OVERLOADED', 'client_gone']));
  });

  it('are given back by what was slow', async () => {
    const { ask, never, ends } = open();
    for (let n = 0; n < 2; n++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const asked = Array.from({ length: slow / 2 }, (_, who) =>
        ask(`${who}`, 'one', (signal) => Promise.race([promise, never(signal)])),
      );
      await pass(slowMs);
      resolve();
      await Promise.all(asked);
    }
    expect(ends).toEqual(Array.from({ length: slow }, () => 'ok'));
  });

  it('are waited for, and so is what is slow', async () => {
    const { ask, waiting, leave } = open();
    const all = Array.from({ length: ofOne + 1 }, () => ask('a', 'one'));
    await settle();
    expect(waiting()).toBe(1);
    await pass(slowMs);
    expect(waiting()).toBe(ofOne + 1);
    leave();
    await Promise.all(all);
    expect(waiting()).toBe(0);
  });

  it('leave nothing behind once they are over, and are for nobody who has left', async () => {
    const { ask, ends, running, leave } = open();
    await ask('a', 'one', async () => {});
    expect(jest.getTimerCount()).toBe(0);
    leave();
    await ask('a', 'one');
    expect([ends, running(), jest.getTimerCount()]).toEqual([['ok', 'OVERLOADED'], 0, 0]);
  });
});
