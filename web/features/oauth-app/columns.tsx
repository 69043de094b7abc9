/** What a row of the list of applications shows, and what can be done with it. */
import { Link, useNavigate } from '@tanstack/react-router';
import { KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import { CopyButton } from '@/components/copy-button.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { State, switchLooks } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { OAuthApp } from './app.ts';
import type { OAuthAppActions } from './use-app-actions.ts';

export function useAppColumns(actions: OAuthAppActions): Column<OAuthApp>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<OAuthApp>[] => [
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('oauthApp.name'),
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium',
        cell: (app) => (
          <Link
            to="/oauth-apps/edit/$id"
            params={{ id: String(app.id) }}
            {...openWith({ sub: app.name })}
            title={app.name}
            className="quiet-link"
          >
            {app.name}
          </Link>
        ),
      },
      {
        id: 'status',
        sort: 'status',
        header: t('oauthApp.status'),
        card: 'status',
        cell: ({ enabled }) => <State look={enabled ? switchLooks.on : switchLooks.off} />,
      },
      {
        id: 'client',
        header: t('oauthApp.clientId'),
        card: 'fact',
        cell: ({ name, client_id }) => (
          <span className="flex items-center gap-0.5">
            <code className="font-mono text-xs break-all text-muted">{client_id}</code>
            <CopyButton
              iconOnly
              variant="ghost"
              size="icon-sm"
              label={t('oauthApp.copyId', { name })}
              text={client_id}
            />
          </span>
        ),
      },
      {
        id: 'kind',
        sort: 'kind',
        header: t('oauthApp.kind'),
        card: 'fact-end',
        cell: ({ confidential }) => t(confidential ? 'oauthApp.confidential' : 'oauthApp.public'),
      },
      {
        id: 'scopes',
        header: t('oauthApp.scopes'),
        className: 'max-w-52 truncate font-mono text-xs text-muted',
        cell: ({ scopes }) => <span title={scopes.join(' ')}>{scopes.join(' ')}</span>,
      },
      {
        id: 'users',
        sort: 'users',
        header: t('oauthApp.users'),
        align: 'right',
        className: 'tabular-nums',
        cell: ({ users }) => users,
      },
      {
        id: 'created',
        sort: 'created',
        header: t('oauthApp.created'),
        className: 'text-muted',
        cell: ({ created_at }) => <Time at={created_at} relative />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (app) => <RowActions app={app} actions={actions} />,
      },
    ],
    [t, actions],
  );
}

function RowActions({ app, actions }: { app: OAuthApp; actions: OAuthAppActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <ActionMenu
      label={t('table.more', { name: app.name })}
      actions={[
        {
          label: t('oauthApp.edit'),
          icon: Pencil,
          run: () =>
            void navigate({
              to: '/oauth-apps/edit/$id',
              params: { id: String(app.id) },
              ...openWith({ sub: app.name }),
            }),
        },
        {
          label: t('oauthApp.renew'),
          icon: KeyRound,
          obstacle: app.confidential ? undefined : t('oauthApp.isPublic'),
          run: () => void actions.renew(app),
        },
        {
          label: t(app.enabled ? 'oauthApp.disable' : 'oauthApp.enable'),
          icon: Power,
          run: () => void actions.setEnabled(app, !app.enabled),
        },
        {
          label: t('oauthApp.delete'),
          icon: Trash2,
          danger: true,
          separated: true,
          run: () => void actions.remove(app),
        },
      ]}
    />
  );
}
