/** Accounts cost nothing: one who has many, behind one address, and asks and writes with all of them at once. */
import { afterEach, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';

let api: TestApi;
afterEach(() => api.close());

/** Signed-in clients of as many accounts, each from the address that it is given. */
const accounts = async (count: number, ip: (n: number) => string): Promise<Client[]> => {
  const clients: Client[] = [];
  for (let n = 0; n < count; n++) clients.push(await api.as(await api.createUser(), { ip: ip(n) }));
  return clients;
};

describe('calls of many accounts', () => {
  it.each<[string, number, (n: number) => string]>([
    ['from one address', 1, () => '203.0.113.1'],
    ['from one /64', 1, (n) => `2001:db8:1:1::${n.toString(16)}`],
    ['from one /48', 8, (n) => `2001:db8:1:${n.toString(16)}::1`],
  ])('are counted together, %s', async (_how, times, ip) => {
    api = await openApi('pglite');
    await api.deps.options.set({ ApiRateLimitSession: '1' });
    const most = limits.busyOfNetwork * times;
    const clients = await accounts(most + 3, ip);
    const statuses: number[] = [];
    for (const client of clients) statuses.push((await client.get('/api/user/groups')).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(most);
    expect(statuses.slice(most)).toEqual([429, 429, 429]);
    const [other] = await accounts(1, () => '198.51.100.1');
    expect((await other?.get('/api/user/groups'))?.status).toBe(200);
  });
});

/** Counts the statements that look a session up. */
function sessionReads({ deps }: TestApi): { count: number } {
  const { orm } = deps.db;
  const { select } = orm;
  const reads = { count: 0 };
  Object.assign(orm, {
    select: (...given: Parameters<typeof select>) => {
      if (given.length > 0 && 'session' in given[0]) reads.count++;
      return select.apply(orm, given);
    },
  });
  return reads;
}

describe('one who changes his own account without a pause', () => {
  it('makes nobody else’s session be read anew', async () => {
    api = await openApi('pglite');
    const [writer, reader] = await accounts(2, () => '203.0.113.1');
    await reader?.get('/api/user/2fa/status');
    const reads = sessionReads(api);
    for (const name of ['a', 'b', 'a', 'b']) await writer?.put('/api/user/self', { display_name: name });
    await writer?.del('/api/user/sessions');
    const own = reads.count;
    expect(own).toBeGreaterThan(0);
    expect((await reader?.get('/api/user/2fa/status'))?.status).toBe(200);
    expect(reads.count).toBe(own);
  });
});
