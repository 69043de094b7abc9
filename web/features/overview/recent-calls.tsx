/** One's last calls, each a link to its row in the log. */
import { formatNumber } from '@core/money.ts';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { Money } from '@/components/money.tsx';
import { Status } from '@/components/status.tsx';
import { Time } from '@/components/time.tsx';
import type { RecentCall } from '@/features/home/load.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';

export function RecentCalls({ calls }: { calls: readonly RecentCall[] }) {
  const { t } = useTranslation();
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className="rounded-md border border-line bg-surface">
      <div className="flex items-baseline gap-3 border-b border-line px-4 py-2.5">
        <h2 id={headingId} className="font-semibold">
          {t('overview.recent')}
        </h2>
        <Link to="/log" className="hit ml-auto text-sm text-accent-text">
          {t('nav.log')}
        </Link>
      </div>
      <table aria-labelledby={headingId} className="w-full text-sm whitespace-nowrap">
        <thead className="h-8 bg-sunken text-xs text-muted max-md:hidden">
          <tr className="[&>th]:px-2 [&>th]:font-medium [&>th:first-child]:pl-4 [&>th:last-child]:pr-4">
            <th scope="col" className="text-left">
              {t('log.column.time')}
            </th>
            <th scope="col" className="text-left">
              {t('log.column.model')}
            </th>
            <th scope="col" className="text-left">
              {t('log.column.token')}
            </th>
            <th scope="col" className="text-right">
              {t('overview.tokens')}
            </th>
            <th scope="col" className="text-right">
              {t('overview.took')}
            </th>
            <th scope="col" className="text-right">
              {t('log.column.cost')}
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <Call key={call.id} call={call} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** On the phone what has no column there stands below the model. */
function Call({
  call: { id, at, model, token, input, output, seconds, quota, failed },
}: {
  call: RecentCall;
}) {
  const { t } = useTranslation();
  const duration = useDuration();
  const tokens = failed ? '' : `${formatNumber(input)} → ${formatNumber(output)}`;
  return (
    <tr className="h-9 border-line not-first:border-t [&>td]:px-2 [&>td]:py-1 [&>td:last-child]:pr-4">
      <td className="pl-4! text-muted max-md:hidden">
        <Time at={at} relative />
      </td>
      <td className="w-1/2 max-w-0 truncate max-md:w-full max-md:pl-4!">
        <Link to="/log" search={{ id: String(id) }} className="hit font-medium text-text">
          {model || t('usage.nameless')}
        </Link>
        <span className="block truncate text-xs text-muted md:hidden">
          <Time at={at} relative />
          {[token, tokens, duration(seconds)].filter((text) => text !== '').map((text) => ` · ${text}`)}
        </span>
      </td>
      <td className="max-w-36 truncate max-md:hidden">{token}</td>
      <td className="text-right text-muted tabular-nums max-md:hidden">{tokens}</td>
      <td className="text-right text-muted tabular-nums max-md:hidden">{duration(seconds)}</td>
      <td className="text-right align-middle tabular-nums">
        {failed ? <Status tone="bad">{t('log.type.6')}</Status> : <Money quota={quota} />}
      </td>
    </tr>
  );
}
