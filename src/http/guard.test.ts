import { expect, it } from 'bun:test';
import { readEnv } from '../env.ts';
import { contextOf, type RequestContext } from './context.ts';
import { resolveKeyHolder, resolveViewer } from './guard.ts';

it('takes nobody for a stranger because the database is away', async () => {
  const away = () => Promise.reject(new Error('the database is away'));
  const env = readEnv({});
  const sessions = { findByAccessToken: away, find: away };
  const grants = { find: away, findEmbed: away };
  const sessionCookie = { read: async () => 'random id' };
  const relayKeys = { find: away };
  const ask = async (request: Request, context: RequestContext) =>
    (await resolveKeyHolder(request, context, { relayKeys })) ??
    resolveViewer(request, context, { sessions, grants, sessionCookie });
  for (const authorization of [null, 'Bearer token', `Bearer sk-${'x'.repeat(48)}`]) {
    const headers = new Headers(authorization === null ? {} : { authorization });
    const request = new Request('http://localhost/api/user/self', { headers });
    const context = contextOf(request, env, null);
    // Those who look again must not read the first look's failure as a no.
    for (let look = 0; look < 2; look++) {
      expect(await ask(request, context).catch(String)).toContain('is away');
    }
  }
});
