import { expect, test } from 'bun:test';
import { limits } from '../core/limits.ts';
import { createLookups } from './lookups.ts';
import { memoryLimiter } from './memory-limiter.ts';

test('who was somebody lately is looked up whatever his address did; of too many the oldest waits with the others', async () => {
  const lookups = createLookups(
    memoryLimiter(() => 0),
    'test',
    2,
  );
  const from = { ip: '203.0.113.1' };
  const look = (credential: string) => lookups.look(credential, from, async () => ({ credential }));
  for (const credential of ['a', 'b', 'c']) await look(credential);
  // Of this address nobody new gets in any more.
  for (let n = 0; n < limits.badKeysAMinute; n++) await lookups.look(`guess-${n}`, from, async () => null);
  for (let n = 0; n < limits.slowLookupsASecond; n++)
    await lookups.look(`guess-${n}`, from, async () => null);
  expect(await look('b')).toEqual({ credential: 'b' });
  expect(await look('c')).toEqual({ credential: 'c' });
  expect(await look('a').catch(({ code }) => code)).toBe('RATE_LIMIT');
  // One that is nobody's any more is a stranger from then on.
  expect(await lookups.look('b', from, async () => null)).toBeNull();
  expect(await look('b').catch(({ code }) => code)).toBe('RATE_LIMIT');
});
