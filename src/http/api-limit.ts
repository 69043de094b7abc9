/**
 * How many calls of `/api` a session, or an address without one, may make, and all who are signed in from one network
 * together. Pages rendered on the server do not count.
 */
import { Elysia } from 'elysia';
import { fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Options } from '../options/store.ts';
import { allFit, type Limiter, networkRules } from '../platform/limiter.ts';
import { contextOf, type PeerSource } from './context.ts';
import { type GuardDeps, isInProcess, resolveCaller } from './guard.ts';

export const apiLimit = (deps: GuardDeps & { limiter: Limiter; options: Options }) =>
  new Elysia({ name: 'api-limit' }).onRequest(async ({ request, server }) => {
    if (isInProcess(request) || !new URL(request.url).pathname.startsWith('/api/')) return;
    const context = contextOf(request, deps.env, server as PeerSource | null);
    const viewer = await resolveCaller(request, context, deps);
    const windowSec = deps.options.get('ApiRateLimitSeconds');
    const limit = deps.options.get(viewer ? 'ApiRateLimitSession' : 'ApiRateLimitAddress');
    const rules = viewer
      ? [
          { key: `api:${viewer.sessionId ?? `user:${viewer.id}`}`, limit, windowSec },
          // Sessions are made at will.
          { key: `api:all-of:${viewer.id}`, limit: limit * limits.sessionsBusyAtOnce, windowSec },
          // And so are accounts.
          ...networkRules('api:signed-in', limit * limits.busyOfNetwork, windowSec, context.clientIp),
        ]
      : networkRules('api:address', limit, windowSec, context.clientIp);
    const { ok, retryAfterSec } = allFit(await deps.limiter.takeAll(rules));
    if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
  });
