/** `/api/model_hub` and `/api/pricing`: what models there are and what they cost. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { can } from '../../core/roles.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery, readPaging } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import type { Viewer } from '../../http/context.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { acceptsUnset } from '../notification/service.ts';
import { HUB_ORDERS } from './facts.ts';
import { saveBody, unpricedBody } from './fields.ts';
import type { KeptLists } from './kept.ts';
import { keepPopular } from './popular.ts';
import { BILLINGS, pricePage, type Reader } from './prices.ts';
import { listHubForAdmins, saveHub, unpricedAmong } from './service.ts';

export const modelHubRoutes = (deps: Deps & GuardDeps, lists: KeptLists) =>
  new Elysia({ name: 'model-hub', prefix: '/api/model_hub' })
    .use(guard(deps))
    .get('/', async () => ok(await lists.hub()), { guest: true })
    .get('/admin', async () => ok(await listHubForAdmins(deps)), { auth: 'admin' })
    .post('/unpriced', async ({ body }) => ok(unpricedAmong(deps, body.models)), {
      auth: 'admin',
      body: unpricedBody,
    })
    .put('/admin', async ({ body, actor }) => ok(await saveHub(deps, actor, body)), {
      auth: 'admin',
      body: saveBody,
    });

const text = wireText(200).trim().optional();
const pageQuery = pagingQuery.extend({
  keyword: text,
  group: text,
  billing: z.enum(BILLINGS).optional(),
  tag: text,
  vendor: text,
  sort: askedOrder(HUB_ORDERS),
});

const readerOf = async (deps: Pick<Deps, 'db'>, viewer: Viewer | null): Promise<Reader | null> =>
  viewer && {
    group: viewer.group,
    seesAll: can(viewer.role, 'canManageChannels'),
    acceptUnset: await acceptsUnset(deps, viewer.id),
  };

export const pricingRoutes = (deps: Deps & GuardDeps, lists: KeptLists) => {
  const popular = keepPopular(deps, lists);
  return new Elysia({ name: 'pricing', prefix: '/api/pricing' })
    .use(guard(deps))
    .get('/popular', async () => ok(await popular()), { guest: true })
    .get(
      '/',
      async ({ guestViewer }) => {
        // The one answer with its maps beside `data`, as its clients know it.
        const { items, group_ratio, usable_group } = await lists.prices(await readerOf(deps, guestViewer));
        return { ...ok(items), group_ratio, usable_group };
      },
      { guest: true },
    )
    .get(
      '/page',
      async ({ guestViewer, query }) =>
        ok(pricePage(await lists.prices(await readerOf(deps, guestViewer)), query, readPaging(query, 1, 20))),
      { guest: true, query: pageQuery },
    );
};
