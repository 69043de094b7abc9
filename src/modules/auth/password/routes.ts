/** Signing in with a password, signing out, and one's own account at `/api/user/self`. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { keepKnown, readKnown } from '../../../http/known-cookie.ts';
import { DEFAULT_GROUP } from '../../../options/checks.ts';
import type { Deps } from '../../deps.ts';
import { groupNames, usableGroups } from '../../group/service.ts';
import type { SessionDeps } from '../../session/service.ts';
import { readAccount } from '../account/account.ts';
import { readSelf, updateSelf } from '../account/self.ts';
import { requireHuman, turnstile } from '../captcha/human-check.ts';
import { rememberBrowser } from '../known-browser.ts';
import { answerSignIn } from '../routes-sign-in.ts';
import { checkPassword } from './login.ts';

const text = wireText(1_000).nullish();

const loginBody = z.object({ username: text, password: text });
const loginQuery = z.object({ turnstile });

/** Other fields of a row are ignored: nobody raises his own role or quota. */
const selfBody = z.object({
  username: text,
  display_name: text,
  language: text,
  password: text,
  original_password: text,
});

export const authRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'auth', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/user/login',
      async ({ body, query, ...coming }) => {
        await requireHuman(deps, coming.context, query.turnstile, 'login');
        const given = { username: body.username ?? '', password: body.password ?? '' };
        const known = readKnown(coming.request, coming.context);
        const account = await checkPassword(deps, { ...given, known, ip: coming.context.clientIp });
        return answerSignIn(deps, account, coming);
      },
      { guest: true, body: loginBody, query: loginQuery },
    )
    .get(
      '/user/logout',
      async ({ viewer, context, set }) => {
        if (viewer.sessionId) await deps.sessions.end(viewer.sessionId);
        set.headers['set-cookie'] = deps.sessionCookie.clear(context);
        return done();
      },
      { auth: 'user', acts: true },
    )
    .get('/user/self', async ({ viewer }) => ok(await readSelf(deps, viewer.id)), { auth: 'user' })
    .put(
      '/user/self',
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
    .get(
      '/user/self/groups',
      ({ viewer }) => ok(Object.fromEntries(usableGroups(deps.options, viewer.group))),
      { auth: 'user' },
    )
    .get(
      '/user/groups',
      ({ guestViewer }) =>
        ok(Object.fromEntries(usableGroups(deps.options, guestViewer?.group ?? DEFAULT_GROUP))),
      { guest: true },
    )
    .get('/group/', () => ok(groupNames(deps.options)), { auth: 'user' });
