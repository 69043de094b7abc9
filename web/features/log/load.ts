/** What the usage log is loaded with. */
import { can } from '@core/roles.ts';
import { nowSec } from '@core/time.ts';
import type { DataOf } from '@/lib/calls.ts';
import { type ListSearch, loadPage } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { type RangeSearch, readRange } from './range.ts';

/** The sums over everything that the filters have. */
export type LogSums = DataOf<'get', '/api/log/stat'>;

type Filter = 'type' | 'token' | 'model' | 'group' | 'channel' | 'user' | 'detail' | 'id';

export async function loadLog(
  { api, boot }: PageContext,
  search: RangeSearch & ListSearch & { [name in Filter]?: string | undefined },
) {
  const seesAll = can(boot.user?.role ?? 0, 'canSeeAllLogs');
  const range = readRange(search, nowSec(), boot.preferences.timeZone);
  const filter = {
    type: search.type,
    token_name: search.token,
    model_name: search.model,
    group: search.group,
    request_id: search.id,
    start_timestamp: range.from,
    end_timestamp: range.to,
    ...(seesAll ? { username: search.user, channel: search.channel, description: search.detail } : {}),
  };
  const [page, sums] = await Promise.all([
    loadPage(
      (asked) => api.get(seesAll ? '/api/log/' : '/api/log/self/', { query: { ...filter, ...asked } }),
      { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize },
    ),
    api.get(seesAll ? '/api/log/stat' : '/api/log/self/stat', { query: filter }),
  ]);
  return { page, sums, seesAll, range };
}
