/** What a row of the channel list shows, and what can be done with it. */
import { CHANNEL_STATUS, PRIORITY_MIN } from '@modules/channel/facts.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Activity, Copy, Info, ListChecks, Pencil, Power, Tag as TagIcon, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Column, Opening } from '@/components/data-table/column.ts';
import { InlineNumber } from '@/components/inline-number.tsx';
import { Money } from '@/components/money.tsx';
import { State } from '@/components/status.tsx';
import { Button, LinkButton, Spinner } from '@/components/ui/button.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { cn } from '@/lib/cn.ts';
import { onUse } from '@/lib/on-use.tsx';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import {
  type Channel,
  type ChannelType,
  channelState,
  dollars,
  failedTest,
  groupsOf,
  offReason,
} from './channel.ts';
import { isTag, type Line, sumOf, type TagLine } from './line.ts';
import { ResponseTime } from './response-time.tsx';
import { TagActions, TagCounts, TagName, TagSpeed, TagStates } from './tag-cells.tsx';
import type { ChannelTools } from './tools.ts';
import type { ChannelActions } from './use-channel-actions.ts';

export type TypeLabel = Pick<ChannelType, 'type' | 'label' | 'tells_balance'>;

/** On the phone a card has four lines: name and state, type, figures, the numbers that are edited in place. */
const typeLine = 'max-md:[grid-area:fact] max-md:text-muted';
const figuresLine = 'max-md:[grid-area:meta] max-md:max-w-full max-md:self-start max-md:text-left!';
const numbersLine = 'max-md:[grid-area:4/2/auto/-1]';

/** What a cell shows of a channel, and what of a tag over its channels. */
const cellOf =
  (channel: (channel: Channel) => ReactNode, tag: (line: TagLine, opening: Opening) => ReactNode) =>
  (line: Line, opening: Opening) =>
    isTag(line) ? tag(line, opening) : channel(line);

export function useChannelColumns(tools: ChannelTools, types: readonly TypeLabel[]): Column<Line>[] {
  const { t } = useTranslation();
  return useMemo((): Column<Line>[] => {
    const { one, many } = tools;
    return [
      {
        id: 'id',
        sort: 'id',
        header: t('channel.id'),
        align: 'right',
        className: 'text-muted w-12',
        cell: cellOf(
          (channel) => channel.id,
          () => null,
        ),
      },
      {
        id: 'name',
        sort: 'name',
        opens: true,
        header: t('channel.name'),
        card: 'title',
        fixed: true,
        className: 'font-medium md:max-w-44',
        cell: cellOf(
          (channel) => <NameCell channel={channel} showsTag={!tools.tagView} />,
          (line, opening) => <TagName line={line} opening={opening} />,
        ),
      },
      {
        id: 'type',
        sort: 'type',
        header: t('channel.type'),
        card: 'fact',
        className: typeLine,
        cell: cellOf(
          (channel) => <TypeCell channel={channel} types={types} />,
          (line) => <TagStates line={line} />,
        ),
      },
      {
        id: 'groups',
        header: t('channel.groups'),
        cell: cellOf(
          (channel) => <GroupsCell groups={groupsOf(channel)} />,
          () => null,
        ),
      },
      {
        id: 'status',
        sort: 'status',
        header: t('channel.status'),
        card: 'status',
        cell: cellOf(
          (channel) => <StatusCell channel={channel} tools={tools} />,
          (line) => (
            <span className="max-md:hidden">
              <TagCounts line={line} />
            </span>
          ),
        ),
      },
      {
        id: 'response',
        sort: 'test',
        header: t('channel.response'),
        align: 'right',
        card: 'fact',
        className: figuresLine,
        cell: cellOf(
          (channel) => (
            <>
              <ResponseTime channel={channel} testing={one.testing.has(channel.id)} />
              <PhoneReason channel={channel} />
            </>
          ),
          (line) => <TagSpeed line={line} />,
        ),
      },
      {
        id: 'used',
        sort: 'used',
        header: t('channel.usedBalance'),
        align: 'right',
        card: 'fact-end',
        className: figuresLine,
        cell: cellOf(
          (channel) => (
            <>
              <Money quota={channel.used_quota} />
              <span className="text-muted"> / </span>
              <Balance channel={channel} types={types} actions={one} />
            </>
          ),
          (line) => <Money quota={sumOf(line).used} />,
        ),
      },
      {
        id: 'priority',
        sort: 'priority',
        header: t('channel.priority'),
        align: 'right',
        card: 'fact',
        className: numbersLine,
        cell: (line) => <NumberCell line={line} field="priority" tools={tools} />,
      },
      {
        id: 'weight',
        sort: 'weight',
        header: t('channel.weight'),
        align: 'right',
        card: 'fact-end',
        className: numbersLine,
        cell: (line) => <NumberCell line={line} field="weight" tools={tools} />,
      },
      {
        id: 'actions',
        header: t('table.actions'),
        headless: true,
        fixed: true,
        card: 'actions',
        cell: cellOf(
          (channel) => <RowActions channel={channel} tools={tools} />,
          (line) => <TagActions line={line} actions={many} />,
        ),
      },
    ];
  }, [t, tools, types]);
}

function NameCell({ channel: { id, name, tag }, showsTag }: { channel: Channel; showsTag: boolean }) {
  const { t } = useTranslation();
  return (
    <span className="flex items-center gap-2">
      {/* A tag takes what the name leaves, which is what tells one channel from another. */}
      <span className={cn('truncate', tag && showsTag && 'max-w-[calc(100%-3rem)] shrink-0')} title={name}>
        <span className="font-normal text-muted md:hidden">#{id} </span>
        <Link
          to="/channel/edit/$id"
          params={{ id: String(id) }}
          {...openWith({ title: name })}
          className="quiet-link"
        >
          {name}
        </Link>
      </span>
      {tag && showsTag && (
        <span
          title={t('channel.tagIs', { tag })}
          className="inline-flex min-w-0 items-center gap-1 text-xs font-normal text-muted"
        >
          <TagIcon className="size-3! shrink-0" aria-hidden="true" />
          <span className="max-w-24 truncate">{tag}</span>
        </span>
      )}
    </span>
  );
}

function TypeCell({ channel, types }: { channel: Channel; types: readonly TypeLabel[] }) {
  const { t } = useTranslation();
  const label = types.find(({ type }) => type === channel.type)?.label ?? t('channel.unknownType');
  return (
    <span className="block truncate md:max-w-28" title={label}>
      {label}
      <span className="md:hidden"> · {groupsOf(channel).join(', ')}</span>
    </span>
  );
}

const GROUPS_SHOWN = 2;

/** The first groups, and how many more there are: the numbers at the end of the row must stay in sight. */
function GroupsCell({ groups }: { groups: readonly string[] }) {
  const more = groups.length - GROUPS_SHOWN;
  return (
    <span className="flex items-center gap-1" title={groups.join(', ')}>
      {groups.slice(0, GROUPS_SHOWN).map((group) => (
        <Tag key={group}>
          <span className="block max-w-24 truncate">{group}</span>
        </Tag>
      ))}
      {more > 0 && (
        <span className="text-xs text-muted">
          <span aria-hidden="true">+{more}</span>
          <span className="sr-only">{groups.slice(GROUPS_SHOWN).join(', ')}</span>
        </span>
      )}
    </span>
  );
}

const WhyOff = onUse<{ channel: Channel; actions: ChannelActions; probing: boolean }>(
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

function StatusCell({ channel, tools: { one, probing } }: { channel: Channel; tools: ChannelTools }) {
  return (
    <>
      <span className="flex items-center gap-1">
        <State look={channelState(channel)} />
        {channel.status === CHANNEL_STATUS.autoDisabled && (
          <WhyOff channel={channel} actions={one} probing={probing} />
        )}
      </span>
      <KeysOff channel={channel} />
    </>
  );
}

/** Of a channel that goes on with the rest of its keys. */
function KeysOff({ channel: { status, keys_disabled: off, key_count: all } }: { channel: Channel }) {
  const { t } = useTranslation();
  if (status !== CHANNEL_STATUS.enabled || off === 0) return null;
  return (
    <span className="block text-xs whitespace-nowrap text-warn">{t('channel.keysOff', { off, all })}</span>
  );
}

/** On a card there is room for the reason itself. */
function PhoneReason({ channel }: { channel: Channel }) {
  const { reason } = offReason(channel);
  if (channel.status !== CHANNEL_STATUS.autoDisabled || !reason || failedTest(channel)?.reason === reason) {
    return null;
  }
  return (
    <span className="line-clamp-2 text-xs break-words whitespace-normal text-warn md:hidden">{reason}</span>
  );
}

interface BalanceProps {
  channel: Channel;
  types: readonly TypeLabel[];
  actions: ChannelActions;
}

/** What is left on the account; a press asks anew, where the type tells it at all. */
function Balance({ channel, types, actions }: BalanceProps) {
  const { t } = useTranslation();
  const { balance, balance_updated_time, name, type } = channel;
  const isKnown = balance_updated_time > 0;
  const text = isKnown ? dollars(balance) : '—';
  if (actions.asking.has(channel.id)) {
    return (
      <span role="status" className="inline-flex align-middle text-muted">
        <Spinner />
        <span className="sr-only">{t('channel.askingBalance')}</span>
      </span>
    );
  }
  if (!types.some((one) => one.type === type && one.tells_balance)) {
    const why = isKnown ? t('channel.balance') : t('channel.noBalance');
    return (
      <span className="text-faint" title={why}>
        <span aria-hidden="true">{text}</span>
        <span className="sr-only">{isKnown ? text : why}</span>
      </span>
    );
  }
  return (
    <LinkButton
      title={t('channel.refreshBalance')}
      aria-label={t('channel.balanceOf', { name, balance: isKnown ? text : t('app.unknown') })}
      onClick={() => void actions.refreshBalance(channel)}
    >
      {text}
    </LinkButton>
  );
}

interface NumberCellProps {
  line: Line;
  field: 'priority' | 'weight';
  tools: ChannelTools;
}

/** Priority or weight, edited where it stands; that of a tag overrides those of its channels. */
function NumberCell({ line, field, tools: { one, many } }: NumberCellProps) {
  const { t } = useTranslation();
  const isPriority = field === 'priority';
  const name = isTag(line) ? t('channel.tagIs', { tag: line.tagOf }) : line.name;
  const value = isTag(line) ? sumOf(line)[field] : line[field];
  return (
    <span className="max-md:-my-1.5 max-md:flex max-md:items-center max-md:gap-2.5">
      <span aria-hidden="true" className="text-xs text-muted md:hidden">
        {t(isPriority ? 'channel.priority' : 'channel.weight')}
      </span>
      <InlineNumber
        label={isPriority ? t('channel.priorityOf', { name }) : t('channel.weightOf', { name })}
        value={value}
        placeholder={value === null ? t('channel.mixed') : undefined}
        min={isPriority ? PRIORITY_MIN : 0}
        invalid={t(isPriority ? 'channel.priorityBad' : 'channel.weightBad')}
        save={(next) =>
          isTag(line) ? many.setTagNumber(line.tagOf, field, next) : one.setNumber(line, field, next)
        }
      />
    </span>
  );
}

function RowActions({ channel, tools: { one, testModels } }: { channel: Channel; tools: ChannelTools }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/channel' });
  const { id, name } = channel;
  const isOn = channel.status === CHANNEL_STATUS.enabled;
  return (
    <ActionMenu
      label={t('table.more', { name })}
      actions={[
        { label: t('channel.test'), icon: Activity, run: () => void one.test(channel) },
        { label: t('channel.testModels'), icon: ListChecks, run: () => testModels(channel) },
        {
          label: t('channel.edit'),
          icon: Pencil,
          run: () =>
            void navigate({
              to: '/channel/edit/$id',
              params: { id: String(id) },
              ...openWith({ title: name }),
            }),
        },
        { label: t('channel.copy'), icon: Copy, run: () => void one.copy(channel) },
        {
          label: t(isOn ? 'channel.disable' : 'channel.enable'),
          icon: Power,
          run: () => void one.setEnabled(channel, !isOn),
        },
        {
          label: t('channel.delete'),
          icon: Trash2,
          danger: true,
          separated: true,
          run: () => void one.remove(channel),
        },
      ]}
    />
  );
}
