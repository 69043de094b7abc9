/** The sheet of a long account: it says what the pages say, and reads each line of the books once. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { makeUser } from '../../../tests/support/accounts.ts';
import { openApi, type TestApi } from '../../../tests/support/api.ts';
import { callEngines } from '../../../tests/support/database.ts';
import { patience } from '../../../tests/support/patience.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { filterQuery, pageQuery } from './contract.ts';
import { type Account, exportStatement, statementPage } from './service.ts';

/** A midnight of UTC. */
const START = 1_767_225_600;
const TRANSFERS = 500;
const EDITS = 600;
const CHARGED_DAYS = 120;
/** What the account began with, and as many lines of each kind as above. */
const LINES = 1 + TRANSFERS + EDITS + CHARGED_DAYS;

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** How many rows of a table a plan has looked at. */
const rowsRead = (plan: Plan, table: string): number =>
  (plan['Relation Name'] === table
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each, table), 0);

interface Watched {
  text: string;
  /** Rows of the ledger that it has looked at. */
  ledger: number;
}

/** The same database, which keeps the statements of its transactions with what they read. */
function watched(db: Database): { db: Database; statements: Watched[] } {
  const statements: Watched[] = [];
  const dialect = new PgDialect();
  const watch = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (name !== 'execute') return typeof value === 'function' ? value.bind(from) : value;
        return async (asked: SQL) => {
          const [row] = rowsOf<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
            await from.execute(sql`explain (analyze, format json) ${asked}`),
          );
          const plan = row?.['QUERY PLAN'][0].Plan;
          const { sql: text } = dialect.sqlToQuery(asked);
          statements.push({ text, ledger: plan ? rowsRead(plan, 'ledger') : 0 });
          return from.execute(asked);
        };
      },
    });
  const orm = new Proxy(db.orm, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(from) : value;
      const begin: Database['orm']['transaction'] = (work, config) =>
        from.transaction((tx) => work(watch(tx)), config);
      return begin;
    },
  });
  return { db: { ...db, orm }, statements };
}

describe.each(callEngines)('the sheet of a statement, on %s', (engine) => {
  let api: TestApi;
  let db: Database;
  let account: Account;
  beforeAll(async () => {
    api = await openApi(engine);
    ({ db } = api.deps);
    const id = await makeUser(db, 1_000_000);
    account = { id, username: 'una', reader: { id, left: new AbortController().signal } };
    const at = (n: string, of: number) => `${START} + ${n}::bigint * ${CHARGED_DAYS * DAY_SEC} / ${of}`;
    await db.script(`
      update ledger set created_at = ${START} where user_id = ${id};
      insert into ledger select gen_random_uuid(), 9, ${id}, case when n % 2 = 0 then -n else n + 3 end,
        ${at('n', EDITS)}, 'edit ' || n from generate_series(1, ${EDITS}) n;
      insert into rewards (ref, kind, user_id, amount, cause_id, created_at)
        select gen_random_uuid(), 1, ${id}, 7, ${id} + n, ${START} from generate_series(1, ${TRANSFERS}) n;
      insert into ledger select gen_random_uuid(), 8, ${id}, 5, ${at('n', TRANSFERS)}, null
        from generate_series(1, ${TRANSFERS}) n;
      insert into rewards (ref, kind, user_id, amount, created_at)
        select ref, 1, user_id, -delta, created_at from ledger where kind = 8;
      insert into usage_hourly select ${START} + n::bigint * ${DAY_SEC} + 3600, ${id}, 1, 1, 'm', 'g', n, 1, 1, 10 + n
        from generate_series(1, ${CHARGED_DAYS}) n;
      update users set quota = (select sum(delta) from ledger where user_id = ${id})
        - (select sum(quota) from usage_hourly) where id = ${id};
      insert into ledger select gen_random_uuid(), 9, ${id} + 1, 1, ${START} + n, '' from generate_series(1, 10000) n;
      analyze`);
  });
  afterAll(() => api.close());

  const sheet = async (filter: Record<string, string>, from = db): Promise<string[][]> => {
    let text = '';
    for await (const page of exportStatement(
      { ...api.deps, db: from },
      { ...account, locale: 'en' },
      filterQuery.parse(filter),
    )) {
      text += page;
    }
    const [, ...rows] = text.trim().split('\r\n');
    return rows.map((row) => row.split(','));
  };
  /** All pages one after the other, each counted back from now by itself. */
  const pages = async (filter: Record<string, string>): Promise<string[][]> => {
    const rows: string[][] = [];
    for (let before: string | null = ''; before !== null; ) {
      const query = pageQuery.parse({ ...filter, page_size: '100', before });
      const page = await statementPage({ db }, account, query);
      for (const { created_at, delta, balance, reference, ref } of page.items) {
        const time = new Date(created_at * 1000).toISOString();
        rows.push([time, `${Math.max(delta, 0)}`, `${Math.max(-delta, 0)}`, `${balance}`, reference, ref]);
      }
      before = page.older;
    }
    return rows;
  };
  const told = (rows: string[][]) => rows.map((row) => [row[0], row[2], row[3], row[4], row[10], row[11]]);

  it('meets 0 before its last line, and says what the pages say', async () => {
    const rows = await sheet({});
    expect(rows).toHaveLength(LINES);
    expect(rows.at(-1)?.slice(2, 5)).toEqual(['1000000', '0', '1000000']);
    for (const [at, row] of rows.entries()) {
      const [added, spent, balance] = row.slice(2, 5).map(Number);
      expect((balance ?? 0) - (added ?? 0) + (spent ?? 0)).toBe(Number(rows[at + 1]?.[4] ?? 0));
    }
    expect(told(rows)).toEqual(await pages({}));
  });

  it.each<Record<string, string>>([
    { kind: '9' },
    { kind: '8', start_timestamp: String(START + 40 * DAY_SEC) },
    { kind: '1', time_zone: 'Asia/Kolkata' },
    { min_amount: '20', max_amount: '400' },
    { start_timestamp: String(START + 60 * DAY_SEC), end_timestamp: String(START + 110 * DAY_SEC) },
  ])(
    'says what the pages say, filtered by %j',
    async (filter) => {
      const rows = told(await sheet(filter));
      expect(rows.length).toBeGreaterThan(100);
      expect(rows).toEqual(await pages(filter));
    },
    patience(60_000),
  );

  it('reads the account, its days and its rewards once, and of the ledger each line', async () => {
    const { db: counted, statements } = watched(db);
    await sheet({}, counted);
    const those = (words: RegExp) => statements.filter(({ text }) => words.test(text));
    expect(those(/from users u/)).toHaveLength(1);
    expect(those(/hours as materialized/)).toHaveLength(1);
    expect(those(/from rewards/)).toHaveLength(1);
    expect(those(/from ledger, starts/)).toHaveLength(1);
    const lines = those(/over \(\s*order by created_at desc/);
    expect(lines).toHaveLength(Math.ceil(LINES / limits.exportPage));
    // What the pages before have read is not read again; all but the charges of a page stood in the ledger.
    const ofPage = limits.exportPage - CHARGED_DAYS;
    for (const [page, { ledger }] of lines.entries()) {
      expect(ledger).toBeLessThanOrEqual(1 + TRANSFERS + EDITS - page * ofPage);
    }
  });
});
