/** The session's cookie: a signed token that carries only the session's random id and its expiry. */
import { jwt } from '@elysiajs/jwt';
import { Elysia } from 'elysia';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import type { RequestContext } from './context.ts';
import { readCookie, writeCookie } from './cookie.ts';

const NAME = 'session';

export function createSessionCookie(sessionKey: Uint8Array) {
  const signer = new Elysia().use(
    jwt({
      name: 'jwt',
      secret: sessionKey,
      exp: `${limits.sessionAbsoluteSec}s`,
      schema: z.object({ sid: z.string() }),
    }),
  ).decorator.jwt;

  const verified = async (token: string): Promise<string | null> => {
    const claims = await signer.verify(token);
    return claims ? claims.sid : null;
  };
  /** A signature is verified on another thread. Who is looked for again behind his body would lose his turn by that. */
  const known = new WeakMap<Request, Promise<string | null>>();

  return {
    /** The random session id of a request's cookie, or null when there is none or it is not ours. */
    async read(request: Request, context: RequestContext): Promise<string | null> {
      const token = readCookie(request, context, NAME);
      if (token === null) return null;
      const found = known.get(request) ?? verified(token);
      known.set(request, found);
      return found;
    },
    async set(context: RequestContext, randomId: string): Promise<string> {
      const token = await signer.sign({ sid: randomId });
      return writeCookie(context, NAME, token, limits.sessionAbsoluteSec);
    },
    clear: (context: RequestContext): string => writeCookie(context, NAME, '', 0),
  };
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;
