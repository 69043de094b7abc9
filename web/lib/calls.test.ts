import { describe, expect, expectTypeOf, it } from 'bun:test';
import type { ChannelRow } from '../../src/modules/channel/contract.ts';
import { type Api, apiOf } from './api.ts';
import type { DataOf, GivenOf } from './calls.ts';

const sent: string[] = [];
const api: Api = apiOf({
  call: async (method, address, body) => {
    sent.push([method, address, JSON.stringify(body)].join(' ').trim());
    return { data: 'data' };
  },
  getOnce: async (address) => ({ data: 'data', next: address }),
  file: async (address) => new Blob([address]),
});
const sentBy = async (call: Promise<unknown>): Promise<string | undefined> => {
  await call;
  return sent.at(-1);
};

describe('a call', () => {
  it('goes to the address that its path, its query and its body make', async () => {
    expect(await sentBy(api.get('/api/channel/:id', { params: { id: 7 } }))).toBe('GET /api/channel/7');
    expect(await sentBy(api.get('/api/channel/:id', { params: { id: '7/../8?x' } }))).toBe(
      'GET /api/channel/7%2F..%2F8%3Fx',
    );
    expect(await sentBy(api.get('/api/channel/', { query: { p: 2, keyword: 'a b', tag: '' } }))).toBe(
      'GET /api/channel/?p=2&keyword=a+b',
    );
    expect(await sentBy(api.send('PUT', '/api/user/self', { body: { language: 'en' } }))).toBe(
      'PUT /api/user/self {"language":"en"}',
    );
    expect(await sentBy(api.send('POST', '/api/user/token'))).toBe('POST /api/user/token');
    const file = await api.file('/api/admin_action/export', { query: { action: 'user.create' } });
    expect(await file.text()).toBe('/api/admin_action/export?action=user.create');
  });

  it('gives its data, or all that it answers', async () => {
    expect<unknown>(await api.get('/api/status')).toBe('data');
    const given = { params: { provider: 'github' }, query: { code: 'x' } };
    expect<unknown>(await api.getOnce('/api/oauth/:provider', given)).toEqual({
      data: 'data',
      next: '/api/oauth/github?code=x',
    });
  });
});

// What follows is proven by the type checker: a path, a method or a field that the routes do not know is no program.
describe('the types of a call', () => {
  it('are those of its route', () => {
    expectTypeOf<DataOf<'get', '/api/channel/:id'>>().toEqualTypeOf<ChannelRow>();
    expectTypeOf<DataOf<'get', '/api/channel/'>['items'][number]['key_hint']>().toEqualTypeOf<string>();
    expectTypeOf<DataOf<'get', '/api/status'>['quota_per_unit']>().toEqualTypeOf<number>();
    expectTypeOf<DataOf<'put', '/api/option/'>>().toEqualTypeOf<undefined>();
    expectTypeOf<GivenOf<'put', '/api/option/'>['body']['key']>().toEqualTypeOf<string>();
  });

  it('refuse what the route does not know', () => {
    const never = (): unknown[] => [
      // @ts-expect-error no such path
      api.get('/api/channels'),
      // @ts-expect-error no such method there
      api.send('DELETE', '/api/channel/types'),
      // @ts-expect-error its id is missing
      api.get('/api/channel/:id'),
      // @ts-expect-error no such field in the query
      api.get('/api/channel/', { query: { keywords: 'x' } }),
      // @ts-expect-error a field of the body is missing
      api.send('POST', '/api/channel/batch/status', { body: { ids: [1] } }),
      // @ts-expect-error it answers a file
      api.get('/api/admin_action/export'),
      // @ts-expect-error it answers data
      api.file('/api/admin_action/'),
      // @ts-expect-error no such field in the answer
      api.get('/api/channel/:id', { params: { id: 1 } }).then(({ hint }) => hint),
    ];
    expect(never).toBeFunction();
  });
});
