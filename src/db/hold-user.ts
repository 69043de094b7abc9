/** A user whose row must stay while something is made that refers to him. */
import { eq } from 'drizzle-orm';
import type { Tx } from './client.ts';
import { users } from './schema/index.ts';

/** Keeps his row until the transaction is over. */
export const holdUser = async (tx: Tx, userId: number): Promise<void> => {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('key share');
};
