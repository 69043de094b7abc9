/** The list of redemption codes. */
import { formatNumber } from '@core/money.ts';
import { getRouteApi, Outlet } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Button } from '@/components/ui/button.tsx';
import { BulkActions } from '@/features/redemption/bulk-actions.tsx';
import { codesPage } from '@/features/redemption/codes-page.ts';
import { RedemptionFilters } from '@/features/redemption/filters.tsx';
import { CreateLink, NoCodes } from '@/features/redemption/no-codes.tsx';
import { codeName } from '@/features/redemption/redemption.ts';
import { useRedemptionColumns } from '@/features/redemption/redemption-columns.tsx';
import { useRedemptionActions } from '@/features/redemption/use-redemption-actions.ts';
import { soon } from '@/lib/late.tsx';
import { useApi } from '@/lib/page-context.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/redemption');

/** What a row opens. */
soon(() => import('./redemption.edit.page.tsx'));

export function RedemptionPage() {
  const { t } = useTranslation();
  const { page, query } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const actions = useRedemptionActions();
  const columns = useRedemptionColumns(actions);
  return (
    <>
      <PageHeader
        title={t('redemption.title')}
        help={t('redemption.help')}
        actionsBelow
        actions={
          <Button onClick={() => void actions.removeInvalid()}>
            <Eraser aria-hidden="true" />
            {t('redemption.clean')}
          </Button>
        }
        primary={<CreateLink />}
      />
      <RedemptionFilters />
      <DataTable
        name="redemption"
        label={t('redemption.list')}
        columns={columns}
        page={page}
        rowId={(code) => String(code.id)}
        rowName={codeName}
        summary={t('redemption.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoCodes />}
        onRefresh={() => void refresh()}
        bulk={(codes, clear, isBeyond) => <BulkActions {...{ codes, clear, isBeyond, actions }} />}
        matching={codesPage(api, query)}
      />
      <Outlet />
    </>
  );
}
