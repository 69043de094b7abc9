import { formatNumber } from '@core/money.ts';
import type { ReactNode } from 'react';
import { Figure } from '@/components/figure.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { failureShare } from './share.ts';

interface FailedFigureProps {
  all: { calls: number; failed: number | null };
  /** Below it where nothing failed. */
  note?: ReactNode;
  /** What leads to them. */
  linked?: (number: string) => ReactNode;
}

/** How many calls failed, of all. What is not known is not none. */
export function FailedFigure({
  all: { calls, failed },
  note,
  linked = (number) => number,
}: FailedFigureProps) {
  const { t } = useTranslation();
  const label = t('overview.errors');
  if (failed === null) {
    return (
      <Figure label={label} note={t('overview.errorsUnknown')}>
        {null}
      </Figure>
    );
  }
  return (
    <Figure
      label={label}
      note={failed > 0 ? t('overview.ofAll', { share: failureShare({ calls, failed }) }) : note}
    >
      {linked(formatNumber(failed))}
    </Figure>
  );
}
