/** The list of suppliers, or that of all users' configurations. */
import { formatNumber } from '@core/money.ts';
import type { SupplierAction } from '@modules/supplier/facts.ts';
import { getRouteApi } from '@tanstack/react-router';
import { BulkAction } from '@/components/bulk-action.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer, EntryToCome } from '@/features/desk/entry-drawer.tsx';
import { ConfigList } from '@/features/supplier/config-list.tsx';
import { noPlace } from '@/features/supplier/supplier.ts';
import { useSupplierColumns } from '@/features/supplier/supplier-columns.tsx';
import type { SupplierDrawerProps } from '@/features/supplier/supplier-drawer.tsx';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const drawer = () =>
  import('@/features/supplier/supplier-drawer.tsx').then((module) => module.SupplierDrawer);
const SupplierDrawer = late<SupplierDrawerProps>(drawer, undefined, EntryToCome);
soon(drawer);

const route = getRouteApi('/_console/aipy-conf/suppliers');

const nameOf = ({ name }: { name: string }): string => name;

export function SuppliersPage() {
  const { configs } = route.useLoaderData();
  return configs ? <ConfigList page={configs} /> : <Suppliers />;
}

function Suppliers() {
  const { t } = useTranslation();
  const { suppliers, types } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const change = (action: SupplierAction) => (ids: number[]) =>
    api.send('POST', '/api/supplier/admin/batch', { body: { ids, action } });
  const columns = useSupplierColumns(types);
  const total = suppliers.length;
  const add = <AddLink>{t('supplier.add')}</AddLink>;
  return (
    <DeskFrame
      primary={add}
      actions={
        <SearchLink change={{ ...noPlace, view: 'configs' }} className={buttonVariants()}>
          {t('supplier.viewConfigs')}
        </SearchLink>
      }
    >
      <DataTable
        name="supplier"
        label={t('desk.tab.suppliers')}
        columns={columns}
        page={{ items: suppliers, total, page: 1, size: Math.max(total, 1) }}
        pager={false}
        rowId={({ id }) => String(id)}
        rowName={nameOf}
        summary={t('supplier.count', { count: total, n: formatNumber(total) })}
        empty={
          <EmptyState title={t('supplier.emptyTitle')} action={add}>
            {t('supplier.emptyBody')}
          </EmptyState>
        }
        bulk={(rows, clear, isBeyond) => (
          <>
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('supplier.enableMany')}
              work={change('enable')}
            />
            <BulkAction
              {...{ rows, clear, isBeyond, nameOf }}
              label={t('supplier.disableMany')}
              danger
              work={change('disable')}
            />
          </>
        )}
        onRefresh={() => void refresh()}
      />
      <EntryDrawer
        entries={suppliers}
        head={(supplier) => ({
          title: t(supplier ? 'supplier.editTitle' : 'supplier.add'),
          sub: supplier?.name,
        })}
      >
        {(supplier) => <SupplierDrawer key={supplier?.id} supplier={supplier} types={types} />}
      </EntryDrawer>
    </DeskFrame>
  );
}
