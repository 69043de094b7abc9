/** How many rows there are, and what those of this page come to. */
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
  const sum = (of: (row: LogRow) => number) => items.reduce((all, row) => all + of(row), 0);
  const spent = items.filter(({ type }) => type === CONSUMPTION).reduce((all, { quota }) => all + quota, 0);
  return (
    <>
      {t(looked ? 'log.summaryLooked' : 'log.summary', { count: total, total: formatNumber(total) })}
      {items.length > 0 && (
        <span className="ml-3 text-xs max-md:ml-2">
          {t('log.thisPage')} <Money quota={spent} className="text-text" />
          {' · '}
          <span className="whitespace-nowrap tabular-nums">
            {t('log.inOut', {
              input: formatNumber(sum((row) => row.prompt_tokens)),
              output: formatNumber(sum((row) => row.completion_tokens)),
            })}
          </span>
        </span>
      )}
    </>
  );
}
