/** Whoever asks an embedded database for much in a row leaves turns of the event loop to others. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../tests/support/database.ts';
import type { Database } from './client.ts';
import { meta } from './schema/index.ts';

const TIMES = 20;

let db: Database;
beforeAll(async () => {
  db = await freshDatabase('pglite');
});
afterAll(() => db.close());

test.each<[string, () => Promise<unknown>]>([
  ['query', () => db.query('select 1')],
  ['queryByKey', () => db.queryByKey('select 1')],
  ['execute', () => db.orm.execute(sql`select 1`)],
  ['select', () => db.orm.select().from(meta)],
  ['transaction', () => db.orm.transaction(async () => undefined)],
])('between statements by %s', async (_, ask) => {
  expect(
    await turnsDuring(async () => {
      for (let n = 0; n < TIMES; n++) await ask();
    }),
  ).toBeGreaterThanOrEqual(TIMES);
});

test('between the statements of a transaction', async () => {
  const many = db.orm.transaction(async (tx) => {
    return turnsDuring(async () => {
      for (let n = 0; n < TIMES; n++) await tx.execute(sql`select 1`);
    });
  });
  expect(await many).toBeGreaterThanOrEqual(TIMES);
});

async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}
