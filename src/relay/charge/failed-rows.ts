/**
 * Rows of failed calls in the log. They cost their user nothing, so that nothing else bounds how many he causes: beyond so
 * many in an hour they are counted, in the metrics and in one row that says how many they were.
 */
import { LRUCache } from 'lru-cache';
import { limits } from '../../core/limits.ts';
import { filled, type Text } from '../../core/text.ts';
import { HOUR_SEC, nowSec } from '../../core/time.ts';
import { rewriteFailure } from '../../modules/log/service.ts';
import type { RelayDeps } from '../deps.ts';

const LEFT_OUT: Text = {
  zh: '此后一小时内另有失败的调用未逐条记录，共 {count} 次（含本次）',
  en: 'Further failed calls of the hour from here on are not listed one by one: {count}, with this one',
};

/** What a failed call leaves in the log: a row of its own, the one that tells of the others too, or none. */
export type FailureRow = { kind: 'own' } | { kind: 'first'; text: Text } | { kind: 'none' };

interface Rest {
  /** The request of the row that tells of them. */
  id: string;
  since: number;
  count: number;
  isWaiting: boolean;
}

const textOf = (count: number): Text => filled(LEFT_OUT, { count });

/** Those of this process: each tells of its own. */
const restsOf = new WeakMap<RelayDeps['limiter'], LRUCache<number, Rest>>();

type FailureDeps = Pick<RelayDeps, 'db' | 'limiter' | 'log' | 'metrics'>;

/** Decides about the failed call `id` of a user. Never rejects: a row too many does less harm than a call in doubt. */
export async function failureRow(
  deps: FailureDeps,
  { userId, id }: { userId: number; id: string },
): Promise<FailureRow> {
  const rule = { key: `failed-rows:${userId}`, limit: limits.failedRowsAnHour, windowSec: HOUR_SEC };
  const fits = await deps.limiter.take(rule).catch(() => ({ ok: true }));
  if (fits.ok) return { kind: 'own' };
  deps.metrics.count(
    'tollgate_failed_calls_unlisted_total',
    'Failed calls beyond the rows that a user has in an hour.',
    {},
  );
  const rests = restsOf.get(deps.limiter) ?? new LRUCache<number, Rest>({ max: limits.failedRestsKept });
  restsOf.set(deps.limiter, rests);
  const known = rests.get(userId);
  if (!known || known.since <= nowSec() - HOUR_SEC) {
    rests.set(userId, { id, since: nowSec(), count: 1, isWaiting: false });
    return { kind: 'first', text: textOf(1) };
  }
  known.count++;
  if (!known.isWaiting) tellSoon(deps, known);
  return { kind: 'none' };
}

/** Not with each of them: that would cost as much as its row. */
function tellSoon({ db, log }: FailureDeps, rest: Rest): void {
  rest.isWaiting = true;
  const tell = async () => {
    rest.isWaiting = false;
    await rewriteFailure(db, rest, textOf(rest.count));
  };
  const timer = setTimeout(
    () => void tell().catch((error: unknown) => log.warn('log.failures', { error })),
    limits.failedRestMs,
  );
  timer.unref();
}
