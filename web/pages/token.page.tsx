/** The list of the viewer's tokens. */

import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { MessageSquare, Plus } from 'lucide-react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { EmptyState } from '@/components/empty-state.tsx';
import { FilterBar, SearchFilter, SelectFilter } from '@/components/filter-bar.tsx';
import { BottomBarSpace, PageHeader } from '@/components/page-header.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { isRecent } from '@/features/token/recent.ts';
import { soughtText, tokenStates } from '@/features/token/token.ts';
import { useTokenColumns } from '@/features/token/token-columns.tsx';
import { useTokenActions } from '@/features/token/use-token-actions.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token');

export function TokenPage() {
  const { t } = useTranslation();
  const { page } = route.useLoaderData();
  const refresh = useRefresh();
  const actions = useTokenActions();
  const columns = useTokenColumns(actions);
  return (
    <>
      <PageHeader
        title={t('token.title')}
        help={t('token.help')}
        actions={<ChatLink />}
        primary={<CreateLink />}
      />
      <Notice tone="mind" className="mb-4">
        {t('token.warning')}
      </Notice>
      <TokenFilters />
      <DataTable
        name="token"
        label={t('token.list')}
        columns={columns}
        page={page}
        rowId={(token) => String(token.id)}
        rowName={(token) => token.name}
        summary={t('token.count', { count: page.total, n: formatNumber(page.total) })}
        empty={<NoTokens />}
        isNew={isRecent}
        onRefresh={() => void refresh()}
        bulk={(tokens, clear) => (
          <>
            <Button onClick={() => void actions.setManyEnabled(tokens, true).then(clear)}>
              {t('token.enable')}
            </Button>
            <Button onClick={() => void actions.setManyEnabled(tokens, false).then(clear)}>
              {t('token.disable')}
            </Button>
            <Button
              variant="danger"
              onClick={() => void actions.removeMany(tokens).then((done) => done && clear())}
            >
              {t('token.delete')}
            </Button>
          </>
        )}
      />
      <BottomBarSpace />
      <Outlet />
    </>
  );
}

function CreateLink() {
  const { t } = useTranslation();
  return (
    <Link to="/token/add" {...openDrawer} className={buttonVariants({ variant: 'primary' })}>
      <Plus aria-hidden="true" />
      {t('token.create')}
    </Link>
  );
}

function ChatLink() {
  const { t } = useTranslation();
  return (
    <Link to="/token/chat" {...openDrawer} className={buttonVariants()}>
      <MessageSquare aria-hidden="true" />
      {t('chat.title')}
    </Link>
  );
}

function TokenFilters() {
  const { t } = useTranslation();
  const { q, status, group } = route.useSearch();
  const { groups } = route.useLoaderData();
  return (
    <FilterBar
      count={[status, group].filter(Boolean).length}
      search={<SearchFilter name="q" value={q} label={t('token.search')} written={soughtText} />}
    >
      <SelectFilter
        name="status"
        value={status}
        all={t('token.allStatuses')}
        options={tokenStates.map((state) => ({ value: String(state.status), label: t(state.label) }))}
      />
      <SelectFilter
        name="group"
        value={group}
        all={t('token.allGroups')}
        options={Object.keys(groups).map((name) => ({ value: name, label: name }))}
      />
    </FilterBar>
  );
}

/** None at all is another matter than none that matches. */
function NoTokens() {
  const { t } = useTranslation();
  const { q, status, group } = route.useSearch();
  if (q || status || group) {
    const clear = { q: undefined, status: undefined, group: undefined, p: undefined };
    return (
      <EmptyState
        title={t('token.noMatchTitle')}
        action={
          <SearchLink change={clear} className={buttonVariants()}>
            {t('table.clearFilters')}
          </SearchLink>
        }
      >
        {t('token.noMatchBody')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t('token.emptyTitle')} action={<CreateLink />}>
      {t('token.emptyBody')}
    </EmptyState>
  );
}
