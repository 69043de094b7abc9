/**
 * One user, two applications: neither has what the other began for him, nor what he does himself; and of his account each
 * is told what he let it see.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { playgroundRoutes } from '../../src/relay/entry/routes.ts';
import { handle } from '../../src/relay/handle.ts';
import type { Client } from '../support/api.ts';
import { MCP_KEY, type McpServer, startMcpServer } from '../support/mcp-server.ts';
import { bearer, registerApp, signInAt, type TestApp } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';
import { SUNO_KEY, type SunoServer, startSuno } from '../support/suno-server.ts';

const ORIGIN = 'https://app.example';
const OWN = { 'sec-fetch-site': 'same-origin' };

let relay: TestRelay;
let service: McpServer;
let suno: SunoServer;
let routes: ReturnType<typeof playgroundRoutes>;
let user: Client;
let app: TestApp;
let other: TestApp;
/** Bearers of both for the same user, of the first for another user, and a relay token that the first made. */
let mine: string;
let others: string;
let neighbours: string;
let made: string;
beforeAll(async () => {
  service = startMcpServer();
  suno = startSuno();
  relay = await openTestRelay('postgres', {}, { PRIVATE_EGRESS: '127.0.0.0/8' });
  routes = playgroundRoutes({ ...relay.api.deps, ...relay.api.deps.relay }, handle);
  await relay.setBalance(5_000_000);
  await relay.set({ ToolServices: { search: { url: service.url, key: MCP_KEY } }, EmbedOrigins: ORIGIN });
  await relay.addChannel({ type: 36, key: SUNO_KEY, base_url: suno.base, models: 'suno_music,suno_lyrics' });
  app = await registerApp(relay.root);
  other = await registerApp(relay.root, { name: 'Other' });
  user = await relay.api.as(relay.user);
  const scope = 'relay tokens:create';
  ({ access: mine } = await signInAt(relay.api, app, user, scope));
  ({ access: others } = await signInAt(relay.api, other, user, scope));
  const neighbour = await relay.api.createUser({ quota: 5_000_000 });
  ({ access: neighbours } = await signInAt(relay.api, app, await relay.api.as(neighbour), scope));
  const { data } = await bearer(relay.api, mine).post('/api/token/', { name: 'made', unlimited_quota: true });
  made = data.key;
}, patience(120_000));
afterAll(async () => {
  await relay.close();
  await service.close();
  await suno.close();
});

/** A call of the console's own chat, by what its headers say. */
const playground = (headers: Record<string, string>): Promise<Response> =>
  routes.handle(
    new Request('http://localhost/pg/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...OWN, ...headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
    }),
  );
const cookieOf = ({ cookies }: Client): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
/** The bearer of a frame of the first application. */
async function frameOf(scope: string): Promise<string> {
  const { access } = await signInAt(relay.api, app, user, scope);
  const { data } = await bearer(relay.api, access).post('/api/oauth/embed_token', { origin: ORIGIN });
  const begun = await relay.api.guest().call('POST', '/api/oauth/embed_session', { token: data.token }, OWN);
  return begun.data.bearer;
}

const call = (key: string, method: string, path: string, body?: JsonObject, headers = {}) =>
  fetch(relay.base + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

describe('a session with a tool service', () => {
  const rpc = (method: string, params: JsonObject = {}, id: string | null = 'mine') => ({
    jsonrpc: '2.0',
    method,
    params,
    ...(id !== null && { id }),
  });
  const post = (key: string, body: JsonObject, session: string | null) =>
    call(key, 'POST', '/mcp/search', body, {
      accept: 'application/json, text/event-stream',
      ...(session !== null && { 'mcp-session-id': session }),
    });
  const begun = async (key: string) =>
    (await post(key, rpc('initialize'), null)).headers.get('mcp-session-id') ?? '';
  const echo = rpc('tools/call', { name: 'echo', arguments: { text: 'hi' } });

  it('is spoken in and ended by who began it alone', async () => {
    const session = await begun(mine);
    expect((await post(mine, echo, session)).status).toBe(200);
    for (const key of [others, neighbours, made, relay.key]) {
      const spoken = await post(key, echo, session);
      expect([spoken.status, (await spoken.json()).error.data.code]).toEqual([404, 'tool_session_gone']);
      const ended = await call(key, 'DELETE', '/mcp/search', undefined, { 'mcp-session-id': session });
      expect(ended.status).toBe(404);
    }
    expect(service.ended).toEqual([]);
    // Another sign-in of the same user at the same application is the same application.
    const { access } = await signInAt(relay.api, app, user, 'relay');
    expect((await post(access, echo, session)).status).toBe(200);
  });

  it('has no request of another’s in it, whatever ids both choose', async () => {
    const asked = async (key: string, body: JsonObject): Promise<JsonObject> => {
      service.heard.length = 0;
      await post(key, body, null);
      return service.heard.at(-1)?.body ?? {};
    };
    const cancel = rpc('notifications/cancelled', { requestId: 'mine' }, null);
    const keys = [mine, others, neighbours];
    const sent: unknown[] = [];
    for (const key of keys) sent.push((await asked(key, rpc('initialize'))).id);
    expect(new Set(sent).size).toBe(keys.length);
    for (const [at, key] of keys.entries())
      expect(await asked(key, cancel)).toMatchObject({ params: { requestId: sent[at] } });
  });
});

describe('the log of its calls', () => {
  const log = async (key: string): Promise<JsonObject[]> =>
    (await (await call(key, 'GET', '/api/log/token')).json()).data;
  const idOf = async (answer: Promise<Response>): Promise<string> => {
    const { status, headers } = await answer;
    expect([200, 404, 503]).toContain(status);
    return headers.get('x-request-id') ?? '';
  };

  it('has them and no other, nor what its user does himself', async () => {
    const before = (await relay.logs()).length;
    const called = new Map<string, string[]>();
    for (const key of [mine, others, made, relay.key]) {
      called.set(key, [
        await idOf(relay.chat({}, { key })),
        await idOf(relay.chat({ model: 'no-such-model' }, { key })),
      ]);
    }
    // At the console: by himself, and in the frame of the first application.
    const bySession = await idOf(playground(Object.fromEntries([['cookie', cookieOf(user)]])));
    const inFrame = await idOf(playground({ authorization: `Bearer ${await frameOf('embed relay')}` }));
    called.get(mine)?.push(inFrame);
    called.set('', [bySession]);
    await relay.settled(before + called.size + 1);
    await relay.api.deps.relay.failures.idle();
    for (const [key, ids] of [...called].filter(([one]) => one !== '')) {
      const rows = await log(key);
      const told = new Set(rows.map((row) => String(row.request_id)));
      for (const id of ids) expect([id, told.has(id)]).toEqual([id, true]);
      const foreign = [...called].filter(([one]) => one !== key).flatMap(([, all]) => all);
      expect(foreign.filter((id) => told.has(id))).toEqual([]);
      expect(JSON.stringify(rows)).not.toContain('Allowed the application');
    }
    const known = new Set([...called.values()].flat());
    expect((await log(neighbours)).filter((row) => known.has(String(row.request_id)))).toEqual([]);
  });
});

describe('a task', () => {
  beforeEach(() => suno.tell({ status: 'IN_PROGRESS', progress: '40%' }));
  const submitted = async (key: string, body: JsonObject = { prompt: 'rain' }): Promise<string> =>
    (await (await call(key, 'POST', '/suno/submit/music', body)).json()).data;
  const seen = async (key: string, ids: string[]): Promise<string[]> => {
    const { data } = await (await call(key, 'POST', '/suno/fetch', { ids })).json();
    return data.map((task: { task_id: string }) => task.task_id).sort();
  };

  it('is the application’s that submitted it, and its user’s', async () => {
    const [ofMine, ofMade, ofOthers, ofHis] = [
      await submitted(mine),
      await submitted(made),
      await submitted(others),
      await submitted(relay.key),
    ];
    const all = [ofMine, ofMade, ofOthers, ofHis];
    for (const id of all) expect(id).toMatch(/^[0-9a-f]{32}$/);
    for (const key of [mine, made]) expect(await seen(key, all)).toEqual([ofMine, ofMade].sort());
    expect(await seen(others, all)).toEqual([ofOthers]);
    expect(await seen(neighbours, all)).toEqual([]);
    expect(await seen(relay.key, all)).toEqual([...all].sort());
    for (const [key, id] of [
      [others, ofMine],
      [mine, ofHis],
      [neighbours, ofMine],
    ] as const) {
      const single = await call(key, 'GET', `/suno/fetch/${id}`);
      expect([single.status, await single.text()]).toEqual([
        single.status,
        expect.stringContaining('task_not_exist'),
      ]);
    }
  });

  it('is listed and deleted as a film by the same alone', async () => {
    const ids = new Map<string, string>();
    for (const [key, appId] of [
      [mine, app.id],
      [others, other.id],
      [relay.key, 0],
    ] as const) {
      const id = crypto.randomUUID().replaceAll('-', '');
      ids.set(key, id);
      await relay.api.deps.db.query(
        `insert into tasks (public_id, platform, action, model_name, user_id, token_id, app_id, request_id, status, quota,
           submit_time, poll_at) values ($1, 'video', 'generate', 'm', $2::bigint, 0, $3::bigint, gen_random_uuid(), 'SUCCESS',
           0, 1, 9999999999)`,
        [id, relay.user.id, appId],
      );
    }
    const listed = async (key: string): Promise<string[]> => {
      const { data } = await (await call(key, 'GET', '/v1/videos')).json();
      return data.map((film: { id: string }) => film.id);
    };
    const film = (key: string) => expect.stringContaining(ids.get(key) ?? '?');
    expect(await listed(mine)).toEqual([film(mine)]);
    expect(await listed(others)).toEqual([film(others)]);
    expect(await listed(relay.key)).toHaveLength(3);
    const [nameOfOthers = ''] = await listed(others);
    expect((await call(mine, 'GET', `/v1/videos/${nameOfOthers}`)).status).toBe(404);
    expect((await call(mine, 'GET', `/v1/videos/${nameOfOthers}/content`)).status).toBe(404);
    expect((await call(mine, 'DELETE', `/v1/videos/${nameOfOthers}`)).status).toBe(404);
    expect(await listed(others)).toEqual([film(others)]);
    expect((await call(relay.key, 'DELETE', `/v1/videos/${nameOfOthers}`)).status).toBe(200);
  });
});

describe('the balance', () => {
  const PATHS = [
    '/v1/dashboard/billing/subscription',
    '/v1/dashboard/billing/usage',
    '/dashboard/billing/subscription',
    '/api/usage/token',
  ];

  it.each([true, false])(
    'is told to the applications that he let see it (of the token: %p)',
    async (ofToken) => {
      await relay.set({ DisplayTokenStatEnabled: ofToken });
      const { access } = await signInAt(relay.api, app, user, 'relay balance');
      const { quota, reserved } = await relay.account();
      for (const path of PATHS) {
        expect([path, (await call(access, 'GET', path)).status]).toEqual([path, 200]);
        const refused = await call(others, 'GET', path);
        expect([path, refused.status]).toEqual([path, 403]);
        expect(await refused.text()).toContain('SCOPE_MISSING');
      }
      const told = (await (await call(access, 'GET', '/api/usage/token')).json()).data;
      expect(told).toMatchObject({ total_available: quota + reserved, unlimited_quota: false });
      await relay.set({ DisplayTokenStatEnabled: true });
    },
  );

  it('is not told by a token that an application made, which tells of itself alone', async () => {
    await relay.set({ DisplayTokenStatEnabled: false });
    const limit = async (key: string): Promise<number> =>
      (await (await call(key, 'GET', PATHS[0] ?? '')).json()).hard_limit_usd;
    expect(await limit(made)).toBe(100_000_000);
    expect(await limit(relay.key)).toBeLessThan(1_000);
    await relay.set({ DisplayTokenStatEnabled: true });
  });

  it('is not told by a call that it does not carry', async () => {
    const { quota } = await relay.account();
    await relay.setBalance(123_457);
    for (const key of [others, made, relay.key]) {
      const asked = { model: 'gpt-4o', max_tokens: 500_000, messages: [{ role: 'user', content: 'hi' }] };
      const refused = await call(key, 'POST', '/v1/chat/completions', asked);
      const words = await refused.text();
      expect([refused.status, words]).toEqual([403, expect.stringContaining('would be held')]);
      expect(words).not.toContain('0.24');
    }
    await relay.setBalance(quota);
  });
});
