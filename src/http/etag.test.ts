import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { etag } from './etag.ts';

test('an answer that is kept is rendered once for all who ask for it', async () => {
  let rendered = 0;
  const kept = { toJSON: () => `rendered ${++rendered}` };
  const app = new Elysia().use(etag).get('/', () => kept, { etag: true });
  const ask = () => app.handle(new Request('http://localhost/'));
  const answers = [await ask(), await ask()];
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['"rendered 1"', '"rendered 1"']);
  expect(answers[0]?.headers.get('etag')).toBe(answers[1]?.headers.get('etag') ?? '');
});
