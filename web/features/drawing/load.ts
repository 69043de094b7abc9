/** What the page of drawings is loaded with. */
import { can } from '@core/roles.ts';
import { HOUR_SEC, nowSec } from '@core/time.ts';
import { ALL_TASK_ORDERS, TASK_ORDERS } from '@modules/task/facts.ts';
import { inZone } from '@/lib/in-zone.ts';
import { type ListSearch, loadPage, orderAmong } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { type RangeName, type RangeSearch, readRange } from '../log/range.ts';
import { firstRange } from '../task/load.ts';

/** Until an hour ahead: clocks of upstreams differ. */
const FIRST_RANGE: RangeName = '30d';

type DrawingSearch = RangeSearch &
  ListSearch<typeof ALL_TASK_ORDERS> & { [name in 'id' | 'state' | 'channel' | 'user']?: string | undefined };

export const loadDrawings = (context: PageContext, search: DrawingSearch) =>
  inZone(context, (timeZone) => drawingsIn(timeZone, context, search));

async function drawingsIn(timeZone: string, { api, boot }: PageContext, search: DrawingSearch) {
  const seesAll = can(boot.user?.role ?? 0, 'canSeeAllLogs');
  const now = nowSec();
  const initial = firstRange(search.id, FIRST_RANGE);
  const range = readRange({ ...search, range: search.range ?? initial }, now, timeZone);
  const filter = {
    mj_id: search.id,
    status: search.state,
    sort: orderAmong(seesAll ? ALL_TASK_ORDERS : TASK_ORDERS, search.sort),
    start_timestamp: range.from,
    end_timestamp: range.to ?? now + HOUR_SEC,
    ...(seesAll ? { channel_id: search.channel, username: search.user } : {}),
  };
  const page = await loadPage(
    (asked) => api.get(seesAll ? '/api/mj/' : '/api/mj/self', { query: { ...filter, ...asked } }),
    { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize },
  );
  return { page, range, initial, seesAll };
}
