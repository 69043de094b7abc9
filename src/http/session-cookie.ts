/** The session's cookie: a signed token that carries only the session's random id and its expiry. */
import { jwt } from '@elysiajs/jwt';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import type { RequestContext } from './context.ts';

export function createSessionCookie(sessionKey: Uint8Array) {
  const signer = new Elysia().use(
    jwt({
      name: 'jwt',
      secret: sessionKey,
      exp: `${limits.sessionAbsoluteSec}s`,
      schema: z.object({ sid: z.string() }),
    }),
  ).decorator.jwt;

  // The __Host- prefix makes browsers refuse a cookie that a sibling subdomain tries to plant; it needs https.
  const name = (context: RequestContext) => (context.https ? '__Host-session' : 'session');
  const write = (context: RequestContext, value: string, maxAgeSec: number) =>
    `${name(context)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSec}${context.https ? '; Secure' : ''}`;

  return {
    /** The random session id of a request's cookie, or null when there is none or it is not ours. */
    async read(request: Request, context: RequestContext): Promise<string | null> {
      const header = request.headers.get('cookie') ?? '';
      const pair = header.split(/;\s*/).find((part) => part.startsWith(`${name(context)}=`));
      if (!pair) return null;
      const claims = await signer.verify(pair.slice(pair.indexOf('=') + 1));
      return claims ? claims.sid : null;
    },
    async set(context: RequestContext, randomId: string): Promise<string> {
      return write(context, await signer.sign({ sid: randomId }), limits.sessionAbsoluteSec);
    },
    clear: (context: RequestContext): string => write(context, '', 0),
  };
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;
