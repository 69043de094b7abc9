/** What the page of actions is loaded with. */
import { nowSec } from '@core/time.ts';
import type { ACTION_ORDERS } from '@modules/audit-log/facts.ts';
import { inZone } from '@/lib/in-zone.ts';
import { type ListSearch, loadPage } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { type RangeSearch, readRange } from '../log/range.ts';
import { FIRST_RANGE } from './first-range.ts';

interface ActionSearch extends RangeSearch, ListSearch<typeof ACTION_ORDERS> {
  action?: string | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  q?: string | undefined;
}

export const loadActions = (context: PageContext, search: ActionSearch) =>
  inZone(context, (timeZone) => actionsIn(timeZone, context, search));

async function actionsIn(timeZone: string, { api, boot }: PageContext, search: ActionSearch) {
  const range = readRange({ ...search, range: search.range ?? FIRST_RANGE }, nowSec(), timeZone);
  const query = {
    actor: search.actor,
    action: search.action,
    target: search.target,
    keyword: search.q,
    start_timestamp: range.from,
    end_timestamp: range.to,
  };
  const paging = { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize };
  const page = await loadPage(
    (asked) => api.get('/api/admin_action/', { query: { ...query, sort: search.sort, ...asked } }),
    paging,
  );
  return { page, range, query };
}
