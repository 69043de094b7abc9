/**
 * Makes what `database.ts` opens of PGlite, whole or not at all, unless it is there; what was made of other schemas goes.
 * A process of its own, because an initdb keeps a gigabyte for as long as its process lives; and before the tests, whose
 * time it would use up on a busy machine.
 */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { embeddedDatabase } from '../../src/db/embedded.ts';
import { migrateEmbedded } from '../../src/db/migrate.ts';
import { embeddedTemplate, embeddedTemplates, makeMonths } from './database.ts';

async function make(): Promise<void> {
  await rm(embeddedTemplates, { recursive: true, force: true });
  const draft = `${embeddedTemplate}.${process.pid}`;
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const pg = await PGlite.create({ dataDir: join(draft, 'pg') });
  await migrateEmbedded(pg);
  await makeMonths(embeddedDatabase(pg));
  // Nobody makes databases in it: without what they would begin with, half as many files are copied and read each time.
  await pg.exec("update pg_database set datistemplate = false where datname in ('template0', 'template1')");
  await pg.exec('drop database template0');
  await pg.exec('drop database template1');
  await pg.exec('checkpoint');
  await Bun.write(join(draft, 'pg.tar'), await pg.dumpDataDir('none'));
  await pg.close();
  await rename(draft, embeddedTemplate);
}

if (!existsSync(embeddedTemplate)) await make();
