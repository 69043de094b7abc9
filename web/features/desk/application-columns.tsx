/** What a row of the marketplace shows. */
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { SearchLink } from '@/components/search-link.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Application } from './application.ts';
import { EntryMenu } from './entry-menu.tsx';

/** Their widths together are more than a desk has, so that the table scrolls in itself. */
export function useApplicationColumns(): Column<Application>[] {
  const { t } = useTranslation();
  const api = useApi();
  return useMemo(
    (): Column<Application>[] => [
      { id: 'id', sort: 'id', header: 'ID', align: 'right', className: 'text-muted', cell: ({ id }) => id },
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('application.name'),
        card: 'title',
        fixed: true,
        className: 'max-w-44 truncate font-medium max-md:max-w-full',
        cell: ({ id, name }) => (
          <SearchLink change={{ edit: id }} className="quiet-link" title={name}>
            {name}
          </SearchLink>
        ),
      },
      {
        id: 'display',
        sort: 'display',
        header: t('application.displayName'),
        card: 'fact',
        className: 'max-w-44 truncate',
        cell: ({ display_name }) => <span title={display_name}>{display_name}</span>,
      },
      {
        id: 'version',
        header: t('application.version'),
        card: 'fact-end',
        className: 'max-w-32 truncate',
        cell: ({ version }) => <span className="font-mono text-xs">{version}</span>,
      },
      {
        id: 'description',
        header: t('application.description'),
        card: 'meta',
        className:
          'max-w-60 min-w-60 truncate text-muted max-md:line-clamp-3 max-md:max-w-full max-md:min-w-0 max-md:whitespace-normal',
        cell: ({ description }) => <span title={description}>{description}</span>,
      },
      {
        id: 'homepage',
        header: t('application.homepage'),
        className: 'max-w-48 truncate',
        cell: ({ homepage }) =>
          homepage && (
            <a href={homepage} target="_blank" rel="noreferrer noopener" className="link" title={homepage}>
              {homepage}
            </a>
          ),
      },
      {
        id: 'type',
        sort: 'type',
        header: t('application.type'),
        card: 'status',
        cell: ({ type }) => t(`application.type.${type}`),
      },
      {
        id: 'rank',
        sort: 'rank',
        header: t('application.rank'),
        align: 'right',
        className: 'tabular-nums',
        cell: ({ rank }) => rank,
      },
      {
        id: 'groups',
        header: t('application.groups'),
        className: 'text-muted',
        cell: ({ app_groups }) =>
          app_groups.length === 0 ? (
            t('application.allGroups')
          ) : (
            <span className="flex gap-1">
              {app_groups.map((group) => (
                <Tag key={group}>{group}</Tag>
              ))}
            </span>
          ),
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: ({ id, name }) => (
          <EntryMenu
            id={id}
            name={name}
            question={{ title: t('application.deleteTitle', { name }), body: t('application.deleteBody') }}
            remove={() => api.send('DELETE', '/api/application/admin/:id', { params: { id: String(id) } })}
            done={t('application.deleted')}
          />
        ),
      },
    ],
    [t, api],
  );
}
