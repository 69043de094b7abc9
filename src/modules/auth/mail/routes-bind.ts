/** Binding a mailbox to one's account. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { ownerOf, type RequestContext, type Viewer } from '../../../http/context.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import type { Deps } from '../../deps.ts';
import { bindEmail } from './bind.ts';

const text = wireText(1_000).nullish();
/** A password never stands in an address. */
const bindQuery = z.object({ email: text, code: text });
const bindBody = bindQuery.extend({ password: text });

export const bindEmailRoutes = (deps: Deps & GuardDeps) => {
  const bind = async (viewer: Viewer, context: RequestContext, given: z.infer<typeof bindBody>) => {
    const { email, code, password } = given;
    const { locale } = context;
    await bindEmail(deps, ownerOf(viewer, context), {
      email: email ?? '',
      code: code ?? '',
      password,
      locale,
    });
    return done();
  };

  return (
    new Elysia({ name: 'bind-email', prefix: '/api/oauth/email' })
      .use(guard(deps))
      // The contract's form. It changes something: the guard demands that our own page asks.
      .get('/bind', ({ query, viewer, context }) => bind(viewer, context, query), {
        auth: 'user',
        acts: true,
        query: bindQuery,
      })
      .post('/bind', ({ body, viewer, context }) => bind(viewer, context, body), {
        auth: 'user',
        body: bindBody,
      })
  );
};
