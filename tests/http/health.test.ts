import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { isObject } from '../../src/core/json.ts';
import type { Env } from '../../src/env.ts';
import { type HealthDeps, health } from '../../src/http/health.ts';
import { description } from '../../src/http/openapi.ts';
import { Stopping } from '../../src/platform/stopping.ts';
import { openApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi('postgres');
});
afterAll(() => api.close());

const snapshots = async () => [api.deps.metrics.snapshot()];

/** The probes, with some of what they look at replaced. */
const probe = (over: Partial<HealthDeps> & { token?: string } = {}) => {
  const { token = '', ...deps } = over;
  const env: Env = { ...api.deps.env, METRICS_TOKEN: token };
  const app = health({ ...api.deps, stopping: new Stopping(), env, snapshots, ...deps });
  return (path: string, headers: Record<string, string> = {}) =>
    app.handle(new Request(`http://localhost${path}`, { headers: { host: 'localhost', ...headers } }));
};

describe('/healthz', () => {
  it('answers while the process runs, also while it stops', async () => {
    const stopping = new Stopping();
    await stopping.begin(0);
    expect((await probe({ stopping })('/healthz')).status).toBe(200);
  });
});

describe('/readyz', () => {
  it('is ready when the database answers', async () => {
    const answer = await probe()('/readyz');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ready', database: 'ok', redis: 'unused' });
  });

  it('is not ready while the database is away', async () => {
    const away = await openApi('postgres');
    await away.close();
    const answer = await probe({ db: away.deps.db })('/readyz');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toMatchObject({ status: 'unready', database: 'away' });
  });

  it('is not ready once the process stops', async () => {
    const stopping = new Stopping();
    await stopping.begin(0);
    const answer = await probe({ stopping })('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: 'stopping' });
  });

  it('shows that Redis is away and stays ready', async () => {
    const redis = { limiter: api.deps.limiter, oneTime: api.deps.oneTime, up: false, close: async () => {} };
    const answer = await probe({ redis })('/readyz');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ redis: 'away' });
  });
});

describe('/metrics', () => {
  const bearer = { authorization: 'Bearer let-me-see' };

  it('answers its bearer, from wherever', async () => {
    const answer = await probe({ token: 'let-me-see' })('/metrics', { host: 'gateway.example', ...bearer });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toStartWith('text/plain; version=0.0.4');
    const lines = (await answer.text()).split('\n');
    expect(lines).toContain('tollgate_database_up 1');
    expect(lines).toContain('tollgate_database_reservations_open 0');
    expect(lines).toContain('tollgate_reservations_open 0');
  });

  it('is not there without a token, for someone at this machine neither', async () => {
    const ask = probe();
    for (const headers of [{}, bearer, { authorization: 'Bearer ' }, { authorization: 'Bearer' }]) {
      expect((await ask('/metrics', headers)).status).toBe(404);
    }
  });

  it('refuses everyone else', async () => {
    const ask = probe({ token: 'let-me-see' });
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', { authorization: 'Bearer let-me-sea' })).status).toBe(401);
  });

  it('says that the database is away instead of failing', async () => {
    const away = await openApi('postgres');
    await away.close();
    const answer = await probe({ db: away.deps.db, token: 'let-me-see' })('/metrics', bearer);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('\ntollgate_database_up 0\n');
  });
});

describe('/openapi.json', () => {
  it('describes each call with the fields that it checks', async () => {
    const app = description([createApi(api.deps)]);
    const document = await (await app.handle(new Request('http://localhost/openapi.json'))).json();
    expect(document).toMatchObject({ openapi: '3.1.2', info: { title: 'Tollgate' } });
    const login = document.paths['/api/user/login'].post;
    const { properties } = login.requestBody.content['application/json'].schema;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['username', 'password']));
    const calls = Object.values(document.paths).flatMap((path) => (isObject(path) ? Object.keys(path) : []));
    expect(calls.length).toBeGreaterThan(20);
    // Packed by itself, once, and not for everybody who asks.
    const packed = await app.handle(
      new Request('http://localhost/openapi.json', { headers: { 'accept-encoding': 'br, gzip' } }),
    );
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes())))).toEqual(document);
  });
});
