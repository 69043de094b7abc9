/** The order of a list on the phone, whose cards have no heads to press. */
import { useSearch } from '@tanstack/react-router';
import { Select } from '@/components/ui/select.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Column } from './column.ts';
import { useSetSearch } from './search-links.ts';

interface SortSelectProps {
  /** Also those that are not shown: the server sorts by them all the same. */
  columns: readonly Pick<Column<never>, 'header' | 'sort'>[];
}

export function SortSelect({ columns }: SortSelectProps) {
  const { t } = useTranslation();
  const search: { sort?: string } = useSearch({ strict: false });
  const setSearch = useSetSearch();
  const orders = columns.flatMap(({ header, sort }) =>
    sort === undefined
      ? []
      : [
          { value: `-${sort}`, label: t('table.sortDown', { name: header }) },
          { value: sort, label: t('table.sortUp', { name: header }) },
        ],
  );
  if (orders.length === 0) return null;
  return (
    <Select
      className="w-auto max-w-40 shrink-0 md:hidden"
      aria-label={t('table.sort')}
      value={search.sort ?? ''}
      onChange={({ target }) => setSearch({ sort: target.value || undefined, p: undefined })}
    >
      <option value="">{t('table.sortUsual')}</option>
      {orders.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  );
}
