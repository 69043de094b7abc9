import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import type { Order } from '../core/order.ts';

/** A column whose values are compared within groups of rows alone; the groups follow one another upwards, whatever the direction. */
interface Grouped {
  groups: SQLWrapper;
  column: SQLWrapper;
}

type OrderColumn = SQLWrapper | Grouped;

/** For a column where `none` is no value, as never or not yet: rows with it stand last, whatever the direction. */
export const lastWhere = (column: SQLWrapper, none: number): Grouped => ({
  groups: sql`(${column} = ${none}::bigint)`,
  column,
});

/**
 * What a list is ordered by: the column of the order's name, else `own`. The id decides among equals, so that no row stands
 * on two pages or on none.
 */
export function orderBy<Name extends string>(
  order: Order<Name> | undefined,
  columns: Record<Name, OrderColumn>,
  id: SQLWrapper,
  own: SQL[] = [desc(id)],
): SQL[] {
  const [, found] =
    Object.entries<OrderColumn>(columns).find(([name]) => name === order?.replace('-', '')) ?? [];
  if (order === undefined || found === undefined) return own;
  const direction = order.startsWith('-') ? desc : asc;
  if ('groups' in found) return [asc(found.groups), direction(found.column), direction(id)];
  return found === id ? [direction(id)] : [direction(found), direction(id)];
}

/** The same within a statement that is written by hand. */
export const orderText = (...given: Parameters<typeof orderBy>): SQL => sql.join(orderBy(...given), sql`, `);

/** Some rows of a statement that is written by hand, and their order there. */
export interface Part {
  from: SQL;
  order: SQL;
  page: SQL;
}

interface Rows {
  /** The table with its alias, and the alias alone. */
  table: SQL;
  alias: SQL;
  where: SQL;
  /** Newest first, as an index has them. */
  newest: SQL;
}

/**
 * Newest first. Of another order are the newest alone, as many as there are pages for: to find the first among all is to
 * read them all.
 */
export function newestOrdered<Name extends string>(
  order: Order<Name> | undefined,
  columns: Record<Name, OrderColumn>,
  { table, alias, where, newest }: Rows,
): Pick<Part, 'from' | 'order'> {
  if (order === undefined) return { from: sql`${table} where ${where}`, order: newest };
  return {
    from: sql`(select * from ${table} where ${where} order by ${newest} limit ${limits.countCap}) ${alias}`,
    order: orderText(order, columns, sql`${alias}.id`),
  };
}
