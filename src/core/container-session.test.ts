import { expect, it } from 'bun:test';
import { isActive, sessionsDue } from './container-session.ts';

const M = 60;

it.each<[paid: number | null, from: number, until: number, due: number, last: number]>([
  [null, 100, 101, 1, 100],
  [null, 100, 119, 1, 100],
  [null, 100, 120, 2, 120],
  [null, 100, 165, 4, 160],
  [100, 119, 120, 0, 100],
  [100, 119, 138, 0, 100],
  [100, 119, 139, 1, 139],
  [100, 120, 121, 1, 120],
  // Another answer, which began later, has paid by now.
  [139, 119, 140, 0, 139],
  [139, 119, 160, 1, 159],
])('paid at %p, from %p until %p: %p due, and paid at %p', (paid, from, until, due, last) => {
  const paidSec = paid === null ? null : paid * M;
  expect(sessionsDue(paidSec, from * M, until * M)).toEqual({ due, paidSec: last * M });
});

it('is there for twenty minutes after it was used', () => {
  const kept = { channelId: 1, keyId: 1, kind: 'shell', gigabytes: 1, paidSec: 0, usedSec: 100 * M };
  expect([119, 120].map((minute) => isActive(kept, minute * M))).toEqual([true, false]);
});
