/** The calls under `/api/overview`: how things stand, for users and for administrators. */
import { Elysia } from 'elysia';
import { limits } from '../../core/limits.ts';
import { hasRole } from '../../core/roles.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { createRecent } from '../../platform/recent.ts';
import type { OpenBreakers } from '../../relay/choose/open-breakers.ts';
import type { ChannelStanding } from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import { unpricedModels } from '../model-hub/service.ts';
import { type OverviewUsage, overviewQuery } from './contract.ts';
import { ownOverview } from './own.ts';
import { type SiteSources, siteChannels, siteOverview, siteUsage } from './site.ts';

type Sources = Pick<SiteSources<OpenBreakers>, 'openBreakers' | 'snapshots'>;

export const overviewRoutes = (deps: Deps & GuardDeps, sources: Sources) => {
  const unpriced = createRecent<string[]>({ keepMs: limits.overviewMs, max: 1 });
  const usages = createRecent<OverviewUsage | null>({ keepMs: limits.overviewMs, max: 1 });
  const standings = createRecent<ChannelStanding>({ keepMs: limits.overviewMs, max: 2 });
  for (const kind of ['options', 'channels'] as const) {
    deps.changes.on(kind, () => {
      for (const recent of [unpriced, usages, standings]) recent.drop();
    });
  }
  const all = { ...sources, unpriced: () => unpriced.get('', () => unpricedModels(deps)) };
  return new Elysia({ name: 'overview', prefix: '/api/overview' })
    .use(guard(deps))
    .get(
      '/self',
      async ({ viewer, query }) =>
        ok(await ownOverview(deps, viewer, { timeZone: query.time_zone, unpriced: all.unpriced })),
      { auth: 'user', query: overviewQuery },
    )
    .get(
      '/',
      async ({ viewer: { id, role }, context: { locale } }) => {
        const found = await siteOverview(deps, {
          ...all,
          usage: () => usages.get('', () => siteUsage(deps, { id })),
          channels: () => standings.get(locale, () => siteChannels(deps, { id, locale })),
        });
        // Findings name accounts that not every administrator may read.
        const findings = hasRole(role, 'root') ? (found.audit?.findings ?? []) : [];
        return ok({ ...found, audit: found.audit && { ...found.audit, findings } });
      },
      { auth: 'admin' },
    );
};
