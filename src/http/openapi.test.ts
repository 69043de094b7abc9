import { expect, it } from 'bun:test';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { description } from './openapi.ts';

it('is made anew after it could not be made', async () => {
  const app = new Elysia().get('/api/a', () => 'a');
  let fails = true;
  const failing = Object.create(app, {
    routes: {
      get: () => {
        if (fails) throw new Error('no memory is left');
        return app.routes;
      },
    },
  });
  const described = description([failing]);
  const ask = async () => (await described.handle(new Request('http://localhost/openapi.json'))).status;
  expect(await ask()).toBe(500);
  fails = false;
  expect(await ask()).toBe(200);
});

it('is made with turns for others between the calls of two addresses', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  /** In which turn the field of each was last read. */
  const seen = new Map<string, number>();
  const app = new Elysia();
  for (const name of ['a', 'b', 'c']) {
    const x = z.lazy(() => {
      seen.set(name, turns);
      return z.string();
    });
    app.get(`/api/${name}`, () => name, { query: z.object({ x }) });
  }
  setImmediate(turn);
  await description([app]).handle(new Request('http://localhost/openapi.json'));
  isOver = true;
  expect([...seen.keys()]).toEqual(['a', 'b', 'c']);
  expect(new Set(seen.values()).size).toBe(3);
});
