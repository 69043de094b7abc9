/** What the time comes to, each figure with how it went and what it was before. */
import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Figure, FiguresRow } from '@/components/figure.tsx';
import { Money } from '@/components/money.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Boot } from '../../boot.ts';
import type { Usage } from './load.ts';
import { millisText } from './series.ts';

const FIGURES = [
  'quota',
  'calls',
  'failed',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'first_ms',
] as const;

export function Figures({ usage: { all, by_step, before, first_spread: spread } }: { usage: Usage }) {
  const { t } = useTranslation();
  const boot = useBoot();
  return (
    <FiguresRow count={7} className="mb-3">
      {FIGURES.map((name) => (
        <Figure
          key={name}
          label={t(`usage.figure.${name}`)}
          note={
            <>
              <Change now={all[name]} before={before?.[name]} />
              {name === 'first_ms' && spread && <Spread {...spread} />}
            </>
          }
          points={by_step[name].map((point) => point ?? 0)}
        >
          {valueText(name, all[name], boot)}
        </Figure>
      ))}
    </FiguresRow>
  );
}

function valueText(name: (typeof FIGURES)[number], value: number | null, boot: Boot): ReactNode {
  if (value === null) return null;
  if (name === 'quota') return <Money quota={value} />;
  return name === 'first_ms' ? millisText(value, boot) : formatNumber(value);
}

/** An average hides those who wait. Unlike it, these are of a sample. */
function Spread({ p50, p95, calls }: NonNullable<Usage['first_spread']>) {
  const { t } = useTranslation();
  const boot = useBoot();
  return (
    <span className="flex flex-wrap gap-x-2 whitespace-nowrap tabular-nums">
      <span>p50 {millisText(p50, boot)}</span>
      <span>p95 {millisText(p95, boot)}</span>
      <span className="whitespace-normal">
        {t('usage.spreadNote', { count: calls, n: formatNumber(calls) })}
      </span>
    </span>
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
