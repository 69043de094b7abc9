import { describe, expect, test } from 'bun:test';
import { AppError } from '../core/errors.ts';
import { AGAIN, type BatchPlan, createBatcher } from './batch.ts';

interface Item {
  id: string;
  key?: string;
}

const item = (id: string, key?: string): Item => ({ id, key });

/** Runs that wait until they are let go, and what each was given. */
function gated(plan: Partial<BatchPlan<Item, string>> = {}) {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const batcher = createBatcher<Item, string>({
    most: 3,
    queue: 100,
    keysOf: ({ id, key }) => [key ?? id],
    async run(items) {
      batches.push(items.map(({ id }) => id));
      await new Promise<void>((go) => gates.push(go));
      return items.map(({ id }) => `done ${id}`);
    },
    ...plan,
  });
  /** Lets the batch under way end, and the next one begin. */
  const next = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    gates.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { batcher, batches, next };
}

describe('a batcher', () => {
  test('runs one batch at a time; what comes meanwhile goes together, up to the bound', async () => {
    const { batcher, batches, next } = gated();
    const first = batcher.add(item('a'));
    await new Promise((resolve) => setImmediate(resolve));
    const rest = ['b', 'c', 'd', 'e'].map((id) => batcher.add(item(id)));
    expect(batches).toEqual([['a']]);
    await next();
    expect(await first).toBe('done a');
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
    await next();
    await next();
    expect(await Promise.all(rest)).toEqual(['done b', 'done c', 'done d', 'done e']);
    expect(batches[2]).toEqual(['e']);
    await batcher.idle();
  });

  test('puts items that share a key into different batches, in their order', async () => {
    const { batcher, batches, next } = gated();
    const all = [item('1', 'x'), item('2', 'x'), item('3', 'y'), item('4', 'x')].map(batcher.add);
    for (let i = 0; i < 3; i++) await next();
    await Promise.all(all);
    expect(batches).toEqual([['1', '3'], ['2'], ['4']]);
  });

  test('refuses when the line is full', async () => {
    const { batcher, next } = gated({ queue: 1 });
    const first = batcher.add(item('a'));
    await expect(batcher.add(item('b'))).rejects.toMatchObject({ code: 'OVERLOADED' });
    await next();
    expect(await first).toBe('done a');
  });

  test('splits a failing batch until the bad item is alone, and runs the others', async () => {
    const runs: string[][] = [];
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      async run(items) {
        runs.push(items.map(({ id }) => id));
        if (items.some(({ id }) => id === 'bad')) throw new Error('cannot');
        return items.map(({ id }) => id);
      },
    });
    const ids = ['a', 'b', 'c', 'd', 'e', 'bad', 'f', 'g'];
    const ends = await Promise.allSettled(ids.map((id) => batcher.add(item(id))));
    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(ids.map((id) => id !== 'bad'));
    expect(runs.at(-1)).toEqual(['f', 'g']);
    expect(runs).toContainEqual(['bad']);
  });

  test('fails the whole batch at once when the database is away, and answers 503', async () => {
    let runs = 0;
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      async run() {
        runs++;
        throw Object.assign(new Error('closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' });
      },
    });
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((id) => batcher.add(item(id))));
    for (const end of ends) {
      expect(end.status === 'rejected' && end.reason instanceof AppError && end.reason.code).toBe(
        'unavailable',
      );
    }
    expect(runs).toBe(1);
  });

  test('sends a batch again when the database could not line it up with another', async () => {
    const runs: string[][] = [];
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      async run(items) {
        runs.push(items.map(({ id }) => id));
        if (runs.length < 3) throw Object.assign(new Error('deadlock detected'), { errno: '40P01' });
        return items.map(({ id }) => id);
      },
    });
    expect(await Promise.all(['a', 'b'].map((id) => batcher.add(item(id))))).toEqual(['a', 'b']);
    expect(runs).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('puts what is to run again at the front of the line', async () => {
    const runs: string[][] = [];
    const seen = new Set<string>();
    const batcher = createBatcher<Item, string>({
      most: 2,
      queue: 100,
      keysOf: ({ id }) => [id],
      async run(items) {
        runs.push(items.map(({ id }) => id));
        return items.map(({ id }) => {
          if (id !== 'b' || seen.has(id)) return id;
          seen.add(id);
          return AGAIN;
        });
      },
    });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((id) => batcher.add(item(id))))).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(runs).toEqual([['a', 'b'], ['b', 'c'], ['d']]);
  });

  test('answers waiting items without a batch when asked to', async () => {
    const { batcher, batches, next } = gated({ most: 1 });
    const all = ['a', 'b', 'c'].map((id) => batcher.add(item(id)));
    await new Promise((resolve) => setImmediate(resolve));
    batcher.answer(({ id }) => id === 'b', 'told');
    await next();
    await next();
    expect(await Promise.all(all)).toEqual(['done a', 'told', 'done c']);
    expect(batches).toEqual([['a'], ['c']]);
  });
});
