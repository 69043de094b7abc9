import { getRouteApi } from '@tanstack/react-router';
import { useBoot } from '@/lib/page-context.ts';

const route = getRouteApi('/_console/setting');

/** The page of a list that is here as a whole, as the address has it; a page beyond the end is the last one. */
export function usePage<Row>(all: readonly Row[]) {
  const { preferences } = useBoot();
  const { p = 1, size = preferences.pageSize } = route.useSearch();
  const page = Math.min(p, Math.max(1, Math.ceil(all.length / size)));
  return { rows: all.slice((page - 1) * size, page * size), pager: { page, size, total: all.length } };
}
