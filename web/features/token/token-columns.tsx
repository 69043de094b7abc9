/** What a row of the token list shows, and what can be done with it. */
import { NEVER } from '@core/time.ts';
import { TOKEN_STATUS } from '@modules/token/facts.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Code, Pencil, Power, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import { CopyButton } from '@/components/copy-button.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { Meter } from '@/components/meter.tsx';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import { buttonVariants } from '@/components/ui/button.tsx';
import { cn } from '@/lib/cn.ts';
import { failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { onUse } from '@/lib/on-use.tsx';
import { useApi, useBoot, useMay } from '@/lib/page-context.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { revealKey } from './calls.ts';
import type { ModelsPopoverProps } from './models-popover.tsx';
import { enableObstacle, modelsOf, stateOf, type Token } from './token.ts';
import { useChatActions } from './use-chat-actions.tsx';
import type { TokenActions } from './use-token-actions.ts';

export function useTokenColumns(actions: TokenActions): Column<Token>[] {
  const { t } = useTranslation();
  const keeps = useMay('keepTokens');
  return useMemo(
    (): Column<Token>[] => [
      {
        id: 'name',
        opens: keeps,
        header: t('token.name'),
        sort: 'name',
        card: 'title',
        fixed: true,
        className: 'max-w-60 truncate font-medium',
        cell: ({ id, name }) =>
          keeps ? (
            <Link
              to="/token/edit/$id"
              params={{ id: String(id) }}
              {...openWith({ sub: name })}
              title={name}
              className="quiet-link"
            >
              {name}
            </Link>
          ) : (
            name
          ),
      },
      {
        id: 'status',
        header: t('token.status'),
        card: 'status',
        cell: (token) => <TokenStatus token={token} />,
      },
      { id: 'key', header: t('token.key'), card: 'meta', cell: (token) => <KeyCell token={token} /> },
      {
        id: 'used',
        header: t('token.used'),
        sort: 'used',
        align: 'right',
        cell: (token) => <Money quota={token.used_quota} />,
      },
      {
        id: 'left',
        header: t('token.left'),
        sort: 'left',
        card: 'fact',
        className: 'md:pl-7!',
        cell: (token) => <LeftCell token={token} />,
      },
      { id: 'group', sort: 'group', header: t('token.group'), cell: (token) => <GroupName token={token} /> },
      { id: 'models', header: t('token.models'), cell: (token) => <ModelsCell token={token} /> },
      {
        id: 'expires',
        sort: 'expires',
        header: t('token.expires'),
        className: 'text-muted',
        cell: (token) => <Expiry token={token} />,
      },
      {
        id: 'created',
        header: t('token.created'),
        sort: 'created',
        className: 'text-muted',
        cell: (token) => <Time at={token.created_time} relative />,
      },
      ...(keeps
        ? [
            {
              id: 'actions',
              header: t('table.actions'),
              headless: true,
              fixed: true,
              card: 'actions' as const,
              cell: (token: Token) => <RowActions token={token} actions={actions} />,
            },
          ]
        : []),
    ],
    [t, actions, keeps],
  );
}

const TokenStatus = ({ token }: { token: Token }) => <State look={stateOf(token)} />;

function KeyCell({ token }: { token: Token }) {
  const { t } = useTranslation();
  const api = useApi();
  const { keysShownOnce } = useBoot();
  const keeps = useMay('keepTokens');
  return (
    <span className="flex items-center gap-0.5 max-md:flex-wrap">
      <code className="font-mono text-xs text-muted">sk-{token.key}</code>
      {keeps && !keysShownOnce && (
        <CopyButton
          iconOnly
          variant="ghost"
          size="icon-sm"
          label={t('token.copyKey', { name: token.name })}
          text={() => revealKey(api, token.id)}
          onError={(error) => notify(failureNotice(error, t))}
        />
      )}
      <span className="ml-1 text-xs text-muted md:hidden">
        <GroupName token={token} /> · <Expiry token={token} />
      </span>
    </span>
  );
}

/** Amounts and bars both line up: the amount is right-aligned in a fixed width. */
function LeftCell({ token }: { token: Token }) {
  const { t } = useTranslation();
  if (token.unlimited_quota) {
    return (
      <span className="inline-block min-w-[60px] text-right text-muted max-md:text-left">
        {t('token.unlimited')}
      </span>
    );
  }
  const total = token.remain_quota + token.used_quota;
  const share = total > 0 ? token.remain_quota / total : 0;
  return (
    <span className="inline-flex items-center gap-2.5 max-md:flex max-md:w-full">
      <span className="min-w-[60px] text-right max-md:text-left">
        <Money quota={token.remain_quota} />
        <span className="text-xs text-muted md:hidden"> {t('token.leftOf', { total: '' })}</span>
        <span className="text-xs text-muted md:hidden">
          <Money quota={total} />
        </span>
      </span>
      <Meter
        share={share}
        label={t('token.leftShare', { percent: Math.floor(share * 100) })}
        className="w-11 shrink-0 max-md:w-auto max-md:flex-1"
      />
    </span>
  );
}

function GroupName({ token }: { token: Token }) {
  const { t } = useTranslation();
  return token.group ? token.group : <span className="text-muted">{t('token.ownGroup')}</span>;
}

function Expiry({ token }: { token: Token }) {
  const { t } = useTranslation();
  return token.expired_time === NEVER ? t('token.never') : <Time at={token.expired_time} />;
}

const ModelsPopover = onUse<ModelsPopoverProps>(
  () => import('./models-popover.tsx').then((module) => module.ModelsPopover),
  ({ label, text, onUse }) => (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-label={`${label}: ${text}`}
      className="link hit"
      onClick={onUse}
    >
      {text}
    </button>
  ),
);

function ModelsCell({ token }: { token: Token }) {
  const { t } = useTranslation();
  const models = modelsOf(token);
  if (models === null) return <span className="text-muted">{t('token.allModels')}</span>;
  return (
    <ModelsPopover
      models={models}
      label={t('token.modelsOf', { name: token.name })}
      text={t('token.someModels', { n: models.length })}
    />
  );
}

function RowActions({ token, actions }: { token: Token; actions: TokenActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isOn = token.status === TOKEN_STATUS.enabled;
  const obstacle = enableObstacle(token);
  const params = { id: String(token.id) };
  const opening = openWith({ sub: token.name });
  const chats = useChatActions(token);
  return (
    <span className="flex items-center justify-end">
      <Link
        to="/token/code/$id"
        params={params}
        {...opening}
        aria-label={t('token.useInCodeOf', { name: token.name })}
        className={cn(buttonVariants({ variant: 'ghost', size: 'sm' }), 'max-md:hidden')}
      >
        <Code aria-hidden="true" />
        {t('token.useInCode')}
      </Link>
      <ActionMenu
        label={t('table.more', { name: token.name })}
        actions={[
          {
            label: t('token.codeTitle'),
            icon: Code,
            run: () => void navigate({ to: '/token/code/$id', params, ...opening }),
          },
          ...chats,
          {
            label: t('token.edit'),
            icon: Pencil,
            run: () => void navigate({ to: '/token/edit/$id', params, ...opening }),
          },
          {
            label: t(isOn ? 'token.disable' : 'token.enable'),
            icon: Power,
            obstacle: obstacle === null ? undefined : t(obstacle),
            run: () => void actions.setEnabled(token, !isOn),
          },
          {
            label: t('token.delete'),
            icon: Trash2,
            danger: true,
            separated: true,
            run: () => void actions.remove(token),
          },
        ]}
      />
    </span>
  );
}
