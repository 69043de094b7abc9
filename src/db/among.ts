import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { textList } from './statement.ts';

/**
 * Whether a column's value is one of these, or one of what is asked. A list is one parameter however long it is: with one for
 * each item, whoever chooses a list's length would choose the statement's text.
 */
export function among<Column extends PgColumn>(
  column: Column,
  values: readonly Column['_']['data'][] | SQLWrapper,
): SQL {
  if (!Array.isArray(values)) return sql`${column} in ${values}`;
  return sql`${column} = any(${textList(values.map(String))}::${sql.raw(column.getSQLType())}[])`;
}
