/** Reservations come and go with the calls: no money statement may read those of others, whatever the planner believes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { freshPostgresUrl } from '../../tests/support/database.ts';
import { KEYED_SETTINGS } from '../db/client.ts';
import { SETTLE_AT_ONCE } from './at-once.ts';
import { settleText, statementText } from './statements.ts';

const ID = '01a20532-3356-77cf-99ab-8d8fb189a5db';

let sql: SQL;
beforeAll(async () => {
  sql = new SQL(await freshPostgresUrl(), { max: 1, connection: KEYED_SETTINGS });
  // As a clearing leaves the table: many pages, and one call that was open meanwhile.
  await sql.unsafe(`insert into reservations (id, user_id, token_id, amount, owner, created_at)
    select gen_random_uuid(), 1, 1, 0, 'other', n from generate_series(1, 5000) n`);
  await sql.unsafe('delete from reservations where created_at < 5000');
  await sql.unsafe('vacuum analyze reservations');
});
afterAll(() => sql?.close());

const usual = settleText({ month: false, unlogged: false, late: false });
const whole = settleText({ month: true, unlogged: true, late: true });

const ofSettle = [
  `{${ID}} {1} {1} {gpt-4o} {1} {1} {"{}"} {1} {2} {a} {a} {a} {1} {false} {a} {a} {""} {false} {0} {0} {a}`.split(
    ' ',
  ),
  2,
] as const;

const lists = (n: number): string[] => Array.from({ length: n }, () => '{}');

test.each([
  ['settle_at_once', SETTLE_AT_ONCE.usual, [`{${ID}}`, ...lists(43)], 2],
  ['settle_at_once_with_months', SETTLE_AT_ONCE.withMonths, [`{${ID}}`, ...lists(43)], 2],
  ['reserve', statementText('reserve'), `{${ID}} {1} {1} {1} {true} boot 1`.split(' '), 1],
  ['settle', usual, ...ofSettle],
  ['settle_whole', whole, ...ofSettle],
  ['release', statementText('release'), [`{${ID}}`], 2],
  // It looks for the calls of dead processes, and goes through all for that, once.
  ['orphan', statementText('orphan'), ['{boot}', '1', ID, '{}'], 1],
] as const)('%s finds them by their ids alone', async (name, text, params, times) => {
  await sql.unsafe(`prepare ${name} as ${text}`).simple();
  const values = params.map((param) => `'${param}'`).join(', ');
  const rows: Record<string, string>[] = await sql
    .unsafe(`explain (costs off) execute ${name} (${values})`)
    .simple();
  const plan = rows.map((row) => String(row['QUERY PLAN']).trim());
  const reads = plan.flatMap((line, i) =>
    line.includes('Scan') && / on reservations\b/.test(line) ? [plan[i + 1]] : [],
  );
  const byIds = reads.filter((condition) => condition?.startsWith('Index Cond: (id = ANY '));
  expect([byIds.length, reads.length]).toEqual([times, name === 'orphan' ? times + 1 : times]);
});

test('a settlement carries only the parts that its batch needs', () => {
  const parts = (text: string) =>
    ['month_tokens', 'usage_unlogged', 'usage_late'].filter((part) => text.includes(part));
  const needs = [
    { month: true, unlogged: false, late: false },
    { month: false, unlogged: true, late: false },
    { month: false, unlogged: false, late: true },
  ];
  expect(needs.map((each) => parts(settleText(each)))).toEqual([
    ['month_tokens'],
    ['usage_unlogged'],
    ['usage_late'],
  ]);
  expect([parts(usual), parts(whole)]).toEqual([[], ['month_tokens', 'usage_unlogged', 'usage_late']]);
  expect([usual, whole].join()).not.toMatch(/^-- [[|\]]/m);
});
