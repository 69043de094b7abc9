/** Users with a first balance in the ledger, tokens and channels, as plain rows; and calls on them. */
import { createBilling } from '../../src/billing/create.ts';
import { openAccount } from '../../src/billing/ledger.ts';
import type { StampedSettlement } from '../../src/billing/statements.ts';
import type { Actor } from '../../src/core/actor.ts';
import { affCode, requestId } from '../../src/core/ids.ts';
import { ROLE } from '../../src/core/roles.ts';
import { nowSec } from '../../src/core/time.ts';
import type { Database } from '../../src/db/client.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { Metrics } from '../../src/platform/metrics.ts';
import { tempFolder } from './database.ts';

const one = async (db: Database, text: string, params: (string | number | boolean)[]): Promise<number> => {
  const [row] = await db.query<{ id: number }>(text, params);
  if (!row) throw new Error('nothing was inserted');
  return row.id;
};

export async function makeUser(db: Database, quota: number): Promise<number> {
  const code = affCode();
  const userId = await one(db, 'insert into users (username, aff_code) values ($1, $1) returning id', [code]);
  await db.orm.transaction((tx) => openAccount(tx, { userId, amount: quota, ref: crypto.randomUUID() }));
  return userId;
}

/** Root of a database that has none, as he acts where no call does. */
export async function makeRoot(db: Database): Promise<Actor> {
  const text = "insert into users (username, aff_code, role) values ('root', 'root', $1) returning id";
  return { id: await one(db, text, [ROLE.root]), role: ROLE.root, ip: '127.0.0.1', wayIn: null };
}

/** `remain` null is an unlimited token. */
export const makeToken = (db: Database, userId: number, remain: number | null = null): Promise<number> =>
  one(
    db,
    `insert into tokens (user_id, name, key_lookup, key_hint, remain_quota, unlimited_quota)
     values ($1, 'test', $2, '', $3, $4) returning id`,
    [userId, crypto.randomUUID(), remain ?? 0, remain === null],
  );

export const makeChannel = (db: Database): Promise<number> =>
  one(db, "insert into channels (type, name) values (1, 'test') returning id", []);

/** How a call ended; `charge` quota units unless it failed. */
export const settlementOf = (
  id: string,
  charge: number,
  given: Partial<StampedSettlement> = {},
): StampedSettlement => ({
  id,
  charge,
  type: 2,
  channelId: 0,
  modelName: 'gpt-4o',
  sold: given.modelName ?? 'gpt-4o',
  promptTokens: 17,
  completionTokens: 20,
  useTimeSec: 1,
  isStream: false,
  username: 'someone',
  tokenName: 'test',
  groupName: 'default',
  ip: '127.0.0.1',
  content: '',
  other: {},
  at: nowSec(),
  ...given,
});

/** A hold of a new call. */
export const holdOf = (userId: number, tokenId: number, amount: number) => ({
  id: requestId(),
  userId,
  tokenId,
  sold: 'gpt-4o',
  amount,
});

/** Billing of a process of its own, and what it logged. */
export async function makeBilling(
  db: Database,
  dataDir?: string,
  bootId: string = crypto.randomUUID(),
  more: { settleRetryMs?: number } = {},
) {
  const lines: string[] = [];
  const log = createLogger('debug', (line) => void lines.push(line));
  const metrics = new Metrics();
  const folder = dataDir ?? (await tempFolder());
  const billing = createBilling({ db, bootId, dataDir: folder, log, metrics, ...more });
  return { billing, bootId, dataDir: folder, log, metrics, lines };
}
