/** The list of the viewer's tokens. */

import { formatNumber } from '@core/money.ts';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { MessageSquare } from 'lucide-react';
import { DataTable } from '@/components/data-table/data-table.tsx';
import { Gap } from '@/components/gap.tsx';
import { PageHeader } from '@/components/page-header.tsx';
import { Button, buttonVariants } from '@/components/ui/button.tsx';
import { Notice } from '@/components/ui/notice.tsx';
import { TokenFilters } from '@/features/token/filters.tsx';
import { CreateLink, NoTokens } from '@/features/token/no-tokens.tsx';
import { isRecent } from '@/features/token/recent.ts';
import type { Token } from '@/features/token/token.ts';
import { useTokenColumns } from '@/features/token/token-columns.tsx';
import { type TokenActions, useTokenActions } from '@/features/token/use-token-actions.ts';
import { soon } from '@/lib/late.tsx';
import { useApi, useMay } from '@/lib/page-context.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useRefresh } from '@/lib/use-refresh.ts';
import { useTranslation } from '@/lib/use-translation.ts';

const route = getRouteApi('/_console/token');

/** What a row opens. */
soon(() => import('./token.edit.page.tsx'));

export function TokenPage() {
  const { t } = useTranslation();
  const { page, query } = route.useLoaderData();
  const api = useApi();
  const refresh = useRefresh();
  const actions = useTokenActions();
  const columns = useTokenColumns(actions);
  const keeps = useMay('keepTokens');
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
        <Gap />
        <Link to="/topup" className="link hit">
          {t('token.toWallet')}
        </Link>
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
        bulk={
          keeps ? (tokens, clear, isBeyond) => <Bulk {...{ tokens, clear, isBeyond, actions }} /> : undefined
        }
        matching={(paging) => api.get('/api/token/page', { query: { ...query, ...paging } })}
      />
      <Outlet />
    </>
  );
}

interface BulkProps {
  tokens: readonly Token[];
  clear: () => void;
  isBeyond: boolean;
  actions: TokenActions;
}

function Bulk({ tokens, clear, isBeyond, actions }: BulkProps) {
  const { t } = useTranslation();
  const setEnabled = async (enabled: boolean) => {
    if (await actions.setManyEnabled(tokens, enabled, isBeyond)) clear();
  };
  return (
    <>
      <Button onClick={() => void setEnabled(true)}>{t('token.enable')}</Button>
      <Button onClick={() => void setEnabled(false)}>{t('token.disable')}</Button>
      <Button
        variant="danger"
        onClick={() => void actions.removeMany(tokens).then((done) => done && clear())}
      >
        {t('token.delete')}
      </Button>
    </>
  );
}

function ChatLink() {
  const { t } = useTranslation();
  if (!useMay('chat')) return null;
  return (
    <Link to="/token/chat" {...openDrawer} className={buttonVariants()}>
      <MessageSquare aria-hidden="true" />
      {t('chat.title')}
    </Link>
  );
}
