/** A process is killed at each of billing's failpoints; the next one finds every unit where it belongs. */
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { audit } from '../../src/billing/audit.ts';
import { startRecovery } from '../../src/billing/recovery.ts';
import { openPostgres } from '../../src/db/client.ts';
import { openEmbedded } from '../../src/db/embedded.ts';
import { makeBilling, makeToken, makeUser } from '../support/accounts.ts';
import { embeddedFolder, engines, freshPostgresUrl, othersEnd, tempFolder } from '../support/database.ts';
import { often, onEngine, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const POINTS = [
  ...usually(['before_reserve:40', 'after_reserve:9'], 'after_reserve:1'),
  ...usually(['in_settle_commit:9', 'after_settle:30'], 'in_settle_commit:1'),
  ...Array.from({ length: often(0, 20) }, (_, n) =>
    ['before_reserve', 'after_reserve', 'in_settle_commit', 'after_settle'].map(
      (name) => `${name}:${2 + 3 * n}`,
    ),
  ).flat(),
];

for (const engine of engines) {
  describe(`after a kill on ${engine}`, () => {
    test.each(onEngine(engine, POINTS, (point) => point.startsWith('in_settle_commit')))(
      'at %s, whoever was told of a settlement is charged once, and nothing stays held',
      async (point) => {
        const url = engine === 'postgres' ? await freshPostgresUrl() : '';
        const dataDir = await (url ? tempFolder() : embeddedFolder());
        const open = () => (url ? openPostgres(url) : openEmbedded(dataDir));
        const before = await open();
        const userId = await makeUser(before, 1_000_000);
        const tokenId = await makeToken(before, userId, 900_000);
        await before.close();

        const child = Bun.spawn(
          [process.execPath, join(import.meta.dir, 'kill-process.ts'), String(userId), String(tokenId)],
          {
            env: { ...process.env, DATABASE_URL: url, DATA_DIR: dataDir, TOLLGATE_KILL_AT: point },
            stdout: 'pipe',
            stderr: 'inherit',
          },
        );
        const said = (await new Response(child.stdout).text()).trimEnd().split('\n');
        await child.exited;
        expect(child.signalCode).toBe('SIGKILL');

        const db = await open();
        await othersEnd(db);
        const made = await makeBilling(db, dataDir);
        const recovery = await startRecovery({ ...made, db, livingBoots: () => [] });
        recovery.stop();
        const told = said
          .filter((line) => line.startsWith('settled '))
          .map((line) => line.slice('settled '.length));
        const charged = await db.query<{ request_id: string }>('select request_id from logs where quota = 7');
        const ids = charged.map((row) => row.request_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(told.filter((id) => !ids.includes(id))).toEqual([]);
        const paid = 7 * ids.length;
        expect(await db.query('select quota, reserved, used_quota from users')).toEqual([
          { quota: 1_000_000 - paid, reserved: 0, used_quota: paid },
        ]);
        expect(await db.query('select remain_quota from tokens')).toEqual([{ remain_quota: 900_000 - paid }]);
        expect((await audit(db)).findings).toEqual([]);
        await db.close();
      },
      patience(60_000),
    );
  });
}
