/**
 * What pages load by days of a zone. The server knows the browser's from its pages before; of the first that one opens it
 * knows none, and counts in UTC. So what was loaded says in which zone, and is loaded once more where that is another.
 */
import { isObject } from '@core/json.ts';
import type { AnyRouter } from '@tanstack/react-router';
import { browserZone } from './clock.ts';
import type { PageContext } from './page-context.ts';
import { keep } from './storage.ts';

interface InZone {
  timeZone: string;
}

/** The one way to a zone for those that load: none can forget to say which it was. */
export async function inZone<T extends object>(
  { zone }: PageContext,
  load: (timeZone: string) => Promise<T>,
): Promise<T & InZone> {
  const timeZone = zone();
  return { ...(await load(timeZone)), timeZone };
}

/** In the browser, once its page can be used. What is shown stays until the other is there, or, where none comes, as it is. */
export function followZone(router: AnyRouter): void {
  const own = browserZone();
  keep.timeZone(own);
  const isOfAnother = ({ loaderData }: { loaderData?: unknown }) =>
    isObject(loaderData) && 'timeZone' in loaderData && loaderData.timeZone !== own;
  if (router.state.matches.some(isOfAnother)) void router.invalidate({ filter: isOfAnother });
}
