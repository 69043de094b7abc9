/** Renders one page to a whole document. Knows nothing of sockets, sessions or the database. */

import type { Locale } from '@core/errors.ts';
import { createRequestHandler, RouterServer, renderRouterToStream } from '@tanstack/react-router/ssr/server';
import type { Boot } from './boot.ts';
import type { Api } from './lib/api.ts';
import { pageStatusOf } from './lib/page-status.ts';
import { translatorFor } from './lib/translator-for.ts';
import { createRouter } from './router.tsx';

/** The built files as pages link to them. */
export interface PageFiles {
  css: string[];
  code: Record<Locale, PageCode>;
}

/** The code of a language, with its texts. */
export interface PageCode {
  entry: string;
  /** What every page needs beside the entry. */
  shared: string[];
  /** By page: `token.add` is what `/token/add` needs. */
  pages: Record<string, string[]>;
}

export interface PageInput {
  /** Its address is what is rendered; its signal ends the rendering. */
  request: Request;
  boot: Boot;
  api: Api;
  nonce: string;
  files: PageFiles;
}

/** The whole document with its status, or the redirect that the page asked for. Throws when the rendering fails. */
export async function renderPage(input: PageInput): Promise<Response> {
  const t = translatorFor(input.boot.locale);
  const context = { boot: input.boot, api: input.api, t };
  const router = createRouter(context, input.nonce);
  const manifest = manifestOf(router, input.files, input.boot.locale);
  const handle = createRequestHandler({
    request: input.request,
    createRouter: () => router,
    getRouterManifest: () => manifest,
  });
  let failure: { error: unknown } | undefined;
  const answer = await handle(({ request, router, responseHeaders }) => {
    failure = router.state.matches.find((match) => match.status === 'error');
    return renderRouterToStream({
      request,
      router,
      responseHeaders,
      children: <RouterServer router={router} />,
    });
  });
  const location = answer.headers.get('location');
  if (location !== null) return new Response(null, { status: answer.status, headers: { location } });
  // Whole before its first byte is sent: a failure can still change the status, and a slow reader holds nothing up.
  const html = await answer.text();
  return new Response(html, {
    status: failure ? pageStatusOf(failure.error) : answer.status,
    headers: answer.headers,
  });
}

interface Manifest {
  routes: Record<
    string,
    {
      preloads: string[];
      css?: string[];
      scripts?: { attrs: { type: 'module'; src: string; async: true } }[];
    }
  >;
}

const manifests = new WeakMap<PageFiles, Partial<Record<Locale, Manifest>>>();

/** `/token/edit/$id` → `token.edit`: the file of a page, `web/pages/token.edit.page.tsx`, is named for its path; that of `/` is `home`. */
export const pageName = (fullPath: string): string =>
  fullPath
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('$'))
    .join('.') || 'home';

/** Which files the browser should fetch with the first bytes of a route, in its language. */
function manifestOf(router: ReturnType<typeof createRouter>, files: PageFiles, locale: Locale): Manifest {
  const known = manifests.get(files)?.[locale];
  if (known) return known;
  const { entry, shared, pages } = files.code[locale];
  const routes: Manifest['routes'] = {};
  for (const [id, { fullPath }] of Object.entries(router.routesById)) {
    // The frame of the console has the path of `/`, and is no page.
    const isFrame = fullPath === '/' && id !== '/';
    routes[id] = { preloads: (isFrame ? undefined : pages[pageName(fullPath)]) ?? [] };
  }
  routes.__root__ = {
    css: files.css,
    preloads: shared,
    scripts: [{ attrs: { type: 'module', src: entry, async: true } }],
  };
  const manifest = { routes };
  manifests.set(files, { ...manifests.get(files), [locale]: manifest });
  return manifest;
}
