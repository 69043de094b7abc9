/** What its owner does with an account: signing out, his settings, proof, sessions and access token, and its end. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Owner } from '../../../core/actor.ts';
import { wireText } from '../../../core/wire/text.ts';
import { writeEmbedCookie } from '../../../http/embed-cookie.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { keepKnown, readKnown } from '../../../http/known-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { rememberBrowser } from '../known-browser.ts';
import { readAccount } from './account.ts';
import { deleteSelf } from './delete-self.ts';
import { reauthenticate } from './re-authentication.ts';
import { issueAccessToken, readSelf, updateSelf } from './self.ts';

const text = wireText(1_000).nullish();
const confirmBody = z.object({ password: text, code: text });
const deleteBody = z.object({ username: text });
const sessionParams = z.object({ shown: wireText(100) });

/** Other fields of a row are ignored: nobody raises his own role or quota. */
const selfBody = z.object({
  username: text,
  display_name: text,
  language: text,
  password: text,
  original_password: text,
});

export const accountRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const { sessions, sessionCookie, changes } = deps;
  const issue = async ({ owner }: { owner: Owner }) => ok(await issueAccessToken(deps, owner));

  return new Elysia({ name: 'account', prefix: '/api/user' })
    .use(guard(deps))
    .get(
      '/logout',
      async ({ viewer, context, set }) => {
        const { id, sessionId, embed } = viewer;
        if (sessionId && embed) await deps.sessions.endEmbedded(id, sessionId);
        else if (sessionId) await deps.sessions.end(sessionId);
        set.headers['set-cookie'] = embed
          ? writeEmbedCookie(context, '', 0)
          : deps.sessionCookie.clear(context);
        return done();
      },
      { auth: 'user', acts: 'in-demo' },
    )
    .get('/self', async ({ viewer }) => ok(await readSelf(deps, viewer.id)), { auth: 'user' })
    .put(
      '/self',
      async ({ body, viewer, context, owner, request, set }) => {
        const self = { ...owner, userAgent: request.headers.get('user-agent') ?? '' };
        const sessionId = await updateSelf(deps, self, {
          username: body.username,
          displayName: body.display_name,
          language: body.language,
          password: body.password,
          originalPassword: body.original_password,
        });
        if (sessionId) {
          const known = await rememberBrowser(
            deps,
            readKnown(request, context),
            await readAccount(deps, viewer.id),
          );
          const session = await deps.sessionCookie.set(context, sessionId);
          Object.assign(set.headers, { 'set-cookie': [session, keepKnown(context, known)] });
        }
        return done();
      },
      { auth: 'user', body: selfBody },
    )
    .post(
      '/confirm',
      async ({ body, owner }) => {
        await reauthenticate(deps, owner, body);
        return done();
      },
      { auth: 'user', body: confirmBody },
    )
    .get('/sessions', async ({ viewer }) => ok(await sessions.list(viewer.id, viewer.sessionId)), {
      auth: 'user',
    })
    .delete(
      '/sessions',
      async ({ viewer }) => {
        await changes.commit((tx, touch) => sessions.endAll(tx, touch, viewer.id, viewer.sessionId));
        return done();
      },
      { auth: 'user' },
    )
    .delete(
      '/sessions/:shown',
      async ({ params, viewer }) => {
        await sessions.endShown(viewer.id, params.shown);
        return done();
      },
      { auth: 'user', params: sessionParams },
    )
    .get('/token', issue, { auth: 'user', acts: true })
    .post('/token', issue, { auth: 'user' })
    .get('/token/status', async ({ viewer }) => ok(await sessions.accessToken(viewer.id)), { auth: 'user' })
    .delete(
      '/token',
      async ({ viewer }) => {
        await sessions.revokeAccessToken(viewer.id);
        return done();
      },
      { auth: 'user' },
    )
    .delete(
      '/self',
      async ({ body, context, set, owner }) => {
        await deleteSelf(deps, owner, body.username);
        set.headers['set-cookie'] = sessionCookie.clear(context);
        return done();
      },
      { auth: 'user', body: deleteBody },
    );
};
