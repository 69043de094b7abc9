/**
 * A page that is loaded anew while the network or the server is away keeps what it shows. Every loader of the router does
 * so, of lists, drawers and figures alike; a bar over the page says that it is old, and why (`useFailedReload`).
 */
import type { AnyRouter } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { ApiError } from './api-error.ts';
import { createListeners } from './listeners.ts';

/** What failed, by the route whose data is old. */
const failed = new Map<string, ApiError>();
const listeners = createListeners();

function note(routeId: string, error: ApiError | undefined): void {
  if (failed.get(routeId) === error) return;
  if (error) failed.set(routeId, error);
  else failed.delete(routeId);
  listeners.tell();
}

/** Why what a page of these routes shows could not be loaded anew; undefined when it is fresh. */
export function useFailedReload(routeIds: readonly string[]): ApiError | undefined {
  const look = () => routeIds.map((id) => failed.get(id)).find((error) => error !== undefined);
  return useSyncExternalStore(listeners.add, look, () => undefined);
}

/** There was no answer, or the server could not give one just now. What it refuses else is no longer there to be shown. */
const isAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.code === 'TRANSPORT' || error.status === 429 || error.status >= 500);

/** What a loader is asked for, as far as it tells one page of a list from another. */
interface Asked {
  params: unknown;
  deps: unknown;
  preload: boolean;
}

/** In the browser, once, on the router of the document. */
export function keepShown(router: AnyRouter): void {
  for (const route of Object.values(router.routesById)) {
    const { loader } = route.options;
    if (typeof loader !== 'function') continue;
    route.options.loader = async (asked: Asked) => {
      const shown = asked.preload ? undefined : shownData(router, route.id, asked);
      try {
        const data = await loader(asked);
        if (!asked.preload) note(route.id, undefined);
        return data;
      } catch (error) {
        if (shown === undefined || !isAway(error)) throw error;
        note(route.id, error);
        return shown;
      }
    };
  }
}

/** What the page shows of the very thing that is asked for. */
function shownData(router: AnyRouter, routeId: string, { params, deps }: Asked): unknown {
  const match = router.state.matches.find((one) => one.routeId === routeId && one.status === 'success');
  const isSame = JSON.stringify([match?.params, match?.loaderDeps]) === JSON.stringify([params, deps]);
  return isSame ? match?.loaderData : undefined;
}
