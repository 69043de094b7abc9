/** What became of one field: what it was, struck through, and what it is. */
import type { Difference } from '@core/admin-actions.ts';
import { fieldWords } from '@core/field-words.ts';
import { fill } from '@core/text.ts';
import { ArrowRight } from 'lucide-react';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';

/** The field in the reader's words: the record keeps the name by which it is stored, of one of several behind its number. */
function useFieldWords(name: string): string {
  const { locale } = useBoot();
  const [head = '', ...rest] = name.split('.');
  const [item, field] = head.startsWith('#') && rest.length > 0 ? [`${head} `, rest.join('.')] : ['', name];
  return item + fill({ zh: '{field}', en: '{field}' }, { field: fieldWords(field) }, locale);
}

/** As it is stored where one points at it. */
export function FieldName({ name, className }: { name: string; className?: string }) {
  return (
    <span className={className} title={name}>
      {useFieldWords(name)}
    </span>
  );
}

/** One line of the list. */
export function ShortDifference({
  difference: { name, before, after, isSecret },
}: {
  difference: Difference;
}) {
  const { t } = useTranslation();
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 font-mono text-xs">
      {name && <FieldName name={name} className="shrink-0 font-sans text-muted" />}
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
  const words = useFieldWords(name);
  const side = (value: string | null) => (value === null || value === '' ? t('adminLog.nothing') : value);
  return (
    <div className="min-w-0 border-t border-line py-2.5 first:border-t-0">
      {name && (
        <dt className="mb-1 flex flex-wrap items-baseline gap-x-2 text-xs font-semibold">
          {words !== name && <span>{words}</span>}
          <span className={cn('font-mono break-all', words !== name && 'font-normal text-muted')}>
            {name}
          </span>
        </dt>
      )}
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
