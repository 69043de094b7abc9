/** Signing in and out, `/api/user/self`, and what everyone may call: registering and setting a forgotten password. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../core/wire/text.ts';
import { ownerOf, type RequestContext } from '../../http/context.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { answerSignIn } from '../../http/sign-in-answer.ts';
import type { Deps } from '../deps.ts';
import { groupNames, usableGroups } from '../group/service.ts';
import { requireHuman } from './human-check.ts';
import { resetPassword, sendCode, sendResetLink } from './mailbox.ts';
import { register } from './register.ts';
import { checkPassword, readSelf, updateSelf } from './service.ts';

const text = wireText(1_000).nullish();

const loginBody = z.object({ username: text, password: text });

/** Other fields of a row are ignored: nobody raises his own role or quota. */
const selfBody = z.object({
  username: text,
  display_name: text,
  language: text,
  password: text,
  original_password: text,
});

const registerBody = z.object({
  username: text,
  password: text,
  password2: text,
  email: text,
  verification_code: text,
  aff_code: text,
});
/** What the human check's widget earned. */
const turnstile = wireText(2_048).nullish();
const humanQuery = z.object({ turnstile });
const mailboxQuery = z.object({ email: text, turnstile });
const resetBody = z.object({ email: text, token: text });

export const authRoutes = (deps: Deps & GuardDeps) => {
  const withCookie = async (context: RequestContext, sessionId: string, headers: Record<string, unknown>) => {
    headers['set-cookie'] = await deps.sessionCookie.set(context, sessionId);
  };

  return new Elysia({ name: 'auth', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/user/login',
      async ({ body, query, ...coming }) => {
        await requireHuman(deps, coming.context, query.turnstile, 'login');
        const given = { username: body.username ?? '', password: body.password ?? '' };
        const account = await checkPassword(deps, { ...given, ip: coming.context.clientIp });
        return answerSignIn(deps, account, coming);
      },
      { guest: true, body: loginBody, query: humanQuery },
    )
    .get(
      '/user/logout',
      async ({ viewer, context, set }) => {
        if (viewer.sessionId) await deps.sessions.end(viewer.sessionId);
        set.headers['set-cookie'] = deps.sessionCookie.clear(context);
        return done();
      },
      { auth: 'user' },
    )
    .get('/user/self', async ({ viewer }) => ok(await readSelf(deps, viewer.id)), { auth: 'user' })
    .put(
      '/user/self',
      async ({ body, viewer, context, request, set }) => {
        const self = { ...ownerOf(viewer, context), userAgent: request.headers.get('user-agent') ?? '' };
        const sessionId = await updateSelf(deps, self, {
          username: body.username,
          displayName: body.display_name,
          language: body.language,
          password: body.password,
          originalPassword: body.original_password,
        });
        if (sessionId) await withCookie(context, sessionId, set.headers);
        return done();
      },
      { auth: 'user', body: selfBody },
    )
    .get(
      '/user/self/groups',
      ({ viewer }) => ok(Object.fromEntries(usableGroups(deps.options, viewer.group))),
      { auth: 'user' },
    )
    .get('/group/', () => ok(groupNames(deps.options)), { auth: 'user' });
};

/** Making an account, proving a mailbox, and setting a forgotten password: calls for everyone. */
export const registerRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'register', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/user/register',
      async ({ body, query, context }) => {
        await requireHuman(deps, context, query.turnstile, 'register');
        await register(deps, {
          username: body.username ?? '',
          password: body.password ?? '',
          password2: body.password2 ?? '',
          email: body.email ?? '',
          code: body.verification_code ?? '',
          affCode: body.aff_code ?? '',
          ip: context.clientIp,
        });
        return done();
      },
      { guest: true, body: registerBody, query: humanQuery },
    )
    .get(
      '/verification',
      async ({ query, context }) => {
        await requireHuman(deps, context, query.turnstile, 'register', 'bind');
        const { clientIp: ip, locale } = context;
        await sendCode(deps, { email: query.email ?? '', ip, locale });
        return done();
      },
      { guest: true, ownSite: true, query: mailboxQuery },
    )
    .get(
      '/reset_password',
      async ({ query, context }) => {
        await requireHuman(deps, context, query.turnstile, 'reset');
        const { clientIp: ip, locale } = context;
        await sendResetLink(deps, { email: query.email ?? '', ip, locale });
        return done();
      },
      { guest: true, ownSite: true, query: mailboxQuery },
    )
    .post(
      '/user/reset',
      async ({ body }) => ok(await resetPassword(deps, { email: body.email ?? '', token: body.token ?? '' })),
      { guest: true, body: resetBody },
    );
