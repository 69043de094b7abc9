/** The columns of the log, in their fixed order. */
import { formatNumber } from '@core/money.ts';
import { formatDateTime } from '@core/time-text.ts';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { Column, Opening } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { SearchLink } from '@/components/search-link.tsx';
import { Time } from '@/components/time.tsx';
import { Button } from '@/components/ui/button.tsx';
import { Tag } from '@/components/ui/tag.tsx';
import { useNow, useTimeRules } from '@/lib/clock.ts';
import { cn } from '@/lib/cn.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { openWith } from '@/lib/use-drawer.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { CONSUMPTION, isLogType, type LogRow, REFUSED, readFacts } from './log-row.ts';
import { useRemedy } from './remedy.ts';
import { useHeadOf } from './use-head-of.ts';

/** Seconds from which a call counts as slow, and as too slow: of the whole and to the first word (spec section 9). */
const SLOW = { total: [101, 300], first: [3, 10] } as const;

const levelOf = (seconds: number, [slow, bad]: readonly [number, number]): 'ok' | 'warn' | 'bad' =>
  seconds < slow ? 'ok' : seconds < bad ? 'warn' : 'bad';

const shapes = {
  ok: 'rounded-full bg-ok',
  warn: 'rotate-45 rounded-[1px] bg-warn',
  bad: 'rounded-[1px] bg-bad',
};

export function logColumns(t: TFunction, seesAll: boolean): Column<LogRow>[] {
  const all: (Column<LogRow> | false)[] = [
    {
      id: 'open',
      header: t('log.column.open'),
      headless: true,
      fixed: true,
      card: 'actions',
      className: 'opens-row',
      cell: (row, opening) => <OpenButton row={row} {...opening} />,
    },
    {
      id: 'time',
      sort: 'time',
      opens: true,
      header: t('log.column.time'),
      fixed: true,
      card: 'meta',
      cell: (row) => (
        <span className="max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-3">
          <LogTime row={row} />
          <CardFacts row={row} seesAll={seesAll} />
        </span>
      ),
    },
    seesAll && { id: 'user', sort: 'user', header: t('log.column.user'), cell: (row) => row.username },
    {
      id: 'token',
      sort: 'token',
      header: t('log.column.token'),
      className: 'max-w-36 truncate',
      cell: (row) => row.token_name,
    },
    {
      id: 'type',
      sort: 'type',
      header: t('log.column.type'),
      cell: (row) => <TypeMark type={row.type} />,
    },
    {
      id: 'model',
      sort: 'model',
      header: t('log.column.model'),
      card: 'title',
      cell: (row) => <Model row={row} />,
    },
    {
      id: 'duration',
      sort: 'duration',
      header: t('log.column.duration'),
      align: 'right',
      cell: (row) => <Duration row={row} />,
    },
    {
      id: 'input',
      sort: 'input',
      header: t('log.column.input'),
      align: 'right',
      cell: (row) => (row.type === CONSUMPTION ? formatNumber(row.prompt_tokens) : ''),
    },
    {
      id: 'output',
      sort: 'output',
      header: t('log.column.output'),
      align: 'right',
      cell: (row) => (row.type === CONSUMPTION ? formatNumber(row.completion_tokens) : ''),
    },
    {
      id: 'cost',
      sort: 'cost',
      header: t('log.column.cost'),
      align: 'right',
      card: 'status',
      className: 'max-md:font-medium',
      cell: (row) => <Cost row={row} />,
    },
    seesAll && {
      id: 'channel',
      sort: 'channel',
      header: t('log.column.channel'),
      align: 'right',
      cell: (row) => <Channels row={row} />,
    },
  ];
  return all.filter((column) => column !== false);
}

const isCall = (row: LogRow): boolean => row.model_name !== '';

function OpenButton({ row, isOpen, toggle }: Opening & { row: LogRow }) {
  const { t } = useTranslation();
  if (!isCall(row)) return null;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-expanded={isOpen}
      aria-label={t('log.openRow', { model: row.model_name })}
      onClick={toggle}
    >
      <Icon aria-hidden="true" />
    </Button>
  );
}

/** The time of day for today, else the date too; it opens the row by itself. */
function LogTime({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const now = useNow();
  const { timeZone } = useTimeRules();
  const headOf = useHeadOf();
  const full = formatDateTime(row.created_at, timeZone);
  const isToday = full.slice(0, 10) === formatDateTime(now, timeZone).slice(0, 10);
  return (
    <SearchLink
      change={{ id: row.id }}
      state={openWith(headOf(row)).state}
      aria-label={t('log.openAlone', { time: full })}
      className="hit whitespace-nowrap text-inherit no-underline hover:underline"
    >
      {isToday ? (
        <time
          dateTime={new Date(row.created_at * 1000).toISOString()}
          title={`${full} ${timeZone}`}
          className="tabular-nums"
        >
          {full.slice(11)}
        </time>
      ) : (
        <Time at={row.created_at} />
      )}
    </SearchLink>
  );
}

function TypeMark({ type }: { type: number }) {
  const { t } = useTranslation();
  if (!isLogType(type)) return <Tag>{t('app.unknown')}</Tag>;
  if (type === CONSUMPTION) return <>{t('log.type.2')}</>;
  return <Tag>{t(`log.type.${type}`)}</Tag>;
}

function Model({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const remedy = useRemedy(row);
  // A sentence must not push the columns behind it out of sight.
  if (!isCall(row))
    return (
      <span
        title={row.content}
        className="block max-w-64 truncate text-muted max-md:max-w-none max-md:whitespace-normal"
      >
        {row.content}
      </span>
    );
  const { isMapped, isOwnKey, error } = readFacts(row);
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 max-md:flex-wrap max-md:whitespace-normal md:max-w-64 print:flex-wrap">
      {/* Why a call was refused takes what its name leaves. */}
      <span className={cn('truncate', error && 'md:max-w-40 md:shrink-0 print:shrink')}>
        {row.model_name}
      </span>
      {isMapped && <Tag>{t('log.mapped')}</Tag>}
      {isOwnKey && <Tag>{t('log.ownKey')}</Tag>}
      {error && (
        <span className="text-bad md:truncate" title={row.content || error}>
          {remedy ? (
            <Link to={remedy.to} className="link text-bad">
              {row.content || error}
            </Link>
          ) : (
            row.content || error
          )}
        </span>
      )}
    </span>
  );
}

/** A call that was refused was not quick. */
function Duration({ row }: { row: LogRow }) {
  if (!isCall(row)) return null;
  const { firstMs } = readFacts(row);
  const first = firstMs === null ? null : firstMs / 1000;
  // The row has whole seconds; a short call took at least as long as its first content.
  const total = Math.max(row.use_time, first ?? 0);
  const levels = [levelOf(total, SLOW.total), ...(first === null ? [] : [levelOf(first, SLOW.first)])];
  const level = levels.includes('bad') ? 'bad' : levels.includes('warn') ? 'warn' : 'ok';
  return (
    // By the line of its figures, which is also that of the words around it.
    <span className="inline-flex items-baseline gap-1.5 whitespace-nowrap">
      {row.type !== REFUSED && (
        <span aria-hidden="true" className={cn('size-1.5 self-center', shapes[level])} />
      )}
      {total.toFixed(1)}
      {first !== null && <span className="text-muted">/ {first.toFixed(1)}</span>}
    </span>
  );
}

function Cost({ row }: { row: LogRow }) {
  if (row.quota === 0 && row.type !== CONSUMPTION) return <span className="text-muted max-md:hidden">—</span>;
  return <Money quota={row.quota} className={row.type === 1 || row.type === 5 ? 'text-ok' : undefined} />;
}

/** On the phone the last line of a card says, beside the time, what stands in columns of its own at a desk. */
function CardFacts({ row, seesAll }: { row: LogRow; seesAll: boolean }) {
  const { t } = useTranslation();
  const tried = seesAll && isCall(row) ? triedChannels(row) : '';
  return (
    <span className="flex flex-wrap items-center gap-x-3 text-muted md:hidden print:hidden">
      {row.type !== CONSUMPTION && <TypeMark type={row.type} />}
      {seesAll && row.username !== '' && <span>{row.username}</span>}
      {row.token_name !== '' && <span className="max-w-36 truncate">{row.token_name}</span>}
      {row.type === CONSUMPTION && (
        <span className="tabular-nums">
          {formatNumber(row.prompt_tokens)} → {formatNumber(row.completion_tokens)}
        </span>
      )}
      {isCall(row) && (
        <span>
          <Duration row={row} /> {t('log.sec')}
        </span>
      )}
      {tried !== '' && (
        <span>
          {t('log.column.channel')} {tried}
        </span>
      )}
    </span>
  );
}

function triedChannels(row: LogRow): string {
  const { usedChannels } = readFacts(row);
  return usedChannels.length > 1 ? usedChannels.join(' → ') : String(row.channel || '');
}

const Channels = ({ row }: { row: LogRow }) => <span title={row.channel_name}>{triedChannels(row)}</span>;
