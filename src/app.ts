/** The composition root of HTTP: everything that is served, part by part. */
import { join } from 'node:path';
import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type Api, type AppDeps, createApi, type Snapshots } from './api.ts';
import { createFront, type Front } from './front.ts';
import { anyHost } from './http/any-host.ts';
import { openAssets } from './http/assets.ts';
import { contextOf } from './http/context.ts';
import { ownShareOf } from './http/counted-by.ts';
import { toAppError } from './http/envelope.ts';
import { health } from './http/health.ts';
import { description } from './http/openapi.ts';
import { errorDocument } from './http/page-error.ts';
import { pageForms } from './http/page-forms.ts';
import { refusal } from './http/refusal.ts';
import { type GiveFile, giveFiles } from './http/shared-files.ts';
import type { Deps } from './modules/deps.ts';
import type { SocketPeer } from './platform/sockets.ts';
import { playgroundRoutes, relayRoutes } from './relay/entry/routes.ts';
import { handle } from './relay/handle.ts';
import { createPages, type PageDeps, pageRoutes } from './ssr.tsx';

/** Pages, their files and their forms. What fails here is shown to a person. */
function createPagePart(deps: Deps & PageDeps, api: Api, give: GiveFile) {
  const handler = { handle: async (request: Request) => api.handle(request) };
  const pages = createPages(deps, handler);
  return new Elysia({ name: 'page-part', handler: anyHost })
    .onError(({ error, code, request, server }) => {
      const context = contextOf(request, deps.env, server);
      return errorDocument(toAppError(error, code), context.locale, context.requestId);
    })
    .use(pageForms({ ...deps, api: handler, page: pages.answer }))
    .use(pageRoutes(deps, pages, give));
}

export interface App {
  front: Front;
  /** Tells the parts which server they answer for, so that they can ask it for a caller's address. */
  attach(server: Server<SocketPeer>): void;
}

/** Everything that is served. */
export async function createApp(deps: AppDeps, snapshots: Snapshots): Promise<App> {
  const api = createApi(deps, snapshots);
  const assets = await openAssets(join(import.meta.dir, '../dist/web'));
  const give = giveFiles(deps);
  const giveOrRefuse: GiveFile = (request, server, file) =>
    give(request, server, file).catch((error: unknown) =>
      refusal(toAppError(error, ''), contextOf(request, deps.env, server)),
    );
  const parts = {
    probes: health({ ...deps, snapshots }),
    description: description([api], giveOrRefuse),
    api,
    relay: relayRoutes(deps.relay, handle),
    playground: playgroundRoutes({ ...deps, ...deps.relay }, handle),
    pages: createPagePart({ ...deps, assets }, api, give),
  };
  return {
    front: createFront(parts, { ...deps, ownShareOf: (coming) => ownShareOf(deps, coming) }),
    attach(server) {
      for (const part of Object.values(parts)) part.server = server;
    },
  };
}
