/** Binding a mailbox to one's account. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import type { Owner } from '../../../core/actor.ts';
import { wireText } from '../../../core/wire/text.ts';
import type { RequestContext } from '../../../http/context.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { bindEmail } from './bind.ts';

const text = wireText(1_000).nullish();
/** A password never stands in an address. */
const bindQuery = z.object({ email: text, code: text });
const bindBody = bindQuery.extend({ password: text });

export const bindEmailRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const bind = async (
    { request, context, owner }: { request: Request; context: RequestContext; owner: Owner },
    { email, code, password }: z.infer<typeof bindBody>,
  ) => {
    await bindEmail(deps, owner, {
      email: email ?? '',
      code: code ?? '',
      password,
      locale: context.locale,
      flowId: readCodeFlow(request, context),
    });
    return done();
  };

  return (
    new Elysia({ name: 'bind-email', prefix: '/api/oauth/email' })
      .use(guard(deps))
      // The contract's form. It changes something: the guard demands that our own page asks.
      .get('/bind', ({ query, request, context, owner }) => bind({ request, context, owner }, query), {
        auth: 'user',
        acts: true,
        query: bindQuery,
      })
      .post('/bind', ({ body, request, context, owner }) => bind({ request, context, owner }, body), {
        auth: 'user',
        body: bindBody,
      })
  );
};
