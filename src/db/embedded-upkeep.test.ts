import { afterAll, beforeAll, expect, it } from 'bun:test';
import { freshDatabase } from '../../tests/support/database.ts';
import type { Database } from './client.ts';
import { keepUp } from './embedded.ts';

let db: Database;
beforeAll(async () => {
  db = await freshDatabase('pglite');
  await db.script('create table said (id int primary key, words text); insert into said values (1, null)');
});
afterAll(() => db.close());

async function sayAll(): Promise<number> {
  for (let n = 0; n < 20; n++) {
    const words = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('hex');
    await db.query('update said set words = $1', [words]);
  }
  await keepUp(db);
  const [row] = await db.query<{ bytes: number }>(`select pg_total_relation_size('said')::int as bytes`);
  return row?.bytes ?? 0;
}

it('gives the room of what was said before to what is said next, in whichever table', async () => {
  const once = await sayAll();
  expect(once).toBeGreaterThan(1_000_000);
  expect(await sayAll()).toBeLessThan(once * 1.2);
});
