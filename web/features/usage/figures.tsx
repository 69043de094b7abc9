/** What the time comes to, each figure with how it went and what it was before. */
import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { Sparkline } from '@/components/sparkline.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Usage } from './load.ts';
import { secondsText, UNKNOWN } from './series.ts';

const FIGURES = [
  'quota',
  'calls',
  'failed',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'first_ms',
] as const;

export function Figures({ usage: { all, by_step, before } }: { usage: Usage }) {
  const { t } = useTranslation();
  return (
    <dl className="mb-3 grid grid-cols-7 divide-x divide-line rounded-md border border-line bg-surface max-xl:grid-cols-4 max-xl:divide-x-0 max-md:grid-cols-2">
      {FIGURES.map((name) => (
        <Figure
          key={name}
          label={t(`usage.figure.${name}`)}
          now={all[name]}
          before={before?.[name]}
          points={by_step[name]}
        >
          <Value name={name} value={all[name]} />
        </Figure>
      ))}
    </dl>
  );
}

function Value({ name, value }: { name: (typeof FIGURES)[number]; value: number | null }) {
  if (value === null) return <span className="text-muted">{UNKNOWN}</span>;
  if (name === 'quota') return <Money quota={value} />;
  return name === 'first_ms' ? secondsText(value) : formatNumber(value);
}

interface FigureProps {
  label: string;
  /** Null where nothing is known, as in all of these. */
  now: number | null;
  before: number | null | undefined;
  points: readonly (number | null)[];
  children: ReactNode;
}

function Figure({ label, now, before, points, children }: FigureProps) {
  return (
    <div className="px-4 py-2.5 max-md:py-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-xl leading-8 font-semibold tabular-nums">{children}</dd>
      <dd className="text-xs text-muted">
        <Change now={now} before={before} />
      </dd>
      <dd aria-hidden="true">
        <Sparkline points={points.map((point) => point ?? 0)} />
      </dd>
    </div>
  );
}

/** Unknown is not nothing. */
function Change({ now, before }: { now: number | null; before: number | null | undefined }) {
  const { t } = useTranslation();
  if (now === null) return t('usage.unknown');
  if (before === undefined || before === null) return t('usage.unknownBefore');
  if (before === 0) return t(now === 0 ? 'usage.same' : 'usage.noneBefore');
  const share = Math.round(((now - before) / before) * 1_000) / 10;
  if (share === 0) return t('usage.same');
  return t(share > 0 ? 'usage.more' : 'usage.less', { percent: formatShare(Math.abs(share)) });
}

const formatShare = (percent: number): string => (percent >= 1_000 ? formatNumber(percent) : String(percent));
