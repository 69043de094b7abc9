/** What the marketplace is loaded with: the call answers all applications, the page shows some of them. */
import type { APPLICATION_ORDERS } from '@modules/application/facts.ts';
import { type ListSearch, loadPage } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';

type Sort = ListSearch<typeof APPLICATION_ORDERS>['sort'];

/** The list is short enough to be answered whole. */
export const allApplications = (api: PageContext['api'], sort: Sort) =>
  api.get('/api/application/admin', { query: { sort } });

export async function loadMarketplace(
  { api, boot }: PageContext,
  search: ListSearch<typeof APPLICATION_ORDERS> & { edit?: string | undefined },
) {
  const [all, groups] = await Promise.all([allApplications(api, search.sort), api.get('/api/group/')]);
  const page = await loadPage(
    async ({ p, page_size }) => ({ items: all.slice((p - 1) * page_size, p * page_size), total: all.length }),
    { page: search.p ?? 1, size: search.size ?? boot.preferences.pageSize },
  );
  // It may stand on another page.
  const edited = all.filter(({ id }) => String(id) === search.edit);
  return { page, edited, groups };
}
