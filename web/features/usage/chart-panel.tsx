/** The chart with its title, what it can show, and its legend. */
import { HOUR_SEC } from '@core/time.ts';
import { formatShort } from '@core/time-text.ts';
import { DIMENSIONS, METRICS, OWN_DIMENSIONS } from '@modules/usage/facts.ts';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSetSearch } from '@/components/data-table/search-links.ts';
import { Gap } from '@/components/gap.tsx';
import { Segmented } from '@/components/ui/segmented.tsx';
import { Select } from '@/components/ui/select.tsx';
import { useNow } from '@/lib/clock.ts';
import { late } from '@/lib/late.tsx';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { ChartProps } from './chart.tsx';
import type { Usage } from './load.ts';
import { type Line, linesOf, logSearch, metricText, typeOf } from './series.ts';
import { stepText } from './step-text.ts';

const Empty = () => null;
const Chart = late<ChartProps>(() => import('./chart.tsx').then((module) => module.Chart), Empty, Empty);

export function ChartPanel({
  usage,
  seesAll,
  user,
}: {
  usage: Usage;
  seesAll: boolean;
  user: string | undefined;
}) {
  const { t } = useTranslation();
  const { starts, step, metric, dimension, series, to, time_zone: timeZone } = usage;
  const now = useNow();
  const navigate = useNavigate();
  const lines = linesOf(usage, t);
  const [chosen, choose] = useState<readonly string[]>([]);
  const isShown = ({ key }: Line) => chosen.length === 0 || chosen.includes(key);
  const ticks = starts.map((start) => ({
    short: stepText(start, step, timeZone),
    full: formatShort(start, now, timeZone),
  }));
  const isOpen = to >= now - OPEN_SEC;
  /** The calls of one value, of the others all, in a step. */
  const openLog = (at: number, key: string) => {
    const from = starts[at];
    if (from === undefined) return;
    const one = series.find((each) => each.key === key);
    const search = { type: typeOf(metric), from: String(from), to: String((starts[at + 1] ?? to + 1) - 1) };
    void navigate({
      to: '/log',
      search: { ...search, ...(user && { user }), ...(one && logSearch(one, dimension)) },
    });
  };
  return (
    <section aria-label={t('usage.chart')} className="mb-3 rounded-md border border-line bg-surface">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-3">
        <h2 className="min-w-0 flex-1 font-semibold max-md:basis-full">
          {t(`usage.metricBy.${metric}`)}{' '}
          <span className="text-xs font-normal text-muted">{t(`usage.step.${step}`)}</span>
        </h2>
        <ShownControls usage={usage} seesAll={seesAll} />
      </div>
      <div className="h-[280px] overflow-hidden px-2 pt-3">
        {lines.length > 0 && (
          <Chart
            lines={lines.filter(isShown)}
            metric={metric}
            ticks={ticks}
            isOpen={isOpen}
            onPart={openLog}
          />
        )}
      </div>
      <Legend lines={lines} usage={usage} chosen={chosen} onChoose={choose} />
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        {t('usage.zone', { zone: timeZone })}
        <Gap />
        {isOpen && t('usage.open')}
        <Gap />
        {metric === 'failed' && t('usage.failedNote')}
      </p>
    </section>
  );
}

/** A time that ends so near to now goes on. */
const OPEN_SEC = HOUR_SEC;

function ShownControls({ usage: { dimension, metric }, seesAll }: { usage: Usage; seesAll: boolean }) {
  const { t } = useTranslation();
  const setSearch = useSetSearch();
  return (
    <>
      <Select
        aria-label={t('usage.dimension')}
        value={dimension}
        className="w-36 max-md:w-full"
        onChange={({ target: { value } }) =>
          setSearch({
            by: value === 'model' ? undefined : value,
            ...(value === 'code' && { metric: 'failed' }),
          })
        }
      >
        {(seesAll ? DIMENSIONS : OWN_DIMENSIONS).map((one) => (
          <option key={one} value={one}>
            {t(`usage.by.${one}`)}
          </option>
        ))}
      </Select>
      <Segmented
        label={t('usage.metric')}
        value={metric}
        options={METRICS.map((one) => ({ value: one, label: t(`usage.metric.${one}`) }))}
        className="max-md:grid max-md:w-full max-md:grid-cols-3"
        onChange={(one) =>
          setSearch({
            metric: one === 'quota' ? undefined : one,
            // Only calls that failed have one.
            ...(dimension === 'code' && { by: undefined }),
          })
        }
      />
    </>
  );
}

interface LegendProps {
  lines: readonly Line[];
  usage: Usage;
  /** Keys of what alone is shown; all when empty. */
  chosen: readonly string[];
  onChoose: (keys: readonly string[]) => void;
}

/** Pressing a line shows it alone, with Shift beside the others; pressing it again shows all. */
function Legend({ lines, usage: { metric }, chosen, onChoose }: LegendProps) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const press = (key: string, adds: boolean) => {
    if (adds) return onChoose(chosen.includes(key) ? chosen.filter((one) => one !== key) : [...chosen, key]);
    onChoose(chosen.length === 1 && chosen[0] === key ? [] : [key]);
  };
  return (
    <ul
      aria-label={t('usage.legend')}
      className="flex flex-wrap gap-x-4 gap-y-1 px-4 pt-2 pb-3 max-md:gap-y-0 pointer-coarse:gap-y-0"
    >
      {lines.map(({ key, label, color, total }) => (
        <li key={key} className="max-w-full">
          <button
            type="button"
            aria-pressed={chosen.includes(key)}
            className="flex max-w-full items-center gap-1.5 rounded-sm text-xs aria-pressed:font-semibold max-md:min-h-11 pointer-coarse:min-h-11"
            onClick={({ shiftKey }) => press(key, shiftKey)}
          >
            <span
              className="size-2.5 shrink-0 rounded-[2px]"
              style={{ background: color }}
              aria-hidden="true"
            />
            <span className="truncate">{label}</span>
            <span className="whitespace-nowrap text-muted tabular-nums">
              {metricText(total, metric, rules)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
