/** One's last calls, each a link to its row in the log. */
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
  const duration = useDuration();
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
      <ul className="text-sm">
        {calls.map(({ id, at, model, seconds, quota, failed }) => (
          <li
            key={id}
            className="grid min-h-9 grid-cols-[8rem_minmax(0,1fr)_5rem_7rem] items-center gap-x-4 border-line px-4 py-1 not-last:border-b max-md:min-h-11 max-md:grid-cols-[minmax(0,1fr)_auto]"
          >
            <Time at={at} relative className="text-muted max-md:row-start-2 max-md:text-xs" />
            <Link
              to="/log"
              search={{ id: String(id) }}
              className="hit truncate font-medium text-text max-md:row-start-1"
            >
              {model || t('usage.nameless')}
            </Link>
            <span className="text-right whitespace-nowrap text-muted tabular-nums max-md:row-start-2 max-md:text-xs">
              {duration(seconds)}
            </span>
            <span className="text-right whitespace-nowrap tabular-nums max-md:row-start-1">
              {failed ? <Status tone="bad">{t('log.type.6')}</Status> : <Money quota={quota} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
