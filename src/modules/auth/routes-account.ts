/** What the owner of an account does to his ways into it. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../core/wire/text.ts';
import type { RequestContext, Viewer } from '../../http/context.ts';
import { done } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { confirmOwner, type Owner } from './owner.ts';

const confirmBody = z.object({ password: wireText(1_000).nullish() });

const ownerOf = ({ id, sessionId }: Viewer, { clientIp }: RequestContext): Owner => ({
  id,
  sessionId,
  ip: clientIp,
});

export const accountRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'account', prefix: '/api/user' }).use(guard(deps)).post(
    '/confirm',
    async ({ body, viewer, context }) => {
      await confirmOwner(deps, ownerOf(viewer, context), body);
      return done();
    },
    { auth: 'user', body: confirmBody },
  );
