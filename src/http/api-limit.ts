/**
 * How many calls of `/api` a session, or an address without one, may make, and all who are signed in from one network
 * together. A relay key has a count of its own, and those of one user have one together, and so has what an application
 * does for a user, so that none of them ever keeps him out of his console; where no key is taken, it is a guest's. Pages
 * rendered on the server do not count.
 */
import { Elysia } from 'elysia';
import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Options } from '../options/store.ts';
import { allFit, type Limiter, networkRules } from '../platform/limiter.ts';
import { isClientCall } from './client-calls.ts';
import { contextOf, type PeerSource, shareOf, type Viewer } from './context.ts';
import { type GuardDeps, isInProcess, resolveCaller, resolveKeyHolder, rulesOfGuest } from './guard.ts';

export const apiLimit = (deps: GuardDeps & { limiter: Limiter; options: Options }) =>
  new Elysia({ name: 'api-limit' }).onRequest(async ({ request, server }) => {
    if (isInProcess(request) || !new URL(request.url).pathname.startsWith('/api/')) return;
    const context = contextOf(request, deps.env, server as PeerSource | null);
    const holder = isClientCall(request) ? await resolveKeyHolder(request, context, deps) : null;
    const viewer =
      holder === null || holder instanceof AppError ? await resolveCaller(request, context, deps) : holder;
    const windowSec = deps.options.get('ApiRateLimitSeconds');
    const limit = deps.options.get(viewer ? 'ApiRateLimitSession' : 'ApiRateLimitAddress');
    const rules = viewer
      ? [
          { key: `api:${wayIn(viewer)}`, limit, windowSec },
          // Sessions and keys are made at will.
          { key: `api:all-of:${shareOf(viewer)}`, limit: limit * limits.sessionsBusyAtOnce, windowSec },
          // And so are accounts.
          ...networkRules('api:signed-in', limit * limits.busyOfNetwork, windowSec, context.clientIp),
        ]
      : rulesOfGuest(networkRules('api:address', limit, windowSec, context.clientIp), request, context);
    const { ok, retryAfterSec } = allFit(await deps.limiter.takeAll(rules));
    if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
  });

/** By what one calls. */
const wayIn = (viewer: Viewer): string =>
  viewer.relayToken === undefined ? (viewer.sessionId ?? shareOf(viewer)) : `key:${viewer.relayToken}`;
