/** `/api/application`: the marketplace, for companion clients and for the administrators who keep it. */
import { Elysia } from 'elysia';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { etag } from '../../http/etag.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import { type Application, adminQuery, applicationBody, batchBody, dxtQuery, listQuery } from './contract.ts';
import {
  createApplication,
  defaultAddress,
  deleteApplication,
  deleteApplications,
  listApplications,
  offeredApplications,
  updateApplication,
} from './service.ts';

/** The rows, and how many they are beside them. */
const counted = (rows: Application[]) => ({ ...ok(rows), total: rows.length });

export const marketplaceRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'application', prefix: '/api/application' })
    .use(guard(deps))
    .use(etag)
    .get('/', async ({ viewer, query }) => counted(await offeredApplications(deps, viewer, query.group)), {
      auth: 'client',
      etag: true,
      query: listQuery,
    })
    .get('/admin', async ({ query }) => counted(await listApplications(deps, query)), {
      auth: 'admin',
      etag: true,
      query: adminQuery,
    })
    .get(
      '/admin/dxt_url',
      ({ query, context }) => {
        const site = publicAddress(deps) || context.origin;
        return ok(defaultAddress(deps, site, query.name, query.version));
      },
      { auth: 'admin', query: dxtQuery },
    )
    .post('/admin', async ({ body, actor }) => ok(await createApplication(deps, actor, body)), {
      auth: 'admin',
      body: applicationBody,
    })
    .put(
      '/admin/:id',
      async ({ params, body, actor }) => ok(await updateApplication(deps, actor, params.id, body)),
      { auth: 'admin', params: idParam, body: applicationBody },
    )
    .delete(
      '/admin/:id',
      async ({ params, actor }) => {
        await deleteApplication(deps, actor, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    )
    .post(
      '/admin/batch',
      async ({ body, actor }) => ok(await deleteApplications(deps, actor, body.ids ?? [])),
      { auth: 'admin', body: batchBody },
    );
