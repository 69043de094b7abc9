/** How the whole site stands, for who keeps it: its calls, its channels, what nothing prices, its books, its queues, its disk. */
import { statfs } from 'node:fs/promises';
import { limits } from '../../core/limits.ts';
import type { Locale } from '../../core/text.ts';
import { DAY_SEC, HOUR_SEC, nowSec } from '../../core/time.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { MetricsSnapshot } from '../../platform/metrics.ts';
import { lastAudit } from '../audit/service.ts';
import { type ChannelStanding, channelStanding } from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import type { DiskFigures, OverviewUsage, QueueFigures } from './contract.ts';
import { unlessBusy } from './unless-busy.ts';
import { overviewUsage } from './usage.ts';

/** Whatever `openBreakers` tells: the relay knows which channels are not asked for a while. */
export interface SiteSources<OpenBreakers> {
  openBreakers(): OpenBreakers[];
  unpriced(): Promise<readonly string[]>;
  /** The figures of all processes of this data folder. */
  snapshots(): Promise<readonly MetricsSnapshot[]>;
  /** Both are worked out from many rows, and may not be there in time. */
  usage(): Promise<OverviewUsage | null>;
  channels(): Promise<ChannelStanding>;
}

/** The last day's calls. Throws LOG_TIMEOUT. */
export function siteUsage(
  deps: Pick<Deps, 'db' | 'options'>,
  reader: { id: number },
): Promise<OverviewUsage | null> {
  const to = nowSec();
  // Whole hours, but for the one that goes on: nothing else has to be looked up call by call.
  const from = to - (to % HOUR_SEC) + HOUR_SEC - DAY_SEC;
  return overviewUsage(deps, reader, { from, to, step: 'hour', timeZone: undefined });
}

/** How the channels are, and how they answered the last day's calls. Throws LOG_TIMEOUT. */
export const siteChannels = (
  { db }: Pick<Deps, 'db'>,
  { id, locale }: { id: number; locale: Locale },
): Promise<ChannelStanding> =>
  boundedRead(db, { reader: id, ms: limits.logReadMs }, (tx) => channelStanding(tx, locale));

export async function siteOverview<OpenBreakers>(
  deps: Pick<Deps, 'db' | 'options' | 'env'>,
  sources: SiteSources<OpenBreakers>,
) {
  const [usage, channels, unpriced, snapshots, disk, audit] = await Promise.all([
    unlessBusy(sources.usage()),
    unlessBusy(sources.channels()),
    sources.unpriced(),
    sources.snapshots(),
    diskOf(deps.env.DATA_DIR),
    lastAudit(deps.db),
  ]);
  return {
    usage,
    channels,
    resting: sources.openBreakers(),
    unpriced: { count: unpriced.length, models: unpriced.slice(0, limits.overviewListed) },
    queue: queueOf(snapshots),
    disk,
    audit,
    self_use: deps.options.get('SelfUseModeEnabled'),
  };
}

const GAUGES = {
  calls_open: 'tollgate_calls_open',
  reserve_waiting: 'tollgate_reserve_waiting',
  settle_waiting: 'tollgate_settle_waiting',
  spooled: 'tollgate_settlements_spooled',
  resident_bytes: 'tollgate_resident_bytes',
} as const satisfies Record<keyof QueueFigures, string>;

function queueOf(snapshots: readonly MetricsSnapshot[]): QueueFigures {
  const sum = (gauge: string): number =>
    snapshots
      .flatMap((snapshot) => snapshot[gauge]?.samples ?? [])
      .reduce((total, [, value]) => total + value, 0);
  return {
    calls_open: sum(GAUGES.calls_open),
    reserve_waiting: sum(GAUGES.reserve_waiting),
    settle_waiting: sum(GAUGES.settle_waiting),
    spooled: sum(GAUGES.spooled),
    resident_bytes: sum(GAUGES.resident_bytes),
  };
}

/** Of where this process keeps what must not be lost; null where the system does not tell. */
async function diskOf(folder: string): Promise<DiskFigures | null> {
  const found = await statfs(folder).catch(() => null);
  if (found === null) return null;
  const free = found.bavail * found.bsize;
  return {
    free_bytes: free,
    total_bytes: found.blocks * found.bsize,
    is_low: free < limits.spoolFreeBytes,
  };
}
