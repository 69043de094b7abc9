/** What machines ask of the process: is it alive, may it get work, how is it doing. */

import { Elysia } from 'elysia';
import pTimeout from 'p-timeout';
import type { Database } from '../db/client.ts';
import type { Env } from '../env.ts';
import { type MetricsSnapshot, prometheusText } from '../platform/metrics.ts';
import type { Redis } from '../platform/redis.ts';
import { sameSecret } from '../platform/secrets.ts';
import type { Stopping } from '../platform/stopping.ts';
import { anyHost } from './any-host.ts';

/** A database that has not answered a probe by then is not there for callers either. */
const PROBE_MS = 2_000;

const plain = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });

const report = (body: object, status: number) =>
  Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', ...(status === 503 ? { 'retry-after': '5' } : {}) },
  });

export interface HealthDeps {
  env: Env;
  db: Database;
  redis: Redis | null;
  stopping: Stopping;
  /** What every process of this data folder measured. */
  snapshots(): Promise<readonly MetricsSnapshot[]>;
}

export const health = (deps: HealthDeps) => {
  const databaseAnswers = singleFlight(() => answersWithin(deps.db, PROBE_MS));

  return new Elysia({ name: 'health', handler: anyHost })
    .get('/healthz', () => report({ status: 'ok' }, 200), { detail: { hide: true } })
    .get(
      '/readyz',
      async () => {
        const database = await databaseAnswers();
        const ready = database && !deps.stopping.begun;
        const state = deps.stopping.begun ? 'stopping' : !database ? 'unready' : 'ready';
        // Without Redis limits are stricter and codes wait, but calls are served: no reason to get no work.
        const redis = deps.redis === null ? 'unused' : deps.redis.up ? 'ok' : 'away';
        return report({ status: state, database: database ? 'ok' : 'away', redis }, ready ? 200 : 503);
      },
      { detail: { hide: true } },
    )
    .get(
      '/metrics',
      async ({ request }) => {
        const refusal = refuseStranger(request, deps);
        if (refusal) return refusal;
        const [snapshots, stored] = await Promise.all([deps.snapshots(), databaseFigures(deps.db)]);
        return plain(prometheusText([...snapshots, stored]), 200, {
          'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        });
      },
      { detail: { hide: true } },
    );
};

/** Without a token nobody is answered: who sits at this machine cannot be told from a proxy that says nothing. */
function refuseStranger({ headers }: Request, { env }: HealthDeps): Response | null {
  if (!env.METRICS_TOKEN) return plain('Not found. METRICS_TOKEN opens the metrics.\n', 404);
  if (sameSecret(headers.get('authorization') ?? '', `Bearer ${env.METRICS_TOKEN}`)) return null;
  return plain('METRICS_TOKEN is wanted as a bearer.\n', 401, { 'www-authenticate': 'Bearer' });
}

/** Many probes at once share one look. */
function singleFlight<T>(look: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= look().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function answersWithin(db: Database, ms: number): Promise<boolean> {
  const asked = db.query('select 1').then(
    () => true,
    () => false,
  );
  return pTimeout(asked, { milliseconds: ms, fallback: () => false });
}

/** Figures that lie in the database and so are the same whichever worker answers. Without the database only its absence is told. */
async function databaseFigures(db: Database): Promise<MetricsSnapshot> {
  const gauge = (name: string, help: string, value: number): MetricsSnapshot => ({
    [name]: { kind: 'gauge', help, samples: [[name, value]] },
  });
  const up = (value: number) => gauge('tollgate_database_up', 'The database answers.', value);
  try {
    const [row] = await db.query<{ open: number; orphaned: number; oldest: number }>(
      `select count(*) filter (where orphaned_at is null)::int as open,
              count(*) filter (where orphaned_at is not null)::int as orphaned,
              coalesce(extract(epoch from now())::bigint - min(created_at) filter (where orphaned_at is null), 0)::int as oldest
       from reservations`,
    );
    const name = 'tollgate_database_reservations';
    return {
      ...up(1),
      ...gauge(`${name}_open`, 'Reservations that wait for their settlement.', row?.open ?? 0),
      ...gauge(`${name}_orphaned`, 'Reservations given back because their process died.', row?.orphaned ?? 0),
      ...gauge(`${name}_oldest_seconds`, 'Age of the oldest open reservation.', row?.oldest ?? 0),
    };
  } catch {
    return up(0);
  }
}
