/** `/api/supplier`: what users may bring keys for. */
import { Elysia } from 'elysia';
import { idParam } from '../../core/wire/whole.ts';
import { ok } from '../../http/envelope.ts';
import { etag } from '../../http/etag.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { listQuery, manyBody, supplierBody } from './contract.ts';
import {
  changeSuppliers,
  createSupplier,
  listSuppliers,
  openSuppliers,
  supplierTypes,
  updateSupplier,
} from './service.ts';

export const supplierRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'supplier', prefix: '/api/supplier' })
    .use(guard(deps))
    .use(etag)
    .get('/', async () => ok(await openSuppliers(deps)), { auth: 'client', etag: true })
    .get('/admin', async ({ query }) => ok(await listSuppliers(deps, query)), {
      auth: 'admin',
      etag: true,
      query: listQuery,
    })
    .get('/admin/types', () => ok(supplierTypes()), { auth: 'admin' })
    .post('/admin', async ({ body, actor }) => ok(await createSupplier(deps, actor, body)), {
      auth: 'admin',
      body: supplierBody,
    })
    .post(
      '/admin/batch',
      async ({ body, actor, still }) =>
        ok(await changeSuppliers(deps, { ...actor, still }, body.action, body.ids)),
      { auth: 'admin', body: manyBody },
    )
    .put(
      '/admin/:id',
      async ({ params, body, actor }) => ok(await updateSupplier(deps, actor, params.id, body)),
      { auth: 'admin', params: idParam, body: supplierBody },
    );
