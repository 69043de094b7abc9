/**
 * One process a data folder. The lock is an open exclusive transaction on a small SQLite file: the kernel drops it
 * however the process dies, where a pid file would lock a restarted container out. The pid lies beside it for the message.
 */
import { Database } from 'bun:sqlite';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../env.ts';

/** Locks held by this process. A lock that nothing refers to would be closed, and so freed, by the garbage collector. */
const held = new Set<Database>();

/** Takes the folder for the life of this process, or until the answer is called. Throws StartError when another holds it. */
export async function lockFolder(dataDir: string): Promise<() => void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const pidFile = Bun.file(join(dataDir, 'lock.pid'));
  const lock = new Database(join(dataDir, 'lock.db'));
  try {
    lock.exec('PRAGMA journal_mode = DELETE; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    const pid = (await pidFile.exists()) ? ` (process ${(await pidFile.text()).trim()})` : '';
    throw new StartError(
      `DATA_DIR: another server${pid} is already using ${dataDir}. Stop it first, or give this one its own folder.`,
    );
  }
  held.add(lock);
  await Bun.write(pidFile, String(process.pid));
  return () => {
    held.delete(lock);
    lock.close();
  };
}
