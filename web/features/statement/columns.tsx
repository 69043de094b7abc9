/** What a line of a statement shows. */
import { formatNumber } from '@core/money.ts';
import { can } from '@core/roles.ts';
import { formatDateTime, formatShort } from '@core/time-text.ts';
import { LINE_KINDS } from '@modules/statement/facts.ts';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Column } from '@/components/data-table/column.ts';
import { Money } from '@/components/money.tsx';
import { Time } from '@/components/time.tsx';
import type { DataOf } from '@/lib/calls.ts';
import { useNow } from '@/lib/clock.ts';
import { useBoot } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { OrderLink } from '../payment/order-link.tsx';
import { kindText, referenceText, type StatementLine } from './line.ts';

type Page = DataOf<'get', '/api/user/statement'>;

export function useStatementColumns({
  user_id,
  username,
  activities,
  time_zone,
}: Pick<Page, 'user_id' | 'username' | 'activities' | 'time_zone'>): Column<StatementLine>[] {
  const { t } = useTranslation();
  return useMemo(
    (): Column<StatementLine>[] => [
      {
        id: 'time',
        sort: 'time',
        header: t('statement.time'),
        card: 'fact',
        fixed: true,
        className: 'text-muted',
        cell: (line) => <When line={line} timeZone={time_zone} />,
      },
      {
        id: 'kind',
        header: t('statement.kind'),
        card: 'title',
        fixed: true,
        cell: (line) => <What line={line} username={username} />,
      },
      {
        id: 'note',
        header: t('statement.note'),
        // On the phone a line of its own, as long as it is.
        card: 'meta',
        className: 'max-w-100 truncate max-md:max-w-full max-md:break-words max-md:whitespace-normal',
        cell: (line) => <Note line={line} userId={user_id} activities={activities} />,
      },
      {
        id: 'amount',
        header: t('statement.amount'),
        align: 'right',
        card: 'status',
        fixed: true,
        cell: (line) => <Amount line={line} />,
      },
      {
        id: 'balance',
        header: t('statement.after'),
        align: 'right',
        card: 'fact-end',
        cell: (line) => <After balance={line.balance} />,
      },
      {
        id: 'ref',
        header: t('statement.ref'),
        cell: (line) => (
          <code title={line.ref} className="font-mono text-xs text-muted">
            {line.ref.slice(0, 8)}
          </code>
        ),
      },
    ],
    [t, user_id, username, activities, time_zone],
  );
}

/** Of a day of charges its date, in the zone in which it was counted. */
function When({ line: { created_at, day }, timeZone }: { line: StatementLine; timeZone: string }) {
  const now = useNow();
  if (!day) return <Time at={created_at} />;
  const date = formatDateTime(day.from, timeZone).slice(0, 10);
  const [shown] = formatShort(day.from, now, timeZone).split(' ');
  return (
    <time dateTime={date} title={`${date} ${timeZone}`} className="tabular-nums">
      {shown}
    </time>
  );
}

/** Charges lead to the calls of their day; in an administrator's log to those of this user. */
function What({ line, username }: { line: StatementLine; username: string }) {
  const { t } = useTranslation();
  const { user: viewer } = useBoot();
  const { day, created_at, kind } = line;
  if (!day) return kindText(kind, t);
  const search = {
    type: '2' as const,
    from: String(day.from),
    to: String(created_at),
    ...(can(viewer?.role ?? 0, 'canSeeAllLogs') && { user: username }),
  };
  return (
    <Link to="/log" search={search} className="link hit">
      {t('statement.calls', { count: day.calls, n: formatNumber(day.calls) })}
    </Link>
  );
}

function Note(props: { line: StatementLine; userId: number } & Pick<Page, 'activities'>) {
  const { line, userId, activities } = props;
  const { t } = useTranslation();
  const { user: viewer } = useBoot();
  const { kind, reason, reference, written_off } = line;
  if (kind === LINE_KINDS.writeOff) {
    return (
      <>
        {t(written_off < 0 ? 'statement.writtenOffAgain' : 'statement.writtenOff')}{' '}
        <Money quota={Math.abs(written_off)} />
      </>
    );
  }
  const text = reason || referenceText(reference, activities, t);
  const [, order] = /^topup:(\d+)$/.exec(reference) ?? [];
  if (order && text !== '') {
    return (
      <OrderLink id={order} isOwn={userId === viewer?.id}>
        {text}
      </OrderLink>
    );
  }
  return text === '' ? null : <span title={text}>{text}</span>;
}

function Amount({ line: { delta } }: { line: StatementLine }) {
  if (delta === 0) return <span className="text-muted">—</span>;
  return (
    <span className={delta > 0 ? 'text-ok' : undefined}>
      {delta > 0 && '+'}
      <Money quota={delta} />
    </span>
  );
}

/** On the phone the card has no header to say what it is. */
function After({ balance }: { balance: number }) {
  const { t } = useTranslation();
  return (
    <>
      <span className="text-muted md:hidden">{t('statement.then')} </span>
      <Money quota={balance} />
    </>
  );
}
