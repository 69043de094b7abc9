/** The lists of users that administrators see: those below their own level, and themselves. */
import { and, count, eq, ilike, or, type SQL } from 'drizzle-orm';
import type { Order } from '../../core/order.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { isOpenTo } from '../../db/open-users.ts';
import { orderBy } from '../../db/order.ts';
import { tokens, users } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import type { USER_ORDERS } from './facts.ts';
import { adminUserView, boundAccounts } from './service.ts';

export interface UserFilter {
  keyword?: string;
  /** A relay key, with or without `sk-`. */
  token?: string;
  aff_code?: string;
  group?: string;
  sort?: Order<(typeof USER_ORDERS)[number]>;
}

/** No index has them: one over what each call changes would cost every call more than it saves an administrator. */
const orderColumns = {
  id: users.id,
  username: users.username,
  role: users.role,
  status: users.status,
  group: users.group_name,
  left: users.quota,
  used: users.used_quota,
  requests: users.request_count,
  invited: users.aff_count,
  created: users.created_at,
};

const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const ID_MAX = 15;

/** A token or an invitation code finds its one user; neither combines with other conditions. */
async function conditionOf({ db, secrets }: Pick<Deps, 'db' | 'secrets'>, filter: UserFilter) {
  if (filter.token) {
    const lookup = secrets.lookup(filter.token.trim().replace(/^sk-/, ''));
    const owner = db.orm.select({ id: tokens.user_id }).from(tokens).where(eq(tokens.key_lookup, lookup));
    return eq(users.id, owner);
  }
  if (filter.aff_code) return eq(users.aff_code, filter.aff_code.trim());
  const conditions: (SQL | undefined)[] = [];
  const keyword = filter.keyword?.trim();
  if (keyword) {
    const pattern = anywhere(keyword);
    conditions.push(
      or(
        ilike(users.username, pattern),
        ilike(users.display_name, pattern),
        ilike(users.email, pattern),
        /^\d+$/.test(keyword) && keyword.length <= ID_MAX ? eq(users.id, Number(keyword)) : undefined,
      ),
    );
  }
  if (filter.group) conditions.push(eq(users.group_name, filter.group));
  return and(...conditions);
}

/** In the order asked for, else newest first; cancelled ones included. */
export async function listUsers(
  deps: Pick<Deps, 'db' | 'secrets'>,
  viewer: { id: number; role: number },
  filter: UserFilter,
  { limit, offset }: Paging,
) {
  const { orm } = deps.db;
  const where = and(isOpenTo(viewer), await conditionOf(deps, filter));
  const rows = await orm
    .select()
    .from(users)
    .where(where)
    .orderBy(...orderBy(filter.sort, orderColumns, users.id))
    .limit(limit)
    .offset(offset);
  const [total] = await orm.select({ n: count() }).from(users).where(where);
  const bound = await boundAccounts(
    orm,
    rows.map((row) => row.id),
  );
  return { items: rows.map((row) => adminUserView(row, bound.get(row.id))), total: total?.n ?? 0 };
}
