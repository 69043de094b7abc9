/** Renders one page to a whole document. Knows nothing of sockets, sessions or the database. */

import type { Locale } from '@core/errors.ts';
import { createRequestHandler, RouterServer, renderRouterToStream } from '@tanstack/react-router/ssr/server';
import type { ReactNode } from 'react';
import { preloadModule } from 'react-dom';
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
  const { boot, api } = input;
  const context = { boot, api, t, zone: () => boot.preferences.timeZone };
  const router = createRouter(context, input.nonce);
  const manifest = manifestOf(input.files, input.boot.locale);
  const handle = createRequestHandler({
    request: input.request,
    createRouter: () => router,
    getRouterManifest: () => manifest,
  });
  let failure: { error: unknown } | undefined;
  const answer = await handle(({ request, router, responseHeaders }) => {
    failure = router.state.matches.find((match) => match.status === 'error');
    const needed = filesOf(router, input.files.code[input.boot.locale]);
    responseHeaders.set('link', linksTo(input.files.css, needed));
    return renderRouterToStream({
      request,
      router,
      responseHeaders,
      children: (
        <Preloaded files={needed}>
          <RouterServer router={router} />
        </Preloaded>
      ),
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
  routes: {
    __root__: { css: string[]; scripts: { attrs: { type: 'module'; src: string; async: true } }[] };
  };
}

/**
 * The styles and the entry. The router links both in every page by itself, and names them once more in the record that it
 * leaves for the browser, which has to draw the same head.
 */
const manifestOf = ({ css, code }: PageFiles, locale: Locale): Manifest => ({
  routes: {
    __root__: { css, scripts: [{ attrs: { type: 'module', src: code[locale].entry, async: true } }] },
  },
});

/** `/token/edit/$id` → `token.edit`: the file of a page, `web/pages/token.edit.page.tsx`, is named for its path; that of `/` is `home`. */
export const pageName = (fullPath: string): string =>
  fullPath
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('$'))
    .join('.') || 'home';

/** All code without which the page of these routes cannot be used. */
function filesOf(router: ReturnType<typeof createRouter>, { entry, shared, pages }: PageCode): Set<string> {
  const own = router.state.matches.flatMap(({ routeId, fullPath }) => {
    // The frames of pages have the path of `/`, and are none.
    const isFrame = fullPath === '/' && routeId !== '/';
    return (isFrame ? undefined : pages[pageName(fullPath)]) ?? [];
  });
  return new Set([...shared, entry, ...own]);
}

/** Has the browser fetch them when it has the head of the answer, while the page itself is still on its way. */
const linksTo = (css: readonly string[], code: Iterable<string>): string =>
  [
    ...css.map((file) => `<${file}>; rel=preload; as=style`),
    ...[...code].map((file) => `<${file}>; rel=modulepreload`),
  ].join(', ');

/**
 * The same for browsers that do not read such links there. By those that the router would write the files would be fetched as
 * what may wait: one by one, until the styles are there.
 */
function Preloaded({ files, children }: { files: Iterable<string>; children: ReactNode }) {
  for (const file of files) preloadModule(file);
  return children;
}
