/**
 * What dead processes left behind. Each process says every few seconds that it lives, by the database's clock. Of the
 * dead, first the spooled settlements are replayed, then what their open reservations hold is given back. Where the first
 * cannot be done, nothing is given back: calls that were answered would be charged to accounts that have spent it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { DAY_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { NOW } from '../db/clock.ts';
import { textList } from '../db/statement.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { keptSecret } from '../platform/secrets.ts';
import type { RunningBilling } from './create.ts';
import { orphanAll } from './statements.ts';

export interface RecoveryDeps {
  db: Database;
  bootId: string;
  dataDir: string;
  billing: Pick<RunningBilling, 'replay' | 'releaseStrays' | 'checkDisk'>;
  /**
   * Boot ids of this folder's living processes, as the parent knows them. A new worker must stand among them in every
   * worker before it makes its first reservation.
   */
  livingBoots(): readonly string[];
  /** Seconds of silence after which a process of another folder is taken for dead. */
  silentSec?: number;
  log: Logger;
  metrics: Metrics;
}

export interface Recovery {
  /** One round now: at the start, and when the parent has lost a worker. */
  round(): Promise<void>;
  stop(): void;
}

const LEASE = 'recovery';
const LEASE_SEC = 60;

/** Says that this process lives, runs the first round and keeps both going. */
export async function startRecovery(deps: RecoveryDeps): Promise<Recovery> {
  const { db, bootId, billing, log } = deps;
  const hostId = await keptSecret(join(deps.dataDir, 'host-id'), randomUUID);
  const living = () => [...new Set([...deps.livingBoots(), bootId])];

  const beat = async () => {
    await db.queryByKey(
      `insert into instances (boot_id, host_id, seen_at) values ($1, $2, ${NOW})
       on conflict (boot_id) do update set seen_at = excluded.seen_at`,
      [bootId, hostId],
    );
    await billing.checkDisk();
  };

  const giveBackOfDead = async (waiting: readonly string[]) => {
    const take = (name: string) => takeLease(db, name, bootId, hostId, living());
    // Nobody else knows this folder's dead: whoever judges the silent, elsewhere and for as long as he lives, must not keep
    // it from them.
    const leases = { known: await take(`${LEASE} ${hostId}`), silent: await take(LEASE) };
    if (!leases.known && !leases.silent) return;
    const dead = await deadOwners(deps, hostId, living(), leases);
    if (dead.length > 0) await giveBack(deps, dead, waiting);
    if (leases.silent) await forget(db);
  };

  /** What one step cannot do now keeps no start from going on: a later round does it. */
  const attempt = <T>(what: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => void log.warn(what, { error }));

  const round = async () => {
    const waiting = await attempt('billing.replay', billing.replay(living()));
    await attempt('billing.release', billing.releaseStrays());
    // What could not be read may charge calls of the dead, whose quota must not be spent by others before that.
    if (waiting) await attempt('billing.recovery', giveBackOfDead(waiting));
  };

  await beat();
  const timers = [
    setInterval(() => void attempt('billing.heartbeat', beat()), limits.heartbeatMs),
    setInterval(() => void round(), limits.recoveryMs),
  ];
  for (const timer of timers) timer.unref();
  await round();
  return {
    round,
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Boots of this folder that are not among the living; on PGlite, which one process opens at a time, every other boot. */
const KNOWN_DEAD = `i.boot_id <> all($3::text[]) and ($4 or i.host_id = $2)`;

/**
 * Of the processes of a folder one at a time gives back what its dead hold, and of all processes one judges others by their
 * silence, and forgets. A lease whose owner is known dead is free.
 */
async function takeLease(
  db: Database,
  name: string,
  bootId: string,
  hostId: string,
  living: readonly string[],
): Promise<boolean> {
  // Nobody holds it for long; whoever waits for it tries again at his next round.
  const rows = await db.queryByKey(
    `insert into leases (name, owner, until) values ($5, $1, ${NOW} + ${LEASE_SEC})
     on conflict (name) do update set owner = excluded.owner, until = excluded.until
     where leases.owner = $1 or leases.until < ${NOW}
       or leases.owner in (select i.boot_id from instances i where ${KNOWN_DEAD})
     returning name`,
    [bootId, hostId, textList(living), db.engine === 'pglite', name],
  );
  return rows.length > 0;
}

/**
 * Owners of open reservations that are dead: known dead at once, others when silent for five minutes. The time in which
 * the database itself was down is no silence, since nobody could be seen.
 */
async function deadOwners(
  { db, bootId, silentSec = limits.silentSec }: RecoveryDeps,
  hostId: string,
  living: readonly string[],
  leases: { known: boolean; silent: boolean },
): Promise<string[]> {
  const rows = await db.query<{ owner: string }>(
    `select o.owner from (
       select owner, min(created_at) as since from reservations where orphaned_at is null and owner <> $1 group by owner
     ) o left join instances i on i.boot_id = o.owner
     where ($6 and ((${KNOWN_DEAD}) or ($4 and i.boot_id is null)))
       or ($7 and greatest(coalesce(i.seen_at, o.since), extract(epoch from pg_postmaster_start_time())::bigint)
         < ${NOW} - $5::bigint)`,
    [bootId, hostId, textList(living), db.engine === 'pglite', silentSec, leases.known, leases.silent],
  );
  return rows.map((row) => row.owner);
}

/**
 * A busy account is held again and again for the moment of a batch, and is passed over then: so it is tried for as long as
 * a batch would wait for it. What is held for longer waits for the next round, and so do calls that are about to be charged.
 */
async function giveBack(
  { db, log, metrics }: RecoveryDeps,
  owners: readonly string[],
  waiting: readonly string[],
): Promise<void> {
  const until = performance.now() + limits.moneyLockMs;
  let { given: orphans, held } = await orphanAll(db, owners, waiting);
  while (held > 0 && performance.now() < until) {
    await Bun.sleep(limits.heldRowsLookMs);
    const more = await orphanAll(db, owners, waiting);
    orphans += more.given;
    held = more.held;
  }
  if (held > 0) log.warn('billing.held', { calls: held });
  if (orphans === 0) return;
  log.warn('billing.orphaned', { orphans, owners });
  metrics.count('tollgate_orphans_total', 'Calls whose process died before they settled.', {}, orphans);
}

/**
 * Orphans stay for a late settlement for 30 days; boots as long as they own reservations or were seen a day ago,
 * leases that long after their end. What somebody holds is forgotten later.
 */
async function forget(db: Database): Promise<void> {
  await db.query(
    `delete from reservations where id = any(array(
       select id from reservations where orphaned_at < $1 for update skip locked))`,
    [nowSec() - limits.orphanKeepSec],
  );
  await db.query(
    `delete from leases where name = any(array(
       select name from leases where until < ${NOW} - ${DAY_SEC} for update skip locked))`,
  );
  await db.query(
    `delete from instances where boot_id = any(array(
       select boot_id from instances i where seen_at < ${NOW} - ${DAY_SEC}
         and not exists (select 1 from reservations r where r.owner = i.boot_id and r.orphaned_at is null)
       for update skip locked))`,
  );
}
