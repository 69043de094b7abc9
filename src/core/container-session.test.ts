import { expect, it } from 'bun:test';
import { isActive, mayBeActive, sessionsDue } from './container-session.ts';

const M = 60;

it.each<[paid: number | null, from: number, until: number, due: number, last: number]>([
  [null, 100, 101, 1, 100],
  [null, 100, 119, 1, 100],
  [null, 100, 120, 2, 120],
  [null, 100, 165, 4, 160],
  [100, 118, 119, 0, 100],
  [100, 119, 120, 1, 120],
  [100, 119, 138, 1, 120],
  [100, 119, 140, 2, 140],
  [100, 120, 121, 1, 120],
  // Another answer, which began later, has paid by now.
  [139, 119, 140, 0, 139],
  [139, 119, 138, 0, 139],
  [139, 119, 160, 1, 159],
])('paid at %p, from %p until %p: %p due, and paid at %p', (paid, from, until, due, last) => {
  const paidSec = paid === null ? null : paid * M;
  const passing = { fromSec: from * M, untilSec: until * M, sessionSec: 20 * M };
  expect(sessionsDue(paidSec, passing)).toEqual({ due, paidSec: last * M });
});

it('is there for twenty minutes after it was used', () => {
  const used = { paidSec: 0, usedSec: 100 * M, lastSec: 110 * M };
  const kept = { channelId: 1, keyId: 1, kind: 'shell', gigabytes: 1, ...used };
  expect([119, 120].map((minute) => isActive(kept, minute * M))).toEqual([true, false]);
  expect([129, 130].map((minute) => mayBeActive(kept, minute * M))).toEqual([true, false]);
});
