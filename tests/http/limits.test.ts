import { afterEach, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { wrongCredentials } from '../../src/platform/lookups.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';

describe('the bounds of /api', () => {
  let api: TestApi;
  afterEach(() => api.close());
  const open = async () => {
    api = await openApi('postgres');
  };

  it('limit calls an address without a session, and each session on its own', async () => {
    await open();
    await api.deps.options.set({ ApiRateLimitAddress: '3', ApiRateLimitSession: '5' });
    const guest = api.guest({ ip: '203.0.113.1' });
    for (let n = 0; n < 3; n++) expect((await guest.get('/api/status')).status).toBe(200);
    const refused = await guest.get('/api/status');
    expect(refused).toMatchObject({
      status: 429,
      success: false,
      code: 'RATE_LIMIT',
      message: '请求次数过多，请稍后再试',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(180);
    expect((await api.guest({ ip: '203.0.113.2' }).get('/api/status')).status).toBe(200);

    const user = await api.createUser();
    const one = await api.as(user, { ip: '203.0.113.1' });
    const two = await api.as(user, { ip: '203.0.113.1' });
    for (let n = 0; n < 5; n++) expect((await one.get('/api/user/self')).status).toBe(200);
    expect((await one.get('/api/user/self')).status).toBe(429);
    expect((await two.get('/api/user/self')).status).toBe(200);
  });

  it('count the calls of a user in all his sessions together, too', async () => {
    await open();
    await api.deps.options.set({ ApiRateLimitSession: '2', ApiRateLimitAddress: '1' });
    const user = await api.createUser();
    // As strangers they would be let in once more.
    await api.guest().get('/api/status');
    const statuses: number[] = [];
    for (let session = 0; session < 5; session++) {
      const client = await api.as(user);
      for (let n = 0; n < 2; n++) statuses.push((await client.get('/api/user/self')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429, 429]);
    expect((await (await api.as(await api.createUser())).get('/api/user/self')).status).toBe(200);
  });

  /** A browser that signed in elsewhere, and whether it still is. */
  const browserOf = async (username: string, ip: string, isIn = false): Promise<Client> => {
    const client = await api.guest({ ip: '198.51.100.200' }).login(username);
    client.headers['x-forwarded-for'] = ip;
    if (isIn) return client;
    client.cookies.delete('session');
    client.userId = null;
    return client;
  };
  const newName = async () => (await api.createUser()).username;
  const HERE = '192.0.2.9';

  it.each<[string, boolean, (own: string) => Promise<[username: string, ip: string][]>]>([
    [
      'marks that somebody kept of the account, elsewhere',
      false,
      async (own) => [1, 2, 3, 4].map((n) => [own, `203.0.113.${n}`]),
    ],
    [
      'marks of a neighbour’s accounts',
      false,
      async () => [await newName(), await newName()].flatMap((name) => Array(4).fill([name, HERE])),
    ],
    [
      'sessions of a neighbour’s accounts',
      true,
      async () => [await newName(), await newName()].flatMap((name) => Array(4).fill([name, HERE])),
    ],
  ])('let nobody in less because he is known: %s', async (_whose, isIn, others) => {
    await open();
    const name = await newName();
    const own = await browserOf(name, HERE, isIn);
    const clients: Client[] = [];
    for (const [username, ip] of await others(name)) clients.push(await browserOf(username, ip, isIn));
    await api.deps.options.set({ ApiRateLimitAddress: '2', ApiRateLimitSession: '2' });
    for (const client of clients) for (let n = 0; n < 2; n++) await client.get('/api/status');
    // Of a session that has left nothing but its cookie.
    if (isIn) own.cookies.delete('known');
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await own.get('/api/status')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await api.guest({ ip: HERE }).get('/api/status')).status).toBe(429);
  });

  it('count the calls of each relay key, and those of a user’s keys together, apart from his own', async () => {
    await open();
    const user = await api.createUser();
    const own = await api.as(user);
    const clients: Client[] = [];
    for (let n = 0; n < 5; n++) {
      const { data } = await own.post('/api/token/', { name: 'client' });
      const client = api.guest();
      client.headers.authorization = `Bearer sk-${data.key}`;
      clients.push(client);
    }
    await api.deps.options.set({ ApiRateLimitSession: '2', ApiRateLimitAddress: '1' });
    const statuses: number[] = [];
    for (const client of clients)
      for (let n = 0; n < 2; n++) statuses.push((await client.get('/api/supplier')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429, 429]);
    expect((await (await api.as(user)).get('/api/supplier')).status).toBe(200);
  });

  it('have a relay key looked up where clients call and nowhere else', async () => {
    await open();
    const ip = '203.0.113.9';
    const client = api.guest({ ip });
    client.headers.authorization = `Bearer sk-${'x'.repeat(48)}`;
    const [rule] = wrongCredentials('relay', { ip, apart: '', holder: null });
    const looked = () => api.deps.limiter.counted(rule?.key ?? '');
    for (const path of [
      '/api/status',
      '/api/user/self',
      '/api/nothing',
      '/api/task/like',
      '/api/prompt/suggest',
    ])
      await client.get(path);
    await client.post('/api/user/login', {});
    expect(await looked()).toBe(0);
    expect((await client.get('/api/supplier/')).code).toBe('invalid_api_key');
    expect(await looked()).toBe(1);
  });

  it('count the calls of a whole IPv6 subscriber together, and those of unknown paths too', async () => {
    await open();
    await api.deps.options.set({ ApiRateLimitAddress: '2' });
    await api.guest({ ip: '2001:db8:1:2::1' }).get('/api/status');
    await api.guest({ ip: '2001:db8:1:2:ffff::9' }).get('/api/nothing/here');
    expect((await api.guest({ ip: '2001:db8:1:2::3' }).get('/api/status')).status).toBe(429);
  });

  it('let no forged X-Forwarded-For change the address that counts', async () => {
    await open();
    await api.deps.options.set({ ApiRateLimitAddress: '2' });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) {
      // The proxy appends the peer's address at the right of what the caller wrote.
      statuses.push((await api.guest({ ip: `198.51.100.${n}, 203.0.113.7` }).get('/api/status')).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('take of a body what its schema can hold: 64 KiB of small forms, 4 MiB of the largest', async () => {
    await open();
    const form = (bytes: number) =>
      JSON.stringify({ username: 'x', password: 'y', filler: 'z'.repeat(bytes) });
    const guest = api.guest();
    expect((await guest.post('/api/user/login', form(limits.guestBodyBytes - 100))).status).toBe(200);
    expect(await guest.post('/api/user/login', form(limits.guestBodyBytes))).toMatchObject({
      status: 413,
      success: false,
      code: 'BODY_TOO_LARGE',
    });
    const client = await api.as(await api.createUser());
    expect((await client.put('/api/user/self', form(limits.guestBodyBytes - 100))).status).toBe(200);
    expect((await client.put('/api/user/self', form(limits.guestBodyBytes))).status).toBe(413);
    const root = await api.root();
    const option = (bytes: number) => ({ key: 'Notice', value: 'ok', filler: 'z'.repeat(bytes) });
    for (const path of ['/api/option', '/api/option/']) {
      expect((await root.put(path, option(limits.apiBodyBytes - 100))).status).toBe(200);
      expect((await root.put(path, option(limits.apiBodyBytes))).status).toBe(413);
    }
  });

  it('stop reading a body that does not tell its length', async () => {
    await open();
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    const response = await api.handle(
      new Request('http://localhost/api/user/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: endless,
      }),
    );
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(limits.guestBodyBytes * 2);
  });

  it('refuse a compressed body with 415', async () => {
    await open();
    const answer = await api.guest().call('POST', '/api/user/login', '{}', { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ status: 415, success: false, code: 'BODY_ENCODING' });
  });

  it('answer nonsense with 4xx and never fall over', async () => {
    await open();
    const client = await api.root();
    for (const body of [
      '['.repeat(50_000),
      `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      '{"id": 1e999}',
      '{"id": "1; drop table users"}',
      '{"__proto__": {"role": 100}}',
      '\xff\xfe',
      'null',
      '',
    ]) {
      for (const [method, path] of [
        ['PUT', '/api/user/'],
        ['POST', '/api/user/'],
        ['POST', '/api/user/manage'],
        ['PUT', '/api/option/'],
        ['POST', '/api/user/login'],
        ['POST', '/api/setup'],
      ] as const) {
        const answer = await client.call(method, path, body);
        expect(answer.status).toBeLessThan(500);
        expect(answer.success).toBe(false);
      }
    }
    expect(await api.deps.db.query('select 1 from users')).toHaveLength(1);
  });
});

describe('a demo site', () => {
  it('may be looked at and signed in to, but only root changes anything', async () => {
    const api = await openApi('postgres');
    const root = await api.root();
    const user = await api.createUser();
    const admin = await api.as(await api.createUser({ role: 10 }));
    await root.put('/api/option/', { key: 'DemoSiteEnabled', value: 'true' });
    const client = await api.guest().login(user.username);
    expect((await client.get('/api/user/self')).status).toBe(200);
    const refused = { status: 405, success: false, message: '本站仅作演示之用，无服务端' };
    expect(await client.put('/api/user/self', { display_name: 'x' })).toMatchObject(refused);
    expect(await client.get('/api/user/token')).toMatchObject(refused);
    expect(await client.get('/api/user/fuel_pack')).toMatchObject(refused);
    expect(await admin.post('/api/user/', { username: 'new', password: 'Passw0rd1' })).toMatchObject(refused);
    for (const path of [
      '/channel/test/1',
      '/channel/update_balance',
      '/channel/fetch_models/1',
      '/oauth/state',
    ]) {
      expect(await admin.get(`/api${path}`)).toMatchObject(refused);
    }
    for (const path of ['/log/export', '/user/statement/export', '/captcha']) {
      expect((await admin.get(`/api${path}`)).status).toBe(200);
    }
    expect((await client.get('/api/user/logout')).success).toBe(true);
    expect((await root.put('/api/option/', { key: 'DemoSiteEnabled', value: 'false' })).success).toBe(true);
    expect((await admin.post('/api/user/', { username: 'new', password: 'Passw0rd1' })).success).toBe(true);
    await api.close();
  });
});
