/** What came since the list was looked at last: how many rows wait, and which of those shown are new. */
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { countNewer } from './load.ts';
import type { LogRow } from './log-row.ts';

const route = getRouteApi('/_console/log');

export function useNewer() {
  const api = useApi();
  const refresh = useRefresh();
  const { page, seesAll, filter } = route.useLoaderData();
  const search = route.useSearch();
  const newest = page.items.reduce((last, { created_at }) => Math.max(last, created_at), 0);
  const asked = JSON.stringify({ ...search, id: undefined });
  /** What is newer came since the last refresh, of what is asked for now. */
  const [shown, setShown] = useState<{ asked: string; to: number } | null>(null);
  const look = useCallback(() => {
    setShown({ asked, to: newest });
    void refresh();
  }, [refresh, asked, newest]);
  const count = useCallback(
    () => countNewer(api, { seesAll, filter, newest }),
    [api, seesAll, filter, newest],
  );
  const isNew = (row: LogRow) => shown?.asked === asked && row.created_at > shown.to;
  return { look, count, isNew };
}
