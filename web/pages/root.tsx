/** The document around every page, and what stands in for a page that does not exist or failed. */

import {
  createRootRouteWithContext,
  HeadContent,
  Outlet,
  ScriptOnce,
  Scripts,
  useMatches,
  useRouter,
} from '@tanstack/react-router';
import { createContext, type ReactNode, useLayoutEffect, useState } from 'react';
import { bootScript } from '../boot.ts';
import { PageFrame } from '../components/shell/page-frame.tsx';
import type { DataOf } from '../lib/calls.ts';
import { type PageContext, pageTitle, useBoot } from '../lib/page-context.ts';
import { FIRST_PAINT_SCRIPT, THEME_COLOURS } from '../lib/theme.ts';

/** The signed-in user's own record, as far as the shell shows it. */
export type Self = DataOf<'get', '/api/user/self'>;

const SELF_FRESH_MS = 30_000;

function Document({ children }: { children: ReactNode }) {
  const boot = useBoot();
  const { id, text } = bootScript(boot);
  return (
    <html
      lang={boot.locale === 'zh' ? 'zh-CN' : 'en'}
      className={boot.preferences.theme ?? undefined}
      suppressHydrationWarning
    >
      <head>
        <ScriptOnce>{FIRST_PAINT_SCRIPT}</ScriptOnce>
        <HeadContent />
        {(['light', 'dark'] as const).map((scheme) => (
          <meta
            key={scheme}
            name="theme-color"
            media={`(prefers-color-scheme: ${scheme})`}
            content={THEME_COLOURS[boot.preferences.theme ?? scheme]}
          />
        ))}
      </head>
      <body>
        {children}
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: JSON of ours; bootScript keeps it inside its element */}
        <script id={id} type="application/json" dangerouslySetInnerHTML={{ __html: text }} />
        <Scripts />
      </body>
    </html>
  );
}

const TakenOver = createContext(false);

/**
 * The router puts a boundary around every page, and what stands in one React takes over when nothing else is to be done, a
 * few milliseconds at a time: a press that comes meanwhile has it begin anew. A context that changes above may be read
 * in there, which has it taken over then and there, in one go. What failed is drawn anew in any case, which is no haste.
 * The frame stands above all of them: from page to page it stays as it is, with the reader's place in its menu.
 */
function Page() {
  const { state } = useRouter();
  const [isTaken, setTaken] = useState(false);
  const isWhole = state.matches.every(({ status }) => status === 'success');
  const isPlain = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.plain === true),
  });
  useLayoutEffect(() => setTaken(isWhole), [isWhole]);
  return (
    <TakenOver value={isTaken}>
      <PageFrame plain={isPlain}>
        <Outlet />
      </PageFrame>
    </TakenOver>
  );
}

export const rootRoute = createRootRouteWithContext<PageContext>()({
  loader: ({ context }): Promise<Self> | null =>
    context.boot.user ? context.api.get('/api/user/self') : null,
  staleTime: SELF_FRESH_MS,
  head: ({ match, matches }) => {
    const { boot, t } = match.context;
    // Every page is a route below this one: where there is none, the address leads nowhere.
    const nowhere = matches.length === 1 ? pageTitle(match.context, t('notFound.title')).meta : [];
    return {
      meta: [
        { charSet: 'utf-8' },
        {
          name: 'viewport',
          content: 'width=device-width, initial-scale=1, interactive-widget=resizes-content',
        },
        { name: 'color-scheme', content: 'light dark' },
        { title: boot.status.system_name },
        ...nowhere,
      ],
      links: [
        { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' },
        { rel: 'manifest', href: `/manifest.webmanifest?lang=${boot.locale}` },
        { rel: 'apple-touch-icon', href: '/icon-180.png' },
      ],
    };
  },
  shellComponent: Document,
  component: Page,
});
