import { afterAll, beforeAll, expect, test } from 'bun:test';
import { freshDatabase } from '../../tests/support/database.ts';
import { type Changes, openChanges } from '../db/changes.ts';
import type { Database } from '../db/client.ts';
import { createLogger } from '../platform/logger.ts';
import { createSecrets } from '../platform/secrets.ts';
import { keptByVersion } from './by-version.ts';
import { type Options, openOptions } from './store.ts';
import { wordsIn } from './words.ts';

let db: Database;
let changes: Changes;
let one: Options;
let other: Options;
beforeAll(async () => {
  db = await freshDatabase('postgres');
  const log = createLogger('error', () => undefined);
  changes = await openChanges(db, log);
  const secrets = createSecrets(Buffer.alloc(32, 7).toString('base64'));
  one = await openOptions(db, changes, secrets, log);
  other = await openOptions(db, changes, secrets, log);
});
afterAll(async () => {
  await changes.close();
  await db.close();
});

test('what is made of options is made once a version, of each options for themselves', async () => {
  const told: (number | undefined)[] = [];
  let made = 0;
  const count = keptByVersion<number>((_, before) => {
    told.push(before);
    return ++made;
  });
  expect([count(one), count(one), count(other), count(one)]).toEqual([1, 1, 2, 1]);
  await one.set({ RetryTimes: '3' });
  expect([count(one), count(one)]).toEqual([3, 3]);
  expect(told).toEqual([undefined, undefined, 1]);
});

test('a fault while it is made is not kept', () => {
  let fails = true;
  const make = keptByVersion(() => {
    if (fails) throw new Error('not yet');
    return 'made';
  });
  expect(() => make(one)).toThrow('not yet');
  fails = false;
  expect(make(one)).toBe('made');
});

test('a list of words is built anew only when it is another one', async () => {
  await one.set({ SensitiveWords: 'forbidden' });
  const first = wordsIn(one, 'SensitiveWords');
  await one.set({ RetryTimes: '4' });
  expect(wordsIn(one, 'SensitiveWords')).toBe(first);
  await one.set({ SensitiveWords: 'unwanted' });
  const second = wordsIn(one, 'SensitiveWords');
  expect([second.find('forbidden'), second.find('unwanted')]).toEqual([null, 'unwanted']);
});
