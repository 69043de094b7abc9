/** What a row of the list of codes shows, and what can be done with it. */
import { NEVER } from '@core/time.ts';
import { REDEMPTION_STATUS } from '@modules/redemption/facts.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Power, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import { CopyButton } from '@/components/copy-button.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { useNow } from '@/lib/clock.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { editObstacle, type Redemption, redemptionStates, stateOf, switchObstacle } from './redemption.ts';
import type { RedemptionActions } from './use-redemption-actions.ts';

export function useRedemptionColumns(actions: RedemptionActions): Column<Redemption>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Redemption>[] => [
      {
        id: 'id',
        header: 'ID',
        sort: 'id',
        align: 'right',
        className: 'font-mono text-xs text-muted',
        cell: (code) => code.id,
      },
      {
        id: 'name',
        opens: true,
        header: t('redemption.name'),
        sort: 'name',
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium',
        cell: (code) => <Name code={code} />,
      },
      {
        id: 'status',
        header: t('redemption.status'),
        card: 'status',
        cell: (code) => <CodeState code={code} />,
      },
      {
        id: 'key',
        header: t('redemption.code'),
        card: 'fact',
        cell: (code) => <CodeCell code={code} actions={actions} />,
      },
      {
        id: 'quota',
        header: t('redemption.quota'),
        sort: 'quota',
        align: 'right',
        card: 'fact-end',
        cell: (code) => <Money quota={code.quota} />,
      },
      {
        id: 'created',
        header: t('redemption.created'),
        sort: 'created',
        className: 'text-muted',
        cell: (code) => <Time at={code.created_time} relative />,
      },
      {
        id: 'expires',
        sort: 'expires',
        header: t('expiry.label'),
        className: 'text-muted',
        cell: (code) => (code.expired_time === NEVER ? t('expiry.never') : <Time at={code.expired_time} />),
      },
      { id: 'user', header: t('redemption.usedBy'), cell: (code) => <UsedBy code={code} /> },
      {
        id: 'used',
        header: t('redemption.usedAt'),
        sort: 'used',
        className: 'text-muted',
        cell: (code) => <Time at={code.redeemed_time} />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (code) => <RowActions code={code} actions={actions} />,
      },
    ],
    [t, actions],
  );
}

function Name({ code }: { code: Redemption }) {
  if (editObstacle(code)) return <span title={code.name}>{code.name}</span>;
  return (
    <Link
      to="/redemption/edit/$id"
      params={{ id: String(code.id) }}
      {...openWith({ sub: code.name })}
      title={code.name}
      className="quiet-link"
    >
      {code.name}
    </Link>
  );
}

function CodeState({ code }: { code: Redemption }) {
  return <State look={redemptionStates[stateOf(code, useNow())]} />;
}

function CodeCell({ code, actions }: { code: Redemption; actions: RedemptionActions }) {
  const { t } = useTranslation();
  return (
    <span className="flex items-center gap-0.5">
      <code className="font-mono text-xs text-muted">{code.key}</code>
      <CopyButton
        iconOnly
        variant="ghost"
        size="icon-sm"
        label={t('redemption.copyCode', { name: code.name, id: code.id })}
        text={() => actions.reveal([code])}
        onError={actions.failed}
      />
    </span>
  );
}

function UsedBy({ code }: { code: Redemption }) {
  if (code.used_user_id === 0) return <span className="text-muted">-</span>;
  return (
    <Link to="/user" search={{ q: String(code.used_user_id) }} className="quiet-link">
      {code.used_username || code.used_user_id}
    </Link>
  );
}

function RowActions({ code, actions }: { code: Redemption; actions: RedemptionActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const said = (key: ReturnType<typeof editObstacle>) => key && t(key);
  const isOff = code.status === REDEMPTION_STATUS.disabled;
  return (
    <ActionMenu
      label={t('table.more', { name: code.name })}
      actions={[
        {
          label: t('redemption.edit'),
          icon: Pencil,
          obstacle: said(editObstacle(code)),
          run: () =>
            void navigate({
              to: '/redemption/edit/$id',
              params: { id: String(code.id) },
              ...openWith({ sub: code.name }),
            }),
        },
        {
          label: t(isOff ? 'redemption.enable' : 'redemption.disable'),
          icon: Power,
          obstacle: said(switchObstacle(code)),
          run: () => void actions.setEnabled([code], isOff, false),
        },
        {
          label: t('redemption.delete'),
          icon: Trash2,
          danger: true,
          separated: true,
          run: () => void actions.remove([code]),
        },
      ]}
    />
  );
}
