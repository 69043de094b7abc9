/**
 * Limits and one-time codes in Redis, shared by all processes. Money never depends on it: while it is away, limits are
 * counted here and stricter, and codes wait (503).
 */
import { createClient } from 'redis';
import { fail } from '../core/errors.ts';
import type { Limiter, LimitRule, LimitState } from './limiter.ts';
import type { Logger } from './logger.ts';
import { memoryLimiter } from './memory-stores.ts';
import type { OneTimeStore } from './one-time.ts';

const PREFIX = 'tollgate:';
const CONNECT_MS = 2_000;
/** How long the start waits for a Redis that may be starting too. */
const FIRST_WAIT_MS = 3_000;
/** An answer that takes longer counts as none: a limit must not slow a call down. */
const ANSWER_MS = 500;
/** After a missed answer Redis is left alone so long, so that not every call waits for it. */
const REST_MS = 1_000;
const RECONNECT_MAX_MS = 2_000;

/**
 * Several processes count beside one another while Redis is away, so that each may let through only a part of what
 * they all may together.
 */
const LOCAL_SHARE = 0.5;

export interface Redis {
  readonly limiter: Limiter;
  readonly oneTime: OneTimeStore;
  /** False while it does not answer. */
  readonly up: boolean;
  close(): Promise<void>;
}

/** Counts one in a window that begins with its first count. Answers the count and the window's rest in milliseconds. */
const TAKE = `
local n = redis.call('incr', KEYS[1])
if n == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {n, redis.call('pttl', KEYS[1])}`;

const PEEK = `return {tonumber(redis.call('get', KEYS[1]) or '0'), redis.call('pttl', KEYS[1])}`;

/** Connects in the background when Redis is not there yet; never throws for that. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, RECONNECT_MAX_MS),
    },
  });
  let away = false;
  let restUntil = 0;

  const missed = (error: unknown) => {
    if (!away) log.warn('redis.away', { error });
    away = true;
  };
  const there = () => {
    if (away) log.info('redis.back');
    away = false;
    restUntil = 0;
  };
  // Without a listener an error of the connection would end the process.
  client.on('error', missed);
  client.on('ready', there);

  /** The answer, or null when Redis is away. */
  const ask = async <T>(command: () => Promise<T>): Promise<{ answer: T } | null> => {
    if (!client.isReady || restUntil > performance.now()) return null;
    const timer = Promise.withResolvers<never>();
    const timeout = setTimeout(() => timer.reject(new Error('Redis does not answer')), ANSWER_MS);
    try {
      const answer = await Promise.race([command(), timer.promise]);
      there();
      return { answer };
    } catch (error) {
      missed(error);
      restUntil = performance.now() + REST_MS;
      return null;
    } finally {
      clearTimeout(timeout);
    }
  };

  const connected = Promise.withResolvers<void>();
  client.once('ready', connected.resolve);
  client.connect().catch(missed);
  const waited = setTimeout(() => {
    missed(new Error('Redis is not there yet'));
    connected.resolve();
  }, FIRST_WAIT_MS);
  await connected.promise;
  clearTimeout(waited);

  const count = async (script: string, rule: LimitRule, args: string[]) => {
    const asked = await ask(() =>
      client.eval(script, { keys: [`${PREFIX}limit:${rule.key}`], arguments: args }),
    );
    return asked && readCount(asked.answer);
  };
  const local = memoryLimiter();
  const localRule = (rule: LimitRule): LimitRule => ({
    ...rule,
    limit: Math.max(Math.floor(rule.limit * LOCAL_SHARE), 1),
  });

  const oneTime = async <T>(command: () => Promise<T>): Promise<T> => {
    const asked = await ask(command);
    if (!asked) throw fail('UNAVAILABLE', { internal: 'Redis is away' });
    return asked.answer;
  };
  const codeKey = (key: string) => `${PREFIX}once:${key}`;

  return {
    get up() {
      return client.isReady && !away;
    },
    limiter: {
      async take(rule) {
        const counted = await count(TAKE, rule, [String(Math.ceil(rule.windowSec * 1000))]);
        return counted ? stateOf(rule, counted.n, counted.leftMs) : local.take(localRule(rule));
      },
      async peek(rule) {
        const counted = await count(PEEK, rule, []);
        return counted ? stateOf(rule, counted.n + 1, counted.leftMs) : local.peek(localRule(rule));
      },
      async clear(key) {
        await local.clear(key);
        await ask(() => client.del(`${PREFIX}limit:${key}`));
      },
    },
    oneTime: {
      put: (key, value, ttlSec) =>
        oneTime(async () => {
          await client.set(codeKey(key), value, {
            expiration: { type: 'PX', value: Math.ceil(ttlSec * 1000) },
          });
        }),
      get: (key) => oneTime(() => client.get(codeKey(key))),
      take: (key) => oneTime(() => client.getDel(codeKey(key))),
    },
    async close() {
      client.destroy();
    },
  };
}

function readCount(answer: unknown): { n: number; leftMs: number } {
  const [n, leftMs] = Array.isArray(answer) ? answer.map(Number) : [];
  if (n === undefined || leftMs === undefined) throw new Error('Redis answered no count');
  return { n, leftMs };
}

const stateOf = (rule: LimitRule, counted: number, leftMs: number): LimitState => {
  const ok = counted <= rule.limit;
  return {
    ok,
    remaining: Math.max(rule.limit - counted, 0),
    retryAfterSec: ok ? 0 : Math.max(Math.ceil(leftMs / 1000), 1),
  };
};
