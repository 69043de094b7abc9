/** What the log is filtered by. */
import { AppliedFilters } from '@/components/applied-filters.tsx';
import { useReadText } from '@/components/data-table/search-links.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { isLogType } from './log-row.ts';
import type { Range } from './range.ts';
import { useRangeText } from './use-range-text.ts';

const NAMED = [
  'request',
  'token',
  'tokenId',
  'model',
  'group',
  'code',
  'user',
  'channel',
  'detail',
  'status',
] as const;
export const CLEARED = ['type', ...NAMED, 'from', 'to'] as const;

export function Applied({ range }: { range: Range }) {
  const { t } = useTranslation();
  const { whole } = useRangeText();
  const search = useReadText();
  const type = Number(search.type);
  const chips = [
    ...(isLogType(type) ? [{ names: ['type'], text: t(`log.type.${type}`) }] : []),
    ...NAMED.flatMap((name) => {
      const value = search[name];
      return value === undefined ? [] : [{ names: [name], text: `${t(`log.filter.${name}`)}: ${value}` }];
    }),
  ];
  return <AppliedFilters chips={chips} cleared={CLEARED} time={whole(range)} />;
}
