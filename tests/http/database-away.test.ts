import { expect, it } from 'bun:test';
import { createApi } from '../../src/api.ts';
import { openPostgres } from '../../src/db/client.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runtimeOver } from '../../src/runtime.ts';
import { Client, PASSWORD, SETUP_TOKEN, testEnv } from '../support/api.ts';
import { patience } from '../support/patience.ts';
import { openPostgresServer } from '../support/postgres-server.ts';

it('answers 503 while the database is away, never 401, and goes on when it is back', async () => {
  const server = await openPostgresServer();
  const quiet = createLogger('error', () => undefined);
  const deps = await runtimeOver(
    await testEnv({ DATABASE_URL: server.url }),
    await openPostgres(server.url),
    quiet,
  );
  const api = createApi(deps);
  const client = new Client(async (request) => api.handle(request));
  const form = {
    username: 'root',
    password: PASSWORD,
    confirmPassword: PASSWORD,
    setup_token: SETUP_TOKEN,
  };
  expect((await client.post('/api/setup', form)).success).toBe(true);
  await client.login('root');
  expect((await client.get('/api/user/self')).status).toBe(200);

  await server.stop();
  const away = { status: 503, success: false, code: 'UNAVAILABLE' };
  const stranger = new Client(async (request) => api.handle(request));
  expect(await client.get('/api/user/self')).toMatchObject(away);
  expect(await client.put('/api/option/', { key: 'Price', value: '7' })).toMatchObject(away);
  expect(await stranger.post('/api/user/login', { username: 'root', password: PASSWORD })).toMatchObject(
    away,
  );
  expect((await stranger.get('/api/status')).status).toBe(200);

  await server.start();
  const end = performance.now() + patience(10_000);
  let answer = await client.get('/api/user/self');
  while (answer.status === 503 && performance.now() < end) answer = await client.get('/api/user/self');
  expect(answer).toMatchObject({ status: 200, success: true });
  expect((await client.put('/api/option/', { key: 'Price', value: '7' })).success).toBe(true);
  await deps.close();
  await server.stop();
});
