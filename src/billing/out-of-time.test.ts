/** A settlement that takes longer than a money statement may holds up no other, and is charged when it no longer does. */
import { afterAll, afterEach, beforeAll, expect, it } from 'bun:test';
import {
  holdOf,
  makeBilling,
  makeChannel,
  makeToken,
  makeUser,
  settlementOf,
} from '../../tests/support/accounts.ts';
import { freshPostgresUrl, tempFolder } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { until } from '../../tests/support/waits.ts';
import { limits } from '../core/limits.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { audit } from './audit.ts';
import { openSpool } from './spool.ts';

const SLOW_SEC = (2 * limits.moneyStatementMs) / 1000;

let db: Database;
beforeAll(async () => {
  db = await openPostgres(await freshPostgresUrl());
});
afterEach(async () => {
  expect((await audit(db)).findings).toEqual([]);
});
afterAll(() => db.close());

async function accountWithCalls(calls: number) {
  const userId = await makeUser(db, 1_000_000);
  const tokenId = await makeToken(db, userId);
  return Array.from({ length: calls }, () => holdOf(userId, tokenId, 100));
}

/** Billing, and who has so many calls open in it. */
async function began(accounts: number, dataDir?: string) {
  const made = await makeBilling(db, dataDir);
  const holds = (await Promise.all(Array.from({ length: accounts }, () => accountWithCalls(1)))).flat();
  await Promise.all(holds.map(made.billing.reserve));
  return { ...made, holds };
}

const openCalls = async (ids: readonly string[]): Promise<number> =>
  (await db.query('select id from reservations where id = any($1::uuid[])', [`{${ids.join()}}`])).length;

/** Whatever is settled of this name takes longer than a statement may. */
const slowDown = (name: string) =>
  db.script(`
    create function slow_down() returns trigger language plpgsql as $$
    begin
      if new.model_name = '${name}' then perform pg_sleep(${SLOW_SEC}); end if;
      return new;
    end $$;
    create trigger slow_down before insert on logs for each row execute function slow_down()`);
const speedUp = () => db.script('drop trigger slow_down on logs; drop function slow_down()');

it(
  'is charged alone at last, and others at once meanwhile',
  async () => {
    const { billing, holds, lines } = await began(5);
    await slowDown('slow');
    const [slow, ...others] = holds;
    if (!slow) throw new Error('a call');
    const ended = await Promise.all(
      holds.map((hold) =>
        billing.settle(settlementOf(hold.id, 30, { modelName: hold === slow ? 'slow' : 'm' })),
      ),
    );
    expect(ended.every(({ committed }) => !committed)).toBe(true);
    await until('the others are charged', async () => (await openCalls(others.map(({ id }) => id))) === 0);
    await until('it is tried alone', () => lines.some((line) => line.includes('billing.out_of_time')));
    expect(await openCalls([slow.id])).toBe(1);
    // It is tried all the time now, but with nobody else.
    const channelId = await makeChannel(db);
    for (let n = 0; n < 20; n++) {
      const [hold] = await accountWithCalls(1);
      if (!hold) throw new Error('a call');
      await billing.reserve(hold);
      expect(await billing.settle(settlementOf(hold.id, 30, { channelId }))).toMatchObject({
        committed: true,
      });
    }
    await speedUp();
    await until('it is charged', async () => (await openCalls([slow.id])) === 0);
    await until('nothing is on disk', () => lines.some((line) => line.includes('billing.spool_empty')));
    const paid = await db.query<{ delta: number }>('select delta from ledger where ref = any($1::uuid[])', [
      `{${holds.map(({ id }) => id).join()}}`,
    ]);
    expect(paid.map(({ delta }) => delta)).toEqual(holds.map(() => -30));
    await billing.close();
  },
  patience(60_000),
);

it(
  'keeps nothing else on disk that a dead process has left with it',
  async () => {
    const dataDir = await tempFolder();
    const dead = await began(3, dataDir);
    const [slow, ...others] = dead.holds;
    if (!slow) throw new Error('a call');
    await slowDown('slow');
    const living = await makeBilling(db, dataDir);
    await openSpool(dataDir, dead.bootId).append(
      dead.holds.map((hold) => settlementOf(hold.id, 30, { modelName: hold === slow ? 'slow' : 'm' })),
    );
    expect(await living.billing.replay([])).toContain(slow.id);
    await until('the others are charged', async () => (await openCalls(others.map(({ id }) => id))) === 0);
    await until('it is tried alone', () => living.lines.some((line) => line.includes('billing.out_of_time')));
    expect(await living.billing.replay([])).toEqual([slow.id]);
    await speedUp();
    await until('it is replayed', async () => (await living.billing.replay([])).length === 0);
    expect(await openCalls(dead.holds.map(({ id }) => id))).toBe(0);
    await living.billing.close();
  },
  patience(60_000),
);

it(
  'is charged once its month is added up, where that is what takes so long',
  async () => {
    await db.script(`
      alter function month_tokens rename to month_tokens_at_once;
      create function month_tokens(of_user bigint, of_model text, since bigint) returns bigint language plpgsql as $$
      begin
        if not exists (select from usage_months where user_id = of_user) then perform pg_sleep(${SLOW_SEC}); end if;
        return month_tokens_at_once(of_user, of_model, since);
      end $$`);
    const { billing, lines, holds } = await began(2);
    const [slow] = holds;
    await Promise.all(
      holds.map((hold) =>
        billing.settle(
          settlementOf(
            hold.id,
            30,
            hold === slow ? { monthTiers: [{ up_to: null, charge: 40, other: {} }] } : {},
          ),
        ),
      ),
    );
    await until('all are charged', async () => (await openCalls(holds.map(({ id }) => id))) === 0);
    expect(lines.filter((line) => line.includes('billing.out_of_time'))).toHaveLength(1);
    expect(await db.query('select delta from ledger where ref = $1', [slow?.id ?? ''])).toEqual([
      { delta: -40 },
    ]);
    await billing.close();
  },
  patience(60_000),
);
