/**
 * How many tokens a user has used of a model in this calendar month (UTC), for prices that go by it. The hourly sums
 * tell; what was read stands for up to a minute, so that a busy user's calls ask once a minute.
 */
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';

const FRESH_MS = 60_000;
const KEPT_MAX = 10_000;

interface Kept {
  tokens: Promise<number>;
  readAt: number;
}
const kept = new WeakMap<Database, Map<string, Kept>>();

const monthStart = (sec: number): number => {
  const day = new Date(sec * 1000);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1) / 1000;
};

async function read(db: Database, userId: number, model: string, since: number): Promise<number> {
  const [row] = await db.query<{ tokens: number }>(
    `select coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint as tokens from usage_hourly
      where user_id = $1 and model_name = $2 and hour >= $3`,
    [userId, model, since],
  );
  return row?.tokens ?? 0;
}

/** Tokens in and out of the calls that were charged. Throws when the database is away. */
export function monthTokensOf(db: Database, userId: number, model: string): Promise<number> {
  let own = kept.get(db);
  if (!own) {
    own = new Map();
    kept.set(db, own);
  }
  const since = monthStart(nowSec());
  const key = `${since} ${userId} ${model}`;
  const known = own.get(key);
  const now = performance.now();
  if (known && now - known.readAt < FRESH_MS) return known.tokens;
  if (own.size >= KEPT_MAX) own.clear();
  const tokens = read(db, userId, model, since);
  own.set(key, { tokens, readAt: now });
  // What failed is not kept: the next call asks again.
  tokens.catch(() => own.delete(key));
  return tokens;
}
