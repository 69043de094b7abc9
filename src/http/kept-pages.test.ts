import { expect, test } from 'bun:test';
import { limits } from '../core/limits.ts';
import { createKeptPages } from './kept-pages.ts';

test('of more pages than are kept the oldest is made again', async () => {
  const pages = createKeptPages(() => 0);
  const made: string[] = [];
  const ask = (key: string) =>
    pages.answer(key, 'id', async () => {
      made.push(key);
      const headers = { 'content-security-policy': "script-src 'nonce-n'", 'x-request-id': 'made' };
      return new Response('<p nonce="n">', { headers });
    });
  for (let n = 0; n <= limits.pagesKept; n++) await ask(`page-${n}`);
  await ask('page-1');
  await ask('page-0');
  expect(made.slice(limits.pagesKept + 1)).toEqual(['page-0']);
});
