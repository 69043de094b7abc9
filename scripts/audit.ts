/** `./scripts/audit`: the report on standard output; exit status 1 when a sum does not hold, 2 when nothing could be checked. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AuditReport, audit, auditText } from '../src/billing/audit.ts';
import { askForAudit } from '../src/billing/audit-socket.ts';
import { type Database, openPostgres } from '../src/db/client.ts';
import { openEmbedded } from '../src/db/embedded.ts';
import { lockFolder } from '../src/db/folder-lock.ts';
import { type Env, readEnv, StartError } from '../src/env.ts';

async function report(env: Env): Promise<AuditReport> {
  if (env.DATABASE_URL) return auditAndClose(await openPostgres(env.DATABASE_URL));
  if (!existsSync(join(env.DATA_DIR, 'pg'))) {
    throw new StartError(`DATA_DIR: there is no database in ${env.DATA_DIR}`);
  }
  const unlock = await lockFolder(env.DATA_DIR).catch((error: unknown) => {
    if (error instanceof StartError) return null;
    throw error;
  });
  if (!unlock) return askForAudit(env.DATA_DIR);
  try {
    return await auditAndClose(await openEmbedded(env.DATA_DIR));
  } finally {
    unlock();
  }
}

async function auditAndClose(db: Database): Promise<AuditReport> {
  try {
    return await audit(db);
  } finally {
    await db.close();
  }
}

try {
  const found = await report(readEnv());
  process.stdout.write(`${auditText(found)}\n`);
  process.exitCode = found.findings.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
