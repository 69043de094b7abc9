/** The addresses of all pages as their routes write them: `/token/edit/$id`. */
import type { PageContext } from '../../web/lib/page-context.ts';
import { createRouter } from '../../web/router.tsx';

export function routePaths(): string[] {
  // A context is asked for by pages that are shown, and here none is.
  const { routesById } = createRouter({} as PageContext);
  const paths = Object.values(routesById).map(({ fullPath }): string => fullPath.replace(/(?<=.)\/$/, ''));
  return [...new Set(paths)].filter((path) => path.startsWith('/'));
}
