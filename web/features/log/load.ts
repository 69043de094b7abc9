/** What the usage log is loaded with. */
import { can } from '@core/roles.ts';
import { nowSec } from '@core/time.ts';
import { ALL_LOG_ORDERS, LOG_ORDERS } from '@modules/log/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import { inZone } from '@/lib/in-zone.ts';
import { type ListSearch, loadPage, orderAmong } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { firstRange } from './first-range.ts';
import { type RangeSearch, readRange } from './range.ts';

/** The sums over everything that the filters have. */
export type LogSums = DataOf<'get', '/api/log/stat'>;

type Filter =
  | 'type'
  | 'token'
  | 'tokenId'
  | 'model'
  | 'group'
  | 'code'
  | 'channel'
  | 'user'
  | 'detail'
  | 'status'
  | 'request';
type Search = RangeSearch & ListSearch<typeof ALL_LOG_ORDERS> & { [name in Filter]?: string | undefined };

export const loadLog = (context: PageContext, search: Search) =>
  inZone(context, (timeZone) => logIn(timeZone, context, search));

async function logIn(timeZone: string, { api, boot }: PageContext, search: Search) {
  const seesAll = can(boot.user?.role ?? 0, 'canSeeAllLogs');
  const range = readRange({ ...search, range: search.range ?? firstRange(search) }, nowSec(), timeZone);
  const filter = {
    type: search.type,
    token_name: search.token,
    token_id: search.tokenId,
    model_name: search.model,
    group: search.group,
    code: search.code,
    request_id: search.request,
    start_timestamp: range.from,
    end_timestamp: range.to,
    ...(seesAll
      ? {
          username: search.user,
          channel: search.channel,
          description: search.detail,
          status: search.status,
        }
      : {}),
  };
  const [page, sums, account] = await Promise.all([
    loadPage(
      (asked) =>
        api.get(seesAll ? '/api/log/' : '/api/log/self/', {
          query: {
            ...filter,
            sort: orderAmong(seesAll ? ALL_LOG_ORDERS : LOG_ORDERS, search.sort),
            ...asked,
          },
        }),
      { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize },
    ),
    api.get(seesAll ? '/api/log/stat' : '/api/log/self/stat', { query: filter }),
    seesAll && search.user ? readAccount(api, search.user) : undefined,
  ]);
  return { page, sums, seesAll, range, filter, account };
}

type Asked = Pick<Awaited<ReturnType<typeof loadLog>>, 'seesAll' | 'filter'>;

/** How many rows the filters have that are newer than a second. */
export async function countNewer(
  api: PageContext['api'],
  { seesAll, filter, newest }: Asked & { newest: number },
): Promise<number> {
  const { total } = await api.get(seesAll ? '/api/log/' : '/api/log/self/', {
    query: { ...filter, start_timestamp: newest + 1, page_size: 1 },
  });
  return total;
}

export type Account = NonNullable<Awaited<ReturnType<typeof readAccount>>>;

/** Whose rows an administrator looks at; undefined for nobody, and for one whom he may not read. */
async function readAccount(api: PageContext['api'], username: string) {
  const { items } = await api.get('/api/user/search', { query: { keyword: username, page_size: 100 } });
  return items.find((item) => item.username.toLowerCase() === username.toLowerCase());
}
