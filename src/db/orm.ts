/** Drizzle over our tables, the same for both engines. */
import type { PgDatabase, PgQueryResultHKT, PgTransaction } from 'drizzle-orm/pg-core';
import type { ExtractTablesWithRelations } from 'drizzle-orm/relations';
import type * as schema from './schema/index.ts';

type Schema = typeof schema;
export type Orm = PgDatabase<PgQueryResultHKT, Schema>;
export type Tx = PgTransaction<PgQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>;
/** Where a statement may run: on its own or inside a transaction. On PGlite there is one connection: inside a transaction use only the transaction. */
export type Executor = Orm | Tx;
