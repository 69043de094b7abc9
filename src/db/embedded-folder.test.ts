import { expect, it } from 'bun:test';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedFolder } from '../../tests/support/database.ts';
import { openEmbedded } from './embedded.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

// That a first start makes it so says `tests/process/start.test.ts`.
it('the folder of the embedded database is its owner’s alone, whatever it was before', async () => {
  const dataDir = await embeddedFolder();
  const folder = join(dataDir, 'pg');
  await chmod(dataDir, 0o755);
  await chmod(folder, 0o777);
  await (await openEmbedded(dataDir)).close();
  expect(await modeOf(folder)).toBe(0o700);
});
