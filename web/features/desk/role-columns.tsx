/** What a row of the list of roles shows. */
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { SearchLink } from '@/components/search-link.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { EntryMenu } from './entry-menu.tsx';
import type { Role } from './role.ts';

/** Of a role's text, as much as a line may show. */
const SHOWN_MAX = 200;

export function useRoleColumns(): Column<Role>[] {
  const { t } = useTranslation();
  const api = useApi();
  return useMemo(
    (): Column<Role>[] => [
      { id: 'id', sort: 'id', header: 'ID', align: 'right', className: 'text-muted', cell: ({ id }) => id },
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('role.name'),
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium max-md:max-w-full',
        cell: ({ id, role_name }) => (
          <SearchLink change={{ edit: id }} className="quiet-link" title={role_name}>
            {role_name}
          </SearchLink>
        ),
      },
      {
        id: 'role',
        header: t('role.role'),
        card: 'meta',
        className:
          'w-full max-w-0 truncate text-muted max-md:line-clamp-3 max-md:max-w-full max-md:whitespace-normal',
        cell: ({ role }) => (
          <span className="font-mono text-xs">{role.slice(0, SHOWN_MAX).replace(/\s+/g, ' ')}</span>
        ),
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: ({ id, role_name: name }) => (
          <EntryMenu
            id={id}
            name={name}
            question={{ title: t('role.deleteTitle', { name }), body: t('role.deleteBody') }}
            remove={() => api.send('DELETE', '/api/ai-role/admin/:id', { params: { id: String(id) } })}
          />
        ),
      },
    ],
    [t, api],
  );
}
