/** What a row of all users' configurations shows. */
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { State } from '@/components/status.tsx';
import { useTranslation } from '@/lib/use-translation.ts';
import { ConfigBalance } from './balance.tsx';
import { configLook, modelsOf, type UserConfig } from './supplier.ts';

export const configName = ({ username, supplier }: UserConfig): string => `${username} · ${supplier.name}`;

export function useConfigColumns(): Column<UserConfig>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<UserConfig>[] => [
      {
        id: 'username',
        sort: 'user',
        header: t('supplier.username'),
        card: 'title',
        fixed: true,
        className: 'max-w-44 truncate font-medium max-md:max-w-full',
        cell: ({ username }) => <span title={username}>{username}</span>,
      },
      {
        id: 'supplier',
        sort: 'supplier',
        header: t('supplier.supplierName'),
        card: 'fact',
        className: 'max-w-44 truncate max-md:max-w-full',
        cell: ({ supplier }) => <span title={supplier.name}>{supplier.name}</span>,
      },
      {
        id: 'key',
        header: t('supplier.key'),
        className: 'font-mono text-xs text-muted',
        cell: ({ key }) => key,
      },
      {
        id: 'models',
        header: t('supplier.models'),
        card: 'meta',
        className: 'max-w-64 truncate text-muted max-md:max-w-full',
        cell: (config) => {
          const names = modelsOf(config).join(', ');
          return <span title={names}>{names || '-'}</span>;
        },
      },
      {
        id: 'balance',
        sort: 'balance',
        header: t('supplier.balance'),
        align: 'right',
        card: 'fact-end',
        fixed: true,
        cell: (config) => <ConfigBalance id={config.id} name={configName(config)} balance={config.balance} />,
      },
      {
        id: 'state',
        header: t('supplier.state'),
        card: 'status',
        cell: (config) => <State look={configLook(config)} />,
      },
    ],
    [t],
  );
}
