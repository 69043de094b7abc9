/** What a row of the user list shows, and what can be done with it. */

import { formatNumber } from '@core/money.ts';
import { hasRole } from '@core/roles.ts';
import type { ManageAction } from '@modules/user/facts.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Coins, Eraser, Pencil, Power, ScrollText, UserX } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Column } from '@/components/data-table/column.ts';
import type { MenuAction } from '@/components/menu-action.ts';
import { Money } from '@/components/money.tsx';
import { Time } from '@/components/time.tsx';
import { cn } from '@/lib/cn.ts';
import { useBoot } from '@/lib/page-context.ts';
import { roleText } from '@/lib/role-text.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import type { UserActions } from './use-user-actions.ts';
import { isBanned, isCancelled, obstacleTo, obstacleToErase, type User } from './user.ts';
import { UserStatus } from './user-status.tsx';

export function useUserColumns(actions: UserActions, onAddQuota: (user: User) => void): Column<User>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<User>[] => [
      {
        id: 'id',
        sort: 'id',
        header: 'ID',
        align: 'right',
        className: 'font-mono text-xs text-muted',
        cell: (user) => user.id,
      },
      {
        id: 'username',
        sort: 'username',
        header: t('user.username'),
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium',
        opens: true,
        cell: (user) => <Name user={user} />,
      },
      {
        id: 'role',
        sort: 'role',
        header: t('user.role'),
        card: 'meta',
        className: 'max-md:text-muted',
        cell: (user) => roleText(user.role, t),
      },
      {
        id: 'status',
        sort: 'status',
        header: t('user.status'),
        card: 'status',
        cell: (user) => <UserStatus user={user} />,
      },
      {
        id: 'group',
        sort: 'group',
        header: t('user.group'),
        className: 'max-w-32 truncate',
        cell: (user) => <span title={user.group}>{user.group}</span>,
      },
      {
        id: 'left',
        sort: 'left',
        header: t('user.left'),
        align: 'right',
        card: 'fact',
        cell: (user) => <Left user={user} />,
      },
      {
        id: 'used',
        sort: 'used',
        header: t('user.used'),
        align: 'right',
        cell: (user) => <Money quota={user.used_quota} />,
      },
      {
        id: 'requests',
        sort: 'requests',
        header: t('user.requests'),
        align: 'right',
        className: 'tabular-nums',
        cell: (user) => formatNumber(user.request_count),
      },
      {
        id: 'code',
        extra: true,
        header: t('user.code'),
        className: 'text-xs text-muted',
        cell: (user) => <code className="font-mono">{user.aff_code}</code>,
      },
      {
        id: 'invited',
        sort: 'invited',
        extra: true,
        header: t('user.invitedFor'),
        align: 'right',
        className: 'tabular-nums',
        cell: (user) => (
          <>
            {formatNumber(user.aff_count)}
            {user.aff_history_quota > 0 && (
              <span className="text-muted">
                {' · '}
                <Money quota={user.aff_history_quota} />
              </span>
            )}
          </>
        ),
      },
      {
        id: 'inviter',
        extra: true,
        header: t('user.inviter'),
        align: 'right',
        className: 'text-muted',
        cell: (user) => (user.inviter_id === 0 ? t('user.noInviter') : user.inviter_id),
      },
      {
        id: 'created',
        sort: 'created',
        header: t('user.created'),
        className: 'text-muted',
        cell: (user) => (user.created_at === 0 ? '-' : <Time at={user.created_at} relative />),
      },
      {
        id: 'ip',
        extra: true,
        header: t('user.loginIp'),
        className: 'font-mono text-xs text-muted',
        cell: (user) => user.login_ip || '-',
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (user) =>
          isCancelled(user) ? null : <RowActions user={user} actions={actions} onAddQuota={onAddQuota} />,
      },
    ],
    [t, actions, onAddQuota],
  );
}

const openUser = ({ id, username }: User) => openWith({ sub: `${username} · #${id}` });

function Name({ user }: { user: User }) {
  const { username, display_name } = user;
  const { user: viewer } = useBoot();
  const mayOpen = viewer !== null && obstacleTo('edit', viewer, user) === undefined;
  return (
    <span
      title={[username, display_name].filter(Boolean).join(' ')}
      className={cn(isCancelled(user) && 'text-muted')}
    >
      {mayOpen ? (
        <Link to="/user/edit/$id" params={{ id: String(user.id) }} {...openUser(user)} className="quiet-link">
          {username}
        </Link>
      ) : (
        username
      )}
      {display_name !== '' && display_name !== username && (
        <span className="ml-1.5 font-normal text-muted">{display_name}</span>
      )}
    </span>
  );
}

function Left({ user }: { user: User }) {
  const { t } = useTranslation();
  return (
    <span className="max-md:block max-md:text-left">
      <Money quota={user.quota} />
      <span className="ml-1.5 text-xs text-muted md:hidden">
        {t('user.cardFacts', {
          group: user.group,
          count: user.request_count,
          n: formatNumber(user.request_count),
        })}
      </span>
    </span>
  );
}

interface RowActionsProps {
  user: User;
  actions: UserActions;
  onAddQuota: (user: User) => void;
}

function RowActions({ user, actions, onAddQuota }: RowActionsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user: viewer } = useBoot();
  if (!viewer) return null;
  const obstacle = (action: ManageAction | 'edit') => {
    const key = obstacleTo(action, viewer, user);
    return key && t(key);
  };
  const managing = (action: ManageAction, icon: MenuAction['icon']): MenuAction => ({
    label: t(`user.${action}`),
    icon,
    obstacle: obstacle(action),
    run: () => void actions.manage(user, action),
  });
  const eraseObstacle = obstacleToErase(viewer, user);
  const erasing: MenuAction = {
    label: t('user.erase'),
    icon: Eraser,
    obstacle: eraseObstacle && t(eraseObstacle),
    danger: true,
    run: () => void actions.erase(user),
  };
  const isRoot = hasRole(viewer.role, 'root');
  return (
    <ActionMenu
      label={t('table.more', { name: user.username })}
      actions={[
        {
          label: t('user.edit'),
          icon: Pencil,
          obstacle: obstacle('edit'),
          run: () =>
            void navigate({ to: '/user/edit/$id', params: { id: String(user.id) }, ...openUser(user) }),
        },
        {
          label: t('user.addQuota'),
          icon: Coins,
          obstacle: obstacle('edit'),
          run: () => onAddQuota(user),
        },
        {
          label: t('statement.title'),
          icon: ScrollText,
          obstacle: obstacle('edit'),
          run: () => void navigate({ to: '/topup/statement', search: { user: String(user.id) } }),
        },
        managing(isBanned(user) ? 'enable' : 'disable', Power),
        managing('promote', ArrowUp),
        managing('demote', ArrowDown),
        { ...managing('delete', UserX), danger: true, separated: true },
        ...(isRoot ? [erasing] : []),
      ]}
    />
  );
}
