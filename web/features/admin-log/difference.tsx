/** What became of one field: what it was, struck through, and what it is. */
import type { Difference } from '@core/admin-actions.ts';
import { ArrowRight } from 'lucide-react';
import { useTranslation } from '@/lib/use-translation.ts';

/** One line of the list. */
export function ShortDifference({
  difference: { name, before, after, isSecret },
}: {
  difference: Difference;
}) {
  const { t } = useTranslation();
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 font-mono text-xs">
      {name && <span className="shrink-0 text-muted">{name}</span>}
      {isSecret ? (
        <span>{t('adminLog.secret')}</span>
      ) : (
        <span className="truncate">
          {before !== null && before !== '' && <del className="text-muted">{before}</del>}{' '}
          <ArrowRight className="inline size-3 text-muted" aria-hidden="true" />{' '}
          {after || t('adminLog.nothing')}
        </span>
      )}
    </span>
  );
}

/** Both sides one above the other, long texts whole. */
export function WholeDifference({
  difference: { name, before, after, isSecret },
}: {
  difference: Difference;
}) {
  const { t } = useTranslation();
  const side = (value: string | null) => (value === null || value === '' ? t('adminLog.nothing') : value);
  return (
    <div className="min-w-0 border-t border-line py-2.5 first:border-t-0">
      {name && <dt className="mb-1 font-mono text-xs font-semibold break-all">{name}</dt>}
      {isSecret ? (
        <dd className="text-sm text-muted">{t('adminLog.secret')}</dd>
      ) : (
        <dd className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
          <span className="text-muted">{t('adminLog.before')}</span>
          <del className="max-h-60 overflow-y-auto font-mono break-all whitespace-pre-wrap text-muted">
            {side(before)}
          </del>
          <span className="text-muted">{t('adminLog.after')}</span>
          <ins className="max-h-60 overflow-y-auto font-mono break-all whitespace-pre-wrap text-text no-underline">
            {side(after)}
          </ins>
        </dd>
      )}
    </div>
  );
}
