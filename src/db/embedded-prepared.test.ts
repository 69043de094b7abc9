import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { PGlite } from '@electric-sql/pglite';
import { freshEngine } from '../../tests/support/database.ts';
import { preparedQuery } from './embedded-prepared.ts';
import { SQLSTATE, sqlState } from './statement.ts';

let pg: PGlite;
let query: ReturnType<typeof preparedQuery>;
beforeAll(async () => {
  pg = await freshEngine();
  await pg.exec('create table n (id bigint primary key, word text, ok boolean)');
  query = preparedQuery(pg);
});
afterAll(() => pg.close());

const INSERT = 'insert into n values ($1, $2, $3) returning id, word, ok';

test('runs a statement with ever new values', async () => {
  expect(await query(INSERT, [1, "it's", true])).toEqual([{ id: 1, word: "it's", ok: true }]);
  expect(await query(INSERT, [2, null, false])).toEqual([{ id: 2, word: null, ok: false }]);
  expect(await query('select count(*)::int as n from n', [])).toEqual([{ n: 2 }]);
});

test('says what the database refused, and goes on', async () => {
  expect(await query(INSERT, [1, 'again', true]).catch((error: unknown) => sqlState(error))).toBe(
    SQLSTATE.uniqueViolation,
  );
  for (let i = 0; i < 2; i++) {
    expect(await query('select * from nowhere', []).catch((error: unknown) => sqlState(error))).toBe(
      SQLSTATE.undefinedTable,
    );
  }
  expect(await query(INSERT, [3, 'c', true])).toHaveLength(1);
});

test('whose very first values were refused can be run with others', async () => {
  const other = 'insert into n (id, word) select $1::int, $2';
  for (let i = 0; i < 2; i++) {
    const refused = query(other, ['no number', 'x']).catch((error: unknown) => sqlState(error));
    expect(await refused).toBe('22P02');
  }
  await query(other, [5, 'y']);
  expect(await query('select word from n where id = 5', [])).toEqual([{ word: 'y' }]);
});

test('waits for a transaction under way, and is not undone by it', async () => {
  let inserted: Promise<unknown> | undefined;
  const undone = pg.transaction(async (tx) => {
    await tx.query("insert into n values (10, 'in', true)");
    inserted = query(INSERT, [11, 'beside', true]);
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('undo');
  });
  await expect(undone).rejects.toThrow('undo');
  await inserted;
  expect(await query('select id from n where id >= 10', [])).toEqual([{ id: 11 }]);
});
