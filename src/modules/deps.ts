/** What domain functions may use. Made once by `src/runtime.ts` and passed down; tests make their own. */
import type { Billing } from '../billing/billing.ts';
import type { Changes } from '../db/changes.ts';
import type { Database } from '../db/client.ts';
import type { Env } from '../env.ts';
import type { Options } from '../options/store.ts';
import type { BodyBudget } from '../platform/body-budget.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { OneTimeStore } from '../platform/one-time.ts';
import type { Outgoing } from '../platform/outgoing.ts';
import type { Passwords } from '../platform/passwords.ts';
import type { Redis } from '../platform/redis.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Stopping } from '../platform/stopping.ts';
import type { Alerts } from './alert/service.ts';
import type { Mailer } from './mail/service.ts';
import type { Sms } from './sms/service.ts';

export interface Deps {
  env: Env;
  /** Identifies this run of this process; owner of its reservations and leases. */
  bootId: string;
  db: Database;
  changes: Changes;
  secrets: Secrets;
  options: Options;
  billing: Billing;
  alerts: Alerts;
  mailer: Mailer;
  sms: Sms;
  outgoing: Outgoing;
  limiter: Limiter;
  oneTime: OneTimeStore;
  /** The relay's request bodies in memory, and what was fetched for them. */
  bodies: BodyBudget;
  /** Null when REDIS_URL is unset; then limits and codes are kept in this process. */
  redis: Redis | null;
  passwords: Passwords;
  log: Logger;
  metrics: Metrics;
  stopping: Stopping;
}
