import { expect, it } from 'bun:test';
import { Elysia } from 'elysia';
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
