/**
 * What is secret stands nowhere but where it is handed over: not in another answer, a log, an error, an address, a page,
 * or legible in the database, whatever is called with it. One server, one walk, everything that it said and kept.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { Authenticator } from '../support/authenticator.ts';
import { freshPostgresUrl } from '../support/database.ts';
import {
  type ApiAnswer,
  ConsoleClient,
  type Gateway,
  ROOT,
  setUp,
  startGateway,
} from '../support/gateway.ts';
import { authorizeQuery, pkce, REDIRECT } from '../support/oauth-app.ts';
import { patience } from '../support/patience.ts';
import { totpCode } from '../support/totp.ts';

interface Secret {
  what: string;
  text: string;
  /** The calls that hand it over, as `POST /api/token/`. */
  from: readonly string[];
}

const secrets: Secret[] = [];
const heard: { call: string; text: string }[] = [];

const known = (what: string, text: unknown, ...from: string[]): string => {
  if (typeof text !== 'string' || text.length < 6) throw new Error(`no secret: ${what} ${text}`);
  secrets.push({ what, text, from });
  return text;
};
let made = 0;
/** One that a caller brings. */
const brought = (what: string, prefix = ''): string =>
  known(what, `${prefix}canary${(++made).toString().padStart(3, '0')}Zq7Wv9Xk2Lm4`);

const pathOf = (path: string): string => path.split('?')[0] ?? '';

function hear(method: string, path: string, headers: Headers, text: string): void {
  // A cookie is where a session is handed over.
  const shown = [...headers].filter(([name]) => name !== 'set-cookie');
  heard.push({ call: `${method} ${pathOf(path)}`, text: `${JSON.stringify(shown)}\n${text}` });
}

class Visitor extends ConsoleClient {
  override async call(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const answer = await super.call(method, path, body, headers);
    hear(method, path, answer.headers, JSON.stringify({ ...answer, headers: undefined }));
    return answer;
  }
}

/** Who has a bearer and no cookie: an application's server, or the page of its frame. */
class Bearer extends Visitor {
  constructor(
    base: string,
    readonly bearer: string,
  ) {
    super(base);
  }

  override call(
    method: string,
    path: string,
    body?: JsonObject,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    return super.call(method, path, body, { authorization: `Bearer ${this.bearer}`, ...headers });
  }
}

/** Says the key that it was called with in each refusal, as some vendors do. */
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request) => {
    const key = request.headers.get('authorization') ?? request.headers.get('x-api-key');
    return Response.json(
      {
        error: { message: `Incorrect API key provided: ${key}`, type: 'invalid_request_error', code: 'bad' },
      },
      { status: 401, headers: { 'x-key': key ?? '' } },
    );
  },
});
const upstreamBase = `http://127.0.0.1:${upstream.port}`;

let gateway: Gateway;
let root: Visitor;
const enter = (username: string, password: string) => new Visitor(gateway.base).login(username, password);

async function fetched(path: string, init: RequestInit): Promise<{ headers: Headers; text: string }> {
  const answer = await fetch(gateway.base + path, { redirect: 'manual', ...init });
  const text = await answer.text();
  hear(init.method ?? 'GET', path, answer.headers, text);
  return { headers: answer.headers, text };
}

async function operate(): Promise<void> {
  await root.setOption('EgressPorts', '1-65535');
  await root.setOption('ModelRatio', { echo: 1 });
  await root.addChannel(upstreamBase, {
    models: 'echo',
    key: brought('a channel’s key', 'sk-'),
    auto_ban: 0,
  });
  const [channel] = (await root.get('/api/channel/')).items;
  await root.call('GET', `/api/channel/test/${channel.id}?model=echo`);
  await root.call('GET', `/api/channel/update_balance/${channel.id}`);
  await root.call('GET', `/api/channel/fetch_models/${channel.id}`);
  const fields: { key: string; secret?: boolean }[] = await root.get('/api/option/fields');
  const kept = fields.filter(({ secret }) => secret);
  expect(kept.length).toBeGreaterThan(5);
  for (const { key } of kept)
    await root.call('PUT', '/api/option/', { key, value: brought(`option ${key}`) });
  const codes = await root.post('/api/redemption/', { name: 'spring', quota: 1, count: 2 });
  for (const code of codes) known('a redemption code', code, 'POST /api/redemption/');
}

const passwordOf = (name: string): string => `Canary1-of-${name}-Zq7W`;

async function useAccount(name: string, role: 1 | 10): Promise<Visitor> {
  const password = known(`the password of ${name}`, passwordOf(name));
  await root.post('/api/user/', { username: name, password, display_name: name });
  const [{ id }] = (await root.get(`/api/user/search?keyword=${name}`)).items;
  if (role === 10) await root.post('/api/user/manage', { id, action: 'promote', password: ROOT.password });
  await new Visitor(gateway.base).call('POST', '/api/user/login', {
    username: name,
    password: `${password}x`,
  });
  const client = await enter(name, password);
  known(`the session of ${name}`, /session=([^;]+)/.exec(client.cookie)?.[1]);
  await client.call('POST', '/api/user/confirm', { password });
  return client;
}

async function keepKeys(client: Visitor): Promise<string> {
  const created = await client.post('/api/token/', { name: 'mine', unlimited_quota: true });
  const key = known('a relay key', created.key, 'POST /api/token/');
  known('an access token', await client.post('/api/user/token'), 'POST /api/user/token');
  const { data: supplier } = await root.call('POST', '/api/supplier/admin/', {
    name: 'Echo',
    base_url: `${upstreamBase}/v1`,
  });
  const own = brought('a user’s own key', 'sk-');
  const conf = await client.post('/api/user/custom-models/conf', { supplier_id: supplier.id, key: own });
  await client.call('GET', `/api/user/custom-models/conf/check?key=${conf.id}`);
  await client.call('GET', `/api/user/custom-models/conf/check?key=${brought('a key in an address', 'sk-')}`);
  await client.call('POST', '/api/user/custom-models/models', { base_url: `${upstreamBase}/v1`, key: own });
  return key;
}

async function askForKey(client: Visitor): Promise<void> {
  const open = async () =>
    (await new Visitor(gateway.base).call('POST', '/api/request_bind', { name: 'Pad' })).data;
  for (const action of ['approve', 'reject']) {
    const { approval_url, request_id } = await open();
    const asks = 'POST /api/request_bind';
    const code = known('a code to approve', new URL(approval_url).searchParams.get('code'), asks);
    known('the id of a request', request_id, asks);
    await fetched(`/approve?code=${code}`, { headers: { cookie: client.cookie } });
    await client.call('GET', '/api/request_bind', undefined, { 'x-approve-code': code });
    await client.call('PATCH', '/api/request_bind', { code, ...(action === 'reject' && { action }) });
    const poll = () => new Visitor(gateway.base).call('GET', `/api/check_status?request_id=${request_id}`);
    const told = await poll();
    await poll();
    if (action === 'approve')
      known('the key of an application', told.data.secret_token, 'GET /api/check_status');
  }
}

interface App {
  id: number;
  client_id: string;
  client_secret: string;
}

async function registered(): Promise<App> {
  const app = await root.post('/api/oauth_app/admin/', {
    name: 'Notebook',
    redirect_uris: [REDIRECT],
    scopes: ['profile', 'balance', 'tokens:create', 'relay', 'embed'],
    confidential: true,
  });
  known('an application’s secret', app.client_secret, 'POST /api/oauth_app/admin/');
  return app;
}

/** What its user agrees to: the form by which the application gets its tokens for it. */
async function agreed(client: Visitor, app: App, scope: string): Promise<Record<string, string>> {
  const { verifier, challenge } = pkce();
  const path = authorizeQuery({ id: app.id, clientId: app.client_id, secret: null }, challenge, { scope });
  const asAccount = { cookie: client.cookie, 'sec-fetch-site': 'same-origin' };
  const page = await fetched(path, { headers: { ...asAccount, accept: 'text/html' } });
  const ticket = known(
    'a ticket of consent',
    /name="ticket" value="([^"]+)"/.exec(page.text)?.[1],
    `GET ${pathOf(path)}`,
  );
  const form = { ...asAccount, 'content-type': 'application/x-www-form-urlencoded', origin: gateway.base };
  const body = new URLSearchParams({ ticket, decision: 'approve' }).toString();
  const sent = await fetched('/api/oauth/authorize', { method: 'POST', headers: form, body });
  const code = known(
    'an authorization code',
    new URL(sent.headers.get('location') ?? '').searchParams.get('code'),
    'POST /api/oauth/authorize',
  );
  known('a verifier', verifier);
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier };
}

async function asApp(app: App, path: string, fields: Record<string, string>): Promise<JsonObject> {
  const proof = { client_id: app.client_id, client_secret: app.client_secret };
  const answer = await fetched(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...proof, ...fields }).toString(),
  });
  return JSON.parse(answer.text);
}

async function tokensFor(
  app: App,
  fields: Record<string, string>,
): Promise<{ access: string; refresh: string }> {
  const tokens = await asApp(app, '/api/oauth/token', fields);
  const [access = '', refresh = ''] = ['access_token', 'refresh_token'].map((name) =>
    known(`an application’s ${name}`, tokens[name], 'POST /api/oauth/token'),
  );
  return { access, refresh };
}

async function signInElsewhere(client: Visitor, app: App): Promise<void> {
  const fields = await agreed(client, app, 'profile balance');
  const { access } = await tokensFor(app, fields);
  await fetched('/api/oauth/userinfo', { headers: { authorization: `Bearer ${access}` } });
  // Brought twice, it ends what came of it.
  await asApp(app, '/api/oauth/token', fields);
}

/** The console in a frame of the application; answers who calls by its bearers: its server, and its page. */
async function embed(client: Visitor, app: App): Promise<Bearer[]> {
  const origin = new URL(REDIRECT).origin;
  await root.setOption('EmbedOrigins', origin);
  const all = 'profile balance tokens:create relay embed';
  const first = await tokensFor(app, await agreed(client, app, all));
  const { access } = await tokensFor(app, { grant_type: 'refresh_token', refresh_token: first.refresh });
  const server = new Bearer(gateway.base, access);
  await relay(access);
  const ask = async (): Promise<string> => {
    const { token } = await server.post('/api/oauth/embed_token', { origin });
    return known('a token of embedding', token, 'POST /api/oauth/embed_token');
  };
  const begin = (token: string, user: unknown) =>
    new Visitor(gateway.base).call('POST', '/api/oauth/embed_session', { token, user: String(user) });
  const inFrame = { 'sec-fetch-dest': 'iframe' };
  const token = await ask();
  const page = `/token?oToken=${token}&oUser=${client.user?.id}&layout=false`;
  for (const headers of [inFrame, {}]) await fetched(page, { headers });
  const { data } = await begin(token, client.user?.id);
  const bearer = known('the bearer of a frame', data.bearer, 'POST /api/oauth/embed_session');
  expect((await begin(token, client.user?.id)).success).toBe(false);
  expect((await begin(await ask(), 999_999)).success).toBe(false);
  for (const path of PAGES.slice(0, 4)) {
    await fetched(path, { headers: { ...inFrame, cookie: `embed=${bearer}` } });
    await fetched(path, { headers: { ...inFrame, authorization: `Bearer ${bearer}` } });
  }
  // Where they are no key, no token and no code.
  await relay(bearer);
  for (const given of [token, bearer, access])
    await asApp(app, '/api/oauth/token', { grant_type: 'refresh_token', refresh_token: given });
  return [server, new Bearer(gateway.base, bearer)];
}

/** A device's key, by which one signs in; browsers know them under a name alone, and not under an address. */
async function signInByDevice(username: string, password: string): Promise<void> {
  const site = gateway.base.replace('127.0.0.1', 'localhost');
  const client = await new Visitor(site).login(username, password);
  known('a session of a device', /session=([^;]+)/.exec(client.cookie)?.[1]);
  await client.call('POST', '/api/user/confirm', { password });
  const device = new Authenticator(site);
  const asked = async (by: Visitor, path: string) => {
    const told = await by.post(path);
    known('the challenge of a passkey', told.challenge, `POST ${path}`);
    return told;
  };
  const made = device.register(await asked(client, '/api/user/passkeys/begin'));
  await client.post('/api/user/passkeys', { name: 'phone', response: { ...made } });
  const guest = new Visitor(site);
  const response = { ...device.prove(await asked(guest, '/api/user/login/passkey/begin')) };
  for (const works of [true, false]) {
    const { success } = await guest.call('POST', '/api/user/login/passkey', { response });
    expect(success).toBe(works);
  }
  known('a session of a passkey', /session=([^;]+)/.exec(guest.cookie)?.[1]);
}

async function protect(client: Visitor): Promise<void> {
  const setup = 'POST /api/user/2fa/setup';
  const { secret, backup_codes } = await client.post('/api/user/2fa/setup');
  known('the secret of an authenticator', secret, setup);
  for (const code of backup_codes) known('a backup code', code, setup);
  await client.post('/api/user/2fa/enable', { code: totpCode(secret) });
}

async function relay(key: string): Promise<void> {
  const body = JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: brought('a prompt') }] });
  const unknown = () => brought('an unknown relay key', 'sk-');
  const call = (path: string, headers: Record<string, string>) =>
    fetched(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  for (const name of [`sk-${key}`, unknown()]) {
    await call('/v1/chat/completions', { authorization: `Bearer ${name}` });
    await call('/v1/messages', { 'x-api-key': name });
    await call(`/v1beta/models/echo:generateContent?key=${name}`, {});
  }
  const own = body.replace('"echo"', '"Echo/any"');
  const headers = { 'content-type': 'application/json', authorization: `Bearer sk-${key}` };
  await fetched('/v1/chat/completions', { method: 'POST', body: own, headers });
}

/** Each call of the console with what is secret in every field and parameter that may be one. */
async function callEverything(client: Visitor): Promise<number> {
  const rows = readFileSync(join(import.meta.dir, '../http/endpoints.tsv'), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]+\t\/api\//.test(line))
    .map((line) => line.split('\t'));
  const given = Object.fromEntries(
    ['key', 'code', 'token', 'password', 'original_password', 'secret', 'client_secret', 'ticket'].map(
      (name) => [name, brought(`the field ${name}`)],
    ),
  );
  for (const [method = '', path = ''] of rows) {
    // Its session would end.
    if (path === '/api/user/logout' || (method === 'DELETE' && /sessions|self/.test(path))) continue;
    const isRead = method === 'GET';
    const place = path.replace(/\{\w+\}/g, isRead ? '1' : '999999');
    const query = new URLSearchParams({ ...given, mask: 'true' });
    if (isRead) {
      await client.call(method, `${place}?mask=true`);
      await client.call(method, `${place}?${query}`);
    } else await client.call(method, `${place}?${query}`, { ...given, id: 999_999, username: 'nobody' });
  }
  return rows.length;
}

const PAGES = [
  '/',
  '/token',
  '/token/edit/1',
  '/token/code/1',
  '/channel',
  '/channel/edit/1',
  '/redemption',
  '/user',
  '/log',
  '/personal',
  '/setting',
  '/custom-models',
  '/aipy-conf/suppliers?view=configs',
  '/oauth-apps',
  '/admin-log',
];

beforeAll(async () => {
  gateway = await startGateway({
    databaseUrl: await freshPostgresUrl(),
    env: { LOG_LEVEL: 'debug', PRIVATE_EGRESS: '127.0.0.0/8' },
  });
  await setUp(gateway);
  known('the password of root', ROOT.password);
  root = await enter(ROOT.username, ROOT.password);
  await operate();
  const una = await useAccount('una', 1);
  const key = await keepKeys(una);
  await askForKey(una);
  const app = await registered();
  await signInElsewhere(una, app);
  await relay(key);
  const bearers = await embed(una, app);
  for (const bearer of bearers) expect(await callEverything(bearer)).toBeGreaterThan(150);
  for (const { bearer } of bearers) await asApp(app, '/api/oauth/revoke', { token: bearer });
  await protect(una);
  await useAccount('ida', 1);
  await signInByDevice('ida', passwordOf('ida'));
  const amy = await useAccount('amy', 10);
  for (const client of [una, amy, root]) expect(await callEverything(client)).toBeGreaterThan(150);
  for (const client of [root, una]) {
    for (const path of PAGES) await fetched(path, { headers: { cookie: client.cookie } });
  }
}, patience(300_000));
afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

describe('what is secret', () => {
  const toldIn = (text: string): string[] =>
    secrets.filter((secret) => text.includes(secret.text)).map(({ what }) => what);

  it('is told by the call that hands it over, and by no other answer or address', () => {
    const leaks = heard.flatMap(({ call, text }) =>
      secrets
        .filter((secret) => text.includes(secret.text) && !secret.from.includes(call))
        .map(({ what }) => `${call} tells ${what}`),
    );
    expect([...new Set(leaks)]).toEqual([]);
    for (const { what, text, from } of secrets) {
      if (from.length > 0) expect([what, heard.some((one) => one.text.includes(text))]).toEqual([what, true]);
    }
  });

  it('stands in nothing that the process printed', () => {
    expect(gateway.logLines.length).toBeGreaterThan(300);
    expect([...new Set(toldIn(gateway.output))]).toEqual([]);
  });

  it('is legible in no table', async () => {
    const leaks = await gateway.withDatabase(async (db) => {
      const tables = await db.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      );
      expect(tables.length).toBeGreaterThan(30);
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await db.query<{ text: string }>(`select t::text as text from "${name}" t`);
        found.push(...toldIn(rows.map(({ text }) => text).join('\n')).map((what) => `${name}: ${what}`));
      }
      return [...new Set(found)];
    });
    expect(leaks).toEqual([]);
  });
});
