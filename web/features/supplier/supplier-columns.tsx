/** What a row of the list of suppliers shows, and what can be done with it where it stands. */
import { formatNumber } from '@core/money.ts';
import { Pencil } from 'lucide-react';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { InlineSwitch } from '@/features/desk/inline-switch.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { Supplier, SupplierType } from './supplier.ts';

export function useSupplierColumns(types: readonly SupplierType[]): Column<Supplier>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Supplier>[] => [
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('supplier.name'),
        card: 'title',
        fixed: true,
        className: 'max-w-48 truncate font-medium max-md:max-w-full',
        cell: ({ id, name }) => (
          <SearchLink change={{ edit: id }} className="quiet-link" title={name}>
            {name}
          </SearchLink>
        ),
      },
      {
        id: 'base_url',
        header: t('supplier.baseUrl'),
        card: 'meta',
        className: 'max-w-72 truncate font-mono text-xs text-muted max-md:max-w-full',
        cell: ({ base_url }) => <span title={base_url}>{base_url}</span>,
      },
      {
        id: 'type',
        sort: 'type',
        header: t('supplier.type'),
        card: 'fact',
        className: 'text-muted',
        cell: ({ type }) => types.find((one) => one.type === type)?.label ?? String(type),
      },
      {
        id: 'sdk',
        sort: 'sdk',
        header: t('supplier.sdk'),
        className: 'text-muted',
        cell: ({ sdk }) => sdk,
      },
      {
        id: 'users',
        sort: 'users',
        header: t('supplier.users'),
        align: 'right',
        className: 'md:pr-8',
        cell: ({ users }) => formatNumber(users),
      },
      {
        id: 'disable',
        sort: 'disable',
        header: t('supplier.disable'),
        card: 'status',
        fixed: true,
        cell: (supplier) => <Disable supplier={supplier} />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: ({ id, name }) => (
          <SearchLink
            change={{ edit: id }}
            className={buttonVariants({ variant: 'ghost', size: 'icon' })}
            aria-label={t('supplier.editOf', { name })}
          >
            <Pencil aria-hidden="true" />
          </SearchLink>
        ),
      },
    ],
    [t, types],
  );
}

function Disable({ supplier: { id, name, disable } }: { supplier: Supplier }) {
  const { t } = useTranslation();
  const api = useApi();
  return (
    <InlineSwitch
      label={t('supplier.disableOf', { name })}
      checked={disable}
      save={(next) =>
        api.send('PUT', '/api/supplier/admin/:id', { params: { id: String(id) }, body: { disable: next } })
      }
    />
  );
}
