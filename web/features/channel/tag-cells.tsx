/** The cells of a tag's row: what its channels are together, and what can be done with all of them. */
import { formatNumber } from '@core/money.ts';
import { useNavigate } from '@tanstack/react-router';
import { Activity, ChevronDown, ChevronRight, Pencil, Power, PowerOff, Tag as TagIcon } from 'lucide-react';
import { ActionMenu } from '@/components/action-menu.tsx';
import type { Opening } from '@/components/data-table/column.ts';
import { openDrawer } from '@/lib/use-drawer.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { TEST_JOB } from './calls.ts';
import { sumOf, type TagLine } from './line.ts';
import { Speed } from './response-time.tsx';
import type { ManyActions } from './use-many-actions.ts';

/** The tag, and the button that shows and hides its channels. */
export function TagName({ line, opening }: { line: TagLine; opening: Opening }) {
  const { tagOf: tag, channels } = line;
  const Icon = opening.isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      aria-expanded={opening.isOpen}
      className="hit -ml-1 inline-flex align-middle max-w-full items-center gap-1.5 rounded-sm px-1 text-left hover:bg-hover"
      onClick={opening.toggle}
    >
      <Icon className="text-muted" aria-hidden="true" />
      <TagIcon className="text-muted" aria-hidden="true" />
      <span className="truncate" title={tag}>
        {tag}
      </span>
      <span className="font-normal text-muted tabular-nums">{formatNumber(channels.length)}</span>
    </button>
  );
}

export function TagCounts({ line }: { line: TagLine }) {
  const { t } = useTranslation();
  const { on, off } = sumOf(line);
  const parts = [
    on > 0 && t('channel.countOn', { n: formatNumber(on) }),
    off > 0 && t('channel.countOff', { n: formatNumber(off) }),
  ];
  return <span className="text-muted">{parts.filter(Boolean).join(' · ')}</span>;
}

/** On a card the counts stand in the line of the type. */
export const TagStates = ({ line }: { line: TagLine }) => (
  <span className="md:hidden">
    <TagCounts line={line} />
  </span>
);

export function TagSpeed({ line }: { line: TagLine }) {
  const { t } = useTranslation();
  const duration = useDuration();
  const { responseMs } = sumOf(line);
  return <Speed ms={responseMs}>{t('channel.averageTime', { time: duration(responseMs / 1_000) })}</Speed>;
}

export function TagActions({ line, actions }: { line: TagLine; actions: ManyActions }) {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: '/channel' });
  const { tagOf: tag, channels } = line;
  return (
    <ActionMenu
      label={t('table.more', { name: t('channel.tagIs', { tag }) })}
      actions={[
        { label: t('channel.enableAll'), icon: Power, run: () => void actions.setTagEnabled(tag, true) },
        { label: t('channel.disableAll'), icon: PowerOff, run: () => void actions.setTagEnabled(tag, false) },
        {
          label: t('channel.testAll'),
          icon: Activity,
          run: () => void actions.begin(TEST_JOB, { ids: channels.map(({ id }) => id) }),
        },
        {
          label: t('channel.editTag'),
          icon: Pencil,
          separated: true,
          run: () => void navigate({ to: '/channel/tag/$tag', params: { tag }, ...openDrawer }),
        },
      ]}
    />
  );
}
