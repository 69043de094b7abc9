/** What migrations do to rows that are there already. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { serverUrl } from '../../tests/support/database.ts';
import { migrationsFolder } from './client.ts';
import { migratePostgres } from './migrate.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  await cp(migrationsFolder, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let databases = 0;

/** The address of a database in the state before the migration of that name. */
async function before(name: string): Promise<string> {
  const journalPath = 'meta/_journal.json';
  const journal: { entries: { tag: string }[] } = JSON.parse(
    await readFile(join(migrationsFolder, journalPath), 'utf8'),
  );
  const at = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  expect(at).toBeGreaterThan(0);
  await writeFile(
    join(folder, journalPath),
    JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }),
  );
  const database = `migrations_${process.pid}_${++databases}`;
  const server = new SQL(serverUrl(), { max: 1 });
  await server.unsafe(`create database ${database}`);
  await server.close();
  const url = Object.assign(new URL(serverUrl()), { pathname: `/${database}` }).href;
  const sql = new SQL(url, { max: 1 });
  await migrate(drizzle(sql), { migrationsFolder: folder });
  await sql.close();
  return url;
}

describe('the migration of fuel packs to verified users', () => {
  const addUser = "insert into users (username, aff_code) values ('una', 'una')";
  it.each([
    ['a new site', '', []],
    ['a site in use, which keeps what it had', addUser, [{ value: 'false' }]],
    [
      'a site that has set it',
      `${addUser}; insert into options (key, value) values ('fuel_pack.verified_only', 'true')`,
      [{ value: 'true' }],
    ],
  ])('leaves alone %s', async (_, script, options) => {
    const url = await before('fuel_pack_networks');
    const sql = new SQL(url, { max: 1 });
    if (script !== '') await sql.unsafe(script);
    await migratePostgres(url);
    const rows = await sql`select value from options where key = 'fuel_pack.verified_only'`;
    expect([...rows]).toEqual(options);
    await sql.close();
  });
});
