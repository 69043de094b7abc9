/** In the place of rows: whether there are none at all, none that match, or none as far as was looked. */
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '@/components/empty-state.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { NoneLooked } from './looked.tsx';

const route = getRouteApi('/_console/log');

export function NoRows() {
  const { t } = useTranslation();
  const { page, range } = route.useLoaderData();
  const search = route.useSearch();
  const { p: _page, size: _size, range: _range, unreadable: _unreadable, id: _id, ...filters } = search;
  if (page.looked) return <NoneLooked looked={page.looked} range={range} />;
  return Object.values(filters).some((value) => value !== undefined) ? (
    <EmptyState title={t('log.noMatch')}>{t('log.noMatchHelp')}</EmptyState>
  ) : (
    <EmptyState title={t('log.empty')}>{t('log.emptyHelp')}</EmptyState>
  );
}
