import { expect, it } from 'bun:test';
import { shareOfUser } from '../../core/share.ts';
import { type FilePlace, FilePlaces } from './file-places.ts';

const BOUNDS = { atOnce: 4, ofOneAtOnce: 2, waitingMax: 4, ofOneWaitingMax: 2 };

/** Places in which `a` and `b` have two each, and who of them stood still first. */
async function taken(waitMs: number) {
  const places = new FilePlaces(BOUNDS, waitMs);
  const ended: string[] = [];
  const enter = (userId: number, ip: string): Promise<FilePlace> =>
    places.enter({ share: shareOfUser(userId), ip, left: new AbortController().signal });
  const read: [string, FilePlace][] = [];
  for (const [name, userId, ip] of [
    ['a1', 1, '198.51.100.1'],
    ['a2', 1, '198.51.100.1'],
    ['b1', 2, '192.0.2.1'],
    ['b2', 2, '192.0.2.1'],
  ] as const)
    read.push([name, await enter(userId, ip)]);
  const still = (wanted: string, sinceMs = performance.now()) => {
    const place = read.find(([name]) => name === wanted)?.[1];
    return place?.standsStill(() => ended.push(wanted), sinceMs);
  };
  return { ended, enter, still };
}

it('gives way to another, the one first who has stood still the longest', async () => {
  const { ended, enter, still } = await taken(5_000);
  still('b2')?.();
  // It was told of the one later, who took a piece meanwhile and is no faster for that.
  still('a1', 2_000);
  still('b1', 1_000);
  await enter(3, '203.0.113.9');
  expect(ended).toEqual(['b1']);
  await enter(4, '203.0.113.77');
  expect(ended).toEqual(['b1', 'a1']);
});

it('gives way as soon as somebody stands still, and to nobody who is kept by what he has himself', async () => {
  const { ended, enter, still } = await taken(5_000);
  const waiting = enter(3, '203.0.113.9');
  await Bun.sleep(0);
  expect(ended).toEqual([]);
  still('a2');
  await waiting;
  expect(ended).toEqual(['a2']);
  const more = enter(2, '192.0.2.1');
  still('a1');
  await Bun.sleep(0);
  expect(ended).toEqual(['a2']);
  still('b1');
  await more;
  expect(ended).toEqual(['a2', 'b1']);
});

it('counts a range of addresses as one, and refuses who waits too long', async () => {
  const { ended, enter, still } = await taken(20);
  expect(await enter(3, '203.0.113.9').catch((error) => error)).toMatchObject({
    code: 'OVERLOADED',
    detail: { retryAfterSec: 2 },
  });
  // Half of all places are of one range: only of it one gives way.
  still('a1');
  const neighbour = enter(5, '192.0.2.200').catch((error) => error.code);
  expect(await neighbour).toBe('OVERLOADED');
  still('b1');
  await enter(5, '192.0.2.200');
  expect(ended).toEqual(['b1']);
});
