/** The list of roles. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi } from '@tanstack/react-router';
import { BulkAction } from '@/components/bulk-action.tsx';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { AddLink, DeskFrame } from '@/features/desk/desk-frame.tsx';
import { EntryDrawer, EntryToCome } from '@/features/desk/entry-drawer.tsx';
import { useRoleColumns } from '@/features/desk/role-columns.tsx';
import type { RoleDrawerProps } from '@/features/desk/role-drawer.tsx';
import { late, soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/aipy-conf/roles');

const nameOf = ({ role_name }: { role_name: string }): string => role_name;

// The list is read more often than it is changed, and TOML is read by the drawer alone.
const drawer = () => import('@/features/desk/role-drawer.tsx').then((module) => module.RoleDrawer);
const RoleDrawer = late<RoleDrawerProps>(drawer, undefined, EntryToCome);
soon(drawer);

export function RolesPage() {
  const { t } = useTranslation();
  const { roles } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const columns = useRoleColumns();
  const total = roles.length;
  const add = <AddLink>{t('role.add')}</AddLink>;
  return (
    <DeskFrame primary={add}>
      <DataTable
        name="role"
        label={t('desk.tab.roles')}
        columns={columns}
        page={{ items: roles, total, page: 1, size: Math.max(total, 1) }}
        pager={false}
        rowId={(role) => String(role.id)}
        rowName={nameOf}
        summary={t('role.count', { count: total, n: formatNumber(total) })}
        empty={
          <EmptyState title={t('role.emptyTitle')} action={add}>
            {t('role.emptyBody')}
          </EmptyState>
        }
        bulk={(rows, clear, isBeyond) => (
          <BulkAction
            {...{ rows, clear, isBeyond, nameOf }}
            label={t('desk.delete')}
            question={{
              title: t('role.deleteManyTitle', { count: rows.length }),
              body: t('role.deleteBody'),
            }}
            work={(ids) => api.send('POST', '/api/ai-role/admin/batch', { body: { ids } })}
          />
        )}
        onRefresh={() => void refresh()}
      />
      <EntryDrawer
        entries={roles}
        head={(role) => ({ title: t(role ? 'role.editTitle' : 'role.add'), sub: role?.role_name })}
      >
        {(role) => <RoleDrawer key={role?.id} role={role} />}
      </EntryDrawer>
    </DeskFrame>
  );
}
