/** What the owner of an account does to his ways into it: his proof, his sessions, his access token, its end. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Owner } from '../../../core/actor.ts';
import { wireText } from '../../../core/wire/text.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { deleteSelf } from './delete-self.ts';
import { reauthenticate } from './re-authentication.ts';
import { issueAccessToken } from './self.ts';

const text = wireText(1_000).nullish();
const confirmBody = z.object({ password: text, code: text });
const deleteBody = z.object({ username: text });
const sessionParams = z.object({ shown: wireText(100) });

export const accountRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const { sessions, sessionCookie, changes } = deps;
  const issue = async ({ owner }: { owner: Owner }) => ok(await issueAccessToken(deps, owner));

  return new Elysia({ name: 'account', prefix: '/api/user' })
    .use(guard(deps))
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
