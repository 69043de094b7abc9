/** What the dashboard is loaded with. */
import { can } from '@core/roles.ts';
import { nowSec } from '@core/time.ts';
import { type Dimension, type Metric, OWN_DIMENSIONS, type Step } from '@modules/usage/facts.ts';
import type { DataOf } from '@/lib/calls.ts';
import { inZone } from '@/lib/in-zone.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { type RangeName, type RangeSearch, readRange } from '../log/range.ts';

export type Usage = DataOf<'get', '/api/data/usage'>;

/** What the page looks at where its address says nothing. */
export const FIRST_RANGE: RangeName = '7d';

interface UsageSearch extends RangeSearch {
  by?: Dimension | undefined;
  metric?: Metric | undefined;
  step?: Step | undefined;
  user?: string | undefined;
}

export const isOwn = (by: Dimension | undefined): by is (typeof OWN_DIMENSIONS)[number] =>
  OWN_DIMENSIONS.some((one) => one === by);

export const loadUsage = (context: PageContext, search: UsageSearch) =>
  inZone(context, (timeZone) => usageIn(timeZone, context, search));

async function usageIn(timeZone: string, { api, boot }: PageContext, search: UsageSearch) {
  const seesAll = can(boot.user?.role ?? 0, 'canSeeAllLogs');
  const range = readRange({ ...search, range: search.range ?? FIRST_RANGE }, nowSec(), timeZone);
  const { by, metric, step, user } = search;
  const query = {
    metric,
    step,
    start_timestamp: range.from,
    end_timestamp: range.to,
    time_zone: timeZone,
  };
  const usage: Usage = seesAll
    ? await api.get('/api/data/usage', { query: { ...query, dimension: by, username: user } })
    : await api.get('/api/data/self/usage', {
        query: { ...query, dimension: isOwn(by) ? by : undefined },
      });
  return { usage, range, seesAll };
}
