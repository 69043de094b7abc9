import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { serveAudit } from '../../src/billing/audit-socket.ts';
import { openPostgres } from '../../src/db/client.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { lockFolder } from '../../src/db/folder-lock.ts';
import { makeUser } from '../support/accounts.ts';
import { embeddedFolder, freshPostgresUrl, tempFolder } from '../support/database.ts';
import { patience } from '../support/patience.ts';

const root = join(import.meta.dir, '../..');

async function runAudit(env: { DATABASE_URL: string; DATA_DIR: string }) {
  const child = Bun.spawn([process.execPath, 'scripts/audit.ts'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

test('exits with 0 when every unit is accounted for, with 1 and the id when one is not', async () => {
  const url = await freshPostgresUrl();
  const db = await openPostgres(url);
  const userId = await makeUser(db, 700);
  const at = { DATABASE_URL: url, DATA_DIR: await tempFolder() };
  expect(await runAudit(at)).toMatchObject({ code: 0, out: expect.stringContaining('1 users') });
  await db.query('update users set quota = 701');
  const found = await runAudit(at);
  expect(found.code).toBe(1);
  expect(found.out).toContain(`WRONG  quota + reserved = ledger: ${userId} has 701, expected 700`);
  await db.close();
});

test(
  'reads the embedded database itself, and asks the server while that holds it',
  async () => {
    const nowhere = { DATABASE_URL: '', DATA_DIR: await tempFolder() };
    expect(await runAudit(nowhere)).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no database'),
    });
    const folder = await embeddedFolder();
    const at = { ...nowhere, DATA_DIR: folder };
    const db = await openEmbedded(folder);
    await makeUser(db, 700);
    const unlock = await lockFolder(folder);
    const stop = await serveAudit(db, folder);
    expect(await runAudit(at)).toMatchObject({ code: 0, out: expect.stringContaining('1 users') });
    await db.query('update users set quota = 0');
    expect((await runAudit(at)).code).toBe(1);
    await stop();
    await db.close();
    unlock();
    expect((await runAudit(at)).code).toBe(1);
  },
  patience(120_000),
);
