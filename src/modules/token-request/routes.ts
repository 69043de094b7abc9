/** The calls by which an application asks for a relay key, and its user gives it one. */
import { Elysia } from 'elysia';
import { limits } from '../../core/limits.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { RequestContext, Viewer } from '../../http/context.ts';
import { rulesOfBegun } from '../../http/counted-by.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import type { SessionDeps } from '../session/service.ts';
import { askBody, decideBody, statusQuery } from './contract.ts';
import { APPROVE_CODE_HEADER } from './facts.ts';
import { type Decider, decideRequest, openRequest, pollRequest, showRequest } from './service.ts';

/** Known clients read the fields beside the envelope. */
const both = <T extends object>(data: T) => ({ ...ok(data), ...data });

const REQUESTS = {
  limit: limits.tokenRequestsAnHour,
  ofNetwork: limits.tokenRequestsOfNetwork,
  windowSec: HOUR_SEC,
};

/** One line: what an application calls itself stands in the middle of ours. */
const nameOf = (given: string | null | undefined): string =>
  (given ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

const deciderOf = (viewer: Viewer, context: RequestContext): Decider => ({
  id: viewer.id,
  group: viewer.group,
  sessionId: viewer.sessionId,
  ip: context.clientIp,
});

/** Applications are no pages: one of another site would only use up what its visitor's network may ask. */
export const tokenRequestRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'token-request', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/request_bind',
      async ({ body, context, request }) => {
        const { requestId, code, number } = await openRequest(deps, {
          name: nameOf(body.name),
          ip: context.clientIp,
          userAgent: request.headers.get('user-agent') ?? '',
          rules: rulesOfBegun(deps, 'token-request', REQUESTS, { request, context }),
        });
        const site = publicAddress(deps) || context.origin;
        return both({
          approval_url: new URL(`/approve?code=${code}`, site).href,
          request_id: requestId,
          expires_in: limits.tokenRequestSec,
          user_code: number,
        });
      },
      { guest: true, ownSite: true, body: askBody },
    )
    .get(
      '/check_status',
      async ({ query, context }) => both(await pollRequest(deps, query.request_id ?? '', context.clientIp)),
      { guest: true, ownSite: true, acts: 'in-demo', query: statusQuery },
    )
    .get(
      '/request_bind',
      async ({ request, viewer, context }) =>
        ok(
          await showRequest(deps, deciderOf(viewer, context), request.headers.get(APPROVE_CODE_HEADER) ?? ''),
        ),
      { auth: 'user' },
    )
    .patch(
      '/request_bind',
      async ({ body, viewer, context }) => {
        await decideRequest(deps, deciderOf(viewer, context), body);
        return done();
      },
      { auth: 'user', body: decideBody },
    );
