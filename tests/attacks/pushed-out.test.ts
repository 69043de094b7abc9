/** Floods of names that make a process without Redis forget what it had counted of others. */
import { expect, it } from 'bun:test';
import { fail } from '../../src/core/errors.ts';
import { limits } from '../../src/core/limits.ts';
import { attempt, byName, byPair } from '../../src/modules/failed-attempts/service.ts';
import type { Options } from '../../src/options/store.ts';
import { type LimitRule, networkRules } from '../../src/platform/limiter.ts';
import { memoryLimiter } from '../../src/platform/memory-limiter.ts';
import { patience } from '../support/patience.ts';

const settings: Partial<Record<string, number>> = {
  CriticalRateLimitCount: 20,
  CriticalRateLimitMinutes: 20,
};
const options = { get: (key: string) => settings[key] } as unknown as Options;

/** Of accounts made, of a second factor, of wrong keys: each in another span of time. */
const kept = [
  networkRules('register', 20, 3_600, '203.0.113.1'),
  [{ key: 'critical:factor:day:far:7', limit: 100, windowSec: 86_400 }],
  networkRules('code-tries:1', 5, 180, '203.0.113.1'),
].flat();

const FLOOD = limits.windowsInMemory + limits.windowsDropped;

type Deps = Parameters<typeof attempt>[0];
const flood: Record<string, (deps: Deps, name: string) => Promise<unknown>> = {
  'wrong at names that nobody has': async (deps, name) =>
    attempt(deps, await byName(deps, 'password', name, '198.51.100.1'), async () => null),
  'right, or forgotten for another reason': async (deps, name) =>
    attempt(deps, await byName(deps, 'password', name, '198.51.100.1'), async () => true),
  'refused because the line is full': async (deps, name) =>
    attempt(deps, await byName(deps, 'password', name, '198.51.100.1'), () =>
      Promise.reject(fail('RATE_LIMIT')),
    ).catch(() => null),
  'wrong at one name from many networks': async (deps, name) =>
    attempt(deps, byPair(deps, 'password', 'root', `10.${name}`), async () => false),
  'given back by counters that have an owner each': async (deps, name) =>
    attempt(deps, [{ key: `critical:confirm:own:${name}`, limit: 5, windowSec: 1_200 }], async () => true),
};

it.each(Object.entries(flood))(
  'tries that are %s push out no counter of others',
  async (_what, tryOnce) => {
    const deps = { limiter: memoryLimiter(), options };
    await deps.limiter.takeAll(kept);
    // Limits are wide enough for a flood from many networks at once.
    settings.CriticalRateLimitCount = FLOOD;
    for (let n = 0; n < FLOOD; n++) await tryOnce(deps, `${n % 250}.${(n >> 8) % 250}.${n >> 16}-${n}`);
    settings.CriticalRateLimitCount = 20;
    const counts = await Promise.all(kept.map(({ key }) => deps.limiter.counted(key)));
    expect(counts).toEqual(kept.map(() => 1));
  },
  patience(60_000),
);

it('names that nobody has leave no more counters for a day than there are places for them', async () => {
  const limiter = memoryLimiter();
  const day = new Map<string, number>();
  const deps = {
    options,
    limiter: {
      ...limiter,
      takeAll: (rules: readonly LimitRule[]) => {
        for (const { key, windowSec } of rules) {
          if (windowSec === limits.failedAttemptsDaySec) day.set(key, (day.get(key) ?? 0) + 1);
        }
        return limiter.takeAll(rules);
      },
    },
  };
  const names = limits.nameCounters * 2;
  for (let n = 0; n < names; n++) {
    // A network each, so that nothing but the name tells them apart.
    const ip = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    await attempt(deps, await byName(deps, 'password', `nobody-${n}`, ip), async () => null);
  }
  expect(day.size).toBeLessThanOrEqual(limits.nameCounters);
  // Evenly, so that no name waits long for what was tried at others.
  expect(Math.max(...day.values())).toBeLessThan(20);
  expect([...day.values()].reduce((sum, count) => sum + count, 0)).toBe(names);
});
