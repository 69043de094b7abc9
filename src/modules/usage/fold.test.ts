/** What is marked as folded is the sum of its hours: under kills at random moments, and while settlements come late. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { holdOf, makeToken, makeUser, settlementOf } from '../../../tests/support/accounts.ts';
import { freshDatabase, freshPostgresUrl } from '../../../tests/support/database.ts';
import { often } from '../../../tests/support/long.ts';
import { patience } from '../../../tests/support/patience.ts';
import { audit } from '../../billing/audit.ts';
import { reserveAll, settleAll } from '../../billing/statements.ts';
import { limits } from '../../core/limits.ts';
import { DAY_PART_SEC, DAY_SEC, HOUR_SEC, nowSec, SPAN_SEC } from '../../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS, FOLDED_MIXED } from '../../core/usage-folds.ts';
import { type Database, openPostgres } from '../../db/client.ts';
import { countFailures } from '../log/failures.ts';
import { BUSY_FIGURES, foldUsage } from './fold.ts';

const PROCESS = join(import.meta.dir, '../../../tests/support/fold-process.ts');
const SUMS = [
  'calls',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'cached_tokens',
  'first_ms',
  'first_calls',
  'failed',
];
const SUMMED = SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ');
/** Those that stand for their hours. */
const FOLDED = 'select part from usage_parts where part not in (select part from usage_late)';
/** Spans that stand for theirs. */
const WHOLE = `select span from usage_spans
  where is_whole and span not in (select part / ${SPAN_SEC} * ${SPAN_SEC} from usage_late)`;
/** More than two spans. */
const DAYS = 20;

let url: string;
let db: Database;
let accounts: { user: number; token: number }[];
beforeAll(async () => {
  url = await freshPostgresUrl();
  db = await openPostgres(url);
  accounts = await makeAccounts(db);
});
afterAll(() => db.close());

const makeAccounts = async (db: Database) => {
  const made: typeof accounts = [];
  for (let n = 0; n < 3; n++) {
    const user = await makeUser(db, 1_000_000);
    made.push({ user, token: await makeToken(db, user) });
  }
  return made;
};

const site = () => ({ db, accounts });

/** The first account makes all of its calls in these hours, so that it has many figures in a part. */
const BUSY_SEC = DAY_PART_SEC;

/** Charges calls that ended days ago, as the spool of a process that died then is replayed, and counts some that failed then. */
async function settleLate(calls: number, of = site()): Promise<void> {
  const { db, accounts } = of;
  const holds = Array.from({ length: calls }, (_, n) => {
    const { user, token } = accounts[n % accounts.length] ?? { user: 0, token: 0 };
    return holdOf(user, token, 10);
  });
  await reserveAll(
    db,
    holds.map((hold) => ({ ...hold, extends: false })),
    'test',
  );
  const timeOf = (n: number): number => {
    const span = n % accounts.length === 0 ? BUSY_SEC : DAYS * DAY_SEC;
    return nowSec() - DAY_SEC - Math.floor(Math.random() * span);
  };
  await countFailures(
    db,
    Array.from({ length: Math.ceil(calls / 10) }, (_, n) => {
      const { user, token } = accounts[n % accounts.length] ?? { user: 0, token: 0 };
      const at = timeOf(n);
      return {
        hour: at - (at % HOUR_SEC),
        user_id: user,
        token_id: token,
        channel_id: n % 2,
        model_name: `m${n % 40}`,
        group_name: 'default',
        code: `code ${n % 7}`,
        calls: 1 + (n % 3),
      };
    }),
  );
  await settleAll(
    db,
    holds.map(({ id }, n) =>
      settlementOf(id, 1 + (n % 9), {
        at: timeOf(n),
        modelName: `m${n % 40}`,
        channelId: n % 2,
        other: n % 3 === 0 ? {} : { cache_tokens: n, frt: n % 2 === 0 ? n : -1_000 },
      }),
    ),
  );
}

/** What was folded, by dimension, and what the hours say of it. */
async function both(db: Database): Promise<{ folded: string[]; hours: string[] }> {
  const columns = {
    model: 'model_name',
    token: 'token_id',
    group: 'group_name',
    channel: 'channel_id',
    user: 'user_id',
    code: 'code',
  };
  const hours = Object.entries(columns).flatMap(([dimension, column]) => {
    const number = FOLDED_DIMENSIONS[dimension as keyof typeof columns];
    const of = (owner: string, length: number, from = 'h') =>
      `select ${owner} as user_id, ${number} as dimension, ${length} as hours,
         hour / ${length * HOUR_SEC} * ${length * HOUR_SEC} as part, ${column}::text as value, ${SUMMED}
       from ${from} ${dimension === 'code' ? 'where failed > 0' : ''} group by 1, 2, 3, 4, 5`;
    return [
      of('-1', FOLDED_HOURS.part),
      of('-1', FOLDED_HOURS.span, 's'),
      ...(dimension === 'user'
        ? []
        : [of('h.user_id', FOLDED_HOURS.part), of('b.user_id', FOLDED_HOURS.hour, 'b')]),
      ...(['model', 'group', 'channel', 'code'].includes(dimension) ? [of('-1', FOLDED_HOURS.hour)] : []),
    ];
  });
  hours.push(`select h.user_id, ${FOLDED_MIXED} as dimension, ${FOLDED_HOURS.part} as hours,
      hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} as part,
      token_id || chr(10) || group_name || chr(10) || model_name as value, ${SUMMED}
    from h group by 1, 2, 3, 4, 5`);
  // One statement, so that both are of one moment.
  const rows = await db.query<{ of: string; row: object }>(`
    with figures as (
      select hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens, completion_tokens, quota,
        cached_tokens, first_ms, first_calls, 0 as failed, '' as code from usage_hourly
      union all
      select hour, user_id, token_id, channel_id, model_name, group_name, 0, 0, 0, 0, 0, 0, 0, calls, code from failures_hourly
    ), h as (
      select * from figures where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (${FOLDED})
    ), s as (
      select * from figures where hour / ${SPAN_SEC} * ${SPAN_SEC} in (${WHOLE})
    ), b as (
      select * from h where (user_id, hour / ${DAY_PART_SEC}) in (
        select user_id, hour / ${DAY_PART_SEC} from usage_hourly group by 1, 2 having count(*) >= ${BUSY_FIGURES}
      )
    ), summed as (${hours.join(' union all ')})
    select 'hours' as of, to_jsonb(s) as row from summed s
    union all
    select 'folded', to_jsonb(f) from usage_folded f
    where case when hours = ${FOLDED_HOURS.span} then part in (${WHOLE})
      else part / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (${FOLDED}) end`);
  const of = (name: string) => rows.filter((row) => row.of === name).map(({ row }) => row);
  const sorted = (list: object[]) => list.map((row) => Object.entries(row).sort().join(' ')).sort();
  return { folded: sorted(of('folded')), hours: sorted(of('hours')) };
}

const wholeSpans = async (): Promise<number> => (await db.query(WHOLE)).length;

describe('folded usage', () => {
  it(
    'is the sum of its hours, whenever who folds is killed and whatever is settled late meanwhile',
    async () => {
      await settleLate(600);
      for (let round = 0; round < often(3, 20); round++) {
        const child = Bun.spawn(['bun', PROCESS, url], { stdout: 'pipe', stderr: 'inherit' });
        const reader = child.stdout.getReader();
        await reader.read();
        const end = performance.now() + Math.random() * 400;
        while (performance.now() < end) await settleLate(7);
        child.kill('SIGKILL');
        await child.exited;
        const found = await both(db);
        expect(found.folded).toEqual(found.hours);
      }
      await foldUsage(db);
      const [{ open } = { open: -1 }] = await db.query<{ open: number }>(
        'select count(*)::int as open from usage_late',
      );
      expect(open).toBe(0);
      const found = await both(db);
      expect(found.folded.length).toBeGreaterThan(DAYS * 3 * 20);
      expect(await wholeSpans()).toBeGreaterThan(0);
      expect(found.folded).toEqual(found.hours);
      const busy = await db.query(
        'select from usage_folded where hours = 1 and dimension = 3 and user_id = $1',
        [accounts[0]?.user ?? 0],
      );
      expect(busy.length).toBeGreaterThan(0);
      expect((await audit(db)).findings).toEqual([]);
      for (const hours of Object.values(FOLDED_HOURS)) {
        const change = (by: number) =>
          db.query(
            `update usage_folded set quota = quota + ${by} where user_id = -1 and dimension = 3 and hours = ${hours}`,
          );
        await change(1);
        expect((await audit(db)).findings).toContainEqual(
          expect.objectContaining({
            check: 'usage_folded.quota = usage_hourly',
            id: expect.stringContaining(`hours ${hours} `),
          }),
        );
        await change(-1);
      }
      const change = (by: number) =>
        db.query(`update usage_folded set failed = failed + ${by} where ctid = (
        select ctid from usage_folded where dimension = 7 and hours = ${FOLDED_HOURS.part} order by user_id, part, value limit 1)`);
      await change(1);
      expect((await audit(db)).findings).toMatchObject([{ check: 'usage_folded.failed = failures_hourly' }]);
      await change(-1);
    },
    patience(120_000),
  );

  it('is not waited for by a late settlement, after which it is folded again', async () => {
    await foldUsage(db);
    const [{ part } = { part: 0 }] = await db.query<{ part: number }>(
      'select min(part) as part from usage_parts',
    );
    const [{ user, token } = { user: 0, token: 0 }] = accounts;
    const hold = holdOf(user, token, 10);
    await reserveAll(db, [{ ...hold, extends: false }], 'test');
    const isFolded = async () =>
      (await db.query(`select from (${FOLDED}) p where part = ${part}`)).length > 0;
    const isWhole = async () =>
      (await db.query(`${WHOLE} and span = ${part - (part % SPAN_SEC)}`)).length > 0;
    expect(await isWhole()).toBe(true);
    // Who folds is between two of his statements, and then is killed.
    await db.orm
      .transaction(async (tx) => {
        await tx.execute(`select 1 from usage_parts where part = ${part} for update`);
        await tx.execute(`delete from usage_late where part = ${part}`);
        expect((await settleAll(db, [settlementOf(hold.id, 5, { at: part + 60 })])).size).toBe(1);
        expect(await isFolded()).toBe(false);
        expect(await isWhole()).toBe(false);
        throw new Error('killed');
      })
      .catch(() => undefined);
    expect(await isFolded()).toBe(false);
    expect(await foldUsage(db)).toBe(1);
    expect(await isFolded()).toBe(true);
    expect(await isWhole()).toBe(true);
    const found = await both(db);
    expect(found.folded).toEqual(found.hours);
  });

  it('is folded once by two who fold at once, and again for what came between their statements', async () => {
    await settleLate(60);
    const due = await db.query<{ part: number }>('select distinct part from usage_late');
    const folded = await Promise.all([foldUsage(db), foldUsage(db)]);
    expect(folded.reduce((sum, n) => sum + n, 0)).toBe(due.length);
    const found = await both(db);
    expect(found.folded).toEqual(found.hours);
  });

  it('is found wrong where it tells of a time in which nobody has called', async () => {
    const quiet = `insert into usage_folded (user_id, dimension, hours, part, value, calls, prompt_tokens, completion_tokens, quota)
      values (-1, 3, ${FOLDED_HOURS.part}, 0, 'default', 1, 1, 1, 1)`;
    await db.query('insert into usage_parts values (0)');
    await db.query(quiet);
    expect((await audit(db)).findings).toContainEqual(
      expect.objectContaining({ check: 'usage_folded.quota = usage_hourly', expected: 0, found: 1 }),
    );
  });
});

describe('usage folded by slices', () => {
  let embedded: Database;
  let of: ReturnType<typeof site>;
  const { foldFigures } = limits;
  beforeAll(async () => {
    embedded = await freshDatabase('pglite');
    of = { db: embedded, accounts: await makeAccounts(embedded) };
    Object.assign(limits, { foldFigures: 7 });
  });
  afterAll(() => {
    Object.assign(limits, { foldFigures });
    return embedded.close();
  });

  /** The same database, of which a transaction fails when so many are made. */
  function dyingAfter(transactions: number): Database {
    let left = transactions;
    const transaction: Database['orm']['transaction'] = (work, config) => {
      if (left-- === 0) throw new Error('killed');
      return embedded.orm.transaction(work, config);
    };
    return {
      ...embedded,
      orm: new Proxy(embedded.orm, {
        get: (orm, name) => (name === 'transaction' ? transaction : Reflect.get(orm, name)),
      }),
    };
  }

  const isAllFolded = async () => {
    expect(await embedded.query('select from usage_late')).toEqual([]);
    const found = await both(embedded);
    expect(found.folded).toEqual(found.hours);
    expect((await audit(embedded)).findings).toEqual([]);
    return found.folded.length;
  };

  it(
    'is the sum of its hours, wherever who folds is stopped and whatever is settled late meanwhile',
    async () => {
      await settleLate(300, of);
      for (const after of [0, 1, 3, 10, 60]) {
        await expect(foldUsage(dyingAfter(after))).rejects.toThrow('killed');
        const found = await both(embedded);
        expect(found.folded).toEqual(found.hours);
        await settleLate(10, of);
      }
      const whole = foldUsage(embedded);
      await settleLate(30, of);
      await whole;
      const found = await both(embedded);
      expect(found.folded).toEqual(found.hours);
      await foldUsage(embedded);
      expect(await isAllFolded()).toBeGreaterThan(1_000);
      expect(await foldUsage(embedded)).toBe(0);
      await settleLate(60, of);
      const late = await embedded.query('select distinct part from usage_late');
      const folded = await Promise.all([foldUsage(embedded), foldUsage(embedded)]);
      expect(folded.reduce((sum, n) => sum + n, 0)).toBe(late.length);
      await isAllFolded();
    },
    patience(120_000),
  );

  it('is late until it is folded again, and then if it has become so meanwhile', async () => {
    const [{ part } = { part: 0 }] = await embedded.query<{ part: number }>(
      'select part from usage_parts limit 1',
    );
    const late = () => embedded.query('select part from usage_late');
    await embedded.query('insert into usage_late values ($1), ($1)', [part]);
    await expect(foldUsage(dyingAfter(2))).rejects.toThrow('killed');
    expect(await late()).toEqual([{ part }, { part }]);
    // The second transaction is that of its first slice.
    let left = 2;
    const orm = new Proxy(embedded.orm, {
      get: (orm, name) => {
        if (name === 'transaction' && --left === 0)
          return async (...asked: Parameters<typeof orm.transaction>) => {
            await embedded.query('insert into usage_late values ($1)', [part]);
            return orm.transaction(...asked);
          };
        return Reflect.get(orm, name);
      },
    });
    expect(await foldUsage({ ...embedded, orm })).toBe(1);
    expect(await late()).toEqual([{ part }]);
    await foldUsage(embedded);
    await isAllFolded();
  });

  it('reads no more of them by a statement, and is not folded while it goes on', async () => {
    const [{ part, n } = { part: 0, n: 0 }] = await embedded.query<{ part: number; n: number }>(
      `select hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} as part, count(*)::int as n from usage_hourly
       group by 1 order by 2 desc limit 1`,
    );
    expect(n).toBeGreaterThan(BUSY_FIGURES);
    await embedded.query('insert into usage_late values ($1)', [part]);
    await expect(foldUsage(dyingAfter(3))).rejects.toThrow('killed');
    expect(await embedded.query('select from usage_parts where part = $1', [part])).toEqual([]);
    const [{ calls } = { calls: 0 }] = await embedded.query<{ calls: number }>(
      'select sum(calls)::int as calls from usage_folded where user_id = -1 and dimension = 3 and hours = 8 and part = $1',
      [part],
    );
    // Each figure is of a call and more.
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThan(n);
    await foldUsage(embedded);
    await isAllFolded();
  });

  it('reads no more sums for a span of days by a statement, and the span is not whole while it goes on', async () => {
    await foldUsage(embedded);
    const [{ span } = { span: 0 }] = await embedded.query<{ span: number }>(WHOLE);
    const ofSpan = `from usage_folded where user_id = -1 and hours = ${FOLDED_HOURS.span} and part = ${span}`;
    const read = () =>
      embedded.query(`select dimension, value, ${SUMMED} ${ofSpan} group by 1, 2 order by 1, 2`);
    const whole = await read();
    const { foldedAtOnce } = limits;
    Object.assign(limits, { foldedAtOnce: 1 });
    await embedded.query(`delete ${ofSpan}`);
    await embedded.query('update usage_spans set is_whole = false where span = $1', [span]);
    await expect(foldUsage(dyingAfter(4))).rejects.toThrow('killed');
    expect((await read()).length).toBeWithin(1, whole.length);
    expect(await embedded.query(`${WHOLE} and span = ${span}`)).toEqual([]);
    await foldUsage(embedded);
    Object.assign(limits, { foldedAtOnce });
    expect(await read()).toEqual(whole);
    await isAllFolded();
  });

  it('ends where it is stopped, also while it removes what was folded', async () => {
    await foldUsage(embedded);
    await embedded.query('insert into usage_late select max(part) from usage_parts');
    const end = new AbortController();
    let removed = 0;
    const query: Database['query'] = (text, params) => {
      if (text.includes('delete from usage_folded')) {
        removed++;
        end.abort();
      }
      return embedded.query(text, params);
    };
    expect(await foldUsage({ ...embedded, query }, end.signal)).toBe(0);
    expect(removed).toBe(1);
    await foldUsage(embedded);
    await isAllFolded();
  });
});
