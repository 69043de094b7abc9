/** One serving process: opens what it needs, listens, and stops without losing work. */

import type { Server } from 'bun';
import pTimeout from 'p-timeout';
import { type App, createApp } from '../app.ts';
import { serveAudit } from '../billing/audit-socket.ts';
import type { Env } from '../env.ts';
import { startAuditWatch } from '../modules/audit/watch.ts';
import { startExpiry } from '../modules/channel/expiry.ts';
import { startWatch } from '../modules/channel/watch.ts';
import { startQuotaWatch } from '../modules/notification/watch.ts';
import { startPaymentChecks } from '../modules/payment/checks.ts';
import { setupToken } from '../modules/setup/service.ts';
import { startTasks } from '../modules/task/jobs.ts';
import type { MetricsSnapshot } from '../platform/metrics.ts';
import { type SocketPeer, sockets } from '../platform/sockets.ts';
import { createTaskProbe } from '../relay/attempt/ask-tasks.ts';
import { createProbe } from '../relay/attempt/probe.ts';
import { type Identity, openRuntime, type Runtime } from '../runtime.ts';
import { greeting } from './greeting.ts';
import { measureLoopLag } from './loop-lag.ts';
import { onFreePort } from './port.ts';

/** How long the last steps of a stop may take each, once every call has ended. */
const DRAIN_MS = 10_000;
const CLOSE_MS = 3_000;

export interface ServeOptions {
  migrate: boolean;
  identity?: Identity;
  /** Several workers listen on one port. */
  sharedPort: boolean;
  /** What every process of the data folder measured; this one's alone unless given. */
  snapshots?: () => Promise<readonly MetricsSnapshot[]>;
}

export interface Serving {
  runtime: Runtime;
  greeting(): Promise<string>;
  /** Ends all work, within StopSeconds and some seconds for what must be written. */
  stop(): Promise<void>;
}

/** Throws StartError when the port is taken. */
export async function serve(env: Env, options: ServeOptions): Promise<Serving> {
  const runtime = await openRuntime(env, options);
  const { log, metrics } = runtime;
  measureLoopLag(metrics);
  metrics.gauge('tollgate_resident_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  const app = await createApp(runtime, options.snapshots ?? (async () => [metrics.snapshot()]));
  const server = listen(env, options.sharedPort, app);
  const endAudit = await answerAudits(runtime);
  const watch = startWatch(runtime, createProbe(runtime.relay));
  const expiry = startExpiry(runtime);
  const quotaWatch = startQuotaWatch(runtime);
  const paymentChecks = startPaymentChecks(runtime);
  const auditWatch = startAuditWatch(runtime);
  const tasks = startTasks(runtime, createTaskProbe(runtime.relay));
  log.info('listening', { host: env.HOST, port: env.PORT, database: runtime.db.engine, pid: process.pid });

  return {
    runtime,
    greeting: async () => greeting(env, await setupToken(runtime)),
    async stop() {
      log.info('stopping', { open: runtime.stopping.open });
      const watches = [watch, expiry, quotaWatch, paymentChecks, auditWatch, tasks];
      const watched = Promise.all(watches.map((each) => each.stop()));
      // The port stays open meanwhile: a balancer reads 503 from /readyz, and callers are told to come back.
      const left = await runtime.stopping.begin(runtime.options.get('StopSeconds') * 1000);
      await within(DRAIN_MS, runtime.billing.drain());
      await within(CLOSE_MS, watched);
      await within(CLOSE_MS, server.stop(false));
      await server.stop(true);
      await endAudit();
      await within(CLOSE_MS, runtime.close());
      log.info('stopped', { left });
    },
  };
}

/** Only this process can read an embedded database. Without the socket (a path too long for one) the server serves all the same. */
async function answerAudits({ db, env, log }: Runtime): Promise<() => Promise<void>> {
  if (db.engine === 'pglite') {
    try {
      return await serveAudit(db, env.DATA_DIR);
    } catch (error) {
      log.warn('audit.socket', { error });
    }
  }
  return async () => undefined;
}

function listen(env: Env, sharedPort: boolean, app: App): Server<SocketPeer> {
  const server: Server<SocketPeer> = onFreePort(env, () =>
    Bun.serve({
      hostname: env.HOST,
      port: env.PORT,
      reusePort: sharedPort,
      // Deadlines are ours: a stream may be silent while a model thinks.
      idleTimeout: 0,
      // Each call bounds its body and refuses it in its own words; the runtime's refusal has none. What nobody reads
      // stays in the socket.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      fetch: (request) => app.front(request, server),
      websocket: sockets,
    }),
  );
  app.attach(server);
  return server;
}

/** Waits for `work`, but no longer than `ms`: a stop must end. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await pTimeout(
    work.catch(() => undefined),
    { milliseconds: ms, fallback: () => undefined },
  );
}
