/**
 * Limits and one-time codes in Redis, shared by all processes. Money never depends on it: while it is away, limits are
 * counted here and stricter, and codes wait (503).
 */
import pTimeout from 'p-timeout';
import { fail } from '../core/errors.ts';
import type { Limiter } from './limiter.ts';
import type { Logger } from './logger.ts';
import type { OneTimeStore } from './one-time.ts';
import { redisLimiter } from './redis-limiter.ts';

const PREFIX = 'tollgate:';
/** A connection that takes longer is tried anew. */
const CONNECT_MS = 2_000;
/** How long the start waits for a Redis that may be starting too. */
const FIRST_WAIT_MS = 3_000;
/** An answer that takes longer counts as none: a limit must not slow a call down. */
const ANSWER_MS = 500;
/** After a missed answer Redis is left alone so long, so that not every call waits for it. */
const REST_MS = 1_000;
/** The longest pause between two tries to connect: so late at most it is noticed that Redis is back. */
const RECONNECT_MAX_MS = 2_000;

/**
 * Keeps a value on shelves, whose keys stand behind its own. Arguments: value, milliseconds, and the limit of each shelf.
 * By microseconds, so that of two that come at once the older one gives way. What gives way on a smaller shelf takes no
 * place on the larger ones around it any more.
 */
const PUT_ON_SHELVES = `
local time = redis.call('time')
local now = time[1] * 1000000 + time[2]
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
for i = 2, #KEYS do
  redis.call('zremrangebyscore', KEYS[i], '-inf', now)
  redis.call('zadd', KEYS[i], now + ARGV[2] * 1000, KEYS[1])
  redis.call('pexpire', KEYS[i], ARGV[2])
  while redis.call('zcard', KEYS[i]) > tonumber(ARGV[i + 1]) do
    local oldest = redis.call('zpopmin', KEYS[i])[1]
    redis.call('del', oldest)
    for j = 2, #KEYS do redis.call('zrem', KEYS[j], oldest) end
  end
end
return 1`;

export interface Redis {
  readonly limiter: Limiter;
  readonly oneTime: OneTimeStore;
  /** False while it does not answer. */
  readonly up: boolean;
  close(): Promise<void>;
}

const noAnswer = (): never => {
  throw new Error('Redis does not answer');
};

/** Connects in the background when Redis is not there yet; never throws for that. */
export async function openRedis(url: string, log: Logger): Promise<Redis> {
  // Who has no Redis does not wait for its client at the start either.
  const { createClient } = await import('redis');
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
    try {
      const answer = await pTimeout(command(), { milliseconds: ANSWER_MS, fallback: noAnswer });
      there();
      return { answer };
    } catch (error) {
      missed(error);
      restUntil = performance.now() + REST_MS;
      return null;
    }
  };

  const connected = Promise.withResolvers<void>();
  client.once('ready', connected.resolve);
  client.connect().catch(missed);
  await pTimeout(connected.promise, {
    milliseconds: FIRST_WAIT_MS,
    fallback: () => missed(new Error('Redis is not there yet')),
  });

  const limiter = redisLimiter(async (script, keys, args) => {
    const asked = await ask(() => client.eval(script, { keys, arguments: args }));
    return asked ? asked.answer : null;
  }, PREFIX);

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
    limiter,
    oneTime: {
      put: (key, value, ttlSec, shelves = []) =>
        oneTime(async () => {
          const keys = [codeKey(key), ...shelves.map((shelf) => `${PREFIX}shelf:${shelf.key}`)];
          const ms = Math.ceil(ttlSec * 1000);
          const bounds = shelves.map(({ limit }) => String(limit));
          await client.eval(PUT_ON_SHELVES, { keys, arguments: [value, String(ms), ...bounds] });
        }),
      get: (key) => oneTime(() => client.get(codeKey(key))),
      getAll: async (keys) => (keys.length === 0 ? [] : oneTime(() => client.mGet(keys.map(codeKey)))),
      take: (key) => oneTime(() => client.getDel(codeKey(key))),
      claim: (key, ttlSec) =>
        oneTime(async () => {
          const set = await client.set(codeKey(key), '', {
            condition: 'NX',
            expiration: { type: 'PX', value: Math.ceil(ttlSec * 1000) },
          });
          return set !== null;
        }),
    },
    async close() {
      limiter.close();
      client.destroy();
    },
  };
}
