import { expect, it } from 'bun:test';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../../tests/support/database.ts';
import { openEmbedded } from './embedded.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

it('the folder of the embedded database is its owner’s alone, whatever it was before', async () => {
  const dataDir = await tempFolder();
  await chmod(dataDir, 0o755);
  const umask = process.umask(0o022);
  try {
    await (await openEmbedded(dataDir)).close();
    const folder = join(dataDir, 'pg');
    expect(await modeOf(folder)).toBe(0o700);
    await chmod(folder, 0o777);
    await (await openEmbedded(dataDir)).close();
    expect(await modeOf(folder)).toBe(0o700);
  } finally {
    process.umask(umask);
  }
}, 60_000);
