/** `/api/oauth/embed_…`: an application's server asks for a token, and the page in its frame turns it into a session. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { wireText } from '../../core/wire/text.ts';
import type { Viewer } from '../../http/context.ts';
import { writeEmbedCookie } from '../../http/embed-cookie.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard, provesSameOrigin } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { beginEmbed, type EmbedToken, makeEmbedToken, takeEmbedToken } from './embed.ts';

const TEXT_MAX = 300;
const tokenBody = z.object({ origin: wireText(TEXT_MAX) });
const sessionBody = z.object({
  token: wireText(TEXT_MAX).nullish(),
  /** Whom the application means, as the address had it. */
  user: z.union([z.number(), wireText(TEXT_MAX)]).nullish(),
});

/** Whether somebody is signed in whom the token is not for; the application around may have changed its own mind. */
const isAnother = (viewer: Viewer | null, { userId, appId, origin }: EmbedToken): boolean => {
  if (!viewer || viewer.id === userId) return false;
  return viewer.embed?.appId !== appId || viewer.embed.origin !== origin;
};

export const embedRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'oauth-embed', prefix: '/api/oauth' })
    .use(guard(deps))
    .post(
      '/embed_token',
      async ({ body, viewer }) => {
        const { id, role, grant } = viewer;
        // Only an application embeds; its user himself has nothing to embed in.
        if (!grant) throw fail('SCOPE_MISSING');
        const token = await makeEmbedToken(deps, { user: { id, role }, grant, origin: body.origin });
        return ok({ token, user: id, expires_in: limits.embedTokenSec });
      },
      { auth: { least: 'user', scope: 'embed' }, body: tokenBody },
    )
    .post(
      '/embed_session',
      async ({ body, request, context, guestViewer, set }) => {
        if (!provesSameOrigin(request, context)) throw fail('CROSS_SITE');
        const taken = await takeEmbedToken(deps, body.token ?? '');
        const named = String(body.user ?? '');
        if (named !== '' && named !== String(taken.userId)) throw fail('EMBED_TOKEN');
        if (isAnother(guestViewer, taken)) throw fail('EMBED_OTHER_ACCOUNT');
        const bearer = await beginEmbed(deps, taken);
        set.headers['set-cookie'] = writeEmbedCookie(context, bearer, limits.embedSessionSec);
        return ok({
          bearer,
          user: taken.userId,
          origin: taken.origin,
          expires_in: limits.embedSessionSec,
          // His own session would go before the cookie of the frame.
          own_session: guestViewer !== null && !guestViewer.embed,
        });
      },
      { guest: true, body: sessionBody },
    );
