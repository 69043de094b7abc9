import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { freePort } from '../../tests/support/gateway.ts';
import { patience } from '../../tests/support/patience.ts';
import { addressSubject, type Limiter } from './limiter.ts';
import { createLogger } from './logger.ts';
import { memoryLimiter } from './memory-limiter.ts';
import { memoryOneTimeStore } from './memory-stores.ts';
import type { OneTimeStore } from './one-time.ts';
import { openRedis, type Redis } from './redis.ts';

const quiet = createLogger('error', () => undefined);
const subject = () => `test:${crypto.randomUUID()}`;

const until = async (what: () => Promise<boolean> | boolean, ms: number) => {
  const end = performance.now() + patience(ms);
  while (!(await what())) {
    if (performance.now() > end) return false;
    await Bun.sleep(10);
  }
  return true;
};

const redisUrl = (): string => {
  const url = process.env.TEST_REDIS_URL;
  if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests by ./scripts/test');
  return url;
};

interface Stores {
  limiter: Limiter;
  oneTime: OneTimeStore;
  close(): Promise<void>;
}

const kinds: [string, () => Promise<Stores>][] = [
  [
    'in process',
    async () => ({ limiter: memoryLimiter(), oneTime: memoryOneTimeStore(), close: async () => undefined }),
  ],
  ['in Redis', async () => openRedis(redisUrl(), quiet)],
];

describe.each(kinds)('limits and codes %s', (_, open) => {
  let stores: Stores;
  beforeAll(async () => {
    stores = await open();
  });
  afterAll(() => stores.close());

  it('keep nothing of what was all given back', async () => {
    const rule = { key: subject(), limit: 3, windowSec: 1_000 };
    await stores.limiter.take(rule);
    await stores.limiter.take(rule);
    await stores.limiter.add(rule, -1);
    expect(await stores.limiter.counted(rule.key)).toBe(1);
    expect((await stores.limiter.peek(rule)).resetSec).toBeGreaterThan(900);
    await stores.limiter.add(rule, -5);
    expect(await stores.limiter.counted(rule.key)).toBe(0);
    // A window of its own, not what was left of the one before.
    expect((await stores.limiter.take({ ...rule, windowSec: 60 })).resetSec).toBeLessThanOrEqual(60);
  });

  it('let through as many as the limit says, then tell when to come again', async () => {
    const rule = { key: subject(), limit: 3, windowSec: 60 };
    const states = [];
    for (let n = 0; n < 4; n++) states.push(await stores.limiter.take(rule));
    expect(states.map((state) => state.ok)).toEqual([true, true, true, false]);
    expect(states.map((state) => state.remaining)).toEqual([2, 1, 0, 0]);
    expect(states[2]?.retryAfterSec).toBe(0);
    expect(states[3]?.retryAfterSec).toBeGreaterThan(55);
    expect(states[3]?.retryAfterSec).toBeLessThanOrEqual(60);
  });

  it('count each of many at once', async () => {
    const rule = { key: subject(), limit: 10, windowSec: 60 };
    const states = await Promise.all(Array.from({ length: 50 }, () => stores.limiter.take(rule)));
    expect(states.filter((state) => state.ok)).toHaveLength(10);
  });

  it('look without counting', async () => {
    const rule = { key: subject(), limit: 1, windowSec: 60 };
    expect((await stores.limiter.peek(rule)).ok).toBe(true);
    expect((await stores.limiter.peek(rule)).ok).toBe(true);
    await stores.limiter.take(rule);
    expect((await stores.limiter.peek(rule)).ok).toBe(false);
  });

  it('begin a window with its first count, and a new one when it is over', async () => {
    const rule = { key: subject(), limit: 1, windowSec: 0.2 };
    await stores.limiter.take(rule);
    expect((await stores.limiter.take(rule)).ok).toBe(false);
    expect(await until(async () => (await stores.limiter.peek(rule)).ok, 2_000)).toBe(true);
    expect((await stores.limiter.take(rule)).ok).toBe(true);
  });

  it('forget a subject when told', async () => {
    const rule = { key: subject(), limit: 1, windowSec: 60 };
    await stores.limiter.take(rule);
    await stores.limiter.clear(rule.key);
    expect((await stores.limiter.take(rule)).ok).toBe(true);
  });

  it('take several together or none of them', async () => {
    const [a, b] = [
      { key: subject(), limit: 2, windowSec: 60 },
      { key: subject(), limit: 10, windowSec: 60, cost: 4 },
    ];
    const ok = async () => (await stores.limiter.takeAll([a, b])).map((state) => state.ok);
    expect(await ok()).toEqual([true, true]);
    expect(await ok()).toEqual([true, true]);
    expect(await ok()).toEqual([false, false]);
    expect((await stores.limiter.peek(b)).remaining).toBe(0);
    expect((await stores.limiter.take({ ...b, cost: 2 })).ok).toBe(true);
  });

  it('count afterwards, give back, and never less than nothing', async () => {
    const rule = { key: subject(), limit: 10, windowSec: 60 };
    await stores.limiter.add(rule, -5);
    expect((await stores.limiter.take(rule)).remaining).toBe(9);
    await stores.limiter.add(rule, 20);
    expect((await stores.limiter.take(rule)).ok).toBe(false);
    await stores.limiter.add(rule, -100);
    expect((await stores.limiter.take(rule)).remaining).toBe(9);
  });

  it('let so many be there at once', async () => {
    const key = subject();
    const [first, second, third] = Array.from({ length: 3 }, () => ({
      key,
      limit: 2,
      id: crypto.randomUUID(),
    }));
    if (!first || !second || !third) throw new Error('three slots');
    expect(await Promise.all([first, second, third].map((slot) => stores.limiter.enter(slot)))).toEqual([
      true,
      true,
      false,
    ]);
    await stores.limiter.leave(third);
    expect(await stores.limiter.enter(third)).toBe(false);
    await stores.limiter.leave(first);
    expect(await stores.limiter.enter(third)).toBe(true);
    for (const slot of [second, third]) await stores.limiter.leave(slot);
    expect(await stores.limiter.enter(first)).toBe(true);
    await stores.limiter.leave(first);
  });

  it('count subjects apart', async () => {
    const [a, b] = [subject(), subject()].map((key) => ({ key, limit: 1, windowSec: 60 }));
    if (!a || !b) throw new Error('two rules');
    await stores.limiter.take(a);
    expect((await stores.limiter.take(b)).ok).toBe(true);
  });

  it('give a code to one of many who take it', async () => {
    const key = subject();
    await stores.oneTime.put(key, '123456', 60);
    expect(await stores.oneTime.get(key)).toBe('123456');
    expect(await stores.oneTime.getAll([subject(), key])).toEqual([null, '123456']);
    expect(await stores.oneTime.getAll([])).toEqual([]);
    const taken = await Promise.all(Array.from({ length: 20 }, () => stores.oneTime.take(key)));
    expect(taken.filter((value) => value === '123456')).toHaveLength(1);
    expect(await stores.oneTime.get(key)).toBeNull();
  });

  it('let one of many claim a thing, until the claim has outlived its time', async () => {
    const key = subject();
    const claims = await Promise.all(Array.from({ length: 20 }, () => stores.oneTime.claim(key, 60)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const short = subject();
    expect(await stores.oneTime.claim(short, 0.05)).toBe(true);
    expect(await until(() => stores.oneTime.claim(short, 60), 2_000)).toBe(true);
    expect(await stores.oneTime.claim(short, 60)).toBe(false);
  });

  it('replace a code and its life', async () => {
    const key = subject();
    await stores.oneTime.put(key, 'old', 0.05);
    await stores.oneTime.put(key, 'new', 60);
    await Bun.sleep(60);
    expect(await stores.oneTime.take(key)).toBe('new');
  });

  it('keep so many codes on a shelf, of which the oldest gives way, and those of others stay', async () => {
    const [a, b] = [subject(), subject()];
    const left = async (keys: readonly string[]) =>
      (await Promise.all(keys.map((key) => stores.oneTime.get(key)))).map((value) => value !== null);
    const shelf = { key: a, limit: 2 };
    const keys = [1, 2, 3, 4].map((n) => `${a}-${n}`);
    const [one = '', two = '', three = '', four = ''] = keys;
    await stores.oneTime.put(b, 'x', 60, [{ key: b, limit: 1 }]);
    await stores.oneTime.put(one, 'x', 0.05, [shelf]);
    expect(await until(async () => (await stores.oneTime.get(one)) === null, 2_000)).toBe(true);
    // What is over takes no place.
    for (const key of [one, two])
      await stores.oneTime.put(key, 'x', 60, [shelf, { key: `${a}-around`, limit: 9 }]);
    expect(await left(keys)).toEqual([true, true, false, false]);
    // What is begun again is the newest.
    for (const key of [one, three]) await stores.oneTime.put(key, 'x', 60, [shelf]);
    expect(await left(keys)).toEqual([true, false, true, false]);
    await stores.oneTime.put(four, 'x', 60, [{ key: `${a}-around`, limit: 2 }, shelf]);
    expect(await left([...keys, b])).toEqual([false, false, true, true, true]);
  });

  it('count nothing on a larger shelf that gave way on a smaller one', async () => {
    const name = subject();
    const around = { key: `${name}-around`, limit: 3 };
    const put = (key: string) =>
      stores.oneTime.put(key, 'x', 60, [{ key: `${key.at(-1)}-${name}`, limit: 1 }, around]);
    await put(`${name}-other`);
    for (const n of [1, 2, 3]) await put(`${name}-${n}-own`);
    expect(await stores.oneTime.get(`${name}-other`)).toBe('x');
    expect(await stores.oneTime.get(`${name}-3-own`)).toBe('x');
    expect(await stores.oneTime.get(`${name}-2-own`)).toBeNull();
  });

  it('let a code die', async () => {
    const key = subject();
    await stores.oneTime.put(key, '123456', 0.05);
    expect(await until(async () => (await stores.oneTime.get(key)) === null, 2_000)).toBe(true);
    expect(await stores.oneTime.take(key)).toBeNull();
  });
});

it('in Redis and in process every sequence of counts has the same answers', async () => {
  const redis = await openRedis(redisUrl(), quiet);
  const step = fc.oneof(
    fc.record({
      what: fc.constant('take'),
      costs: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ what: fc.constant('add'), costs: fc.tuple(fc.integer({ min: -8, max: 8 })) }),
    fc.record({ what: fc.constant('peek'), costs: fc.tuple(fc.integer({ min: 0, max: 6 })) }),
    fc.record({ what: fc.constant('enter'), costs: fc.tuple(fc.integer({ min: 0, max: 3 })) }),
    fc.record({ what: fc.constant('leave'), costs: fc.tuple(fc.integer({ min: 0, max: 3 })) }),
  );
  const limit = fc.integer({ min: 1, max: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), limit, async (steps, most) => {
      const name = subject();
      const answersOf = async (limiter: Limiter) => {
        const answers: unknown[] = [];
        for (const { what, costs } of steps) {
          const rules = costs.map((cost, i) => ({
            key: `${name}:${i}`,
            limit: most + i,
            windowSec: 3_600,
            cost,
          }));
          const [rule] = rules;
          if (!rule) continue;
          const slot = { key: name, limit: most, id: `${name}:${rule.cost}` };
          if (what === 'take')
            answers.push((await limiter.takeAll(rules)).map(({ ok, remaining }) => [ok, remaining]));
          else if (what === 'add') await limiter.add(rule, rule.cost);
          else if (what === 'peek') answers.push((await limiter.peek(rule)).remaining);
          else if (what === 'enter') answers.push(await limiter.enter(slot));
          else await limiter.leave(slot);
        }
        return answers;
      };
      expect(await answersOf(redis.limiter)).toEqual(await answersOf(memoryLimiter()));
    }),
    { numRuns: 60 },
  );
  await redis.close();
});

it('two processes on one Redis count together', async () => {
  const processes = [await openRedis(redisUrl(), quiet), await openRedis(redisUrl(), quiet)];
  const rule = { key: subject(), limit: 6, windowSec: 60 };
  const takes = await Promise.all(
    processes.flatMap(({ limiter }) => Array.from({ length: 10 }, () => limiter.take(rule))),
  );
  expect(takes.filter(({ ok }) => ok)).toHaveLength(6);
  const places = Array.from({ length: 4 }, (_, i) => ({ key: rule.key, limit: 3, id: String(i) }));
  const entered = await Promise.all(places.map((place, i) => processes[i % 2]?.limiter.enter(place)));
  expect(entered.filter(Boolean)).toHaveLength(3);
  for (const [i, place] of places.entries()) await processes[i % 2]?.limiter.leave(place);
  for (const each of processes) await each.close();
});

describe('Redis that goes away', () => {
  const port = freePort();
  let server: Bun.Subprocess;
  let redis: Redis;
  const lines: string[] = [];

  const start = () => {
    server = Bun.spawn(
      ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdout: 'ignore', stderr: 'ignore' },
    );
  };
  const logged = (event: string) => lines.filter((line) => line.includes(`"${event}"`)).length;

  beforeAll(async () => {
    start();
    redis = await openRedis(
      `redis://127.0.0.1:${port}`,
      createLogger('info', (line) => lines.push(line)),
    );
    expect(await until(() => redis.up, 5_000)).toBe(true);
    lines.length = 0;
  });
  afterAll(async () => {
    await redis.close();
    server.kill('SIGKILL');
  });

  it('makes limits local and stricter, codes unavailable, says so once, and is used again when back', async () => {
    const rule = { key: subject(), limit: 10, windowSec: 60 };
    server.kill('SIGKILL');
    await server.exited;
    expect(await until(() => !redis.up, 5_000)).toBe(true);
    const states = await Promise.all(Array.from({ length: 10 }, () => redis.limiter.take(rule)));
    expect(states.filter((state) => state.ok)).toHaveLength(5);
    await expect(redis.oneTime.put(subject(), '1', 60)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(redis.oneTime.take(subject())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(logged('redis.away')).toBe(1);
    const places = Array.from({ length: 4 }, (_, i) => ({ key: rule.key, limit: 4, id: String(i) }));
    const entered = await Promise.all(places.map((place) => redis.limiter.enter(place)));
    expect(entered).toEqual([true, true, false, false]);
    for (const place of places) await redis.limiter.leave(place);

    start();
    expect(await until(() => redis.up, 10_000)).toBe(true);
    expect((await redis.limiter.take(rule)).remaining).toBe(9);
    const key = subject();
    await redis.oneTime.put(key, 'again', 60);
    expect(await redis.oneTime.take(key)).toBe('again');
    expect(logged('redis.back')).toBe(1);
  });

  it('holds no call up for long when it hangs', async () => {
    const rule = { key: subject(), limit: 10, windowSec: 60 };
    lines.length = 0;
    server.kill('SIGSTOP');
    const began = performance.now();
    expect((await redis.limiter.take(rule)).ok).toBe(true);
    await expect(redis.oneTime.get(subject())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(logged('redis.away')).toBe(1);
    server.kill('SIGCONT');
    expect(await until(async () => (await redis.limiter.take(rule)) && redis.up, 10_000)).toBe(true);
  });
});

describe('a Redis that is not there at the start', () => {
  it('does not keep the server from starting', async () => {
    const redis = await openRedis(`redis://127.0.0.1:${freePort()}`, quiet);
    expect(redis.up).toBe(false);
    expect((await redis.limiter.take({ key: subject(), limit: 2, windowSec: 60 })).ok).toBe(true);
    await redis.close();
  });
});

describe('the subject of an address', () => {
  it('is the address in IPv4 and the subscriber’s network in IPv6', () => {
    expect(addressSubject('203.0.113.7')).toBe('203.0.113.7');
    expect(addressSubject('2001:db8:1:2:aaaa::1')).toBe(addressSubject('2001:db8:1:2:ffff::9'));
    expect(addressSubject('2001:db8:1:2::1')).not.toBe(addressSubject('2001:db8:1:3::1'));
    expect(addressSubject('::ffff:203.0.113.7')).not.toBe(addressSubject('::ffff:203.0.113.8'));
  });
});
