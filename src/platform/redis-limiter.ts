/** Limits that all processes share. While Redis is away each process counts on its own, and lets through less. */
import { type Limiter, type LimitRule, type LimitState, limitState, type Slot } from './limiter.ts';
import { memoryLimiter } from './memory-limiter.ts';

/** Runs a script; null when Redis is away. */
export type RunScript = (script: string, keys: string[], args: string[]) => Promise<unknown>;

/**
 * Several processes count beside one another while Redis is away, so that each may let through only a part of what
 * they all may together.
 */
const LOCAL_SHARE = 0.5;

/** Counts all or nothing. Arguments: limit, window in milliseconds and cost of each key; answers count and rest of each. */
const TAKE = `
local fits = true
local out = {}
for i, key in ipairs(KEYS) do
  local n = tonumber(redis.call('get', key) or '0') + tonumber(ARGV[3 * i])
  if n > tonumber(ARGV[3 * i - 2]) then fits = false end
  out[2 * i - 1] = n
end
for i, key in ipairs(KEYS) do
  if fits and tonumber(ARGV[3 * i]) > 0 then redis.call('incrby', key, ARGV[3 * i]) end
  local left = redis.call('pttl', key)
  if left < 0 then
    left = tonumber(ARGV[3 * i - 1])
    if fits then redis.call('pexpire', key, left) end
  end
  out[2 * i] = left
end
return out`;

const PEEK = `return {tonumber(redis.call('get', KEYS[1]) or '0'), redis.call('pttl', KEYS[1])}`;

const ADD = `
local n = tonumber(redis.call('get', KEYS[1]) or '0')
local amount = math.max(tonumber(ARGV[2]), -n)
if amount == 0 then return 0 end
if n + amount <= 0 then return redis.call('del', KEYS[1]) end
redis.call('incrby', KEYS[1], amount)
if redis.call('pttl', KEYS[1]) < 0 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return n + amount`;

const CLEAR = `return redis.call('del', KEYS[1])`;

/** A place is held until a time that its process keeps putting off: one that dies gives its places back. */
const ENTER = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('zadd', KEYS[1], now + ARGV[3], ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[3])
return 1`;

const RENEW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('zadd', KEYS[1], now + ARGV[1], ARGV[2])
redis.call('pexpire', KEYS[1], ARGV[1])
return 1`;

const LEAVE = `return redis.call('zrem', KEYS[1], ARGV[1])`;

/** A place is free again so long after the last sign of a process that died with it. */
const HELD_MS = 60_000;
/** Often enough that two signs may be lost. */
const RENEW_MS = 20_000;

export interface RedisLimiter extends Limiter {
  close(): void;
}

export function redisLimiter(run: RunScript, prefix: string): RedisLimiter {
  const local = memoryLimiter();
  const stricter = <T extends { limit: number }>(rule: T): T => ({
    ...rule,
    limit: Math.max(Math.floor(rule.limit * LOCAL_SHARE), 1),
  });
  const limitKey = (key: string) => `${prefix}limit:${key}`;
  const slotKey = (key: string) => `${prefix}slots:${key}`;
  const windowMs = (windowSec: number) => String(Math.ceil(windowSec * 1000));

  const takeAll = async (rules: readonly LimitRule[]): Promise<LimitState[]> => {
    if (rules.length === 0) return [];
    const keys = rules.map(({ key }) => limitKey(key));
    const args = rules.flatMap(({ limit, windowSec, cost = 1 }) => [
      String(limit),
      windowMs(windowSec),
      String(cost),
    ]);
    const counts = numbersOf(await run(TAKE, keys, args));
    if (!counts) return local.takeAll(rules.map(stricter));
    return rules.map((rule, i) => limitState(rule, counts[2 * i] ?? 0, counts[2 * i + 1] ?? 0));
  };

  const renewed = new Map<string, Slot>();
  const renewal = setInterval(() => {
    for (const { key, id } of renewed.values()) void run(RENEW, [slotKey(key)], [String(HELD_MS), id]);
  }, RENEW_MS);
  renewal.unref();

  return {
    takeAll,
    async take(rule) {
      const [state] = await takeAll([rule]);
      return state ?? limitState(rule, 0, 0);
    },
    async peek(rule) {
      const counts = numbersOf(await run(PEEK, [limitKey(rule.key)], []));
      if (!counts) return local.peek(stricter(rule));
      const [n = 0, leftMs = -1] = counts;
      return limitState(rule, n + (rule.cost ?? 1), leftMs < 0 ? rule.windowSec * 1000 : leftMs);
    },
    async counted(key) {
      const counts = numbersOf(await run(PEEK, [limitKey(key)], []));
      return counts ? (counts[0] ?? 0) : local.counted(key);
    },
    async add(rule, amount) {
      const added = await run(ADD, [limitKey(rule.key)], [windowMs(rule.windowSec), String(amount)]);
      if (added === null) await local.add(rule, amount);
    },
    async clear(key) {
      await local.clear(key);
      await run(CLEAR, [limitKey(key)], []);
    },
    async enter(slot) {
      const { key, limit, id } = slot;
      const entered = await run(ENTER, [slotKey(key)], [String(limit), id, String(HELD_MS)]);
      if (entered === null) return local.enter(stricter(slot));
      if (entered !== 1) return false;
      renewed.set(id, slot);
      return true;
    },
    async leave(slot) {
      renewed.delete(slot.id);
      await local.leave(slot);
      await run(LEAVE, [slotKey(slot.key)], [slot.id]);
    },
    close: () => clearInterval(renewal),
  };
}

const numbersOf = (answer: unknown): number[] | null => (Array.isArray(answer) ? answer.map(Number) : null);
