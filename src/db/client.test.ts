import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../tests/support/database.ts';
import { keptStatements } from '../../tests/support/kept-statements.ts';
import { toAppError } from '../http/envelope.ts';
import { awaited, behindAnswer, onBehalf } from '../platform/on-behalf.ts';
import { rowsOf } from './statement.ts';

test('what goes by key is never planned for its values, and never reads a whole table', async () => {
  const db = await freshDatabase('postgres');
  try {
    const settings = `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans`;
    expect(await db.queryByKey(settings)).toEqual([{ plans: 'force_generic_plan', scans: 'off' }]);
    expect(await db.query(settings)).toEqual([{ plans: 'auto', scans: 'on' }]);
  } finally {
    await db.close();
  }
});

test('the server keeps what goes by key, and no other text, whoever asks and wherever', async () => {
  const db = await freshDatabase('postgres');
  const ask = async (n: number) => {
    await db.query(`select $1::int + ${n} as more`, [n]);
    await db.orm.execute(sql`select ${n}::int + ${sql.raw(String(n))} as by_orm`);
    await db.orm.transaction((tx) => tx.execute(sql`select ${n}::int + ${sql.raw(String(n))} as inside`));
  };
  try {
    for (let n = 0; n < 30; n++) {
      await ask(n);
      await awaited(() => ask(n));
      await db.queryByKey('select $1::int as fixed', [n]);
    }
    expect([...new Set(await keptStatements(db))]).toEqual(['select $1::int as fixed']);
  } finally {
    await db.close();
  }
});

test('nothing is compiled: what the console asks costs less than that', async () => {
  const db = await freshDatabase('postgres');
  try {
    const settings = `select current_setting('jit') as jit`;
    const own = [{ jit: 'off' }];
    expect([await db.query(settings), await db.queryByKey(settings)]).toEqual([own, own]);
    expect(rowsOf(await db.orm.execute(sql.raw(settings)))).toEqual(own);
  } finally {
    await db.close();
  }
});

test('what a caller of the console waits for is broken off, and he is told 503; other work takes its time', async () => {
  const db = await freshDatabase('postgres');
  const setting = `select current_setting('statement_timeout') as most`;
  const asked = async () => [
    ...(await db.query<{ most: string }>(setting)),
    ...rowsOf<{ most: string }>(await db.orm.execute(sql.raw(setting))),
    ...(await db.orm.transaction(async (tx) => rowsOf<{ most: string }>(await tx.execute(sql.raw(setting))))),
  ];
  const forCaller = <T>(work: () => T) => onBehalf(() => ({ who: '7', network: '203.0.113.0' }), work);
  try {
    expect((await asked()).map(({ most }) => most)).toEqual(['0', '0', '0']);
    expect((await forCaller(asked)).map(({ most }) => most)).toEqual(['10s', '10s', '10s']);
    expect((await forCaller(() => behindAnswer(asked))).map(({ most }) => most)).toEqual(['0', '0', '0']);
    const slow = forCaller(() =>
      db.orm.transaction(async (tx) => {
        await tx.execute(sql`select set_config('statement_timeout', '20', true)`);
        await tx.execute(sql`select pg_sleep(5)`);
      }),
    );
    const error: unknown = await slow.catch((thrown: unknown) => thrown);
    expect(toAppError(error, 'UNKNOWN')).toMatchObject({ code: 'UNAVAILABLE', apiStatus: 503 });
  } finally {
    await db.close();
  }
});
