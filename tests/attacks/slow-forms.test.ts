/** Forms of the console that fill the memory, by their number, their slowness or what becomes of them once they are read. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { limits } from '../../src/core/limits.ts';
import { bodyMost } from '../../src/http/body-size.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { leastOf, RANK } from '../support/contract.ts';

let api: TestApi;
let user: TestUser;
let root: Client;
beforeAll(async () => {
  api = await openApi('pglite');
  user = await api.createUser();
  root = await api.root();
});
afterAll(() => api.close());

const heldBytes = () => api.deps.consoleBodies.bytes;

/** Waits until what is held has come to rest. */
async function settled(): Promise<number> {
  while (heldBytes() === 0) await Bun.sleep(5);
  for (let before = -1; before !== heldBytes(); await Bun.sleep(50)) before = heldBytes();
  return heldBytes();
}

/** Room is given back after the answer; the deadline is the test's own. */
async function allGivenBack(): Promise<void> {
  while (heldBytes() > 0) await Bun.sleep(20);
}

interface Upload {
  client: Client;
  method: string;
  path: string;
  bytes: number;
}

/** A body that sends so many bytes and then waits, until it is ended; and how much of it was asked for. */
function slowUpload({ client, method, path, bytes }: Upload) {
  let sent = 0;
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        end = () => controller.error(new Error('the caller has left'));
      },
      pull(controller) {
        if (sent >= bytes) return new Promise(() => undefined);
        const piece = Math.min(64 * 1024, bytes - sent);
        sent += piece;
        controller.enqueue(new Uint8Array(piece).fill(32));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers({ host: 'localhost', 'content-type': 'application/json', ...client.headers });
  headers.set('cookie', [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  if (client.userId !== null) headers.set('new-api-user', String(client.userId));
  const answer = api.handle(new Request(`http://localhost${path}`, { method, headers, body }));
  return { answer, end: () => end(), sent: () => sent };
}

describe('slow forms', () => {
  const MIB = 1024 * 1024;
  const cases: Record<
    string,
    { most: number; upload: () => Promise<Omit<Upload, 'client'> & { clients: Client[] }> }
  > = {
    'large ones of one user': {
      most: limits.userFormsBytes / 2,
      upload: async () => ({
        clients: [await api.as(user)],
        method: 'POST',
        path: '/api/token/',
        bytes: 3 * MIB,
      }),
    },
    'of one user in many sessions': {
      most: limits.userFormsBytes / 2,
      upload: async () => ({
        clients: await Promise.all(Array.from({ length: 8 }, () => api.as(user))),
        method: 'PUT',
        path: '/api/token',
        bytes: 3 * MIB,
      }),
    },
    'of an admin': {
      most: limits.userFormsBytes / 2,
      upload: async () => ({
        clients: [await api.as(await api.createUser({ role: 10 }))],
        method: 'PUT',
        path: '/api/channel/',
        bytes: 3 * MIB,
      }),
    },
    'of many users': {
      most: limits.userFormsBytes,
      upload: async () => ({
        clients: await Promise.all(Array.from({ length: 10 }, async () => api.as(await api.createUser()))),
        method: 'POST',
        path: '/api/token/',
        bytes: 3 * MIB,
      }),
    },
    'of guests of one network': {
      most: limits.guestFormsBytes / 2,
      upload: async () => ({
        clients: Array.from({ length: 10 }, (_, n) => api.guest({ ip: `2001:db8:7:${n}::1` })),
        method: 'POST',
        path: '/api/user/login',
        bytes: 60 * 1024,
      }),
    },
  };

  it.each(Object.entries(cases))('%s hold no more than their part', async (_who, { most, upload }) => {
    const { clients, ...call } = await upload();
    const count = Math.ceil((most * 1.5) / call.bytes);
    const uploads = Array.from({ length: count }, (_, n) => {
      const client = clients[n % clients.length];
      if (!client) throw new Error('no client');
      return slowUpload({ ...call, client });
    });
    const held = await settled();
    expect(held).toBeGreaterThan(most / 4);
    expect(held).toBeLessThanOrEqual(most);
    const statuses = uploads.map(async ({ answer, end }) => {
      setTimeout(end, 200);
      return (await answer).status;
    });
    expect(await Promise.all(statuses)).toContain(503);
    await allGivenBack();
  });

  it('of all guests together keep nobody out who is signed in', async () => {
    const uploads = Array.from({ length: 1_400 }, (_, n) =>
      slowUpload({
        client: api.guest({ ip: `198.18.${n % 200}.1` }),
        method: 'POST',
        path: '/api/user/login',
        bytes: 60 * 1024,
      }),
    );
    expect(await settled()).toBeGreaterThan(limits.guestFormsBytes * 0.9);
    const client = await api.as(user);
    expect((await client.put('/api/user/self', { display_name: 'someone' })).success).toBe(true);
    for (const { end } of uploads) end();
    await Promise.all(uploads.map(({ answer }) => answer));
    await allGivenBack();
  });

  it('are not read at all where the caller may not call', async () => {
    const admin = await api.as(await api.createUser({ role: 10 }));
    const client = await api.as(user);
    const refused: [Client, string, string, number][] = [
      [api.guest(), 'POST', '/api/token/', 401],
      [api.guest(), 'PUT', '/api/option/', 401],
      [client, 'PUT', '/api/option/', 403],
      [client, 'POST', '/api/channel/', 403],
      [admin, 'PUT', '/api/option/', 403],
    ];
    for (const [who, method, path, status] of refused) {
      const { answer, end, sent } = slowUpload({ client: who, method, path, bytes: MIB });
      expect((await answer).status).toBe(status);
      expect(sent()).toBe(0);
      end();
    }
  });
});

describe('forms of nothing but values', () => {
  const FILLED = 3.9 * 1024 * 1024;
  const fill = (piece: string) => piece.repeat(FILLED / piece.length).replace(/,$/, '');
  it.each([
    ['empty objects', `[${fill('{},')}]`],
    ['empty lists', `[${fill('[],')}]`],
    ['numbers', `[${fill('1,')}]`],
    ['lists in lists', `[${fill(`${'['.repeat(50)}${']'.repeat(50)},`)}]`],
    ['objects under one key', `{"update":[${fill('{"a":{}},')}]}`],
    ['empty texts behind escapes', `["\\"",${fill('"",')}]`],
  ])('are refused before they are parsed: %s', async (_what, body) => {
    const refused = await root.put('/api/option/', body);
    expect(refused).toMatchObject({
      status: 400,
      code: 'BAD_PARAM',
      data: { field: 'body' },
    });
  });
});

describe('honest forms', () => {
  const released = async (answer: Promise<{ success: boolean | undefined; text: string }>) => {
    const { success, text } = await answer;
    expect(`${success} ${success ? '' : text}`).toBe('true ');
    await allGivenBack();
  };

  it('pass, however large', async () => {
    await released(root.put('/api/option/', { key: 'About', value: '<p>关于本站的长文</p>'.repeat(6_000) }));
    const ratios = Array.from({ length: 5_000 }, (_, n) => [`vendor/some-model-with-a-name-${n}`, 1.25]);
    const value = JSON.stringify(Object.fromEntries(ratios));
    await released(root.put('/api/option/', { key: 'ModelRatio', value }));
    const icon = `data:image/png;base64,${Buffer.alloc(60_000).toString('base64')}`;
    await released(
      root.put('/api/model_hub/admin', {
        update: Array.from({ length: 45 }, (_, n) => ({ name: `model-${n}`, icon, desc: '说明'.repeat(50) })),
      }),
    );
    await released(
      root.put('/api/model_hub/admin', {
        update: Array.from({ length: 2_000 }, (_, n) => ({
          name: `model-${n}`,
          mode: 'tokens',
          ratio: 1,
          completionRatio: '2',
          model_type: ['chat'],
          tags: ['a', 'b'],
          sort: n,
          hide: false,
        })),
      }),
    );
    const models = Array.from({ length: 1_900 }, (_, n) => `vendor/some-model-with-a-name-${n}`);
    const channel = { name: 'c', type: 1, base_url: 'http://203.0.113.1', group: 'default' };
    const keys = Array.from({ length: 300 }, (_, n) => `sk-${n}-${'k'.repeat(1_000)}`).join('\n');
    await released(root.post('/api/channel/', { ...channel, models, key: keys, multi_key_mode: 'random' }));
    const ids = Array.from({ length: 10_000 }, (_, n) => n + 1_000_000);
    // None of them is there, which is known only by looking.
    expect((await root.post('/api/channel/batch/status', { ids, status: 2 })).code).toBe('NOT_FOUND');
    const token = { name: 't', remain_quota: 0, expired_time: -1, unlimited_quota: true };
    await released(
      root.post('/api/token/', { ...token, model_limits_enabled: true, model_limits: models.slice(0, 450) }),
    );
  });

  it('give their room back whatever becomes of them', async () => {
    const client = await api.as(user);
    expect((await client.post('/api/token/', { name: 7 })).status).toBe(400);
    expect((await client.post('/api/token/', '{"name"')).status).toBe(400);
    expect((await client.post('/api/user/topup', { key: 'nobody-has-it' })).success).toBe(false);
    expect((await client.put('/api/user/self', 'x'.repeat(limits.guestBodyBytes + 1))).status).toBe(413);
    expect((await client.call('POST', '/api/token/', 'a=b', { 'content-type': 'text/plain' })).status).toBe(
      400,
    );
    expect((await api.guest().post('/api/nothing', 'x'.repeat(100))).status).toBe(404);
    await allGivenBack();
  });
});

it('what users and guests send is small, but for lists of models, and a task that is liked', () => {
  const large = createApi(api.deps)
    .routes.filter(({ method, path }) => RANK[leastOf(method, path) ?? 'guest'] < RANK.admin)
    .filter(({ hooks }) => bodyMost(hooks.body).bytes > 4 * limits.guestBodyBytes)
    .map(({ method, path }) => `${method} ${path}`);
  expect(large.sort()).toEqual([
    'POST /api/task/like/',
    'POST /api/token/',
    'POST /api/user/custom-models/conf',
    'PUT /api/token/',
    'PUT /api/user/custom-models/conf/:id',
  ]);
});
