/** The same figures as a table: whose share is how large, and the way to the calls themselves. */
import { formatNumber } from '@core/money.ts';
import { measured } from '@modules/usage/facts.ts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Usage } from './load.ts';
import { coloursOf, isSum, logSearch, millisText, nameOf, typeOf, UNKNOWN } from './series.ts';

const OF_CODE: ReadonlySet<string> = new Set(['name', 'failed', 'share']);

export type UsageRow = Usage['series'][number];

export function useUsageColumns(usage: Usage, user: string | undefined): Column<UsageRow>[] {
  const { t } = useTranslation();
  const boot = useBoot();
  return useMemo((): Column<UsageRow>[] => {
    const { dimension, metric, from, to, series, all } = usage;
    const colours = coloursOf(series.map(({ key }) => key));
    const whole = measured(all, metric);
    const shareColumn: Column<UsageRow> = {
      id: 'share',
      header: t('usage.shareOf', { metric: t(`usage.metric.${metric}`) }),
      card: 'fact',
      className: 'w-52',
      cell: (row) => <Share part={measured(row, metric)} whole={whole} colour={colours.get(row.key)} />,
    };
    const columns: Column<UsageRow>[] = [
      {
        id: 'name',
        sort: 'name',
        header: t(`usage.by.${dimension}`),
        card: 'title',
        fixed: true,
        cell: (row) => {
          const filter = logSearch(row, dimension);
          const name = nameOf(row, dimension, t);
          const time = { type: typeOf(metric), from: String(from), to: String(to) };
          return (
            <span className="inline-flex max-w-80 items-center gap-2">
              <span
                aria-hidden="true"
                className="size-2.5 shrink-0 rounded-[2px]"
                style={{ background: colours.get(row.key) ?? 'var(--series-other)' }}
              />
              {filter ? (
                <Link
                  to="/log"
                  search={{ ...time, ...(user && { user }), ...filter }}
                  className="quiet-link truncate"
                >
                  {name}
                </Link>
              ) : (
                <span className="truncate">{name}</span>
              )}
            </span>
          );
        },
      },
      {
        id: 'calls',
        sort: 'calls',
        header: t('usage.figure.calls'),
        align: 'right',
        card: 'meta',
        cell: (row) => (
          <>
            {formatNumber(row.calls)}{' '}
            <span className="md:hidden">
              {t('usage.callsUnit')}
              {row.failed !== null && row.failed > 0 && (
                <>
                  {' · '}
                  {formatNumber(row.failed)} {t('usage.failedUnit')}
                </>
              )}
            </span>
          </>
        ),
      },
      {
        id: 'input',
        sort: 'input',
        header: t('usage.figure.prompt_tokens'),
        align: 'right',
        cell: (row) => formatNumber(row.prompt_tokens),
      },
      {
        id: 'cached',
        sort: 'cached',
        header: t('usage.figure.cached_tokens'),
        align: 'right',
        cell: (row) => formatNumber(row.cached_tokens),
      },
      {
        id: 'output',
        sort: 'output',
        header: t('usage.figure.completion_tokens'),
        align: 'right',
        cell: (row) => formatNumber(row.completion_tokens),
      },
      {
        id: 'failed',
        sort: 'failed',
        header: t('usage.figure.failed'),
        align: 'right',
        ...(dimension === 'code' && { card: 'status' }),
        cell: (row) => (row.failed === null ? UNKNOWN : formatNumber(row.failed)),
      },
      {
        id: 'first',
        sort: 'first',
        header: t('usage.figure.first_ms'),
        align: 'right',
        cell: (row) => (row.first_ms === null ? UNKNOWN : millisText(row.first_ms, boot)),
      },
      {
        id: 'quota',
        sort: 'quota',
        header: t('usage.figure.quota'),
        align: 'right',
        card: 'status',
        cell: (row) => <Money quota={row.quota} />,
      },
      ...(isSum(metric) ? [shareColumn] : []),
    ];
    // Of a code nothing else is known.
    return dimension === 'code' ? columns.filter(({ id }) => OF_CODE.has(id)) : columns;
  }, [boot, t, usage, user]);
}

function Share({
  part,
  whole,
  colour,
}: {
  part: number | null;
  whole: number | null;
  colour: string | undefined;
}) {
  if (part === null || whole === null) return UNKNOWN;
  const percent = whole > 0 ? Math.round((part / whole) * 1_000) / 10 : 0;
  return (
    <span className="flex items-center gap-3">
      <span aria-hidden="true" className="h-1.5 w-32 overflow-hidden rounded-full bg-track">
        <span
          className="block h-full rounded-full"
          style={{ width: `${percent}%`, background: colour ?? 'var(--series-other)' }}
        />
      </span>
      <span className="whitespace-nowrap text-muted tabular-nums">{percent.toFixed(1)} %</span>
    </span>
  );
}
