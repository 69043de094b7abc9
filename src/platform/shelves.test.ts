import { expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { memoryOneTimeStore } from './memory-stores.ts';
import type { Shelf } from './one-time.ts';

it('what anybody begins has so many bytes, of which the fullest shelf gives way, and pushes out no code', async () => {
  const store = memoryOneTimeStore();
  const isLeft = (key: string) => store.get(key).then((value) => value !== null);
  await store.put('code', '123456', 120);
  const begun: [key: string, shelves: Shelf[]][] = [
    ['known', [{ key: 'browser', limit: 1, isKnown: true }]],
    ['stranger', [{ key: 'own', limit: 600 }]],
    // Of a large network that is all but empty for its size.
    ['neighbour', ['small', 'large'].map((key, at) => ({ key, limit: 600 * 8 ** at }))],
  ];
  for (const [key, shelves] of begun) await store.put(key, 'x', 120, shelves);
  // A sixteenth of all bytes each.
  const large = 'x'.repeat(limits.begunInMemoryBytes / 32);
  const flood = Array.from({ length: 40 }, (_, n) => `${n % 2 ? 'network' : 'full'}:${n}`);
  for (const [n, key] of flood.entries()) {
    const full = { key: 'full', limit: 600 };
    await store.put(key, large, 120, n % 2 ? [{ key, limit: 600 }] : [full, { key: 'large', limit: 4_800 }]);
  }
  const keys = ['code', ...begun.map(([key]) => key)];
  expect(await Promise.all(keys.map(isLeft))).toEqual(keys.map(() => true));
  const left = (await Promise.all(flood.map(isLeft))).flatMap((isThere, n) => (isThere ? [n] : []));
  expect(left.length).toBeWithin(8, 17);
  // The newest of all is there.
  expect(left.at(-1)).toBe(39);
});
