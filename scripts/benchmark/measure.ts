/** One measurement: a load on one target, and what the processes, Postgres and the gateway used for it. */
import type { Figures, Job } from './client.ts';
import type { Measured } from './figures.ts';
import { cpuOfPostgres, cpuOfThreads, cpuUs, totalUs, usedSince } from './linux.ts';
import { load, metricsOf } from './processes.ts';
import type { Asked, Stage } from './stage.ts';
import { type CallerDialect, CHUNKS } from './workload.ts';

export type Load = Pick<Job, 'kind' | 'connections' | 'seconds'> & { dialect?: CallerDialect };

export async function measure(stage: Stage, { target, keys }: Asked, work: Load): Promise<Measured> {
  const isGateway = target !== stage.mock && target !== stage.raw.target;
  const isOnPostgres = isGateway && target !== stage.onPglite.target;
  const look = async () => ({
    metrics: isGateway ? await metricsOf(target) : new Map<string, number>(),
    written: await stage.eye.written(),
    gateway: cpuUs(target.pid),
    threads: cpuOfThreads(target.pid),
    postgres: cpuOfPostgres(stage.postgresPid),
    mock: cpuUs(stage.mock.pid),
  });
  const before = await look();
  const figures = await load({ ...work, port: target.port, keys });
  const after = await look();

  const units = unitsOf(figures, work);
  const postgres = usedSince(before.postgres, after.postgres);
  const threads = [...usedSince(before.threads, after.threads), ...(isOnPostgres ? postgres : [])];
  const counted = (name: string) => (after.metrics.get(name) ?? Number.NaN) - (before.metrics.get(name) ?? 0);
  const batch = (line: string) =>
    counted(`tollgate_batch_items_total{line="${line}"}`) / counted(`tollgate_batches_total{line="${line}"}`);
  const ofPostgres = (used: number) => (isOnPostgres ? used / figures.answered : Number.NaN);
  return {
    ...figures,
    loadUs: figures.loadUs / units,
    gatewayUs: (after.gateway - before.gateway) / units,
    postgresUs: isOnPostgres ? totalUs(postgres) / units : Number.NaN,
    mockUs: (after.mock - before.mock) / units,
    threads: new Map(threads.map(([name, us]) => [name, us / units])),
    transactions: ofPostgres(after.written.transactions - before.written.transactions),
    walBytes: ofPostgres(after.written.walBytes - before.written.walBytes),
    reserveBatch: batch('reserve'),
    settleBatch: batch('settle'),
  };
}

/** Calls; of streams their chunks, also of those that failed on the way. */
const unitsOf = ({ answered }: Figures, { kind, connections }: Load): number =>
  kind === 'plain' ? answered : connections * CHUNKS;
