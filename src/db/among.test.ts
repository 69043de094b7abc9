import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { among } from './among.ts';
import type { Database } from './client.ts';
import { channels, meta } from './schema/index.ts';

describe.each(engines)('among, on %s', (engine) => {
  let db: Database;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    await db.query(`insert into meta (name, value) select unnest($1::text[]), ''`, [
      '{"a","b","","it\'s, {\\"q\\"} \\\\ 模",NULL_}',
    ]);
    await db.query(`insert into channels (name, type) select 'c' || n, 1 from generate_series(1, 5) n`);
  });
  afterAll(() => db.close());

  const named = async (...names: string[]) =>
    (await db.orm.select({ name: meta.name }).from(meta).where(among(meta.name, names))).map(
      ({ name }) => name,
    );

  test.each([
    ['none', [], []],
    ['some, and one that is not there', ['b', 'a', 'a', 'z'], ['a', 'b']],
    ['the empty one', [''], ['']],
    [
      'what an array is written with',
      ['it\'s, {"q"} \\ 模', 'NULL_', '{a,b}'],
      ['NULL_', 'it\'s, {"q"} \\ 模'],
    ],
  ])('texts: %s', async (_what, asked, found) => {
    expect((await named(...asked)).sort()).toEqual(found);
  });

  test('numbers, and those that a question finds', async () => {
    const { id } = channels;
    const all = (await db.orm.select({ id }).from(channels)).map((row) => row.id).sort((a, b) => a - b);
    const [first = 0, , third = 0] = all;
    const some = db.orm
      .select({ id })
      .from(channels)
      .where(among(id, [third, first, 9_007_199_254_740_991]));
    expect((await some).map((row) => row.id).sort((a, b) => a - b)).toEqual([first, third]);
    expect(await db.orm.select({ id }).from(channels).where(among(id, some))).toHaveLength(2);
    expect(await db.orm.select({ id }).from(channels).where(among(id, []))).toEqual([]);
  });

  test('a list has one text, however long it is', () => {
    const textOf = (length: number) =>
      db.orm
        .select()
        .from(channels)
        .where(among(channels.id, Array<number>(length).fill(1)))
        .toSQL().sql;
    expect(new Set([0, 1, 2, 1_000].map(textOf)).size).toBe(1);
  });
});
