/** The chart itself, and with it the library that draws it: loaded when the page stands. */
import type { Metric } from '@modules/usage/facts.ts';
import { Bar, BarChart, CartesianGrid, Cell, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { moneyRules, useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { axisTicks, isSum, type Line, metricText, shortText } from './series.ts';

export interface ChartProps {
  lines: readonly Line[];
  metric: Metric;
  /** What a step is called on the axis, and in full. */
  ticks: readonly { short: string; full: string }[];
  /** The last step is not over yet. */
  isOpen: boolean;
  /** A line at a step. */
  onPart: (step: number, key: string) => void;
}

const AXIS = { stroke: 'var(--line-strong)', tick: { fill: 'var(--muted)', fontSize: 12 } };
const OPEN_OPACITY = 0.55;
/** Over so many midnights hours are told by their days alone. */
const DAYS_MANY = 2;

export function Chart({ lines, metric, ticks, isOpen, onPart }: ChartProps) {
  const rules = moneyRules(useBoot());
  const rows = ticks.map((tick, step) => ({
    step,
    ...tick,
    ...Object.fromEntries(lines.map(({ key, points }) => [`v${key}`, points[step] ?? null])),
  }));
  const heights = ticks.map((_, step) => {
    const values = lines.map(({ points }) => points[step] ?? 0);
    return isSum(metric) ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
  });
  // An hour says nothing where it comes once a day.
  const days = ticks.flatMap(({ short }, step) => (short.includes(':') ? [] : [step]));
  const marks = axisTicks(Math.max(...heights), metric, rules);
  return (
    <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 640, height: 280 }}>
      <BarChart data={rows} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} barCategoryGap="20%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="step"
          {...(days.length > DAYS_MANY && { ticks: days })}
          tickFormatter={(step: number) => ticks[step]?.short ?? ''}
          interval="preserveStartEnd"
          minTickGap={24}
          tickLine={false}
          {...AXIS}
        />
        <YAxis
          width={72}
          tickLine={false}
          axisLine={false}
          ticks={marks}
          domain={[0, marks.at(-1) ?? 1]}
          tickFormatter={(value: number) => shortText(value, metric, rules)}
          {...AXIS}
        />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          isAnimationActive={false}
          content={({ active, payload }) => {
            const step: unknown = payload[0]?.payload?.step;
            if (!active || typeof step !== 'number') return null;
            return <Values lines={lines} metric={metric} step={step} title={ticks[step]?.full ?? ''} />;
          }}
        />
        {lines.map(({ key, label, color }) => (
          <Bar
            key={key}
            dataKey={`v${key}`}
            name={label}
            {...(isSum(metric) && { stackId: 'all' })}
            fill={color}
            isAnimationActive={false}
            className="cursor-pointer"
            onClick={({ payload }: { payload?: { step?: number } }) => {
              if (payload?.step !== undefined) onPart(payload.step, key);
            }}
          >
            {isOpen &&
              rows.map(({ step }) => (
                <Cell key={step} fillOpacity={step === rows.length - 1 ? OPEN_OPACITY : 1} />
              ))}
          </Bar>
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}

/** What a step comes to, most first. */
function Values({
  lines,
  metric,
  step,
  title,
}: Pick<ChartProps, 'lines' | 'metric'> & { step: number; title: string }) {
  const { t } = useTranslation();
  const rules = moneyRules(useBoot());
  const shown = lines
    .flatMap(({ key, label, color, points }) => {
      const value = points[step] ?? 0;
      return value > 0 ? [{ key, label, color, value }] : [];
    })
    .sort((a, b) => b.value - a.value);
  const total = shown.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className="max-w-80 rounded-md border border-line bg-raised px-3 py-2 text-xs shadow-float">
      <p className="flex justify-between gap-6 font-semibold">
        <span>{title}</span>
        {isSum(metric) && <span className="tabular-nums">{metricText(total, metric, rules)}</span>}
      </p>
      {shown.length === 0 && <p className="text-muted">{t('usage.noneThen')}</p>}
      {shown.map(({ key, label, color, value }) => (
        <p key={key} className="flex items-center gap-2">
          <span className="size-2.5 shrink-0 rounded-[2px]" style={{ background: color }} />
          <span className="min-w-0 flex-1 truncate">{label}</span>
          <span className="pl-4 tabular-nums">{metricText(value, metric, rules)}</span>
        </p>
      ))}
    </div>
  );
}
