/**
 * The audit of a running server: the embedded database admits one process, so `./scripts/audit` asks it through
 * `DATA_DIR/audit.sock`, which only the folder's owner can open.
 */
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../db/client.ts';
import { type AuditReport, audit } from './audit.ts';

const socketPath = (dataDir: string): string => join(dataDir, 'audit.sock');

/** Answers audits until the returned function is called. Needs the folder's lock, which tells that an old socket is dead. */
export async function serveAudit(db: Database, dataDir: string): Promise<() => Promise<void>> {
  const path = socketPath(dataDir);
  await rm(path, { force: true });
  const server = Bun.serve({
    unix: path,
    fetch: async () => Response.json(await audit(db)),
    error: () => new Response('The audit failed; the log of the server says why.', { status: 500 }),
  });
  await chmod(path, 0o600);
  return async () => {
    await server.stop(true);
    await rm(path, { force: true });
  };
}

/** The report of the server that holds the folder. */
export async function askForAudit(dataDir: string): Promise<AuditReport> {
  const answer = await fetch('http://localhost/', { unix: socketPath(dataDir) });
  if (!answer.ok) throw new Error(`The running server answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as AuditReport;
}
