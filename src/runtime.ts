/** Opens everything a process needs, in the order in which one thing needs another. */

import { createBilling } from './billing/create.ts';
import { startRecovery } from './billing/recovery.ts';
import { limits } from './core/limits.ts';
import { nowSec } from './core/time.ts';
import { openChanges } from './db/changes.ts';
import type { Database } from './db/client.ts';
import { openDatabase } from './db/open.ts';
import { ensurePartitions } from './db/partitions.ts';
import { checkSecret } from './db/secret-check.ts';
import { SQLSTATE, sqlState } from './db/statement.ts';
import type { Env } from './env.ts';
import { ConsoleBodies } from './http/console-bodies.ts';
import { Sheets } from './http/csv.ts';
import { LargeAnswers } from './http/large-answers.ts';
import { OpenAnswers } from './http/open-answers.ts';
import { createSessionCookie, type SessionCookie } from './http/session-cookie.ts';
import { dailyWork, startDaily } from './jobs/daily.ts';
import { createAlerts } from './modules/alert/service.ts';
import type { Deps } from './modules/deps.ts';
import { startFirstCallRewards } from './modules/invitation/jobs.ts';
import { createMailer } from './modules/mail/service.ts';
import { createGrants } from './modules/oauth-app/service.ts';
import { createSessionService, type SessionDeps } from './modules/session/service.ts';
import { createSms } from './modules/sms/service.ts';
import { openOptions } from './options/store.ts';
import { BodyBudget } from './platform/body-budget.ts';
import { ComingBodies } from './platform/coming-bodies.ts';
import { armFailpoint } from './platform/failpoint.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { memoryLimiter } from './platform/memory-limiter.ts';
import { memoryOneTimeStore } from './platform/memory-stores.ts';
import { Metrics } from './platform/metrics.ts';
import { bodiesWithin, openFilesLimit, passwordsWithin } from './platform/open-files.ts';
import { createOutgoing, portsOf } from './platform/outgoing.ts';
import { createPasswords, type PasswordWork } from './platform/passwords.ts';
import { openRedis } from './platform/redis.ts';
import { createSecrets, secretKeyOf } from './platform/secrets.ts';
import { Stopping } from './platform/stopping.ts';
import type { RelayDeps } from './relay/deps.ts';
import { createRelayKeys } from './relay/entry/admit.ts';
import { openRelay } from './relay/open.ts';

export interface Runtime extends Deps, SessionDeps {
  sessionCookie: SessionCookie;
  grants: ReturnType<typeof createGrants>;
  relayKeys: ReturnType<typeof createRelayKeys>;
  consoleBodies: ConsoleBodies;
  relay: RelayDeps;
  large: LargeAnswers;
  openAnswers: OpenAnswers;
  sheets: Sheets;
  /** Settles what died processes of this data folder left behind; the parent asks for it when it has lost a worker. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Who this process is among those that share its data folder. */
export interface Identity {
  bootId: string;
  /** Boot ids of the folder's living processes, itself included. */
  livingBoots(): readonly string[];
}

function soleProcess(): Identity {
  const bootId = crypto.randomUUID();
  return { bootId, livingBoots: () => [bootId] };
}

export async function openRuntime(
  env: Env,
  { migrate, identity }: { migrate: boolean; identity?: Identity },
): Promise<Runtime> {
  armFailpoint(env.TOLLGATE_KILL_AT);
  return runtimeOver(env, await openDatabase(env, migrate), createLogger(env.LOG_LEVEL), { identity });
}

export interface RuntimeOptions {
  identity?: Identity;
  /** Only tests give it. */
  passwordWork?: PasswordWork;
}

/** The runtime over a migrated database; closing it closes the database. */
export async function runtimeOver(
  env: Env,
  db: Database,
  log: Logger,
  { identity = soleProcess(), passwordWork }: RuntimeOptions = {},
): Promise<Runtime> {
  const { bootId, livingBoots } = identity;
  const metrics = new Metrics();
  const redis = env.REDIS_URL ? await openRedis(env.REDIS_URL, log) : null;
  const secrets = createSecrets(await secretKeyOf(env));
  await checkSecret(db, secrets);
  await ensurePartitions(db, nowSec()).catch((error: unknown) => {
    if (sqlState(error) !== SQLSTATE.lockNotAvailable) throw error;
    // Calls can be logged without it, and the daily work tries again.
    log.warn('logs.month_waits', { error });
  });
  const changes = await openChanges(db, log);
  const options = await openOptions(db, changes, secrets, log);
  const dataDir = env.DATA_DIR;
  const billing = createBilling({ db, bootId, dataDir, log, metrics });
  const daily = startDaily({ db, log, metrics }, dailyWork({ db, options }));
  const recovery = await startRecovery({ db, bootId, dataDir, billing, livingBoots, log, metrics });
  const mailer = createMailer({ env, options, log });
  const ports = () => portsOf(options.get('EgressPorts'));
  const outgoing = createOutgoing(env.PRIVATE_EGRESS, undefined, undefined, ports);
  const openFiles = openFilesLimit();
  const deps: Deps = {
    env,
    bootId,
    db,
    changes,
    secrets,
    options,
    billing,
    mailer,
    sms: createSms({ env, options, outgoing, log }),
    outgoing,
    alerts: createAlerts({ db, options, outgoing, mailer, log }),
    limiter: redis?.limiter ?? memoryLimiter(),
    bodies: new BodyBudget(limits.relayBodiesBytes),
    oneTime: redis?.oneTime ?? memoryOneTimeStore(),
    redis,
    passwords: createPasswords(metrics, passwordWork, passwordsWithin(openFiles)),
    log,
    metrics,
    stopping: new Stopping(),
  };
  const openAnswers = new OpenAnswers(openFiles);
  const { console: comingMost } = bodiesWithin(openFiles);
  const consoleBodies = new ConsoleBodies(new ComingBodies(() => comingMost + openAnswers.free));
  metrics.gauge(
    'tollgate_request_body_bytes',
    'Request bodies in memory.',
    () => deps.bodies.bytes + consoleBodies.bytes,
  );
  const relay = await openRelay(deps, openFiles);
  const large = new LargeAnswers(relay, deps.stopping);
  const sheets = new Sheets({ cut: relay.cut, stopping: deps.stopping });
  metrics.gauge('tollgate_guest_answer_bytes', 'Large answers for guests in memory.', () => large.guestBytes);
  metrics.gauge('tollgate_answers_open', 'Answers under way beside calls.', () => openAnswers.underWay);
  metrics.gauge('tollgate_sheets', 'Sheets under way.', () => sheets.open);
  const firstCalls = startFirstCallRewards(deps);
  return {
    ...deps,
    relay,
    large,
    openAnswers,
    sheets,
    sessions: createSessionService(deps),
    grants: createGrants(deps),
    relayKeys: createRelayKeys(relay),
    sessionCookie: createSessionCookie(secrets.sessionKey),
    consoleBodies,
    recover: recovery.round,
    async close() {
      recovery.stop();
      await daily.stop();
      await firstCalls.stop();
      await relay.quarters.write();
      await billing.close();
      await changes.close();
      await redis?.close();
      await db.close();
    },
  };
}
