/** Reads that belong together, of one moment of the database however much is written between them. */
import type { Orm, Tx } from './client.ts';

export const atOneMoment = <T>(orm: Orm, read: (tx: Tx) => Promise<T>): Promise<T> =>
  orm.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' });
