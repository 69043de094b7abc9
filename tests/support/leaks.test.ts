import { expect, it } from 'bun:test';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSWORD } from './api.ts';
import { tempFolder } from './database.ts';
import { leaksIn, listener } from './leaks.ts';

it('hears a password and a key, and nothing that is cut out', () => {
  expect(leaksIn(`fine\n{"password":"${PASSWORD}"}\nkey sk-upstream-0123`)).toEqual([
    `{"password":"${PASSWORD}"}`,
    'key sk-upstream-0123',
  ]);
  expect(leaksIn('{"message":"Incorrect API key provided: ***","sk":"sk-***"}')).toEqual([]);
});

it('hears one that comes in two pieces', async () => {
  const { TEST_LEAKS: before } = process.env;
  const file = join(await tempFolder(), 'leaks');
  appendFileSync(file, '');
  process.env.TEST_LEAKS = file;
  const hear = listener();
  process.env.TEST_LEAKS = before ?? '';
  hear('{"key":"sk-up');
  hear('stream-0123"}\n');
  expect(readFileSync(file, 'utf8')).toBe('{"key":"sk-upstream-0123"}\n');
});
