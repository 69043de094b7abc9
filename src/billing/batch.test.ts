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

  /** Batches that need `x` give up waiting while it is held. */
  function besideHeld(held: () => Promise<string[]>, isHeld: () => boolean, patienceMs = 60_000) {
    const runs: string[][] = [];
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      rows: { of: ({ key = '' }) => [key], held, patienceMs: () => patienceMs },
      async run(items) {
        runs.push(items.map(({ id }) => id));
        if (isHeld() && items.some(({ key }) => key === 'x'))
          throw Object.assign(new Error('canceling statement due to lock timeout'), { errno: '55P03' });
        return items.map(({ id }) => id);
      },
    });
    return { batcher, runs };
  }

  test('sets aside what needs a held row, and goes on without it until the row is free', async () => {
    let isHeld = true;
    const { batcher, runs } = besideHeld(
      async () => (isHeld ? ['x'] : []),
      () => isHeld,
    );
    const waiting = [batcher.add(item('a', 'x'))];
    expect(await Promise.all([item('b', 'y'), item('c', 'z')].map(batcher.add))).toEqual(['b', 'c']);
    waiting.push(batcher.add(item('d', 'x')));
    expect(await batcher.add(item('e', 'y'))).toBe('e');
    expect(runs).toEqual([['a', 'b', 'c'], ['b', 'c'], ['e']]);
    expect(batcher.waiting).toBe(2);
    isHeld = false;
    expect(await Promise.all(waiting)).toEqual(['a', 'd']);
    await batcher.idle();
    expect(runs.at(-1)).toEqual(['a', 'd']);
  });

  test('waits once for a held row, however many that need it stand in line behind it', async () => {
    let isHeld = true;
    const { batcher, runs } = besideHeld(
      async () => (isHeld ? ['x'] : []),
      () => isHeld,
    );
    const line = Array.from({ length: 100 }, (_, n) => item(`${n}`, n % 5 === 0 ? 'x' : `y${n}`));
    const needing = line.filter(({ key }) => key === 'x').map(({ id }) => id);
    const answers = line.map(batcher.add);
    await Promise.all(answers.filter((_, n) => n % 5 !== 0));
    expect(runs.filter((ids) => ids.some((id) => needing.includes(id)))).toHaveLength(1);
    expect(batcher.waiting).toBe(20);
    const before = runs.length;
    isHeld = false;
    expect(await Promise.all(answers)).toEqual(line.map(({ id }) => id));
    await batcher.idle();
    // In the order in which they came.
    expect(runs.slice(before).flat()).toEqual(needing);
  });

  test('sends no half, and nothing again, that needs a row which is known to be held', async () => {
    const runs: string[][] = [];
    let isHeld = false;
    let isFirst = true;
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      rows: {
        of: ({ key = '' }) => [key],
        held: async () => (isHeld ? ['x'] : []),
        patienceMs: () => 60_000,
      },
      async run(items) {
        runs.push(items.map(({ id }) => id));
        if (items.some(({ id }) => id === 'bad')) throw new Error('cannot');
        if (isHeld && items.some(({ key }) => key === 'x'))
          throw Object.assign(new Error('canceling statement due to lock timeout'), { errno: '55P03' });
        return items.map(({ id }) => {
          if (id !== 'a' || !isFirst) return id;
          isFirst = false;
          // Somebody takes the row now.
          isHeld = true;
          return AGAIN;
        });
      },
    });
    const waiting = [item('a', 'x'), item('b', 'x')].map(batcher.add);
    const bad = Promise.allSettled([batcher.add(item('bad'))]);
    const rest = [item('c', 'x'), item('d', 'x'), item('e', 'y')].map(batcher.add);
    expect(await rest[2]).toBe('e');
    await bad;
    const before = runs.length;
    expect(runs).toEqual([
      ['a', 'b', 'bad', 'c', 'd', 'e'],
      ['a', 'b', 'bad'],
      ['a'],
      ['b', 'bad'],
      ['b'],
      ['bad'],
      ['e'],
    ]);
    isHeld = false;
    await Promise.all([...waiting, ...rest]);
    await batcher.idle();
    expect(runs.slice(before).flat()).toContain('a');
  });

  test('refuses whoever gets no answer of a batch, and goes on', async () => {
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      async run(items) {
        const answers = new Array<string>(items.length);
        for (const [at, { id }] of items.entries()) if (id !== 'b') answers[at] = id;
        return answers;
      },
    });
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((id) => batcher.add(item(id))));
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).toEqual([
      'a',
      'invariant: a batch answers every item',
      'c',
    ]);
  });

  test('refuses as busy what waited too long for a row, and as away what nobody can be asked about', async () => {
    const busy = besideHeld(
      async () => ['x'],
      () => true,
      0,
    );
    await expect(busy.batcher.add(item('a', 'x'))).rejects.toMatchObject({ code: 'OVERLOADED' });
    const away = besideHeld(
      () => Promise.reject(new Error('closed')),
      () => true,
    );
    const ends = await Promise.allSettled([item('a', 'x'), item('b', 'y')].map(away.batcher.add));
    expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual([
      'unavailable',
      'unavailable',
    ]);
  });

  /** Batches with what is called `slow…` run out of time, and what is told of them. */
  function withSlow(
    patienceMs = Number.POSITIVE_INFINITY,
    isSlow: (id: string) => boolean = (id) => id.startsWith('slow'),
  ) {
    const runs: string[][] = [];
    const told: string[] = [];
    const batcher = createBatcher<Item, string>({
      most: 8,
      queue: 100,
      keysOf: ({ id }) => [id],
      rows: { of: ({ id }) => [id], held: async () => [], patienceMs: () => patienceMs },
      apart: {
        nameOf: ({ id }) => id,
        patienceMs: () => patienceMs,
        alone: async ({ id }, tries) => void told.push(`${id} ${tries}`),
      },
      async run(items) {
        runs.push(items.map(({ id }) => id));
        await Bun.sleep(0);
        if (items.some(({ id }) => isSlow(id)))
          throw Object.assign(new Error('canceling statement due to statement timeout'), { errno: '57014' });
        return items.map(({ id }) => id);
      },
    });
    return { batcher, runs, told };
  }

  test('tries in halves what ran out of time, and what does so alone with no others again', async () => {
    let isSlow = true;
    const { batcher, runs, told } = withSlow(undefined, (id) => isSlow && id === 'slow');
    const slow = batcher.add(item('slow'));
    const others = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(await Promise.all(others.map((id) => batcher.add(item(id))))).toEqual(others);
    const with1 = runs.filter((ids) => ids.includes('slow'));
    expect(with1).toEqual([['slow', ...others], ['slow', 'b', 'c', 'd'], ['slow', 'b'], ['slow']]);
    // Whatever comes now goes without it, also where it is asked for once more.
    const again = batcher.add(item('slow'));
    expect(await batcher.add(item('z'))).toBe('z');
    expect(runs.at(-1)).toEqual(['z']);
    expect(batcher.waiting).toBe(2);
    isSlow = false;
    expect(await Promise.all([slow, again])).toEqual(['slow', 'slow']);
    expect(told).toEqual(['slow 1']);
    await batcher.idle();
    // Well again, it is one of many.
    await Promise.all(['slow', 'a'].map((id) => batcher.add(item(id))));
    expect(runs.at(-1)).toEqual(['slow', 'a']);
  });

  test('goes on in its line while what ran out of time is tried', async () => {
    const { batcher, runs } = withSlow();
    const waiting = ['slow1', 'slow2'].map((id) => batcher.add(item(id)));
    while (runs.length < 3) await Bun.sleep(1);
    expect(await batcher.add(item('a'))).toBe('a');
    expect(runs.flat().filter((id) => id === 'slow1').length).toBeLessThan(4);
    for (const each of waiting) each.catch(() => undefined);
  });

  test('tells who waits no longer, does what he wanted all the same, and knows what is slow when it comes again', async () => {
    const { batcher, runs } = withSlow(0);
    const ids = ['slow', 'a', 'b', 'c'];
    const ends = await Promise.allSettled(ids.map((id) => batcher.add(item(id))));
    for (const end of ends) expect(end.status === 'rejected' && end.reason.code).toBe('unavailable');
    await batcher.idle();
    expect(runs).toEqual([ids, ['slow', 'a'], ['b', 'c'], ['slow'], ['a']]);
    await expect(batcher.add(item('slow'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(runs).toHaveLength(5);
  });

  test('tries again what waited though no row of it is held any more', async () => {
    let left = 3;
    const { batcher, runs } = besideHeld(
      async () => [],
      () => left-- > 0,
    );
    expect(await batcher.add(item('a', 'x'))).toBe('a');
    expect(runs).toHaveLength(4);
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
