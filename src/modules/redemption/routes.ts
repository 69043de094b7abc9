/**
 * `/api/redemption` for administrators, and the call by which a user redeems a code. Reading masks codes: whole ones are
 * answered by the calls that make them and that show them, which are recorded.
 */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import {
  codeBody,
  createBody,
  idsBody,
  listQuery,
  manyBody,
  searchQuery,
  updateBody,
  updateQuery,
} from './contract.ts';
import { redeem } from './redeem.ts';
import {
  changeCodes,
  createCodes,
  findCode,
  getCode,
  listCodes,
  removeCode,
  removeInvalid,
  revealCodes,
  setStatus,
  updateCode,
} from './service.ts';

export const redemptionRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'redemption', prefix: '/api/redemption' })
    .use(guard(deps))
    // Counted from 0, as its clients count.
    .get(
      '/',
      async ({ query }) => {
        const paging = readPaging(query, 0);
        const list = await listCodes(deps, {}, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: listQuery },
    )
    .get(
      '/search',
      async ({ query }) => {
        const paging = readPaging(query, 0);
        const list = await listCodes(deps, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: searchQuery },
    )
    .get('/:id', async ({ params }) => ok(await getCode(deps, params.id)), { auth: 'admin', params: idParam })
    .post('/', async ({ body, actor }) => ok(await createCodes(deps, actor, body)), {
      auth: 'admin',
      body: createBody,
    })
    .put(
      '/',
      async ({ body, query, actor }) => {
        return ok(
          query.status_only === 'true'
            ? await setStatus(deps, actor, body.id, body.status ?? 0)
            : await updateCode(deps, actor, body),
        );
      },
      { auth: 'admin', body: updateBody, query: updateQuery },
    )
    .delete('/invalid', async ({ actor }) => ok(await removeInvalid(deps, actor)), { auth: 'admin' })
    .delete(
      '/:id',
      async ({ params, actor }) => {
        await removeCode(deps, actor, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    )
    .post('/batch', async ({ body, actor }) => ok(await changeCodes(deps, actor, body.action, body.ids)), {
      auth: 'admin',
      body: manyBody,
    })
    .post('/keys', async ({ body, actor }) => ok(await revealCodes(deps, actor, body.ids)), {
      auth: 'admin',
      body: idsBody,
    })
    // By a body, because what stands in an address is kept in histories and logs.
    .post('/find', async ({ body }) => ok(await findCode(deps, body.key ?? '')), {
      auth: 'admin',
      body: codeBody,
    });

export const redeemRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'redeem', prefix: '/api/user' })
    .use(guard(deps))
    .post(
      '/topup',
      async ({ body, viewer, context }) =>
        ok(
          await redeem(
            deps,
            { id: viewer.id, username: viewer.username, group: viewer.group, ip: context.clientIp },
            body.key ?? '',
          ),
        ),
      { auth: 'user', body: codeBody },
    );
