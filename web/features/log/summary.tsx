/** How many rows there are, and what the calls of this page come to. */
import { formatNumber } from '@core/money.ts';
import { Money } from '@/components/money.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { CONSUMPTION, type LogRow } from './log-row.ts';

export function Summary({
  page: { total, items, looked },
}: {
  page: { total: number; items: readonly LogRow[]; looked: object | null };
}) {
  const { t } = useTranslation();
  const calls = items.filter(({ type }) => type === CONSUMPTION);
  const sum = (of: (row: LogRow) => number) => calls.reduce((all, row) => all + of(row), 0);
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      <span>
        {t(looked ? 'log.summaryLooked' : 'log.summary', { count: total, total: formatNumber(total) })}
      </span>
      {calls.length > 0 && (
        <>
          <span className="text-xs">
            {t('log.thisPage')} <Money quota={sum((row) => row.quota)} className="text-text" />
          </span>
          <span className="text-xs tabular-nums">
            {t('log.inOut', {
              input: formatNumber(sum((row) => row.prompt_tokens)),
              output: formatNumber(sum((row) => row.completion_tokens)),
            })}
          </span>
        </>
      )}
    </span>
  );
}
