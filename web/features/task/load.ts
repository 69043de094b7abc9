/** What the pages of tasks are loaded with. */
import { can } from '@core/roles.ts';
import { nowSec } from '@core/time.ts';
import { ALL_TASK_ORDERS, TASK_ORDERS } from '@modules/task/facts.ts';
import { notFound } from '@tanstack/react-router';
import { inZone } from '@/lib/in-zone.ts';
import { type ListSearch, loadPage, orderAmong } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { DEFAULT_RANGE, type RangeName, type RangeSearch, readRange } from '../log/range.ts';

type Filter = 'id' | 'action' | 'state' | 'channel' | 'user';

/** An id says which task is meant, whenever that was: where it is asked for, the list begins with all. */
export const firstRange = (id: string | undefined, usual: RangeName): RangeName =>
  id === undefined ? usual : 'all';

const seesAllOf = ({ boot }: PageContext): boolean => can(boot.user?.role ?? 0, 'canSeeAllLogs');

type TaskSearch = RangeSearch &
  ListSearch<typeof ALL_TASK_ORDERS> & { [name in Filter]?: string | undefined };

export const loadTasks = (context: PageContext, search: TaskSearch) =>
  inZone(context, (timeZone) => tasksIn(timeZone, context, search));

async function tasksIn(timeZone: string, context: PageContext, search: TaskSearch) {
  const { api, boot } = context;
  const seesAll = seesAllOf(context);
  const initial = firstRange(search.id, DEFAULT_RANGE);
  const range = readRange({ ...search, range: search.range ?? initial }, nowSec(), timeZone);
  const filter = {
    task_id: search.id,
    action: search.action,
    status: search.state,
    sort: orderAmong(seesAll ? ALL_TASK_ORDERS : TASK_ORDERS, search.sort),
    start_timestamp: range.from,
    end_timestamp: range.to,
    brief: 'true',
    ...(seesAll ? { channel_id: search.channel, username: search.user } : {}),
  };
  const page = await loadPage(
    (asked) => api.get(seesAll ? '/api/task/' : '/api/task/self', { query: { ...filter, ...asked } }),
    { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize },
  );
  return { page, range, initial, seesAll };
}

/** One task with all that came out of it. */
export async function loadTask(context: PageContext, id: string) {
  const seesAll = seesAllOf(context);
  const { items } = await context.api.get(seesAll ? '/api/task/' : '/api/task/self', {
    query: { task_id: id },
  });
  const [task] = items;
  if (!task) throw notFound();
  return { task, seesAll, isExpired: task.expires_at !== 0 && task.expires_at < nowSec() };
}
