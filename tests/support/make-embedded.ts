/** `make-embedded.ts FOLDER`: makes FOLDER with what `database.ts` opens, whole or not at all. */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrateEmbedded } from '../../src/db/migrate.ts';

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: make-embedded.ts FOLDER');
const draft = `${folder}.draft`;
await rm(draft, { recursive: true, force: true });
await mkdir(draft, { recursive: true, mode: 0o700 });
const pg = await PGlite.create({ dataDir: join(draft, 'pg') });
await migrateEmbedded(pg);
await pg.exec('checkpoint');
await Bun.write(join(draft, 'pg.tar'), await pg.dumpDataDir('none'));
await pg.close();
await rename(draft, folder);
