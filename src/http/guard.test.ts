import { expect, it } from 'bun:test';
import { readEnv } from '../env.ts';
import { contextOf } from './context.ts';
import { resolveViewer } from './guard.ts';

it('takes nobody for a stranger because the database is away', async () => {
  const away = () => Promise.reject(new Error('the database is away'));
  const env = readEnv({});
  const sessions = { findByAccessToken: away, find: away };
  const grants = { find: away, findEmbed: away };
  const sessionCookie = { read: async () => 'random id' };
  for (const headers of [new Headers(), new Headers({ authorization: 'Bearer token' })]) {
    const request = new Request('http://localhost/api/user/self', { headers });
    const context = contextOf(request, env, null);
    // Those who look again must not read the first look's failure as a no.
    for (let look = 0; look < 2; look++) {
      expect(
        await resolveViewer(request, context, { sessions, grants, sessionCookie }).catch(String),
      ).toContain('is away');
    }
  }
});
