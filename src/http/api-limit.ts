/**
 * How many calls of `/api` a session, a browser that was signed in before, or an address without either may make, and all
 * who are signed in from one network together. A relay key has a count of its own, and those of one user have one together,
 * and so has what an application does for a user, so that none of them ever keeps him out of his console; where no key is
 * taken, it is a guest's. A session and a browser whose counts are full have that of strangers. Pages rendered on the
 * server do not count.
 */
import { Elysia } from 'elysia';
import { AppError } from '../core/errors.ts';
import { type Limiter, requireFit } from '../platform/limiter.ts';
import { isClientCall } from './client-calls.ts';
import { contextOf, type PeerSource } from './context.ts';
import { type Coming, type CountingDeps, rulesOfViewer, waysOfGuest, waysOfViewer } from './counted-by.ts';
import { type GuardDeps, isInProcess, resolveCaller, resolveKeyHolder } from './guard.ts';

export type ApiLimitDeps = GuardDeps & CountingDeps & { limiter: Limiter };

/** Counts a call, or a form that makes one, once. Throws RATE_LIMIT. */
export async function countCall({ request, context }: Coming, deps: ApiLimitDeps): Promise<void> {
  if (context.isCounted) return;
  context.isCounted = true;
  const holder = isClientCall(request) ? await resolveKeyHolder(request, context, deps) : null;
  const viewer =
    holder === null || holder instanceof AppError ? await resolveCaller(request, context, deps) : holder;
  const windowSec = deps.options.get('ApiRateLimitSeconds');
  const ofAddress = { limit: deps.options.get('ApiRateLimitAddress'), windowSec };
  const guest = waysOfGuest(deps, 'api:address', ofAddress, { request, context });
  if (!viewer) return requireFit(deps.limiter, ...guest);
  const ofSession = { limit: deps.options.get('ApiRateLimitSession'), windowSec };
  const rules = rulesOfViewer('api', viewer, ofSession, context.clientIp);
  await requireFit(deps.limiter, ...waysOfViewer(viewer, rules, guest));
}

export const apiLimit = (deps: ApiLimitDeps) =>
  new Elysia({ name: 'api-limit' }).onRequest(async ({ request, server }) => {
    if (isInProcess(request) || !new URL(request.url).pathname.startsWith('/api/')) return;
    await countCall({ request, context: contextOf(request, deps.env, server as PeerSource | null) }, deps);
  });
