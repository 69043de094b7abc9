/** Folds usage again and again, as the daily work of a server does, until it is killed: `fold-process.ts DATABASE_URL`. */
import { openPostgres } from '../../src/db/client.ts';
import { foldUsage } from '../../src/modules/usage/fold.ts';

const db = await openPostgres(process.argv[2] ?? '');
await db.query('select 1');
console.log('folding');
for (;;) await foldUsage(db);
