import { expect, it, spyOn } from 'bun:test';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { readEnv } from '../env.ts';
import { createLogger } from '../platform/logger.ts';
import { anyHost } from './any-host.ts';
import { envelope } from './envelope.ts';

it('lets the router read no query: neither lists and objects in it, nor names of the path', async () => {
  const query = z.looseObject({ a: z.string().optional() });
  const app = new Elysia({ handler: anyHost })
    .use(envelope({ env: readEnv({}), log: createLogger('error', () => undefined) }))
    .get('/of/:id', (call) => call.query, { query });
  const parse = spyOn(JSON, 'parse');
  const answer = await app.handle(new Request('http://localhost/of/1?a=[1]&a={"b":2}&c=1,2&d=[3]&e=%26'));
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(await answer.json()).toEqual({ a: '{"b":2}', c: '1,2', d: '[3]', e: '&' });
  expect(await (await app.handle(new Request('http://localhost/of/1'))).json()).toEqual({});
});
