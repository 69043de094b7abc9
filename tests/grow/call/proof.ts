/** The new call answers, is described, and the console knows its types. */
import { afterAll, beforeAll, expect, expectTypeOf, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { description } from '../../src/http/openapi.ts';
import type { DataOf } from '../../web/lib/calls.ts';
import { openApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
  await api.root();
});
afterAll(() => api.close());

it('answers its own user, and nobody else', async () => {
  const client = await api.as(await api.createUser());
  expect(await client.get('/api/token/oldest')).toMatchObject({ success: false, code: 'NOT_FOUND' });
  for (const name of ['first', 'second']) await client.post('/api/token/', { name, unlimited_quota: true });
  expect((await client.get('/api/token/oldest')).data).toEqual({ id: expect.any(Number), name: 'first' });
  const other = await api.as(await api.createUser());
  expect(await other.get('/api/token/oldest')).toMatchObject({ success: false, code: 'NOT_FOUND' });
  expect((await api.guest().get('/api/token/oldest')).status).toBe(401);
});

it('is described', async () => {
  const answer = await description([createApi(api.deps)]).handle(
    new Request('http://localhost/openapi.json'),
  );
  expect((await answer.json()).paths['/api/token/oldest']).toHaveProperty('get');
});

it('is known to the console by its types', () => {
  expectTypeOf<DataOf<'get', '/api/token/oldest'>>().toEqualTypeOf<{ id: number; name: string }>();
});
