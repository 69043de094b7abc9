/**
 * Asks the providers about orders that nobody has called back for: a callback that was lost, or came while this site was
 * away, must not cost the payer his quota. One of all processes does it.
 */
import { limits } from '../../core/limits.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import type { NoticeDeps } from './notices.ts';
import type { OrderRow } from './order.ts';
import { claimUnpaid, expireOrders } from './orders.ts';
import type { ProviderDeps } from './providers.ts';
import { askAbout } from './service.ts';

type CheckDeps = NoticeDeps & ProviderDeps & Pick<Deps, 'bootId'>;

const LEASE = 'payment.checks';
/** Longer than from one round to the next, which renews it. */
const LEASE_SEC = 300;

/** Expires what was not paid in time and asks about what may have been; answers how many were asked about. */
export function startPaymentChecks(deps: CheckDeps): Rounds {
  const { db, bootId, log } = deps;
  const rounds = startRounds({
    everyMs: limits.topupAskEveryMs,
    make: (signal) => makeRound(deps, signal),
    onFault: (error) => log.warn('payment.checks', { error }),
  });
  return {
    round: rounds.round,
    async stop() {
      await rounds.stop();
      await dropLease(db, LEASE, bootId).catch(() => undefined);
    },
  };
}

async function makeRound(deps: CheckDeps, signal: AbortSignal): Promise<number> {
  if (!(await holdLease(deps.db, LEASE, deps.bootId, LEASE_SEC))) return 0;
  await expireOrders(deps);
  const due = await claimUnpaid(deps);
  const waiting = due.values();
  const worker = async () => {
    for (const order of waiting) {
      if (signal.aborted) return;
      await ask(deps, order);
    }
  };
  await Promise.all(Array.from({ length: limits.topupsAskedAtOnce }, worker));
  return due.length;
}

/** One that cannot be asked about now is asked about again, and keeps no other back. */
async function ask(deps: CheckDeps, order: OrderRow): Promise<void> {
  try {
    await askAbout(deps, order);
  } catch (error) {
    deps.log.warn('payment.unasked', { provider: order.provider, trade_no: order.trade_no, error });
  }
}
