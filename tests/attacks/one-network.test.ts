/** Accounts cost nothing: one who has many, behind one address, and asks and writes with all of them at once. */
import { afterEach, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { onBehalf, turnOfWork } from '../../src/platform/on-behalf.ts';
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
    api = await openApi('postgres');
    await api.deps.options.set({ ApiRateLimitSession: '1', ApiRateLimitAddress: '1' });
    const most = limits.busyOfNetwork * times;
    const clients = await accounts(most + 3, ip);
    // Who finds no room among them has that of strangers.
    for (let n = 0; n < times; n++) await api.guest({ ip: ip(n) }).get('/api/status');
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
    api = await openApi('postgres');
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

/** How many transactions are under way, of which network, each of which stays until `release`. */
function heldTransactions({ deps }: TestApi) {
  const { orm } = deps.db;
  const { transaction } = orm;
  const held = Promise.withResolvers<void>();
  const now = new Map<string, number>();
  const most = new Map<string, number>();
  const waiting: { count: number; reached(): void }[] = [];
  const count = (name: string, amount: 1 | -1): number => {
    const counted = (now.get(name) ?? 0) + amount;
    now.set(name, counted);
    most.set(name, Math.max(most.get(name) ?? 0, counted));
    return counted;
  };
  Object.assign(orm, {
    transaction: (...[work, config]: Parameters<typeof transaction>) =>
      transaction.call(
        orm,
        async (tx) => {
          const network = turnOfWork()?.network ?? 'none';
          count(network, 1);
          const all = count('all', 1);
          for (const each of waiting) if (each.count === all) each.reached();
          await held.promise;
          try {
            return await work(tx);
          } finally {
            count(network, -1);
            count('all', -1);
          }
        },
        config,
      ),
  });
  return {
    /** The most that were under way at once. */
    mostOf: (name: string) => most.get(name) ?? 0,
    reach: (wanted: number) =>
      new Promise<void>((reached) => {
        if ((now.get('all') ?? 0) >= wanted) reached();
        else waiting.push({ count: wanted, reached });
      }),
    release() {
      held.resolve();
      Object.assign(orm, { transaction });
    },
  };
}

describe('many accounts at once, from one network,', () => {
  const rename = (client: Client) => client.put('/api/user/self', { display_name: 'other' });
  const make = (client: Client) => client.post('/api/token/', { name: 'one more' });
  const redeem = (client: Client) => client.post('/api/user/topup', { key: 'of-nobody' });
  const read = (client: Client) => client.get('/api/log/self');
  const own = (n: number) => `2001:db8:1:${n.toString(16)}::1`;
  const other = (n: number) => `198.51.100.${n}`;

  it('leave others their half of the places, to change something and to read what is slow', async () => {
    api = await openApi('postgres');
    const clients = await accounts(8, own);
    const others = await accounts(4, other);
    for (const client of [...clients, ...others]) await client.get('/api/user/2fa/status');
    for (const [call, places] of [
      [rename, limits.changesAtOnce],
      [make, limits.changesAtOnce],
      [redeem, limits.changesAtOnce],
      [read, limits.logReadsAtOnce],
    ] as const) {
      const half = Math.floor(places / 2);
      const held = heldTransactions(api);
      const flood = Promise.all(clients.map(call));
      await held.reach(half);
      const rest = Promise.all(others.map(call));
      await held.reach(places);
      held.release();
      for (const { status } of [...(await flood), ...(await rest)]) expect(status).toBe(200);
      expect(held.mostOf('all')).toBe(places);
      expect(held.mostOf('2001:db8:1::/48')).toBe(half);
    }
  });

  it('of whom one changes much at once, still let him change something else', async () => {
    api = await openApi('postgres');
    const user = await api.createUser();
    const [writer, browser] = [await api.as(user), await api.as(user)];
    const long = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const much = onBehalf(
      () => ({ who: `user:${user.id}`, network: '127.0.0.1' }),
      () =>
        api.deps.changes.commit(async () => {
          begun.resolve();
          await long.promise;
        }),
    );
    await begun.promise;
    expect((await writer.put('/api/user/self', { display_name: 'other' })).status).toBe(200);
    expect((await browser.get('/api/user/logout')).status).toBe(200);
    long.resolve();
    await much;
  });
});
