/** The money statements against a plain reference, in random rounds on both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { keptStatements, OWN_TEXTS } from '../../tests/support/kept-statements.ts';
import { often } from '../../tests/support/long.ts';
import { MoneyReference, type ReserveStep } from '../../tests/support/money-reference.ts';
import { patience } from '../../tests/support/patience.ts';
import { exact, quote, usage } from '../../tests/support/quotes.ts';
import { AppError } from '../core/errors.ts';
import { requestId } from '../core/ids.ts';
import { parseObject } from '../core/json.ts';
import { quotaOf, quotesByMonth } from '../core/price-formula.ts';
import { priceRecord } from '../core/price-record.ts';
import { type ReceiptRow, receiptOf } from '../core/receipt.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import { type Database, KEYED_POOL } from '../db/client.ts';
import { numberList } from '../db/statement.ts';
import { recompute } from '../modules/log/one.ts';
import { isKnown, reserveAtOnce, settleAtOnce } from './at-once.ts';
import type { Hold } from './billing.ts';
import { adjustQuota, MOVEMENT, setTokenQuota } from './ledger.ts';
import { orphanAll, releaseAll, reserveAll, settleAll } from './statements.ts';

const OWNER = 'boot';
/** Calls whose receipts are held against what was charged. */
const PRICED = often(200, 2_000);
/** Tokens of the month before such a call. */
const before = fc.nat(2_000_000);
/** Balances and amounts are small and alike, so that running out is common. */
const quota = fc.integer({ min: 0, max: 1000 });
const amount = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 }));
const pick = fc.nat(1_000_000);

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      items: fc.array(fc.record({ token: pick, amount, extend: fc.option(pick, { freq: 2 }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      atOnce: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      items: fc.array(fc.record({ call: pick, charge: amount, channel: pick, failed: fc.boolean() }), {
        minLength: 1,
        maxLength: 12,
      }),
      // Charges that are covered, so that a whole batch often is.
      covered: fc.boolean(),
      mistaken: fc.option(fc.constantFrom('amount', 'tokenId', 'userId'), { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('orphan' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), call: pick }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('switch' as const), token: pick, ofUser: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      token: pick,
      unlimited: fc.boolean(),
      quota,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('adjust' as const),
      user: pick,
      delta: fc.integer({ min: -500, max: 500 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const world = fc.record({
  users: fc.array(quota, { minLength: 2, maxLength: 3 }),
  tokens: fc.array(fc.record({ user: pick, remain: fc.option(quota) }), { minLength: 2, maxLength: 5 }),
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
});

const at = <T>(list: readonly T[], n: number): T => {
  const found = list[n % list.length];
  if (found === undefined) throw new Error('an empty list');
  return found;
};

/** One world: its rows in the database and the same in the reference. */
class World {
  readonly reference = new MoneyReference();
  /** Every id that was ever asked for, settled ones too. */
  readonly calls: string[] = [];
  readonly channels: number[] = [];
  /** What the process was told to be held for each. */
  readonly known = new Map<string, Hold>();

  constructor(readonly db: Database) {}

  async make(users: number[], tokens: { user: number; remain: number | null }[]): Promise<void> {
    const ids: number[] = [];
    for (const balance of users) {
      const id = await makeUser(this.db, balance);
      ids.push(id);
      this.reference.addUser(id, balance);
    }
    for (const { user, remain } of tokens) {
      const owner = at(ids, user);
      this.reference.addToken(await makeToken(this.db, owner, remain), owner, remain);
    }
    for (let i = 0; i < 2; i++) this.channels.push(await makeChannel(this.db));
  }

  async take(given: Step): Promise<void> {
    const { reference, db } = this;
    const tokens = [...reference.tokens.keys()];
    const users = [...reference.users.keys()];
    switch (given.kind) {
      case 'reserve': {
        const batch: ReserveStep[] = [];
        for (const item of given.items) {
          const old = item.extend === null || this.calls.length === 0 ? null : at(this.calls, item.extend);
          if (old !== null && batch.some(({ id }) => id === old)) continue;
          const held = old === null ? undefined : reference.open.get(old);
          const token = held?.token ?? at(tokens, item.token);
          const { user } = reference.token(token);
          batch.push({ id: old ?? requestId(), user, token, amount: item.amount, extends: old !== null });
        }
        const items = batch.map(({ id, user, token, amount, extends: more }) => ({
          id,
          userId: user,
          tokenId: token,
          amount,
          extends: more,
        }));
        const granted = reference.reserve(batch);
        const isTried = given.atOnce && !batch.some((item) => item.extends);
        const isDone = isTried && (await reserveAtOnce(db, items, OWNER));
        if (isTried) expect(isDone).toBe(granted.size === batch.length);
        if (!isDone) expect(await reserveAll(db, items, OWNER)).toEqual(granted);
        for (const item of items.filter(({ id }) => granted.has(id))) {
          const before = item.extends ? (this.known.get(item.id)?.amount ?? 0) : 0;
          this.known.set(item.id, { ...item, amount: before + item.amount });
        }
        this.calls.push(...batch.filter((item) => !item.extends).map(({ id }) => id));
        return;
      }
      case 'settle': {
        if (this.calls.length === 0) return;
        const batch = new Map(
          given.items.map(({ call, charge, channel, failed }) => {
            const id = at(this.calls, call);
            const most = given.covered ? (this.known.get(id)?.amount ?? 0) : charge;
            return [
              id,
              {
                id,
                charge: failed ? 0 : Math.min(charge, most),
                channel: at(this.channels, channel),
                failed,
              },
            ] as const;
          }),
        );
        const settlements = [...batch.values()].map(({ id, charge, channel, failed }) =>
          settlementOf(id, charge, { channelId: channel, type: failed ? 4 : 2 }),
        );
        const isAsKnown = settlements.every(({ id, charge }) => {
          const held = this.known.get(id);
          return held && charge <= held.amount && reference.open.get(id)?.amount === held.amount;
        });
        const items = settlements.map((settlement) => ({
          settlement,
          held: this.known.get(settlement.id) ?? null,
        }));
        const first = items[0];
        if (given.mistaken && first?.held) {
          const { held } = first;
          first.held = { ...held, [given.mistaken]: held[given.mistaken] + 1 };
        }
        const isDone = items.every(isKnown) && (await settleAtOnce(db, items));
        expect(isDone).toBe(isAsKnown && !(given.mistaken && first?.held));
        const paid = reference.settle([...batch.values()]);
        if (isDone) {
          expect(new Map(settlements.map(({ id, charge }) => [id, charge]))).toEqual(paid);
          return;
        }
        const rows = await settleAll(db, settlements);
        expect(new Map([...rows].map(([id, row]) => [id, row.paid]))).toEqual(paid);
        for (const [id, row] of rows) {
          expect(row.paid + row.written_off).toBe(batch.get(id)?.charge ?? -1);
          expect(row.key_short).toBe(reference.keyShort.has(id));
        }
        return;
      }
      case 'orphan': {
        await orphanAll(db, [OWNER]);
        reference.orphanAll();
        return;
      }
      case 'release': {
        if (this.calls.length === 0) return;
        const id = at(this.calls, given.call);
        await releaseAll(db, [id]);
        reference.release(id);
        return;
      }
      case 'switch': {
        const id = at(tokens, given.token);
        const target = given.ofUser ? reference.user(reference.token(id).user) : reference.token(id);
        target.active = !target.active;
        await db.query(`update ${given.ofUser ? 'users' : 'tokens'} set status = $1 where id = $2`, [
          target.active ? 1 : 2,
          given.ofUser ? reference.token(id).user : id,
        ]);
        return;
      }
      case 'limit': {
        const tokenId = at(tokens, given.token);
        const { unlimited, quota: remainQuota } = given;
        const done = await allowed('QUOTA_HELD', () =>
          db.orm.transaction((tx) => setTokenQuota(tx, { tokenId, unlimited, remainQuota })),
        );
        expect(done).toBe(reference.setTokenQuota(tokenId, unlimited, remainQuota));
        return;
      }
      case 'adjust': {
        const movement = {
          userId: at(users, given.user),
          kind: MOVEMENT.topUp,
          ref: requestId(),
          delta: given.delta,
        };
        const done = await allowed('QUOTA', () => db.orm.transaction((tx) => adjustQuota(tx, movement)));
        expect(done).toBe(reference.adjust(movement.userId, given.delta));
        return;
      }
    }
  }

  /** The whole state, row by row. */
  async check(): Promise<void> {
    const { reference, db } = this;
    const users = await db.query<Record<string, number>>(
      `select id, quota, reserved, used_quota, request_count,
        (select coalesce(sum(delta), 0)::bigint from ledger where user_id = users.id) as ledger,
        (select coalesce(sum(note::bigint), 0)::bigint from ledger where user_id = users.id and kind = 10) as written_off
       from users where id = any($1::bigint[]) order by id`,
      [`{${[...reference.users.keys()].join(',')}}`],
    );
    expect(users).toEqual(
      [...reference.users].map(([id, u]) => ({
        id,
        quota: u.quota,
        reserved: u.reserved,
        used_quota: u.used,
        request_count: u.calls,
        ledger: u.ledger,
        written_off: u.writtenOff,
      })),
    );
    for (const user of reference.users.values()) {
      expect(user.quota + user.reserved).toBe(user.ledger);
      expect(user.quota).toBeGreaterThanOrEqual(0);
    }
    const tokens = await db.query(
      'select id, remain_quota, unlimited_quota, used_quota from tokens where id = any($1::bigint[]) order by id',
      [`{${[...reference.tokens.keys()].join(',')}}`],
    );
    expect(tokens).toEqual(
      [...reference.tokens].map(([id, t]) => ({
        id,
        remain_quota: t.remain,
        unlimited_quota: t.unlimited,
        used_quota: t.used,
      })),
    );
    const open = await db.query<{ id: string; amount: number; orphaned: boolean }>(
      'select id, amount, orphaned_at is not null as orphaned from reservations where user_id = any($1::bigint[]) order by id',
      [`{${[...reference.users.keys()].join(',')}}`],
    );
    expect(open).toEqual(
      [...reference.open.values()]
        .map(({ id, amount: held, orphaned }) => ({ id, amount: held, orphaned }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    const [totals] = await db.query<Record<string, number>>(
      `select (select count(*) from logs where user_id = any($1::bigint[])) as logs,
        (select coalesce(sum(quota), 0)::bigint from usage_hourly where user_id = any($1::bigint[])) as rollup,
        (select coalesce(sum(used_quota), 0)::bigint from channels where id = any($2::bigint[])) as channels`,
      [`{${[...reference.users.keys()].join(',')}}`, `{${this.channels.join(',')}}`],
    );
    const used = [...reference.users.values()].reduce((sum, u) => sum + u.used, 0);
    expect(totals).toEqual({ logs: reference.logRows, rollup: used, channels: used });
  }
}

/** Runs; false when it is refused with a code that begins so. */
async function allowed(code: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code.startsWith(code)) return false;
    throw error;
  }
}

for (const engine of engines) {
  describe(`the money statements on ${engine}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterAll(() => db.close());

    test(
      'do what the reference does, row by row, after every step',
      async () => {
        await fc.assert(
          fc.asyncProperty(world, async ({ users, tokens, steps }) => {
            const here = new World(db);
            await here.make(users, tokens);
            for (const given of steps) {
              await here.take(given);
              await here.check();
            }
          }),
          { numRuns: often(30, 1_000) },
        );
      },
      often(120_000, 3_600_000),
    );

    if (engine === 'postgres') {
      test('have few texts for all batches, each kept once on a connection', async () => {
        const kept = await keptStatements(db);
        const texts = new Set(kept);
        expect(texts.size).toBeGreaterThan(4);
        expect(texts.size).toBeLessThanOrEqual(OWN_TEXTS);
        expect(kept.length).toBeLessThanOrEqual(texts.size * KEYED_POOL);
      });
    }

    test('keep what a call says in its log row, whatever characters upstream puts into it', async () => {
      const userId = await makeUser(db, 100);
      const tokenId = await makeToken(db, userId);
      const id = requestId();
      await reserveAll(db, [{ id, userId, tokenId, amount: 10, extends: false }], OWNER);
      const nasty = 'a"b\\c{d},\n\u0000\u{1F600}\ud800NULL';
      await settleAll(db, [
        settlementOf(id, 7, {
          content: nasty,
          other: { error: nasty, plain: '\\u0000' },
          isStream: true,
          at: 1_700_000_000,
        }),
      ]);
      const [row] = await db.query('select * from logs where request_id = $1', [id]);
      expect(row).toMatchObject({
        user_id: userId,
        token_id: tokenId,
        created_at: 1_700_000_000,
        quota: 7,
        prompt_tokens: 17,
        completion_tokens: 20,
        username: 'someone',
        token_name: 'test',
        group_name: 'default',
        use_time: 1,
        is_stream: true,
        content: 'a"b\\c{d},\n\u{1F600}\ufffdNULL',
        other: { error: 'a"b\\c{d},\n\u{1F600}\ufffdNULL', plain: '\\u0000' },
      });
      const [hour] = await db.query('select * from usage_hourly where user_id = $1', [userId]);
      expect(hour).toMatchObject({
        hour: 1_699_999_200,
        calls: 1,
        prompt_tokens: 17,
        completion_tokens: 20,
        quota: 7,
      });
      const [token] = await db.query('select accessed_time from tokens where id = $1', [tokenId]);
      expect(token).toEqual({ accessed_time: 1_700_000_000 });
    });

    test(
      'write of calls of every kind of price rows whose receipts are what was charged',
      async () => {
        const calls = fc.sample(fc.record({ asked: quote, used: usage, count: fc.nat(4), before }), {
          numRuns: PRICED,
          seed: 14,
        });
        const priced = calls.map(({ asked, used, count, before }, n) => {
          const byMonth = quotesByMonth(asked);
          const { quote: settled } = byMonth.find(({ upTo }) => upTo === null || before <= upTo) ?? {
            quote: asked,
          };
          const charge = quotaOf(settled, used, count);
          // Some lack a little of what their call costs.
          const funds = Math.max(charge - (n % 3 === 0 ? 7 : 0), 0);
          return { asked, used, count, before, byMonth, charge, funds, model: `priced ${n}` };
        });
        const accounts = await db.query<{ user: number; token: number }>(
          `with u as (
           insert into users (username, aff_code, quota)
           select 'priced' || n, 'priced' || n, funds from unnest($1::bigint[]) with ordinality as t(funds, n)
           returning id, username
         ), t as (
           insert into tokens (user_id, name, key_lookup, key_hint, remain_quota, unlimited_quota)
           select id, 'test', username, '', 0, true from u returning id, user_id
         )
         select user_id as user, t.id as token from t join u on u.id = user_id order by substr(username, 7)::int`,
          [numberList(priced.map(({ funds }) => funds))],
        );
        const begun = priced.map((one, n) => {
          const { user, token } = accounts[n] ?? { user: 0, token: 0 };
          return { ...one, hold: holdOf(user, token, Math.floor(one.funds / 2)) };
        });
        // What counts of the month before the call.
        const hour = nowSec() - (nowSec() % HOUR_SEC);
        await db.query(
          `insert into usage_hourly
         select $1::bigint, user_id, 0, 0, model, 'default', 1, before, 0, 0
         from jsonb_to_recordset($2::text::jsonb) as t(user_id bigint, model text, before bigint)`,
          [
            hour,
            JSON.stringify(begun.map(({ hold, model, before }) => ({ user_id: hold.userId, model, before }))),
          ],
        );
        await reserveAll(
          db,
          begun.map(({ hold }) => ({ ...hold, extends: false })),
          OWNER,
        );
        const settled = await settleAll(
          db,
          begun.map(({ hold, asked, used, count, byMonth, model }) =>
            settlementOf(hold.id, quotaOf(asked, used, count), {
              modelName: model,
              promptTokens: promptTokens(used),
              completionTokens: completionTokens(used),
              other: priceRecord(asked, used, count),
              monthTiers: byMonth.map(({ upTo, quote: each }) => ({
                up_to: upTo,
                charge: quotaOf(each, used, count),
                other: priceRecord(each, used, count),
              })),
            }),
          ),
        );
        const rows = await db.query<ReceiptRow & { other: string; moved: number }>(
          `select l.*, l.group_name as "group", l.other::text as other, coalesce(-m.delta, 0)::bigint as moved
         from logs l left join ledger m on m.ref = l.request_id and m.kind = ${MOVEMENT.charge}
         where l.model_name like 'priced %'`,
        );
        const rowOf = new Map(rows.map((row) => [row.request_id, row]));
        for (const { hold, charge, model } of begun) {
          const { paid, written_off } = settled.get(hold.id) ?? { paid: -1, written_off: -1 };
          const row = rowOf.get(hold.id);
          const receipt = row && receiptOf(row, parseObject(row.other) ?? {});
          if (!receipt) throw new Error(`${model} has no receipt`);
          expect([paid + written_off, row.moved]).toEqual([charge, paid]);
          expect(receipt.lines.reduce((sum, { weighted }) => sum + exact(weighted), 0n)).toBe(
            exact(receipt.sum),
          );
          expect(receipt).toMatchObject({ quota: paid, written_off, formula_quota: charge });
        }
        for (const { hold, charge } of begun.filter((_, n) => n % 20 < 2)) {
          expect(
            await recompute({ db }, { id: 1, scope: 'all', locale: 'en' }, { id: hold.id }),
          ).toMatchObject({
            charged: settled.get(hold.id)?.paid,
            written_off: settled.get(hold.id)?.written_off,
            formula_quota: charge,
            matches: true,
          });
        }
      },
      patience(120_000),
    );

    test('bound a call without a token by the balances of its user alone', async () => {
      const [one, other] = [await makeUser(db, 100), await makeUser(db, 100)];
      const hold = (userId: number, amount: number) => ({
        id: requestId(),
        userId,
        tokenId: 0,
        amount,
        extends: false,
      });
      const [dear, tooMuch, most, rest] = [hold(one, 60), hold(one, 60), hold(other, 90), hold(other, 10)];
      const granted = await reserveAll(db, [dear, tooMuch, most, rest], OWNER);
      expect(granted).toEqual(new Set([dear.id, most.id, rest.id]));
      await settleAll(db, [settlementOf(dear.id, 70), settlementOf(most.id, 0)]);
      await releaseAll(db, [rest.id]);
      const accounts = await db.query(
        'select quota, reserved, used_quota from users where id = any($1::bigint[]) order by id',
        [`{${one},${other}}`],
      );
      expect(accounts).toEqual([
        { quota: 30, reserved: 0, used_quota: 70 },
        { quota: 100, reserved: 0, used_quota: 0 },
      ]);
      await db.query('update users set status = 2 where id = $1', [one]);
      expect((await reserveAll(db, [hold(one, 1), hold(other, 1)], OWNER)).size).toBe(1);
    });

    test('grant nothing to deleted users and tokens, and settle what they held before', async () => {
      const userId = await makeUser(db, 100);
      const tokenId = await makeToken(db, userId);
      const before = { id: requestId(), userId, tokenId, amount: 10, extends: false };
      expect((await reserveAll(db, [before], OWNER)).size).toBe(1);
      for (const [table, id] of [
        ['tokens', tokenId],
        ['users', userId],
      ] as const) {
        await db.query(`update ${table} set deleted_at = 1 where id = $1`, [id]);
        expect((await reserveAll(db, [{ ...before, id: requestId() }], OWNER)).size).toBe(0);
      }
      expect((await settleAll(db, [settlementOf(before.id, 4)])).get(before.id)?.paid).toBe(4);
      expect(await db.query('select quota, reserved, used_quota from users where id = $1', [userId])).toEqual(
        [{ quota: 96, reserved: 0, used_quota: 4 }],
      );
    });
  });
}
