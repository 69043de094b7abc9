/** The passkeys of a user as they are kept. */
import { asc, eq } from 'drizzle-orm';
import type { Executor } from '../../../db/client.ts';
import { passkeys } from '../../../db/schema/index.ts';

export type PasskeyRow = typeof passkeys.$inferSelect;

/** Oldest first. */
export const passkeysOf = (executor: Executor, userId: number): Promise<PasskeyRow[]> =>
  executor.select().from(passkeys).where(eq(passkeys.user_id, userId)).orderBy(asc(passkeys.id));
