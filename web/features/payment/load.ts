/** What the wallet and the list of all orders ask for. */
import { nowSec } from '@core/time.ts';
import { RETURN_FIELD, type TOPUP_ORDERS } from '@modules/payment/facts.ts';
import { inZone } from '@/lib/in-zone.ts';
import { type ListSearch, loadPage } from '@/lib/list-search.ts';
import type { PageContext } from '@/lib/page-context.ts';
import { readRange } from '../log/range.ts';
import { FIRST_RANGE } from './first-range.ts';

type Paged = ListSearch<typeof TOPUP_ORDERS>;

const pagingOf = ({ boot }: PageContext, { p, size }: Paged) => ({
  page: p ?? 1,
  size: size ?? boot.preferences.pageSize,
});

export async function loadWallet(
  context: PageContext,
  asked: Paged & { [RETURN_FIELD]?: string | undefined; order?: string | undefined },
) {
  const { api, boot } = context;
  const isOpen = boot.status.enable_online_topup;
  const tradeNo = asked[RETURN_FIELD];
  const [account, groups, methods, orders, found] = await Promise.all([
    api.get('/api/user/self'),
    api.get('/api/user/self/groups'),
    isOpen ? api.get('/api/user/topup/methods') : null,
    loadPage(
      (paging) =>
        api.get('/api/user/topup/self', { query: { ...paging, id: asked.order, sort: asked.sort } }),
      pagingOf(context, asked),
    ),
    tradeNo ? api.get('/api/user/topup/self', { query: { trade_no: tradeNo, page_size: 1 } }) : null,
  ]);
  return {
    account,
    groups,
    methods,
    /** Null where nobody pays online, and this account never has. */
    orders: isOpen || orders.total > 0 || asked.order ? orders : null,
    /** The order that a payer comes back from: null for one that nobody knows, undefined where nobody comes back. */
    returned: found ? (found.items[0] ?? null) : undefined,
  };
}

type RangeAsked = Parameters<typeof readRange>[0];
type OrdersAsked = RangeAsked & Paged & { [name in 'q' | 'status' | 'provider']?: string | undefined };

export const loadOrders = (context: PageContext, asked: OrdersAsked) =>
  inZone(context, (timeZone) => ordersIn(timeZone, context, asked));

async function ordersIn(timeZone: string, context: PageContext, asked: OrdersAsked) {
  const { api } = context;
  const range = readRange({ ...asked, range: asked.range ?? FIRST_RANGE }, nowSec(), timeZone);
  const query = {
    keyword: asked.q,
    status: asked.status,
    provider: asked.provider,
    sort: asked.sort,
    start_timestamp: range.from,
    end_timestamp: range.to,
  };
  const page = await loadPage(
    (paging) => api.get('/api/topup/', { query: { ...query, ...paging } }),
    pagingOf(context, asked),
  );
  return { page, range };
}
