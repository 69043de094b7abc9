/** Every movement of a balance, and what there was after it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { Money } from '@/components/money.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { useStatementColumns } from '@/features/statement/columns.tsx';
import { ExportButton } from '@/features/statement/export-button.tsx';
import { NoLines, StatementFilters } from '@/features/statement/filters.tsx';
import { kindText } from '@/features/statement/line.ts';
import { isOldestFirst } from '@/features/statement/place.ts';
import { Places } from '@/features/statement/places.tsx';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export { loadStatement } from '../features/statement/load.ts';

const route = getRouteApi('/_console/topup/statement');

export function StatementPage() {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { statement, filter } = route.useLoaderData();
  const { user, sort } = route.useSearch();
  const { items, username, user_id, balance } = statement;
  const columns = useStatementColumns(statement);
  return (
    <>
      <PageHeader
        title={user ? t('statement.titleOf', { name: username }) : t('statement.title')}
        help={t(user ? 'statement.helpOf' : 'statement.help', { id: user_id })}
        actionsBelow
        actions={
          <>
            <Link to={user ? '/user' : '/topup'} className={buttonVariants()}>
              <ArrowLeft aria-hidden="true" />
              {t(user ? 'nav.user' : 'nav.wallet')}
            </Link>
            <ExportButton query={filter} user={user} />
          </>
        }
      />
      <StatementFilters />
      <DataTable
        name="statement"
        label={t('statement.title')}
        columns={columns}
        page={{ items, total: items.length, page: 1, size: Math.max(items.length, 1) }}
        rowId={(line) => `${line.created_at} ${line.ref} ${line.kind}`}
        rowName={(line) => kindText(line.kind, t)}
        summary={
          <>
            {t('statement.balance')} <Money quota={balance} className="font-semibold text-text" />
          </>
        }
        empty={<NoLines />}
        pager={<Places newer={statement.newer} older={statement.older} oldestFirst={isOldestFirst(sort)} />}
        onRefresh={() => void refresh()}
      />
    </>
  );
}
