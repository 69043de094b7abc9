/** What the time comes to, each figure with how it went and what it was before. */
import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Money } from '@/components/money.tsx';
import { Sparkline } from '@/components/sparkline.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Usage } from './load.ts';

const FIGURES = ['quota', 'calls', 'prompt_tokens', 'completion_tokens'] as const;

export function Figures({ usage: { all, by_step, before } }: { usage: Usage }) {
  const { t } = useTranslation();
  return (
    <dl className="mb-3 grid grid-cols-4 divide-x divide-line rounded-md border border-line bg-surface max-md:grid-cols-2 max-md:divide-x-0">
      {FIGURES.map((name) => (
        <Figure
          key={name}
          label={t(`usage.figure.${name}`)}
          now={all[name]}
          before={before?.[name]}
          points={by_step[name]}
        >
          {name === 'quota' ? <Money quota={all.quota} /> : formatNumber(all[name])}
        </Figure>
      ))}
    </dl>
  );
}

interface FigureProps {
  label: string;
  now: number;
  /** Undefined where nothing is known. */
  before: number | undefined;
  points: readonly number[];
  children: ReactNode;
}

function Figure({ label, now, before, points, children }: FigureProps) {
  return (
    <div className="px-4 py-2.5 max-md:py-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-2xl leading-8 font-semibold tabular-nums max-md:text-xl">{children}</dd>
      <dd className="text-xs text-muted">
        <Change now={now} before={before} />
      </dd>
      <dd aria-hidden="true">
        <Sparkline points={points} />
      </dd>
    </div>
  );
}

/** Unknown is not nothing. */
function Change({ now, before }: { now: number; before: number | undefined }) {
  const { t } = useTranslation();
  if (before === undefined) return t('usage.unknownBefore');
  if (before === 0) return t(now === 0 ? 'usage.same' : 'usage.noneBefore');
  const share = Math.round(((now - before) / before) * 1_000) / 10;
  if (share === 0) return t('usage.same');
  return t(share > 0 ? 'usage.more' : 'usage.less', { percent: formatShare(Math.abs(share)) });
}

const formatShare = (percent: number): string => (percent >= 1_000 ? formatNumber(percent) : String(percent));
