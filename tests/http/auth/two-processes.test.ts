import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createApi } from '../../../src/api.ts';
import { openPostgres } from '../../../src/db/client.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { type Runtime, runtimeOver } from '../../../src/runtime.ts';
import { Client, PASSWORD, passwordWork, SETUP_TOKEN, testEnv } from '../../support/api.ts';
import { freshPostgresUrl } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

/** Redis is shared by all tests, so that nothing here may be named twice. */
const uniqueAddress = () => `2001:db8:${crypto.randomUUID().slice(9, 18).replace('-', ':')}::1`;

const until = async (what: () => Promise<boolean>, ms: number) => {
  const end = performance.now() + patience(ms);
  while (!(await what())) {
    if (performance.now() > end) return false;
    await Bun.sleep(10);
  }
  return true;
};

describe('two processes on one Postgres and one Redis', () => {
  const processes: Runtime[] = [];
  beforeAll(async () => {
    const url = await freshPostgresUrl();
    const env = await testEnv({ DATABASE_URL: url, REDIS_URL: process.env.TEST_REDIS_URL ?? '' });
    const quiet = createLogger('error', () => undefined);
    for (let n = 0; n < 2; n++)
      processes.push(await runtimeOver(env, await openPostgres(url), quiet, { passwordWork }));
  });
  afterAll(async () => {
    for (const deps of processes) await deps.close();
  });

  const at = (which: 0 | 1, ip: string): Client => {
    const deps = processes[which];
    if (!deps) throw new Error('no such process');
    const api = createApi(deps);
    return new Client(async (request) => api.handle(request), { ip });
  };

  it('count wrong tries together, take each other’s sessions, and end them together', async () => {
    const username = crypto.randomUUID().slice(0, 12);
    const form = { username, password: PASSWORD, confirmPassword: PASSWORD };
    const here = at(0, '127.0.0.1');
    expect((await here.post('/api/setup', { ...form, setup_token: SETUP_TOKEN })).success).toBe(true);
    await here.login(username);
    await here.put('/api/option/', { key: 'CriticalRateLimitCount', value: '4' });

    const there = at(1, uniqueAddress());
    for (const [name, value] of here.cookies) there.cookies.set(name, value);
    there.userId = here.userId;
    expect(
      await until(async () => (await there.get('/api/option/')).text.includes('"value":"4"'), 1_000),
    ).toBe(true);

    const address = uniqueAddress();
    for (const which of [0, 1, 0, 1] as const) {
      const wrong = await at(which, address).post('/api/user/login', {
        username,
        password: 'wrong',
      });
      expect(wrong.code).toBe('LOGIN_WRONG');
    }
    for (const which of [0, 1] as const) {
      expect((await at(which, address).post('/api/user/login', form)).status).toBe(429);
    }

    await here.get('/api/user/logout');
    expect(await until(async () => (await there.get('/api/user/self')).status === 401, 1_000)).toBe(true);
  });
});
