/** The calls under `/api/token`: everyone on his own tokens. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import type { Viewer } from '../../http/context.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard, seesKeys } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { createBody, idsBody, listQuery, pageQuery, readQuery, updateBody, updateQuery } from './contract.ts';
import type { Maker } from './fields.ts';
import {
  countTokens,
  createToken,
  getToken,
  listTokens,
  removeToken,
  removeTokens,
  revealKey,
  type Shape,
  updateToken,
} from './service.ts';
import { tellOfToken } from './told.ts';

/** Whatever an application may do for him, it is not he himself, and has no tokens but those that it made. */
const makerOf = ({ id, group, sessionId, accessToken, grant, embed }: Viewer): Maker => ({
  id,
  group,
  sessionId,
  accessToken,
  isHimself: grant === undefined && embed === undefined,
  appId: (grant ?? embed)?.appId,
});

const shapeOf = ({ mask }: { mask?: string }, viewer: Viewer): Shape => ({
  masked: mask === 'true' || !seesKeys(viewer),
});

/** What changes tokens or tells their keys: in a frame of an application that may make some, on those alone. */
const KEEPER = { least: 'user', framed: 'tokens:create' } as const;

export const tokenRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'token', prefix: '/api/token' })
    .use(guard(deps))
    // A bare list, counted from 0, as clients that pick a token expect it.
    .get(
      '/',
      async ({ query, viewer }) =>
        ok(await listTokens(deps, makerOf(viewer), {}, readPaging(query, 0), shapeOf(query, viewer))),
      { auth: 'user', secret: true, query: listQuery },
    )
    .get(
      '/page',
      async ({ query, viewer }) => {
        const paging = readPaging(query);
        const items = await listTokens(deps, makerOf(viewer), query, paging, shapeOf(query, viewer));
        const total = await countTokens(deps, makerOf(viewer), query);
        return ok({ items, total, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'user', secret: true, query: pageQuery },
    )
    .get(
      '/search',
      async ({ query, viewer }) =>
        ok(await listTokens(deps, makerOf(viewer), query, readPaging(query, 0), shapeOf(query, viewer))),
      { auth: 'user', secret: true, query: pageQuery },
    )
    .get(
      '/:id',
      async ({ params, query, viewer }) =>
        ok(await getToken(deps, makerOf(viewer), params.id, shapeOf(query, viewer))),
      { auth: 'user', secret: true, params: idParam, query: readQuery },
    )
    .post(
      '/',
      async ({ body, viewer, context }) => {
        const token = await createToken(deps, makerOf(viewer), body);
        await tellOfToken(deps, makerOf(viewer), context.locale, token);
        return ok(token);
      },
      { auth: { ...KEEPER, scope: 'tokens:create' }, body: createBody },
    )
    .put(
      '/',
      async ({ body, query, viewer, context }) => {
        const { id, status } = body;
        const given = query.status_only === 'true' ? { id, status } : body;
        const { token, before } = await updateToken(deps, makerOf(viewer), given, shapeOf(query, viewer));
        await tellOfToken(deps, makerOf(viewer), context.locale, token, before);
        return ok(token);
      },
      { auth: KEEPER, body: updateBody, query: updateQuery },
    )
    .delete(
      '/:id',
      async ({ params, viewer }) => {
        await removeToken(deps, makerOf(viewer), params.id);
        return done();
      },
      { auth: KEEPER, params: idParam },
    )
    .post('/batch', async ({ body, viewer }) => ok(await removeTokens(deps, makerOf(viewer), body.ids)), {
      auth: KEEPER,
      body: idsBody,
    })
    .post(
      '/:id/key',
      async ({ params, viewer }) => ok({ key: await revealKey(deps, makerOf(viewer), params.id) }),
      {
        auth: KEEPER,
        params: idParam,
      },
    );
