/** What a row of the channel list shows, and what can be done with it. */
import { useNavigate } from '@tanstack/react-router';
import { Activity, Copy, Info, Pencil, Power, Tag as TagIcon, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Column } from '@/components/data-table/column.ts';
import { InlineNumber } from '@/components/inline-number.tsx';
import { Money } from '@/components/money.tsx';
import { Status } from '@/components/status.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { onUse } from '@/lib/on-use.tsx';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  CHANNEL_STATUS,
  type Channel,
  type ChannelType,
  channelStates,
  groupsOf,
  offReason,
} from './channel.ts';
import { PRIORITY_MIN } from './form.ts';
import { ResponseTime } from './response-time.tsx';
import type { ChannelActions } from './use-channel-actions.ts';

export type TypeLabel = Pick<ChannelType, 'type' | 'label'>;

/** On the phone a card has four lines: name and state, type, figures, the numbers that are edited in place. */
const typeLine = 'max-md:[grid-area:fact] max-md:text-muted';
const figuresLine = 'max-md:[grid-area:meta] max-md:self-start max-md:text-left!';
const numbersLine = 'max-md:[grid-area:4/2/auto/-1]';

export function useChannelColumns(actions: ChannelActions, types: readonly TypeLabel[]): Column<Channel>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<Channel>[] => [
      {
        id: 'id',
        header: t('channel.id'),
        align: 'right',
        className: 'text-muted w-12',
        cell: (channel) => channel.id,
      },
      {
        id: 'name',
        header: t('channel.name'),
        card: 'title',
        fixed: true,
        className: 'font-medium max-w-60',
        cell: (channel) => <NameCell channel={channel} />,
      },
      {
        id: 'type',
        header: t('channel.type'),
        card: 'fact',
        className: typeLine,
        cell: (channel) => <TypeCell channel={channel} types={types} />,
      },
      {
        id: 'groups',
        header: t('channel.groups'),
        cell: (channel) => (
          <span className="flex gap-1">
            {groupsOf(channel).map((group) => (
              <Tag key={group}>{group}</Tag>
            ))}
          </span>
        ),
      },
      {
        id: 'status',
        header: t('channel.status'),
        card: 'status',
        cell: (channel) => <StatusCell channel={channel} actions={actions} />,
      },
      {
        id: 'response',
        header: t('channel.response'),
        align: 'right',
        card: 'fact',
        className: figuresLine,
        cell: (channel) => (
          <>
            <ResponseTime channel={channel} testing={actions.testing.has(channel.id)} />
            <PhoneReason channel={channel} />
          </>
        ),
      },
      {
        id: 'used',
        header: t('channel.usedBalance'),
        align: 'right',
        card: 'fact-end',
        className: figuresLine,
        cell: (channel) => (
          <>
            <Money quota={channel.used_quota} bare />
            <span className="text-muted"> / </span>
            <Balance channel={channel} />
          </>
        ),
      },
      {
        id: 'priority',
        header: t('channel.priority'),
        align: 'right',
        card: 'fact',
        className: numbersLine,
        cell: (channel) => <NumberCell channel={channel} field="priority" actions={actions} />,
      },
      {
        id: 'weight',
        header: t('channel.weight'),
        align: 'right',
        card: 'fact-end',
        className: numbersLine,
        cell: (channel) => <NumberCell channel={channel} field="weight" actions={actions} />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: (channel) => <RowActions channel={channel} actions={actions} />,
      },
    ],
    [t, actions, types],
  );
}

function NameCell({ channel: { id, name, tag } }: { channel: Channel }) {
  const { t } = useTranslation();
  return (
    <span className="flex items-center gap-2">
      <span className="truncate" title={name}>
        <span className="font-normal text-muted md:hidden">#{id} </span>
        {name}
      </span>
      {tag && (
        <span
          title={t('channel.tagIs', { tag })}
          className="inline-flex min-w-0 shrink-0 items-center gap-1 text-xs font-normal text-muted"
        >
          <TagIcon className="size-3!" aria-hidden="true" />
          <span className="max-w-24 truncate">{tag}</span>
        </span>
      )}
    </span>
  );
}

function TypeCell({ channel, types }: { channel: Channel; types: readonly TypeLabel[] }) {
  const { t } = useTranslation();
  return (
    <>
      {types.find(({ type }) => type === channel.type)?.label ?? t('channel.unknownType')}
      <span className="md:hidden"> · {groupsOf(channel).join(', ')}</span>
    </>
  );
}

const WhyOff = onUse<{ channel: Channel; actions: ChannelActions }>(
  () => import('./why-off.tsx').then((module) => module.WhyOff),
  function WhyOffButton({ channel, onUse }) {
    const { t } = useTranslation();
    return (
      <Button
        variant="ghost"
        size="icon-sm"
        aria-haspopup="dialog"
        aria-label={t('channel.why', { name: channel.name })}
        title={offReason(channel).reason || undefined}
        onClick={onUse}
      >
        <Info aria-hidden="true" />
      </Button>
    );
  },
);

function StatusCell({ channel, actions }: { channel: Channel; actions: ChannelActions }) {
  const { t } = useTranslation();
  const state = channelStates.find(({ status }) => status === channel.status);
  if (!state) return <Status tone="off">{t('channel.unknownStatus')}</Status>;
  return (
    <span className="flex items-center gap-1">
      <Status tone={state.tone}>{t(state.label)}</Status>
      {channel.status === CHANNEL_STATUS.autoDisabled && <WhyOff channel={channel} actions={actions} />}
    </span>
  );
}

/** On a card there is room for the reason itself. */
function PhoneReason({ channel }: { channel: Channel }) {
  const { reason } = offReason(channel);
  if (channel.status !== CHANNEL_STATUS.autoDisabled || !reason) return null;
  return <span className="block truncate text-xs text-warn md:hidden">{reason}</span>;
}

function Balance({ channel: { balance, balance_updated_time } }: { channel: Channel }) {
  const { t } = useTranslation();
  if (balance_updated_time === 0) {
    return (
      <span className="text-faint" title={t('channel.noBalance')}>
        <span aria-hidden="true">—</span>
        <span className="sr-only">{t('channel.noBalance')}</span>
      </span>
    );
  }
  return <span title={t('channel.balance')}>${(Math.trunc(balance * 100) / 100).toFixed(2)}</span>;
}

interface NumberCellProps {
  channel: Channel;
  field: 'priority' | 'weight';
  actions: ChannelActions;
}

function NumberCell({ channel, field, actions }: NumberCellProps) {
  const { t } = useTranslation();
  const isPriority = field === 'priority';
  const { name } = channel;
  return (
    <span className="max-md:-my-1.5 max-md:flex max-md:items-center max-md:gap-2.5">
      <span aria-hidden="true" className="text-xs text-muted md:hidden">
        {t(isPriority ? 'channel.priority' : 'channel.weight')}
      </span>
      <InlineNumber
        label={isPriority ? t('channel.priorityOf', { name }) : t('channel.weightOf', { name })}
        value={channel[field]}
        min={isPriority ? PRIORITY_MIN : 0}
        invalid={t(isPriority ? 'channel.priorityBad' : 'channel.weightBad')}
        save={(value) => actions.setNumber(channel, field, value)}
      />
    </span>
  );
}

function RowActions({ channel, actions }: { channel: Channel; actions: ChannelActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/channel' });
  const { id, name } = channel;
  const isOn = channel.status === CHANNEL_STATUS.enabled;
  return (
    <ActionMenu
      label={t('table.more', { name })}
      actions={[
        { label: t('channel.test'), icon: Activity, run: () => void actions.test(channel) },
        {
          label: t('channel.edit'),
          icon: Pencil,
          run: () => void navigate({ to: '/channel/edit/$id', params: { id: String(id) }, ...openDrawer }),
        },
        {
          label: t('channel.copy'),
          icon: Copy,
          run: () =>
            void navigate({
              to: '/channel/add',
              ...openDrawer,
              search: (list) => ({ ...list, from: String(id) }),
            }),
        },
        {
          label: t(isOn ? 'channel.disable' : 'channel.enable'),
          icon: Power,
          run: () => void actions.setEnabled(channel, !isOn),
        },
        {
          label: t('channel.delete'),
          icon: Trash2,
          danger: true,
          separated: true,
          run: () => void actions.remove(channel),
        },
      ]}
    />
  );
}
