import { expect, test } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { Witnesses } from './witnesses.ts';

const WITNESSES = [1, 2, 3].map((userId) => ({ userId, ip: `203.0.${userId}.1` }));

test('so many at so many networks are enough, as long as all of them saw it of late', () => {
  let now = 1;
  const witnesses = new Witnesses({ now: () => now });
  const [first, ...others] = WITNESSES;
  if (!first) throw new Error('nobody');
  witnesses.saw('channel:1', first);
  now += limits.witnessMs + 1;
  for (const each of others) witnesses.saw('channel:1', each);
  expect(witnesses.areEnough('channel:1')).toBe(false);
  witnesses.saw('channel:1', first);
  expect(witnesses.areEnough('channel:1')).toBe(true);
  now += limits.witnessMs + 1;
  expect(witnesses.areEnough('channel:1')).toBe(false);
});

test('three at one network are one', () => {
  const witnesses = new Witnesses();
  for (const { userId } of WITNESSES) witnesses.saw('channel:1', { userId, ip: '203.0.113.7' });
  expect(witnesses.areEnough('channel:1')).toBe(false);
});
