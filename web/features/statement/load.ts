/** What the page of a statement is loaded with. */
import { nowSec } from '@core/time.ts';
import type { DataOf } from '@/lib/calls.ts';
import { inZone } from '@/lib/in-zone.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { type RangeSearch, readRange } from '../log/range.ts';
import { FIRST_RANGE, isOldestFirst, readPlace } from './place.ts';

interface StatementSearch extends RangeSearch {
  kind?: string | undefined;
  least?: string | undefined;
  most?: string | undefined;
  p?: string | undefined;
  sort?: string | undefined;
  user?: string | undefined;
}

export const loadStatement = (context: PageContext, search: StatementSearch) =>
  inZone(context, (timeZone) => statementIn(timeZone, context, search));

async function statementIn(timeZone: string, { api, boot }: PageContext, search: StatementSearch) {
  const range = readRange({ ...search, range: search.range ?? FIRST_RANGE }, nowSec(), timeZone);
  const filter = {
    kind: search.kind,
    min_amount: search.least,
    max_amount: search.most,
    start_timestamp: range.from,
    end_timestamp: range.to,
    time_zone: timeZone,
  };
  const query = { ...filter, ...readPlace(search.p, search.sort), page_size: boot.preferences.pageSize };
  const id = search.user?.trim();
  const answer = id
    ? await api.get('/api/user/:id/statement', { params: { id }, query })
    : await api.get('/api/user/statement', { query });
  return { statement: laidOut(answer, search), range, filter };
}

/** The call answers every page newest first, and of what stands before the first page nothing is known to it. */
function laidOut(answer: DataOf<'get', '/api/user/statement'>, { p, sort }: StatementSearch) {
  if (!isOldestFirst(sort)) return answer;
  return { ...answer, items: answer.items.toReversed(), older: p === undefined ? null : answer.older };
}
