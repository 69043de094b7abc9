/** `/api/oauth/telegram`: what Telegram's widget says of somebody, to sign him in or to bind his account. */
import { Elysia } from 'elysia';
import { fail } from '../../../core/errors.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireProvedOwner } from '../account/re-authentication.ts';
import { answerSignIn } from '../routes-sign-in.ts';
import { accountOf, bind } from './service.ts';
import { readTelegram, spendTelegram, telegramFields } from './telegram.ts';

/**
 * Signed fields belong to whoever has them: a link with somebody's own must not sign others in as him. Our page asks
 * from within; what a browser was led to from elsewhere says so.
 */
function requireOwnPage(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') throw fail('CROSS_SITE');
}

export const telegramRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'telegram', prefix: '/api/oauth/telegram' })
    .use(guard(deps))
    .get(
      '/login',
      async ({ query, coming }) => {
        const { request, context } = coming;
        requireOwnPage(request);
        const party = readTelegram(deps.options, query);
        await spendTelegram(deps, query);
        const { clientIp: ip, locale } = context;
        const account = await accountOf(deps, party, { ip, affCode: query.aff ?? '', locale });
        return answerSignIn(deps, account, coming);
      },
      { guest: true, ownSite: true, acts: true, query: telegramFields },
    )
    .get(
      '/bind',
      async ({ query, context, owner }) => {
        const party = readTelegram(deps.options, query);
        // Asked before the fields are used up: who has to prove himself first repeats the call with them.
        await requireProvedOwner(deps, owner);
        await spendTelegram(deps, query);
        await bind(deps, owner, party, context.locale);
        return { ...done(), message: 'bind' };
      },
      { auth: 'user', acts: true, query: telegramFields },
    );
