import { expect, it, spyOn } from 'bun:test';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { readEnv } from '../env.ts';
import { createLogger } from '../platform/logger.ts';
import { anyHost } from './any-host.ts';
import { envelope } from './envelope.ts';

const make = () =>
  new Elysia({ handler: anyHost }).use(
    envelope({ env: readEnv({}), log: createLogger('error', () => undefined) }),
  );

it('judges a wrong form once, and tells the first field that is wrong', async () => {
  const judged: unknown[] = [];
  const odd = z.number().refine((value) => judged.push(value) > 0 && value % 2 === 1);
  const app = make()
    .onParse(({ request }) => request.json())
    .post('/', () => 'ok', { body: z.object({ a: z.object({ b: z.array(odd) }) }) });
  const send = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = new Request('http://localhost/', { method: 'POST', headers, body: JSON.stringify(body) });
    return (await app.handle(sent)).json();
  };
  expect(await send({ a: { b: [1, 2, 4] } })).toMatchObject({ code: 'BAD_PARAM', data: { field: 'a.b.1' } });
  expect(judged).toEqual([1, 2, 4]);
  expect(await send([])).toMatchObject({ code: 'BAD_PARAM', data: { field: 'root' } });
});

it('lets the router read no query: neither lists and objects in it, nor names of the path', async () => {
  const query = z.looseObject({ a: z.string().optional() });
  const app = make().get('/of/:id', (call) => call.query, { query });
  const parse = spyOn(JSON, 'parse');
  const answer = await app.handle(new Request('http://localhost/of/1?a=[1]&a={"b":2}&c=1,2&d=[3]&e=%26'));
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
  expect(await answer.json()).toEqual({ a: '{"b":2}', c: '1,2', d: '[3]', e: '&' });
  expect(await (await app.handle(new Request('http://localhost/of/1'))).json()).toEqual({});
});
