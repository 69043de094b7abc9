/** A time's charged and failed calls, as the overview shows them. */
import { limits } from '../../core/limits.ts';
import type { Deps } from '../deps.ts';
import { type Reader, usageReport } from '../usage/service.ts';
import type { OverviewUsage } from './contract.ts';

type Reads = Pick<Deps, 'db' | 'options'>;

interface Asked {
  from: number;
  to: number;
  step: 'hour' | 'day';
  timeZone: string | undefined;
}

/** Null where the operator keeps the dashboard closed. Throws LOG_TIMEOUT. */
export async function overviewUsage(
  deps: Reads,
  reader: Reader,
  { from, to, step, timeZone }: Asked,
): Promise<OverviewUsage | null> {
  if (!deps.options.get('DataExportEnabled')) return null;
  const report = await usageReport(
    deps,
    reader,
    {
      start_timestamp: from,
      end_timestamp: to,
      step,
      time_zone: timeZone,
      dimension: 'model',
      metric: 'quota',
    },
    { isWhole: false },
  );
  // Of a model whose calls all failed nothing was spent.
  const charged = report.series.filter(({ calls }) => calls > 0);
  const shown = charged.slice(0, limits.overviewModels);
  const rest = charged.slice(limits.overviewModels);
  const count = rest.length + (report.others?.count ?? 0);
  const others = {
    quota: rest.reduce((sum, one) => sum + one.quota, report.others?.quota ?? 0),
    calls: rest.reduce((sum, one) => sum + one.calls, report.others?.calls ?? 0),
    count,
  };
  return {
    from: report.from,
    to: report.to,
    is_cut: report.is_cut,
    starts: report.starts,
    quota: report.by_step.quota,
    calls: report.by_step.calls,
    all: { quota: report.all.quota, calls: report.all.calls, failed: report.all.failed },
    models: shown.map(({ key, quota, calls }) => ({ model: key, quota, calls })),
    others: count > 0 ? others : null,
  };
}
