/** Batches that are done at once become what they become call by call; and when which of the two is sent. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  holdOf,
  makeBilling,
  makeChannel,
  makeToken,
  makeUser,
  settlementOf,
} from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { often } from '../../tests/support/long.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import type { Database } from '../db/client.ts';
import type { Row } from '../db/statement.ts';
import { reserveAtOnce, SETTLE_AT_ONCE, settleAtOnce } from './at-once.ts';
import { audit } from './audit.ts';
import type { Hold } from './billing.ts';
import { reserveAll, type StampedSettlement, settleAll, statementText } from './statements.ts';

const TEXTS = {
  'reserve-at-once': statementText('reserve-at-once'),
  'settle-at-once': SETTLE_AT_ONCE.usual,
  'settle-at-once with months': SETTLE_AT_ONCE.withMonths,
  reserve: statementText('reserve'),
};

/** The database, and which money statements were sent to it. */
function watched(db: Database) {
  const sent: string[] = [];
  const seen: Database = {
    ...db,
    queryByKey: (text, params) => {
      const [name = 'settle'] = Object.entries(TEXTS).find(([, each]) => each === text) ?? [];
      sent.push(name);
      return db.queryByKey(text, params);
    },
  };
  return { db: seen, take: () => sent.splice(0) };
}

const call = fc.record({
  who: fc.nat(2),
  token: fc.nat(2),
  held: fc.nat(200),
  share: fc.nat(100),
  failed: fc.boolean(),
  unlogged: fc.boolean(),
  channel: fc.nat(1),
  modelName: fc.constantFrom('gpt-4o', 'Gpt-4o', 'm\0x', 'm"{},\\', '模型'),
  groupName: fc.constantFrom('default', 'vip'),
  content: fc.string({ unit: 'binary', maxLength: 8 }),
  at: fc.constantFrom(1_700_000_000, 1_700_000_399, 1_700_000_400, 1_700_003_999),
  promptTokens: fc.nat(1_000),
  told: fc.constantFrom({}, { frt: -1_000 }, { cache_tokens: 7, frt: 0 }, { cache_tokens: 3, frt: 250 }),
});

for (const engine of engines) {
  describe(`batches at once on ${engine}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterAll(async () => {
      expect((await audit(db)).findings).toEqual([]);
      await db.close();
    });

    test.each([false, true])(
      'become row by row what they become call by call, with months that are kept: %p',
      async (hasMonths) => {
        const worlds = { atOnce: await makeWorld(db), oneByOne: await makeWorld(db) };
        if (hasMonths) for (const world of Object.values(worlds)) await keepMonths(db, world);
        await fc.assert(
          fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 10 }), async (calls) => {
            const items = callsIn(worlds.atOnce, calls);
            const holds = items.map(({ held }) => held);
            expect(await reserveAtOnce(db, holds, 'boot')).toBe(true);
            const held = await stateOf(db, worlds.atOnce, holds);
            expect(await settleAtOnce(db, items, hasMonths)).toBe(true);

            const others = callsIn(worlds.oneByOne, calls);
            const otherHolds = others.map((item) => item.held);
            await reserveAll(
              db,
              otherHolds.map((each) => ({ ...each, extends: false })),
              'boot',
            );
            expect(await stateOf(db, worlds.oneByOne, otherHolds)).toEqual(held);
            await settleAll(
              db,
              others.map(({ settlement }) => settlement),
            );
            expect(await stateOf(db, worlds.oneByOne, otherHolds)).toEqual(
              await stateOf(db, worlds.atOnce, holds),
            );
          }),
          { numRuns: often(20, 300) },
        );
      },
      often(60_000, 1_800_000),
    );

    test('change nothing where one call of many is not as it was known', async () => {
      const userId = await makeUser(db, 1_000);
      const other = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId, 500);
      const good = holdOf(userId, tokenId, 100);
      const gone = holdOf(other, 0, 100);
      expect(await reserveAtOnce(db, [good, gone], 'boot')).toBe(true);
      const world = { users: [userId, other], tokens: [[tokenId]], channels: [] };
      const held = await stateOf(db, world, [good, gone]);
      const unchanged = async () => expect(await stateOf(db, world, [good, gone])).toEqual(held);
      const settle = (...holds: Hold[]) =>
        settleAtOnce(
          db,
          holds.map((each) => ({ settlement: settlementOf(each.id, 5), held: each })),
        );
      expect(await settle(good, holdOf(other, 0, 5))).toBe(false);
      expect(await settle(good, { ...gone, userId })).toBe(false);
      expect(await settle({ ...good, tokenId: 0 }, gone)).toBe(false);
      expect(await settle(good, { ...gone, amount: 101 })).toBe(false);
      await unchanged();
      for (const refused of [
        holdOf(other, 0, 901),
        holdOf(userId, tokenId, 401),
        holdOf(other, 987_654_321, 1),
        holdOf(987_654_321, 0, 1),
        holdOf(other, 0, QUOTA_MAX),
      ]) {
        expect(await reserveAtOnce(db, [holdOf(userId, tokenId, 1), refused], 'boot')).toBe(false);
      }
      for (const [table, id] of [
        ['tokens', tokenId],
        ['users', userId],
      ] as const) {
        await db.query(`update ${table} set status = 2 where id = $1`, [id]);
        expect(await reserveAtOnce(db, [holdOf(other, 0, 1), holdOf(userId, tokenId, 1)], 'boot')).toBe(
          false,
        );
        await db.query(`update ${table} set status = 1 where id = $1`, [id]);
      }
      await db.query('update users set erased_at = 1 where id = $1', [other]);
      expect(await settle(good, gone)).toBe(false);
      await unchanged();
      await db.query(`update users set erased_at = null, month_models = '{}' where id = $1`, [other]);
      expect(await settle(good, gone)).toBe(false);
      await unchanged();
      await db.query('update users set month_models = null where id = $1', [other]);
      expect(await settle(good, gone)).toBe(true);
    });
  });
}

describe('the lines', () => {
  let db: Database;
  beforeAll(async () => {
    db = await freshDatabase('postgres');
  });
  afterAll(() => db.close());

  test('send batches at once where all fit and are covered, and what stands out one by one', async () => {
    const { db: seen, take } = watched(db);
    const { billing } = await makeBilling(seen);
    const userId = await makeUser(db, 1_000);
    const [plain, growing, dear] = [holdOf(userId, 0, 100), holdOf(userId, 0, 100), holdOf(userId, 0, 100)];
    expect(await Promise.all([plain, growing].map(billing.reserve))).toEqual(['granted', 'granted']);
    expect(await billing.reserve(dear)).toBe('granted');
    expect(take()).toEqual(['reserve-at-once', 'reserve-at-once']);
    expect(await billing.extend({ ...growing, amount: 50 })).toBe('granted');
    expect(take()).toEqual(['reserve']);
    // What was added since is known to be held too.
    const settled = [plain, growing].map(({ id }, i) => billing.settle(settlementOf(id, [0, 150][i] ?? 0)));
    expect((await Promise.all(settled)).map(({ paid }) => paid)).toEqual([0, 150]);
    expect(take()).toEqual(['settle-at-once']);
    expect((await billing.settle(settlementOf(dear.id, 900))).paid).toBe(850);
    expect(take()).toEqual(['settle']);
    await billing.close();
  });

  test('send batches at once also with who has months, once they have met him', async () => {
    const { db: seen, take } = watched(db);
    const { billing } = await makeBilling(seen);
    const userId = await makeUser(db, 1_000);
    const settle = async (more: Partial<StampedSettlement> = {}) => {
      const hold = holdOf(userId, 0, 10);
      await billing.reserve(hold);
      take();
      expect(await billing.settle(settlementOf(hold.id, 5, more))).toMatchObject({
        paid: 5,
        committed: true,
      });
      return take();
    };
    expect(await settle({ monthTiers: [{ up_to: null, charge: 5, other: {} }] })).toEqual(['settle']);
    expect(await settle()).toEqual(['settle-at-once with months']);
    const other = await makeBilling(seen);
    const hold = holdOf(userId, 0, 10);
    await other.billing.reserve(hold);
    take();
    await other.billing.settle(settlementOf(hold.id, 5));
    expect(take()).toEqual(['settle-at-once', 'settle']);
    expect(await db.query('select tokens from usage_months where user_id = $1', [userId])).toEqual([
      { tokens: 3 * 37 },
    ]);
    for (const each of [billing, other.billing]) await each.close();
  });

  test('go one by one for a while after somebody did not fit', async () => {
    const { db: seen, take } = watched(db);
    const { billing } = await makeBilling(seen);
    const [poor, rich] = [await makeUser(db, 10), await makeUser(db, 100_000)];
    const reserve = async (userId: number, amount: number) => {
      const hold = holdOf(userId, 0, amount);
      const result = await billing.reserve(hold);
      if (result === 'granted') await billing.settle(settlementOf(hold.id, 0));
      return result;
    };
    expect(await reserve(poor, 11)).toBe('refused');
    expect(take()).toEqual(['reserve-at-once', 'reserve']);
    for (let n = 0; n < 16; n++) expect(await reserve(rich, 11)).toBe('granted');
    expect(new Set(take())).toEqual(new Set(['reserve', 'settle-at-once']));
    expect(await reserve(rich, 11)).toBe('granted');
    expect(take()).toEqual(['reserve-at-once', 'settle-at-once']);
    await billing.close();
  });
});

interface World {
  users: readonly number[];
  /** Of each user: none, one with a limit, one without. */
  tokens: readonly (readonly number[])[];
  channels: readonly number[];
}

async function makeWorld(db: Database): Promise<World> {
  const users = [await makeUser(db, 1_000_000), await makeUser(db, 1_000_000), await makeUser(db, 1_000_000)];
  const tokens: number[][] = [];
  for (const user of users) tokens.push([0, await makeToken(db, user, 500_000), await makeToken(db, user)]);
  return { users, tokens, channels: [await makeChannel(db), await makeChannel(db)] };
}

/** Of its first user tokens of months are kept from now on, of two models. */
async function keepMonths(db: Database, { users: [userId = 0] }: World): Promise<void> {
  for (const modelName of ['gpt-4o', '模型']) {
    const hold = holdOf(userId, 0, 10);
    await reserveAll(db, [{ ...hold, extends: false }], 'boot');
    const monthTiers = [{ up_to: null, charge: 5, other: {} }];
    await settleAll(db, [settlementOf(hold.id, 5, { modelName, monthTiers, at: 1_700_000_000 })]);
  }
}

type Given = typeof call extends fc.Arbitrary<infer C> ? C : never;

const callsIn = ({ users, tokens, channels }: World, calls: readonly Given[]) =>
  calls.map(({ who, token, held: amount, share, failed, unlogged, channel, told, ...row }) => {
    const held = holdOf(users[who] ?? 0, tokens[who]?.[token] ?? 0, amount);
    const settlement = settlementOf(held.id, failed ? 0 : Math.floor((amount * share) / 100), {
      ...row,
      type: failed ? 4 : 2,
      unlogged: failed && unlogged,
      channelId: channels[channel] ?? 0,
      other: { text: row.content, ...told },
    });
    return { settlement, held };
  });

/** All that is written of these accounts, without the ids that each world has its own of. */
async function stateOf(
  db: Database,
  { users, tokens, channels }: World,
  holds: readonly Hold[],
): Promise<unknown> {
  const calls = holds.map(({ id }) => id);
  const names = new Map<unknown, string>();
  const nameAll = (kind: string, ids: readonly (number | string)[]) =>
    ids.forEach((id, i) => void names.set(`${kind} ${id}`, `${kind} ${i}`));
  nameAll('user_id', users);
  nameAll('token_id', tokens.flat().filter(Boolean));
  nameAll('channel_id', channels);
  nameAll('call', calls);
  const named = (rows: Row[]) =>
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [key, names.get(`${key} ${value}`) ?? value]),
      ),
    );
  const ask = async (text: string, ids: readonly (number | string)[]) =>
    named(await db.query(text, [`{${ids.join(',')}}`]));
  return [
    await ask(
      'select quota, reserved, used_quota, request_count from users where id = any($1::bigint[]) order by id',
      users,
    ),
    await ask(
      'select remain_quota, used_quota, accessed_time from tokens where id = any($1::bigint[]) order by id',
      tokens.flat(),
    ),
    await ask('select used_quota from channels where id = any($1::bigint[]) order by id', channels),
    await ask(
      'select id as call, user_id, token_id, amount, owner, orphaned_at from reservations where user_id = any($1::bigint[]) order by id',
      users,
    ),
    await ask(
      'select ref as call, kind, user_id, delta, created_at, note from ledger where ref = any($1::uuid[]) and kind in (1, 10) order by ref',
      calls,
    ),
    await ask(
      `select request_id as call, created_at, user_id, token_id, channel_id, type, username, token_name, model_name, group_name,
         quota, prompt_tokens, completion_tokens, use_time, is_stream, ip, content, other::text
       from logs where request_id = any($1::uuid[]) order by request_id`,
      calls,
    ),
    await ask(
      'select * from usage_hourly where user_id = any($1::bigint[]) order by hour, user_id, token_id, channel_id, model_name, group_name',
      users,
    ),
    await ask(
      'select * from usage_months where user_id = any($1::bigint[]) order by user_id, sold_name',
      users,
    ),
  ];
}
