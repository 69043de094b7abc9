/** Opens everything a process needs, in the order in which one thing needs another. */

import type { Billing } from './billing/billing.ts';
import { nowSec } from './core/time.ts';
import { openChanges } from './db/changes.ts';
import type { Database } from './db/client.ts';
import { openDatabase } from './db/open.ts';
import { ensurePartitions } from './db/partitions.ts';
import { checkSecret } from './db/secret-check.ts';
import type { Env } from './env.ts';
import type { GuardDeps } from './http/guard.ts';
import { createSessionCookie } from './http/session-cookie.ts';
import type { Deps } from './modules/deps.ts';
import { createSessionService } from './modules/session/service.ts';
import { openOptions } from './options/store.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { memoryLimiter, memoryOneTimeStore } from './platform/memory-stores.ts';
import { Metrics } from './platform/metrics.ts';
import { createPasswords } from './platform/passwords.ts';
import { createSecrets, secretKeyOf } from './platform/secrets.ts';
import { Stopping } from './platform/stopping.ts';

export interface Runtime extends Deps, GuardDeps {
  close(): Promise<void>;
}

export async function openRuntime(env: Env, { migrate }: { migrate: boolean }): Promise<Runtime> {
  return runtimeOver(env, await openDatabase(env, migrate), createLogger(env.LOG_LEVEL));
}

/** The runtime over a migrated database; closing it closes the database. */
export async function runtimeOver(env: Env, db: Database, log: Logger): Promise<Runtime> {
  const metrics = new Metrics();
  const secrets = createSecrets(await secretKeyOf(env));
  await checkSecret(db, secrets);
  await ensurePartitions(db, nowSec());
  const changes = await openChanges(db, log);
  const options = await openOptions(db, changes, secrets, log);
  return {
    env,
    bootId: crypto.randomUUID(),
    db,
    changes,
    secrets,
    options,
    billing: undefined as unknown as Billing,
    limiter: memoryLimiter(),
    oneTime: memoryOneTimeStore(),
    passwords: createPasswords(),
    log,
    metrics,
    stopping: new Stopping(),
    sessions: createSessionService({ db, changes }),
    sessionCookie: createSessionCookie(secrets.sessionKey),
    async close() {
      await changes.close();
      await db.close();
    },
  };
}
